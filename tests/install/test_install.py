"""What `cmake --install` and `scripts/bundle` put in place, and that it works from another folder."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
PROGRAMS = ("xcuda", "xcuda-compile", "xcuda-cpu", "xcuda-gpu", "xcuda-files", "xcuda-shell")
SPEC = "share/jupyter/kernels/xcuda"
LAB = "share/jupyter/labextensions/xeus-cuda"
PAGES = "share/jupyter/nbconvert/templates/xcuda"
GLIBC = ("libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "libresolv.so", "libutil.so", "ld-linux", "linux-vdso")

sys.path.insert(0, str(ROOT / "tests/jupyter"))
from raw_client import Kernel, text_of  # noqa: E402

pytestmark = pytest.mark.skipif(not (BUILD / "bin/xcuda").exists(), reason="build/release is not built")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=ROOT, **more)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """Made in one folder, used in another, whose name needs quotes."""
    made = tmp_path_factory.mktemp("made") / "tree"
    run("scripts/bundle", "--tree", made)
    moved = tmp_path_factory.mktemp("moved & renamed") / "xeus cuda"
    shutil.move(made, moved)
    return moved


def cuda_elsewhere():
    """Where the machine has no toolkit, the wheels that set-up put into .venv stand in, as those of a conda environment."""
    usual = any(any(pathlib.Path(folder).glob("lib*/libnvrtc.so*")) for folder in ("/usr/local/cuda", "/opt/cuda"))
    return "" if usual else str(ROOT / ".venv")


def cell(argv, tmp_path, code):
    kernel = Kernel(argv, tmp_path, env={"CONDA_PREFIX": cuda_elsewhere(), "XDG_DATA_HOME": str(tmp_path), "XCUDA_CACHE_DIR": str(tmp_path)})
    try:
        return kernel.execute(code)
    finally:
        kernel.close()


def test_cmake_install_puts_everything_in_place(tmp_path):
    prefix = tmp_path / "a prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    for program in PROGRAMS:
        assert os.access(prefix / "bin" / program, os.X_OK)
    assert os.access(prefix / "bin/xcuda-install", os.X_OK)
    spec = json.loads((prefix / SPEC / "kernel.json").read_text())
    assert spec["argv"] == [str(prefix / "bin/xcuda"), "-f", "{connection_file}"]
    assert (spec["display_name"], spec["language"], spec["interrupt_mode"]) == ("CUDA C++", "cuda", "message")
    for logo, start in (("logo-32x32.png", b"\x89PNG"), ("logo-64x64.png", b"\x89PNG"), ("logo-svg.svg", b"<")):
        assert (prefix / SPEC / logo).read_bytes().startswith(start)
    own = {path.relative_to(ROOT / "share/xcuda") for path in (ROOT / "share/xcuda").rglob("*") if path.is_file()}
    toolkit = {path for path in own if path.parts[0] == "toolkit"}  # which is no place that other programs look into
    own -= toolkit
    assert toolkit and all((prefix / "lib/xcuda" / path).is_file() for path in toolkit)
    assert own and all((prefix / "share/xcuda" / path).is_file() for path in own)
    books = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {path.name for path in (prefix / "share/xcuda/notebooks").iterdir()} == books
    assert "xcuda " in run(prefix / "bin/xcuda", "--version")
    assert str(prefix / SPEC / "kernel.json") in (BUILD / "install_manifest.txt").read_text()


def test_a_bundle_brings_every_library_but_those_of_glibc(bundle):
    for program in PROGRAMS:
        assert is_elf(bundle / "bin" / program)
        for line in run("ldd", bundle / "bin" / program).splitlines():
            name, _, where = line.strip().partition(" => ")
            if pathlib.Path(name).name.startswith(GLIBC):
                continue
            # The loader writes the path as it looked it up, with bin/../ in it.
            assert pathlib.Path(where.rpartition(" (")[0]).resolve().parent == bundle / "lib", line
    assert (bundle / "LICENSE").is_file() and (bundle / "README.md").is_file()
    licences = {path.name for path in (bundle / "share/doc/xeus-cuda/licences").iterdir()}
    if shutil.which("dpkg-query"):  # their texts come from Debian's packages
        assert any("libzmq" in name for name in licences) and any("llvm" in name for name in licences)


def test_a_moved_bundle_is_installed_for_jupyter_and_runs_a_kernel(bundle, tmp_path):
    target = tmp_path / "its jupyter"
    said = run(bundle / "bin/xcuda-install", "--prefix", target)
    assert f"installed: {target / SPEC}" in said
    spec = json.loads((target / SPEC / "kernel.json").read_text())
    assert spec["argv"][0] == str(bundle / "bin/xcuda")
    assert (target / SPEC / "logo-svg.svg").is_file()
    assert (target / LAB / "package.json").is_file() and (target / LAB / "static/remoteEntry.js").is_file()
    assert (target / PAGES / "index.html.j2").is_file()
    reply, outputs = cell(spec["argv"][:1], tmp_path,
                          "%device cpu\n__global__ void twice(int* p) { p[threadIdx.x] *= 2; }\nint x[8] = arange();\n"
                          'twice<<<1, 8>>>(x);\nprintf("%d\\n", x[7]);')
    assert reply["status"] == "ok", reply
    assert text_of(outputs).endswith("14\n")
    run(bundle / "bin/xcuda-install", "--prefix", target, "--uninstall")
    assert not (target / SPEC).exists() and not (target / LAB).exists()


def test_an_environments_kernelspec_names_the_environment(bundle, tmp_path):
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/python3"
    fake.write_text(f"#!/bin/sh\necho '{tmp_path}/env'\n")
    fake.chmod(0o755)
    run(bundle / "bin/xcuda-install", "--sys-prefix", env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    spec = json.loads((tmp_path / "env" / SPEC / "kernel.json").read_text())
    assert spec["env"] == {"VIRTUAL_ENV": f"{tmp_path}/env"}
    assert spec["argv"][0] == str(bundle / "bin/xcuda")


@pytest.mark.parametrize("words, code, text", [
    (["--nonsense"], 2, "unknown option --nonsense"), (["--prefix"], 1, "--prefix needs a folder"), (["--help"], 0, "--sys-prefix"),
    (["--uninstall"], 1, "there is no kernelspec in")], ids=lambda value: str(value))
def test_wrong_words_to_the_installer(bundle, tmp_path, words, code, text):
    done = subprocess.run([bundle / "bin/xcuda-install", *words], capture_output=True, text=True, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    assert done.returncode == code
    assert text in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_says_where_it_looked_in_order_and_that_kernels_run(bundle, tmp_path):
    venv = tmp_path / "venv"
    (venv / "lib/python3.12/site-packages/nvidia/cu13/lib").mkdir(parents=True)
    (tmp_path / "old/lib64").mkdir(parents=True)
    (tmp_path / "old/lib64/libnvrtc.so.11.8.89").write_text("")
    conda = cuda_elsewhere()
    said = run(bundle / "bin/xcuda", "--doctor", env={**os.environ, "CUDA_HOME": "/no/such/folder", "CUDA_PATH": str(tmp_path / "old"),
                                                      "CONDA_PREFIX": conda, "VIRTUAL_ENV": str(venv), "XCUDA_CACHE_DIR": str(tmp_path / "cache")})
    places = said[said.index("Places, in order:"):said.index("Programs:")].splitlines()[1:]
    origins = [line[4:].split("  ")[0] for line in places if line.strip()]
    order = ["CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "program's prefix", "pip --user", "usual folder"]
    assert list(dict.fromkeys(origins))[:len(order)] == order
    reasons = {origin: line for origin, line in zip(origins, places)}
    assert reasons["CUDA_HOME"].endswith("no such folder")
    assert reasons["CUDA_PATH"].endswith("libnvrtc.so.11.8.89 is older than 12.4")
    assert conda or reasons["CONDA_PREFIX"].endswith("not set")
    assert "no libnvrtc" in reasons["VIRTUAL_ENV"]
    assert sum(line.startswith("  * ") for line in places) >= 1
    assert "A kernel, compiled and run: right" in said
    assert re.search(r"^  %%python +/.*/python3$", said, re.M)
    assert str(tmp_path / "cache") in said
