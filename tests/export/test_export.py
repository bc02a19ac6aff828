"""What %export writes is a program that nvcc builds. tests/gpu/test_exported_programs.py runs it and compares what it prints."""
import pathlib
import re
import shutil
import subprocess

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def cells_of(path):
    if path.suffix == ".cells":
        return path.read_text().split("\n---\n")
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def without_other_modules(cells):
    """Those of a tour that nvcc has a counterpart for; %reset would leave nothing."""
    return [cell for cell in cells if not re.search(r"^%%ptx|^%load_module|^!rm|\bsevens\b|^%reset|^nothing<<<", cell, re.M)]


def export(path, target):
    """Runs the cells, and gives the text of the exported program."""
    manager, client = start_new_kernel(kernel_name="xcuda", startup_timeout=60, cwd=str(target.parent))
    try:
        for cell in [*without_other_modules(cells_of(path)), f"%export {target}"]:
            problem = []
            reply = client.execute_interactive(cell, timeout=300, output_hook=lambda m: problem.extend(m["content"].get("traceback", [])))
            assert reply["content"]["status"] == "ok", f"{cell}\n{problem}"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return target.read_text()


@pytest.mark.timeout(600)
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize("path", [ROOT / "notebooks/heat.ipynb", ROOT / "tests/export/language.cells"], ids=lambda path: path.stem)
def test_nvcc_builds_it(path, tmp_path):
    program = export(path, tmp_path / "program.cu")
    lines = program.splitlines()
    assert int(re.search(r"main\(\) from line (\d+)", lines[0])[1]) == lines.index("int main() {") + 1
    # As the program says, for the least that it takes; without optimising, which is most of the time.
    command = lines[1].removeprefix("//").split()
    assert command[0] == "nvcc"
    quick = ["-arch=sm_80" if word == "-arch=native" else word for word in command[1:]] + ["-O0", "-Xcicc", "-O0", "-Xptxas", "-O0"]
    built = subprocess.run([NVCC, *quick], cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "warning" not in built.stdout + built.stderr
    assert (tmp_path / "program").exists()


@pytest.mark.timeout(300)
def test_a_statement_keeps_its_text(tmp_path):
    program = export(ROOT / "notebooks/saxpy.ipynb", tmp_path / "program.cu")
    for line in ["const size_t n = size_t(block) * grid;",
                 "xcuda::Array<float> x(n);",
                 "xcuda::uniform(x, 0, 1, 1);",
                 "saxpy<<<grid, block>>>(a, x, y, out, n);",
                 'std::printf("%zu elements, %d wrong\\n", n, bad.part(0).get());',
                 'xcuda::show("out", out);']:
        assert line in program
    assert "--fmad=false" in program.splitlines()[1]
    assert "--repeat" not in program and "#pragma once" not in program
