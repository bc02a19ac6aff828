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
    every_second = torch.zeros(512, device="cuda")[::2]
    add[1, 256](torch.full((256,), 5.0, device="cuda"), every_second, 256)
    assert every_second.eq(5).all() and session.explain().count("CUDA IPC, no copy") == 1
    assert "copied on the GPU, and back (no CUDA IPC: its elements are not contiguous)" in session.explain()
    session["t"] = torch.arange(4, dtype=torch.bfloat16, device="cuda")
    session.run("assert(float(t[3]) == 3);")
    assert session["t"].torch().dtype == torch.bfloat16
    assert session.empty("e", (2, 3), torch.float64).torch().dtype == torch.float64


def test_tensors_are_opened_by_ipc(session):
    torch = pytest.importorskip("torch")
    add = session.kernel("add")
    mine, other = torch.full((256,), 5.0, device="cuda"), torch.zeros(256, device="cuda")
    add[1, 256](mine, other, 256)
    assert other.eq(5).all() and mine.eq(5).all()
    assert session.explain().splitlines() == ["1. const float* x: Python's memory by CUDA IPC, no copy", "2. float* y: Python's memory by CUDA IPC, no copy",
                                              "3. size_t n: by value, 256"], session.explain()
    assert xeus_cuda.explain() == session.explain()
    assert "xcuda_argument" not in session.run("%arrays").displays[0]["text/plain"]
    # A part, the same tensor twice, and one beside an array of the session.
    many = torch.arange(1024, device="cuda", dtype=torch.float32)
    add[1, 256](many[256:512], many[512:768], 256)
    assert many[512:768].eq(torch.arange(256, device="cuda") * 2 + 768).all() and many[768:].eq(torch.arange(768, 1024, device="cuda")).all()
    add[1, 256](mine, mine, 256)
    assert mine.eq(10).all()
    session.run("float own[256] = 1;")
    add[1, 256](mine, session["own"], 256)
    session.run("assert(own[255] == 11);")
    # Launched again and again, and made anew in between.
    for round in range(20):
        fresh = torch.full((1 << 20,), float(round), device="cuda")
        add[4096, 256](fresh, fresh, 1 << 20)
        assert fresh.eq(2 * round).all()
        del fresh
        torch.cuda.empty_cache()


def test_streams_of_python_are_done_before_the_launch(session):
    torch = pytest.importorskip("torch")
    x, y, stream = torch.zeros(256, device="cuda"), torch.zeros(256, device="cuda"), torch.cuda.Stream()
    big = torch.rand(8192, 8192, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(20):
            big = big @ big / 4096
        x.fill_(3)
    session.kernel("add")[1, 256](x, y, 256)
    y *= 2  # and the launch before this
    assert y.eq(6).all() and session.explain().count("CUDA IPC") == 2


def test_a_fault_costs_no_tensor_that_ipc_has_opened(session):
    torch = pytest.importorskip("torch")
    session.run("__global__ void worse(float* p) { p[threadIdx.x] = 1; __syncthreads(); *(volatile float*)16 = p[0]; }")
    mine, other = torch.ones(256, device="cuda"), torch.ones(256, device="cuda")
    with pytest.raises(xeus_cuda.CudaError, match="worse"):
        session.kernel("worse")[1, 1](mine)
    assert mine.eq(1).all() and "xcuda_argument" not in session.run("float a[1];\n%arrays").displays[0]["text/plain"]
    session.kernel("add")[1, 256](mine, other, 256)
    assert other.eq(2).all() and session.explain().count("CUDA IPC") == 2


WITHOUT_IPC = """
import sys, torch
import xeus_cuda
with xeus_cuda.Session(device="gpu:0") as session:
    session.run(sys.argv[1])
    x, y = torch.full((256,), 5.0, device="cuda"), torch.ones(256, device="cuda")
    session.kernel("add")[1, 256](x, y, 256)
    assert y.eq(6).all() and x.eq(5).all()
    print(session.explain())
"""


def test_memory_that_ipc_cannot_open_is_copied():
    pytest.importorskip("torch")
    paths = os.pathsep.join([str(ROOT / "share/xcuda/python"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", WITHOUT_IPC, ADD], capture_output=True, text=True, env=env, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("copied on the GPU") == 2 and done.stdout.count("(no CUDA IPC: cuIpcGetMemHandle: CUDA_ERROR") == 2, done.stdout


def test_a_training_loop_calls_a_kernel(session):
    """A fused activation forwards and backwards: the loss falls as with PyTorch's own."""
    torch = pytest.importorskip("torch")
    session.run("""
__global__ void silu(const float* x, float* y, size_t n) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] / (1 + expf(-x[i])); }
__global__ void silu_back(const float* x, const float* g, float* d, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float s = 1 / (1 + expf(-x[i])); d[i] = g[i] * (s + x[i] * s * (1 - s)); }
}""")
    forward, backward = session.kernel("silu"), session.kernel("silu_back")

    class Silu(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            y = torch.empty_like(x)
            forward[(x.numel() + 255) // 256, 256](x, y, x.numel())
            return y

        @staticmethod
        def backward(context, gradient):
            (x,), gradient = context.saved_tensors, gradient.contiguous()
            d = torch.empty_like(x)
            backward[(x.numel() + 255) // 256, 256](x, gradient, d, x.numel())
            return d

    def train(activation):
        torch.manual_seed(1)
        w1, w2 = torch.randn(8, 32, device="cuda", requires_grad=True), torch.randn(32, 1, device="cuda", requires_grad=True)
        data = torch.randn(64, 8, device="cuda")
        target, losses = data.sum(1, keepdim=True), []
        optimizer = torch.optim.SGD([w1, w2], lr=1e-4)
        for _ in range(8):
            loss = ((activation(data @ w1) @ w2 - target) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses
    mine, theirs = train(Silu.apply), train(torch.nn.functional.silu)
    assert np.allclose(mine, theirs, rtol=1e-4) and mine[-1] < mine[0]
    assert session.explain().count("CUDA IPC, no copy") == 3, session.explain()


def test_cupy(session):
    cupy = pytest.importorskip("cupy")
    x, y = cupy.full(256, 7, "f4"), cupy.ones((256, 2), "f4")[:, 0]
    session.kernel("add")[1, 256](x, y, 256)
    assert (y == 8).all() and session.explain().count("CUDA IPC, no copy") == 1
    y = cupy.ones(256, "f4")
    session.kernel("add")[1, 256](x, y, 256)
    assert (y == 8).all() and session.explain().count("CUDA IPC, no copy") == 2
    session["c"] = x
    assert (session["c"].cupy() == 7).all()


def test_numba(session):
    cuda = pytest.importorskip("numba.cuda")
    y = cuda.to_device(np.ones(256, "f4"))
    session.kernel("add")[1, 256](np.full(256, 2, "f4"), y, 256)
    assert y.copy_to_host().tolist() == [3] * 256 and "float* y: Python's memory by CUDA IPC, no copy" in session.explain()


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
