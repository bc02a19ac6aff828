"""%%python on a GPU: the session's memory in Python's process, at the same addresses. CuPy, PyTorch and Numba where they are."""
import pytest
from conftest import gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

# Reads and writes floats at a device address without NumPy.
TOOLS = """%%python
import ctypes, importlib.util
_cuda = ctypes.CDLL('libcuda.so.1')
def peek(array, count):
    buffer = (ctypes.c_float * count)()
    assert _cuda.cuMemcpyDtoH_v2(buffer, ctypes.c_ulonglong(array.__cuda_array_interface__['data'][0]), ctypes.c_size_t(4 * count)) == 0
    return list(buffer)
def poke(array, *values):
    buffer = (ctypes.c_float * len(values))(*values)
    assert _cuda.cuMemcpyHtoD_v2(ctypes.c_ulonglong(array.__cuda_array_interface__['data'][0]), buffer, ctypes.c_size_t(4 * len(values))) == 0
"""


def ok(kernel, code):
    status, text = kernel.run(code)
    assert status == "ok", text
    return text


def py(kernel, code):
    return ok(kernel, "%%python\n" + code)


@pytest.fixture
def gpu(start):
    kernel = start()
    ok(kernel, "%device gpu:0\nfloat x[8] = arange();")
    ok(kernel, TOOLS)
    return kernel


def need(kernel, module):
    if "True" not in py(kernel, f"print(importlib.util.find_spec('{module}') is not None)"):
        pytest.skip(f"{module} is not installed")


def test_the_memory_is_the_same_at_the_same_address(gpu):
    assert "0x2000" in py(gpu, "print(hex(x.__cuda_array_interface__['data'][0]), x.shape, x)")
    assert "[0.0, 1.0, 2.0]" in py(gpu, "print(peek(x, 3))")
    py(gpu, "poke(x, 50, 51)")
    ok(gpu, "assert(x[0] == 50 && x[1] == 51 && x[2] == 2);\nx[3] = 9;")
    assert "9.0" in py(gpu, "print(peek(x, 4)[3])")


def test_launches_end_before_python_looks(gpu):
    ok(gpu, "__global__ void slow(float* p) { long long t = clock64(); while (clock64() - t < 2000000000) {} p[0] = 77; }")
    ok(gpu, "slow<<<1, 1>>>(x);")
    assert "[77.0]" in py(gpu, "print(peek(x, 1))")


def test_large_arrays_come_and_go(gpu):
    ok(gpu, "float big[1 << 28] = 3;")
    py(gpu, "kept = big\nassert peek(kept, 2) == [3, 3]")
    ok(gpu, "%free big\nfloat other[1 << 28] = 4;")
    assert "[3.0]" in py(gpu, "print(peek(kept, 1))")
    py(gpu, "del kept")
    ok(gpu, "%arrays")


@pytest.mark.parametrize("event, after", [("%free x", 0), ("%restart", 0), ("float x[8] = 100;", 0),
                                          ("__global__ void bad(float* p) { *(volatile float*)1 = 1; }\nbad<<<1, 1>>>(x);", 0)],
                         ids=["free", "restart", "declared again", "fault"])
def test_an_object_is_valid_whatever_becomes_of_its_name(gpu, event, after):
    py(gpu, "kept = x")
    gpu.run(event)
    ok(gpu, "".join(f"float fill{i}[8] = 77;\n" for i in range(8)))
    assert f"{float(after)}, 1.0, 2.0" in py(gpu, "print(peek(kept, 3))")


def test_after_a_change_of_device_it_is_stale(gpu):
    py(gpu, "kept = x")
    ok(gpu, "%device cpu")
    assert "StaleArray" in py(gpu, "try:\n    kept.__cuda_array_interface__\nexcept Exception as error:\n    print(repr(error))")
    ok(gpu, "%device gpu:0\nassert(x[2] == 2);")
    assert "[0.0, 1.0]" in py(gpu, "print(peek(x, 2))")


def test_a_scalar_and_a_number_back(gpu):
    need(gpu, "numpy")
    ok(gpu, "const int n = 5;")
    py(gpu, "import numpy as np\nassert n == 5\nxcuda.y = np.arange(6, dtype='f4').reshape(2, 3)\nxcuda.m = 3")
    ok(gpu, "assert(y[1][2] == 5 && m == 3);")
    assert "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]" in py(gpu, "print(y.numpy().tolist())")


@pytest.mark.parametrize("module, view, write", [
    ("torch", "x.torch()", "v += 1"), ("cupy", "x.cupy()", "v += 1"), ("torch", "__import__('torch').from_dlpack(x)", "v.add_(1)"),
    ("torch", "__import__('torch').as_tensor(x, device='cuda')", "v += 1"), ("cupy", "__import__('cupy').from_dlpack(x)", "v += 1"),
    ("numba", "__import__('numba.cuda').cuda.as_cuda_array(x)", "v[0:1].copy_to_device(v[1:2])")])
def test_libraries_take_it_as_it_is(gpu, module, view, write):
    need(gpu, module)
    py(gpu, f"v = {view}\n{write}")
    ok(gpu, "assert(x[0] == 1);\nx[1] = 40;")
    assert "40" in py(gpu, "print(float(v[1]))")
    if module != "numba":
        py(gpu, "xcuda.w = v * 2")
        ok(gpu, "assert(w[1] == 80);")


def test_a_cuda_error_of_python_costs_python_alone(gpu):
    reply, text = gpu.run("%%python\nimport ctypes\n_cuda.cuMemsetD32_v2.argtypes = [ctypes.c_ulonglong, ctypes.c_uint, ctypes.c_size_t]\n"
                          "import os\nos.kill(os.getpid(), 11)")
    assert reply == "error" and "SIGSEGV" in text
    ok(gpu, "assert(x[5] == 5);")
    assert "5" in ok(gpu, TOOLS + "print(peek(x, 6)[5])")
