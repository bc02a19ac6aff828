"""NVIDIA's tools attach to the device's process and name the cell's kernel and line, as docs/profiling.md shows."""
import shutil
import subprocess
import sys

import nbformat
import pytest
from conftest import gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")


def execute(tool, cells, folder):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
                                        metadata={"kernelspec": {"name": "xcuda", "display_name": "CUDA C++", "language": "cuda"}})
    path = folder / "profiled.ipynb"
    nbformat.write(notebook, path)
    run = subprocess.run([*tool, sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--allow-errors", "--output", "out", path],
                         capture_output=True, text=True, timeout=100, cwd=folder)
    print(run.stdout[-6000:], run.stderr[-3000:])
    return run.stdout + run.stderr


@pytest.mark.skipif(shutil.which("compute-sanitizer") is None, reason="compute-sanitizer is not installed")
def test_compute_sanitizer_names_the_cell_and_its_line(tmp_path):
    said = execute(["compute-sanitizer", "--target-processes", "all"],
                   ["__global__ void over(int* x) {\n  x[threadIdx.x + (1ll << 40)] = 1;\n}\nint x[32];", "over<<<1, 32>>>(x);"], tmp_path)
    assert "Invalid __global__ write" in said and "over(int *)" in said and "In[1]:2" in said


@pytest.mark.skipif(shutil.which("ncu") is None, reason="ncu is not installed")
def test_nsight_compute_profiles_the_cells_kernel(tmp_path):
    said = execute(["ncu", "--target-processes", "all", "--section", "LaunchStats", "--kernel-name", "twice"],
                   ["__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\nfloat x[128] = 1;", "twice<<<1, 128>>>(x);\nassert(x[5] == 2);"], tmp_path)
    if "ERR_NVGPUCTRPERM" in said:
        pytest.skip("this machine does not let users read performance counters")
    assert "twice" in said and "Registers Per Thread" in said
