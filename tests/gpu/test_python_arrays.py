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


# One array of the session, x[8] = 0 ... 7, in all of them at once; each adds one to an element (Numba by a copy), and each sees all of that.
ALL_OF_THEM = """%%python
import cupy, torch, numba.cuda
try:
    import cuda.core as core
    from cuda.core.utils import StridedMemoryView
    core.Device
except (ImportError, AttributeError):
    import cuda.core.experimental as core
    from cuda.core.experimental.utils import StridedMemoryView
t, c, n = x.torch(), x.cupy(), numba.cuda.as_cuda_array(x)
device = core.Device()
device.set_current()
stream = device.create_stream()
source = 'extern "C" __global__ void inc(float* x) { x[3] += 1; }'
program = core.Program(source, code_type="c++", options=core.ProgramOptions(arch="sm_" + device.arch))
inc = program.compile("cubin").get_kernel("inc")
view = getattr(StridedMemoryView, "from_any_interface", StridedMemoryView)(x, stream_ptr=-1)
t[0] += 1
c[1] += 1
n[2:3].copy_to_device(n[3:4])
torch.cuda.synchronize()
numba.cuda.synchronize()
core.launch(stream, core.LaunchConfig(grid=1, block=1), inc, view.ptr)
stream.sync()
wanted = [1, 2, 3, 4, 4, 5, 6, 7]
assert t.tolist() == c.tolist() == n.copy_to_host().tolist() == x.numpy().tolist() == wanted, (t, c, n.copy_to_host())
assert view.ptr == t.data_ptr() == c.data.ptr
"""


def test_four_libraries_see_each_others_writes(gpu):
    for module in ("torch", "cupy", "numba", "cuda.core"):
        need(gpu, module)
    ok(gpu, ALL_OF_THEM)
    ok(gpu, "assert(x[0] == 1 && x[1] == 2 && x[2] == 3 && x[3] == 4 && x[4] == 4);\nx[5] = 50;")
    assert "50" in py(gpu, "print(int(t[5]) + int(c[5]) - int(n.copy_to_host()[5]))")


# How each library takes the array of that name, and how the first three elements of what it has taken are read.
VIEWS = {"numpy": ("{}", "kept.numpy()[0:3].tolist()"), "torch": ("{}.torch()", "kept[0:3].tolist()"), "cupy": ("{}.cupy()", "kept[0:3].tolist()"),
         "numba": ("__import__('numba.cuda').cuda.as_cuda_array({})", "kept.copy_to_host()[0:3].tolist()")}
FAULT = "__global__ void bad(float* p) { *(volatile float*)1 = 1; }\nbad<<<1, 1>>>(x);"


@pytest.mark.parametrize("module", VIEWS)
@pytest.mark.parametrize("event", ["%free x", "%restart", "float x[8] = 100;", FAULT], ids=["free", "restart", "declared again", "fault"])
def test_what_a_library_has_taken_is_valid(gpu, module, event):
    need(gpu, module)
    take, read = VIEWS[module]
    py(gpu, f"kept = {take.format('x')}\nassert {read} == [0, 1, 2]")
    gpu.run(event)
    ok(gpu, "".join(f"float fill{i}[8] = 77;\n" for i in range(8)))  # would take the memory if it were free
    assert "[0.0, 1.0, 2.0]" in py(gpu, f"print({read})")


@pytest.mark.parametrize("module", VIEWS)
def test_after_a_change_of_device_nothing_can_be_taken(gpu, module):
    """What was taken before keeps the elements of that moment; no write to it reaches the session."""
    need(gpu, module)
    take, read = VIEWS[module]
    py(gpu, f"old = x\nkept = {take.format('x')}\n{read}")
    ok(gpu, "%device cpu\nx[1] = 40;")
    use = read.replace("kept", "old") if module == "numpy" else take.format("old")
    assert "StaleArray" in py(gpu, f"try:\n    {use}\nexcept Exception as error:\n    print(repr(error))")
    if module != "numpy":
        assert "[0.0, 1.0, 2.0]" in py(gpu, f"print({read})")
        gpu.run("%%python\n" + ("kept[0:1].copy_to_device(kept[1:2])" if module == "numba" else "kept[0] = 9"))  # an error, which may end Python
    ok(gpu, "assert(x[0] == 0 && x[1] == 40 && x[2] == 2);\n%device gpu:0\nassert(x[0] == 0 && x[1] == 40);")
    ok(gpu, TOOLS + "assert peek(x, 2) == [0, 40]")


def test_more_of_the_card_stays_free_once_python_has_a_context(gpu):
    """Two GiB in place of one: the largest array that fits is smaller."""
    free = "%%python\nfree, total = ctypes.c_size_t(), ctypes.c_size_t()\n_cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))\nprint(free.value)"
    py(gpu, "peek(x, 1)")
    left = int(ok(gpu, free).split()[-1])
    status, text = gpu.run(f"char big[{left - (3 << 29)}ll];")  # 1.5 GiB would be left
    assert status == "error" and "are free on" in text, text
    ok(gpu, f"char big[{left - (5 << 29)}ll];\n%free big")


def test_a_cuda_error_of_python_costs_python_alone(gpu):
    reply, text = gpu.run("%%python\nimport ctypes\n_cuda.cuMemsetD32_v2.argtypes = [ctypes.c_ulonglong, ctypes.c_uint, ctypes.c_size_t]\n"
                          "import os\nos.kill(os.getpid(), 11)")
    assert reply == "error" and "SIGSEGV" in text
    ok(gpu, "assert(x[5] == 5);")
    assert "5" in ok(gpu, TOOLS + "print(peek(x, 6)[5])")
