"""The wheel that `make wheel` makes: what is in it, which systems it runs on, and that it works in an environment.

XCUDA_NETWORK=1   also installs NVIDIA's wheels from the network, as `pip install xeus-cuda[cuda]` does
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/jupyter"))
from raw_client import Kernel, text_of  # noqa: E402

PROGRAMS = {"xcuda", "xcuda-compile", "xcuda-cpu", "xcuda-gpu", "xcuda-files", "xcuda-shell"}
SAXPY = ROOT / "notebooks/saxpy.ipynb"

pytestmark = pytest.mark.skipif(not (ROOT / "build/release/bin/xcuda").exists(), reason="build/release is not built")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, ROOT / "scripts/wheel", out)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A prefix as pip makes it, without a network; pip is that of the tests' own environment."""
    prefix = tmp_path_factory.mktemp("a prefix") / "env"
    run(sys.executable, "-m", "venv", "--without-pip", prefix)
    run(sys.executable, "-m", "pip", "--python", prefix / "bin/python", "install", "-q", "--no-index", "--no-deps", wheel)
    return prefix


def plain_environment(prefix, **more):
    """Neither activated nor on PATH; a CUDA toolkit of this machine is found where it usually is."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "XCUDA_PROGRAMS", "XCUDA_SHARE", "PYTHONPATH")}
    return {**kept, "JUPYTER_PATH": str(prefix / "share/jupyter"), **more}


def cuda_of_the_tests():
    """Where this machine has no toolkit, the wheels of the tests' environment stand in for [cuda]."""
    return {} if any(pathlib.Path("/usr/local/cuda").glob("lib*/libnvrtc.so*")) else {"CONDA_PREFIX": sys.prefix}


def test_it_is_small_and_says_what_it_is(wheel):
    assert wheel.name.endswith("-py3-none-manylinux_2_35_x86_64.whl")
    assert wheel.stat().st_size <= 60 << 20
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    assert "\nName: xeus-cuda\n" in metadata
    assert 'Requires-Dist: nvidia-cuda-nvrtc>=13,<14; extra == "cuda"' in metadata
    assert 'Requires-Dist: nvidia-cuda-nvrtc-cu12>=12.4; extra == "cuda12"' in metadata
    programs = {name.rpartition("/")[2] for name in names if "/lib/xeus-cuda/bin/" in name}
    assert programs >= PROGRAMS
    # Nothing may take the place of an environment's own libraries.
    data = {name.split(".data/data/", 1)[1] for name in names if ".data/data/" in name}
    assert all(name.startswith(("lib/xeus-cuda/", "share/jupyter/kernels/xcuda/", "share/jupyter/labextensions/xeus-cuda/",
                                "share/jupyter/nbconvert/templates/xcuda/")) for name in data)
    assert any("/licenses/LICENSE" in name for name in names) and any("libzmq" in name for name in names if "/licenses/" in name)


def test_every_file_runs_with_glibc_2_35(wheel, tmp_path):
    run(sys.executable, "-m", "zipfile", "-e", wheel, tmp_path)
    looked_at = 0
    for path in tmp_path.rglob("*"):
        if not path.is_file() or path.open("rb").read(4) != b"\x7fELF":
            continue
        looked_at += 1
        wanted = {name: [tuple(map(int, number.split("."))) for number in re.findall(rf"\b{name}_([0-9.]+[0-9])", run("readelf", "--version-info", path))]
                  for name in ("GLIBC", "GLIBCXX")}
        assert max(wanted["GLIBC"], default=(0,)) <= (2, 35), path
        assert max(wanted["GLIBCXX"], default=(0,)) <= (3, 4, 30), path
    assert looked_at > 10


@pytest.mark.skipif(importlib.util.find_spec("auditwheel") is None, reason="auditwheel is not installed")
def test_auditwheel_agrees(wheel):
    said = run(sys.executable, "-m", "auditwheel", "show", wheel)
    assert re.search(r'tag:\s+"manylinux_2_3[0-5]_x86_64"', said.replace("\n", " ")), said


def test_the_kernelspec_needs_no_activation(installed, tmp_path):
    spec = json.loads((installed / "share/jupyter/kernels/xcuda/kernel.json").read_text())
    assert spec["argv"][0].startswith("{resource_dir}/")
    program = pathlib.Path(spec["argv"][0].format(resource_dir=installed / "share/jupyter/kernels/xcuda"))
    assert os.access(program, os.X_OK)
    assert run(installed / "bin/xcuda", "--version", env=plain_environment(installed)).startswith("xcuda ")


def test_saxpy_runs_through_nbclient(installed, tmp_path):
    env = plain_environment(installed, XCUDA_CACHE_DIR=str(tmp_path / "cache"), IPYTHONDIR=str(tmp_path), **cuda_of_the_tests())
    shutil.copy(SAXPY, tmp_path / "saxpy.ipynb")
    run(sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", tmp_path / "saxpy.ipynb", env=env)
    book = json.loads((tmp_path / "saxpy.ipynb").read_text())
    assert any(cell.get("outputs") for cell in book["cells"])
    assert not [output for cell in book["cells"] for output in cell.get("outputs", []) if output["output_type"] == "error"]


def test_cells_of_python_run_in_the_environment_of_the_wheel(installed, tmp_path):
    kernel = Kernel([str(installed / "lib/xeus-cuda/bin/xcuda")], tmp_path, env={"VIRTUAL_ENV": "", "CONDA_PREFIX": "", "XDG_DATA_HOME": str(tmp_path)})
    try:
        reply, outputs = kernel.execute("%%python\nimport sys, xeus_cuda\nprint(sys.prefix)")
        assert reply["status"] == "ok" and text_of(outputs) == f"{installed}\n"
    finally:
        kernel.close()


def test_the_package_finds_its_programs(installed):
    code = "import xeus_cuda; print(xeus_cuda.program(), xeus_cuda.program('xcuda-cpu'), sep='\\n')"
    found = run(installed / "bin/python", "-c", code, env=plain_environment(installed, PATH="/usr/bin:/bin"), cwd="/").splitlines()
    assert found == [str((installed / "lib/xeus-cuda/bin").resolve() / name) for name in ("xcuda", "xcuda-cpu")]


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="nvcc or g++ is not installed")
def test_programs_run_on_the_cpu_device(installed, tmp_path):
    (tmp_path / "twice.cu").write_text(
        "#include <cstdio>\n__global__ void twice(int* x) { *x *= 2; }\n"
        "int main() {\n  int* x;\n  cudaMallocManaged(&x, 4);\n  *x = 21;\n  twice<<<1, 1>>>(x);\n"
        "  cudaDeviceSynchronize();\n  printf(\"%d\\n\", *x);\n}\n")
    nvcc = installed / "lib/xeus-cuda/lib/xcuda/toolkit/bin/nvcc"
    env = plain_environment(installed, XCUDA_CACHE_DIR=str(tmp_path / "cache"))
    run(nvcc, "-arch=native", tmp_path / "twice.cu", "-o", tmp_path / "twice", env=env)
    assert run(tmp_path / "twice", env=env) == "42\n"


def test_uninstalling_leaves_nothing_but_the_cache(wheel, tmp_path):
    prefix = tmp_path / "env"
    run(sys.executable, "-m", "venv", "--without-pip", prefix)
    before = {path for path in prefix.rglob("*")}
    run(sys.executable, "-m", "pip", "--python", prefix / "bin/python", "install", "-q", "--no-compile", "--no-index", "--no-deps", wheel)
    cache = tmp_path / "cache"
    env = plain_environment(prefix, XCUDA_CACHE_DIR=str(cache), HOME=str(tmp_path), **cuda_of_the_tests())
    assert "A kernel, compiled and run: right" in run(prefix / "bin/xcuda", "--doctor", env=env)
    assert any((cache / "compile").iterdir())
    said = run(prefix / "bin/xcuda", "--clear-cache", env=env)
    assert f"removed: {cache / 'compile'}" in said
    assert not cache.exists()
    assert run(prefix / "bin/xcuda", "--clear-cache", env=env) == ""
    run(sys.executable, "-m", "pip", "--python", prefix / "bin/python", "uninstall", "-q", "-y", "xeus-cuda")
    left = {path for path in prefix.rglob("*")} - before
    assert not [path for path in left if path.is_file()]


def test_a_cache_that_is_not_private_is_left_alone(installed, tmp_path):
    folder = tmp_path / "compile"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("x")
    folder.symlink_to(elsewhere)
    done = subprocess.run([installed / "bin/xcuda", "--clear-cache"], capture_output=True, text=True,
                          env=plain_environment(installed, XCUDA_CACHE_DIR=str(tmp_path)))
    assert done.returncode == 1 and "is left alone" in done.stderr
    assert (elsewhere / "kept").exists()


def test_the_recipe_is_of_this_version():
    text = (ROOT / "recipe/recipe.yaml").read_text()
    assert re.search(r"version: \"?([0-9.]+)", text)[1] == re.search(r"VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text().split("project(", 1)[1])[1]


@pytest.mark.skipif(os.environ.get("XCUDA_NETWORK") != "1", reason="XCUDA_NETWORK=1 installs from the network")
@pytest.mark.timeout(900)
def test_one_line_in_a_fresh_environment_as_a_plain_user(wheel, tmp_path_factory):
    """A user who is not root, no toolkit on the way: NVRTC comes from [cuda]."""
    home = pathlib.Path("/tmp") / f"xcuda-wheel-{os.getpid()}"
    home.mkdir(mode=0o755)
    try:
        shutil.copy(wheel, home)
        shutil.copy(SAXPY, home)
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        if user:
            os.chown(home, 65534, 65534)
            os.chown(home / "saxpy.ipynb", 65534, 65534)
        env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(home), **{name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.lower().endswith("_proxy")}}

        def as_user(*command):
            return run(*user, *command, env=env, cwd=home)

        as_user("/usr/bin/python3", "-m", "venv", "env")
        as_user("env/bin/pip", "install", "-q", f"{home / wheel.name}[cuda]", "nbconvert", "ipykernel")
        said = as_user("env/bin/xcuda", "--doctor")
        assert f"NVRTC      {home}/env/lib/python3" in said and "A kernel, compiled and run: right" in said
        as_user("env/bin/jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace", "saxpy.ipynb")
        assert '"output_type": "error"' not in (home / "saxpy.ipynb").read_text()
    finally:
        shutil.rmtree(home, ignore_errors=True)
