"""The package xeus_cuda on a GPU: the session's arrays in this process, and this process's arrays in the session."""
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import gpus

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "share/xcuda/python"))
import xeus_cuda  # noqa: E402

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

ADD = "__global__ void add(const float* x, float* y, size_t n) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += x[i]; }"


@pytest.fixture(scope="module")
def session():
    os.environ.setdefault("XCUDA_PROGRAMS", os.path.join(os.environ.get("XCUDA_PREFIX", sys.prefix), "bin"))
    with xeus_cuda.Session(device="gpu:0") as made:
        made.run(ADD)
        yield made


def test_an_array_is_the_sessions_memory(session):
    session.run("float x[256] = arange();")
    x = session["x"]
    assert x.shape == (256,) and x.dtype == "f4" and x.__cuda_array_interface__["data"][0] >= 0x200000000000
    assert x.numpy().tolist() == list(range(256))
    session["h"] = np.arange(6, dtype="i2").reshape(2, 3)
    session.run("assert(h[1][2] == 5);")
    assert session["h"].numpy().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_numpy_arrays_are_copied(session):
    x, y = np.ones(256, "f4"), np.zeros(256, "f4")
    session.kernel("add")[1, 256](x, y, 256)
    assert y.tolist() == [1] * 256
    assert session.explain().count("copied to the GPU") == 2


def test_torch(session):
    torch = pytest.importorskip("torch")
    session.run("float x[256] = 2, m[4][256] = 1;")
    x, m = session["x"].torch(), session["m"].torch()
    add = session.kernel("add")
    add[1, 256](x, m[2], 256)
    assert session.explain().count("no copy") == 2 and "&m[2][0]" in session.explain()
    assert m[2].eq(3).all() and m[1].eq(1).all()
    session.run("x = 10;")
    assert x.eq(10).all()
    mine, other = torch.full((256,), 5.0, device="cuda"), torch.zeros(256, device="cuda")
    add[1, 256](mine, other, 256)
    assert other.eq(5).all() and session.explain().count("copied on the GPU") == 2
    every_second = torch.zeros(512, device="cuda")[::2]
    add[1, 256](mine.double().float(), every_second, 256)
    assert every_second.eq(5).all()
    session["t"] = torch.arange(4, dtype=torch.bfloat16, device="cuda")
    session.run("assert(float(t[3]) == 3);")
    assert session["t"].torch().dtype == torch.bfloat16
    assert session.empty("e", (2, 3), torch.float64).torch().dtype == torch.float64


def test_cupy(session):
    cupy = pytest.importorskip("cupy")
    x, y = cupy.full(256, 7, "f4"), cupy.ones((256, 2), "f4")[:, 0]
    session.kernel("add")[1, 256](x, y, 256)
    assert (y == 8).all()
    session["c"] = x
    assert (session["c"].cupy() == 7).all()


def test_numba(session):
    cuda = pytest.importorskip("numba.cuda")
    y = cuda.to_device(np.ones(256, "f4"))
    session.kernel("add")[1, 256](np.full(256, 2, "f4"), y, 256)
    assert y.copy_to_host().tolist() == [3] * 256


def test_a_fault_costs_python_nothing(session):
    torch = pytest.importorskip("torch")
    session.run("float x[256] = 4;\n__global__ void bad(float* p) { *(volatile float*)16 = *p; }")
    x, mine = session["x"].torch(), torch.ones(256, device="cuda")
    with pytest.raises(xeus_cuda.CudaError, match="bad"):
        session.kernel("bad")[1, 1](x)
    assert x.eq(4).all() and mine.eq(1).all()
    session.kernel("add")[1, 256](mine, x, 256)
    assert x.eq(5).all() and "no copy" in session.explain()


def test_cells_of_python_that_use_no_array_make_no_context(start):
    kernel = start()
    status, text = kernel.run("%device gpu:0\nfloat x[8] = arange();")
    assert status == "ok", text
    assert kernel.run("%%python\nimport os\nprint(6 * 7)")[1].strip() == "42"
    python = kernel.workers("python")
    listed = subprocess.run(["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"], capture_output=True, text=True).stdout.split()
    shown = kernel.run("%%python\nprint('libcuda' in open('/proc/self/maps').read())")[1]
    assert "False" in shown and not set(map(str, python)) & set(listed)
    assert "True" in kernel.run("%%python\nx.numpy()\nprint('libcuda' in open('/proc/self/maps').read())")[1]
