"""%device on a machine with GPUs: what is listed, and arrays that move along."""
import pytest
from conftest import gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")
two = pytest.mark.skipif(len(gpus()) < 2, reason="fewer than two GPUs on this machine")

CELLS = """
__device__ int counter = 5;
__global__ void step(int* x) { x[threadIdx.x] += 1; if (threadIdx.x == 0) counter += 1; }
int a[1 << 20] = arange(), seen[1];
step<<<1, 256>>>(a);
"""


def check(kernel, steps):
    status, text = kernel.run(f"step<<<1, 256>>>(a);\nassert(a[255] == {255 + steps} && a[1048575] == 1048575);\n"
                              "__global__ void look(int* p) { *p = counter; }\nlook<<<1, 1>>>(seen);\n"
                              f"assert(seen[0] == {5 + steps});")
    assert status == "ok", text


def test_every_gpu_is_listed_with_its_state(start):
    kernel = start()
    status, text = kernel.run("%device")
    print(text)
    assert status == "ok"
    for i in range(len(gpus())):
        assert f"gpu:{i}" in text
    assert "cpu" in text and "MHz" in text and " W" in text and "ECC" in text
    status, text = kernel.run("%device gpu:99")
    assert status == "error" and "gpu:0" in text


def test_a_session_moves_between_the_gpu_and_the_cpu_device(start):
    kernel = start()
    assert kernel.run(CELLS)[0] == "ok"
    check(kernel, 2)
    for steps, device in enumerate(["cpu", "gpu:0", "gpu", "cpu"], 3):
        status, text = kernel.run(f"%device {device}")
        assert status == "ok", text
        check(kernel, steps)
    assert len(kernel.workers("xcuda-cpu")) == 1 and not kernel.workers("xcuda-gpu")


def test_operations_follow_the_session(start):
    """Expressions, reductions, sorts and scans of one device are made anew on the other."""
    kernel = start()
    assert kernel.run("int x[1000] = arange(999, -1), y[1000];\nfloat f[70000] = uniform(seed = 1), before[70000], after[70000];")[0] == "ok"
    cell = ("assert(sum(x) == {sum}); y = sort(x); assert(y[1] == {second}); y = scan(y); assert(y[999] == {sum});"
            "assert(argmax(x) == 0 && abs(mean(f) - 0.5) < 0.01); x = x * 2; f = sqrt(f * f); {kept} = scan(f);")
    for turn, device in enumerate(["cpu", "gpu", "cpu", "gpu:0"]):
        status, text = kernel.run(f"%device {device}")
        assert status == "ok", text
        facts = {"sum": 499500 << turn, "second": 1 << turn, "kept": "after" if turn % 2 else "before"}
        status, text = kernel.run(cell.format(**facts))
        assert status == "ok", text
        if turn % 2:
            status, text = kernel.run("assert(allclose(after, before, 1e-5, 1e-5));")
            assert status == "ok", text


@two
def test_a_session_moves_between_gpus(start):
    kernel = start()
    assert kernel.run(CELLS)[0] == "ok"
    check(kernel, 2)
    for steps, device in enumerate(["gpu:1", "gpu:0", "gpu:1"], 3):
        status, text = kernel.run(f"%device {device}")
        assert status == "ok", text
        check(kernel, steps)
    status, text = kernel.run("__global__ void trap() { asm volatile(\"trap;\"); }\ntrap<<<1, 1>>>();")
    assert status == "error" and "recovered" in text
    check(kernel, 6)


@two
def test_the_environment_limits_what_is_visible(start):
    kernel = start({"CUDA_VISIBLE_DEVICES": "1"})
    status, text = kernel.run("%device")
    assert status == "ok" and "gpu:0" in text and "gpu:1" not in text
    assert kernel.run(CELLS)[0] == "ok"
    check(kernel, 2)


def test_a_checked_launch_finds_what_the_gpu_lets_pass(start):
    kernel = start()
    assert kernel.run("__global__ void over(float* x, int n) { int i = threadIdx.x; if (i <= n) x[i] = sinf(i) * 3.0f + 1.0f; }\n"
                      "float x[64], y[64];")[0] == "ok"
    assert kernel.run("over<<<1, 128>>>(x, 64);")[0] == "ok"  # into the neighbour's padding
    status, text = kernel.run("%%launch --check\nover<<<1, 128>>>(x, 64);")
    print(text)
    assert status == "error" and "x[64]" in text and "every array is unchanged" in text
    status, text = kernel.run("%%launch --check\nover<<<1, 128>>>(x, 63);")
    print(text)
    assert status == "ok" and "checked on the CPU device" in text
