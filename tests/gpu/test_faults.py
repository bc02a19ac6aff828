"""A bad cell costs one cell, on a real GPU: each fault is told, and the next cell runs on intact arrays."""
import os
import re
import signal
import subprocess
import time

import pytest
from conftest import Kernel, gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

KERNELS = """
__global__ void wild(int* p) { p[(1ll << 40) + threadIdx.x] = 1; }
__global__ void wild_load(int* p) { p[threadIdx.x] = *(int*)(p + (1ll << 40)); }
__global__ void wild_atomic(int* p) { atomicAdd(p + (1ll << 40), 1); }
__global__ void misaligned(int* p) { *(int*)((char*)p + 1) = 1; }
__global__ void trap(int* p) { asm volatile("trap;"); }
__device__ int deep(int n) { volatile int pad[256]; pad[n & 255] = n; return n < 0 ? 0 : deep(n + 1) + pad[n & 255]; }
__global__ void overflow(int* p) { p[0] = deep(1); }
__global__ void asserts(int* p) { assert(p[threadIdx.x] == -1); }
__global__ void endless(volatile int* p) { while (p[0] != -1) {} }
__global__ void fine(int* p) { p[threadIdx.x] += 1; }
__device__ int counter = 7;
__global__ void count() { counter += 1; }
"""


@pytest.fixture(scope="module")
def kernel():
    made = Kernel()
    status, text = made.run(KERNELS + "\nint a[1000] = arange(), b[1000] = arange(5), big[1 << 28] = 77;")
    assert status == "ok", text
    status, text = made.run("%device")
    assert "sm_" in text or "NVIDIA" in text, text
    yield made
    made.close()


def check_intact(kernel):
    status, text = kernel.run("assert(b[999] == 1004);\nassert(big[(1 << 28) - 1] == 77);\nint c[32] = arange();\nfine<<<1, 32>>>(c);\nassert(c[31] == 32);")
    assert status == "ok", text


@pytest.mark.parametrize("name, says", [
    ("wild", "ILLEGAL_ADDRESS"), ("wild_load", "ILLEGAL_ADDRESS"), ("wild_atomic", "ILLEGAL_ADDRESS"),
    ("misaligned", "MISALIGNED_ADDRESS"), ("trap", "CUDA_ERROR"), ("overflow", "CUDA_ERROR"), ("asserts", "Assertion"),
])
def test_a_fault_is_told_and_arrays_stay(kernel, name, says):
    status, text = kernel.run(f"fine<<<1, 32>>>(b);\n{name}<<<1, 32>>>(a);\nfine<<<1, 32>>>(b);")
    print(text)
    assert status == "error"
    assert says in text and name in text
    assert "b" in text
    status, text = kernel.run("int fresh[1000] = arange(5);\n%copy fresh b")
    assert status == "ok", text
    check_intact(kernel)


def test_a_launch_with_too_many_resources_is_refused(kernel):
    assert kernel.run("__global__ void __launch_bounds__(128) narrow(int* p) { p[threadIdx.x] = 1; }")[0] == "ok"
    status, text = kernel.run("narrow<<<1, 256>>>(a);")
    print(text)
    assert status == "error" and "narrow" in text and "128" in text
    check_intact(kernel)


def test_a_call_through_a_wild_pointer_is_told(kernel):
    assert kernel.run("__global__ void jump(long long* where) { reinterpret_cast<void (*)()>(*where)(); }\nlong long where[1] = 0x123456789;")[0] == "ok"
    status, text = kernel.run("jump<<<1, 1>>>(where);")
    print(text)
    assert status == "error" and "jump" in text
    check_intact(kernel)


def test_device_malloc_exhausted_is_a_null_pointer(kernel):
    status, text = kernel.run("__global__ void hoard(int* p) { while (malloc(1 << 20)) ++*p; }\nint got[1];\nhoard<<<1, 1>>>(got);\nassert(got[0] >= 1 && got[0] < 4096);")
    assert status == "ok", text
    check_intact(kernel)


@pytest.mark.parametrize("times", [1, 2, 10])
def test_an_endless_kernel_is_interrupted(kernel, times):
    cell = kernel.begin("endless<<<1, 1>>>(a);")
    start = time.perf_counter()
    for _ in range(times):
        kernel.manager.interrupt_kernel()
    reply = kernel.reply(cell)
    print(f"interrupt to reply: {time.perf_counter() - start:.3f} s")
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt", reply
    check_intact(kernel)


def test_a_time_limit_ends_a_launch(kernel):
    status, text = kernel.run("%%launch --timeout 1\nendless<<<1, 1>>>(a);")
    print(text)
    assert status == "error"
    check_intact(kernel)


SIGNALS = pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP], ids=lambda s: s.name)


def strike(kernel, how):
    pids = kernel.workers("xcuda-gpu")
    assert pids
    for pid in pids:
        os.kill(pid, how)


@SIGNALS
@pytest.mark.parametrize("code", ["b[0]", "fine<<<1, 32>>>(a);", "int fresh[100] = arange();\nfresh[3]", "count<<<1, 1>>>();\ncounter"])
def test_a_worker_struck_while_idle_costs_nothing(kernel, how, code):
    for _ in range(2):
        strike(kernel, how)
        status, text = kernel.run(code)
        assert status == "ok", text
    check_intact(kernel)


@SIGNALS
def test_a_worker_struck_while_it_starts_costs_nothing(start, how):
    kernel = start()
    strike(kernel, how)
    status, text = kernel.run(KERNELS + "\nint a[1000] = arange();\nfine<<<1, 32>>>(a);\nassert(a[3] == 4);")
    assert status == "ok", text


@SIGNALS
@pytest.mark.parametrize("code", ["endless<<<1, 1>>>(a);",
                                  "for (int i = 0;; ++i) { big[i % 100] = 77; int copied[1 << 28] = 1; }",
                                  "for (;;) { fine<<<1, 32>>>(a); }", "%save big {folder}/big.npy"],
                         ids=["launch", "allocation", "posting", "copy"])
def test_a_worker_struck_at_work_costs_the_cell(kernel, how, code, tmp_path):
    cell = kernel.begin(code.replace("{folder}", str(tmp_path)))
    time.sleep(0.05)
    strike(kernel, how)
    if how == signal.SIGSTOP:  # a process that is stopped counts as hung; the user need not wait for that
        kernel.manager.interrupt_kernel()
    reply = kernel.reply(cell)
    print(reply.get("evalue"))
    assert reply["status"] == "error" or code.startswith("%save")  # a copy may have been through
    check_intact(kernel)


def processor_time(pid):
    """In ticks; of a process that is gone, none."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
    except FileNotFoundError:
        return None


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV], ids=lambda s: s.name)
def test_a_worker_struck_in_a_load_costs_the_cell(kernel, how):
    bodies = "\n".join(f"__global__ void load_{how.name}_{i}(float* p) {{ p[threadIdx.x] = sinf(p[0] + {i}) * p[{i}]; }}" for i in range(300))
    pid, = kernel.workers("xcuda-gpu")
    cell = kernel.client.execute(bodies)
    begun = processor_time(pid)
    while processor_time(pid) == begun:  # it has nothing to do before the load; the test's time limit is what fails it
        time.sleep(0.001)
    strike(kernel, how)
    if kernel.reply(cell)["status"] == "error":  # the load was under way
        status, text = kernel.run(bodies)
        assert status == "ok", text
    status, text = kernel.run(f"float loaded[300] = arange();\nload_{how.name}_299<<<1, 1>>>(loaded);\nassert(loaded[0] != 0);")
    assert status == "ok", text
    check_intact(kernel)


def test_module_variables_survive(kernel):
    assert kernel.run("int before = counter;\nfor (int i = 0; i < 5; ++i) count<<<1, 1>>>();\na[0]")[0] == "ok"
    status, text = kernel.run("trap<<<1, 1>>>(a);")
    assert status == "error"
    status, text = kernel.run("__global__ void look(int* p) { *p = counter; }\nint seen[1];\nlook<<<1, 1>>>(seen);\nassert(seen[0] == before + 5);")
    assert status == "ok", text


def test_out_of_memory_says_how_much_is_free(kernel):
    status, text = kernel.run("float huge[1ull << 40];")
    print(text)
    assert status == "error" and "free" in text and "big" in text
    check_intact(kernel)


def card_memory():
    """Bytes in use on the card, as the driver counts them."""
    said = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True)
    return int(said.stdout.split()[0]) << 20


def resident(pid):
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_many_recoveries_leave_nothing_behind(kernel):
    def state():
        kernel.run("a[0]")
        return (len(os.listdir(f"/proc/{kernel.pid}/fd")), len(kernel.workers("")), card_memory(), resident(kernel.pid))

    for _ in range(5):
        assert kernel.run("trap<<<1, 1>>>(a);")[0] == "error"
    before = state()
    for _ in range(100):
        assert kernel.run("trap<<<1, 1>>>(a);")[0] == "error"
    after = state()
    print(f"descriptors, processes, card, resident: {before} -> {after}")
    assert after[:2] == before[:2]
    assert after[2] <= before[2] + (16 << 20)
    assert after[3] <= before[3] + (8 << 20)
    check_intact(kernel)


HASH = """
__host__ __device__ inline unsigned long long mix(unsigned long long v) {
  v ^= v >> 31; v *= 0x7fb5d329728ea185ull; v ^= v >> 27; v *= 0x81dadef4bc2dd44dull; return v ^ (v >> 33);
}
__global__ void put(unsigned long long* p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) p[i] = mix(i);
}
__global__ void differences(const unsigned long long* p, size_t n, unsigned long long* count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    if (p[i] != mix(i)) atomicAdd(count, 1ull);
}
__global__ void trap() { asm volatile("trap;"); }
"""


def survives(words, rounds):
    """An array of that many 8-byte words, every bit checked after each fault; the card as it was afterwards."""
    before = card_memory()
    kernel = Kernel()
    try:
        status, text = kernel.run(f"{HASH}\nconst size_t n = {words};\nunsigned long long x[n], count[1];\nput<<<4096, 256>>>(x, n);")
        assert status == "ok", text
        for _ in range(rounds):
            assert kernel.run("trap<<<1, 1>>>();")[0] == "error"
            status, text = kernel.run("differences<<<4096, 256>>>(x, n, count);\nassert(count[0] == 0);")
            assert status == "ok", text
    finally:
        kernel.close()
    return before


def card_is_free_again(before):
    for _ in range(100):
        if card_memory() <= before + (4 << 20):
            return True
        time.sleep(0.1)
    return False


def lives(pid):
    """Whether the process runs; one that only waits to be reaped does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_eight_gigabytes_survive_bit_for_bit():
    assert card_is_free_again(survives(1 << 30, 3))


def test_a_nearly_full_card_recovers():
    kernel = Kernel()
    status, text = kernel.run("float huge[1ull << 45];")
    assert status == "error"
    kernel.close()
    free = re.search(r"([0-9.]+) GiB are free", text)
    print(text)
    assert free, text
    gib = float(free.group(1))
    assert card_is_free_again(survives(int((gib - 1.2) * (1 << 30)) // 8, 2))


@pytest.mark.parametrize("how", ["shutdown", "restart", signal.SIGTERM, signal.SIGKILL], ids=str)
def test_nothing_is_left_on_the_card(how):
    before = card_memory()
    kernel = Kernel()
    assert kernel.run(KERNELS + "\nint a[1 << 28];")[0] == "ok"
    kernel.begin("endless<<<1, 1>>>(a);")
    workers = kernel.workers("")
    assert workers
    start = time.perf_counter()
    if how == "shutdown":
        kernel.manager.shutdown_kernel()
    elif how == "restart":
        kernel.manager.restart_kernel()
        kernel.client.wait_for_ready(timeout=60)
        assert kernel.run("1 + 1")[0] == "ok"
        kernel.manager.shutdown_kernel()
    else:
        os.kill(kernel.pid, how)
    assert card_is_free_again(before)
    print(f"free after {time.perf_counter() - start:.2f} s")
    end = time.monotonic() + 10  # the last of a process is its own name
    while any(lives(pid) for pid in workers) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(lives(pid) for pid in workers)
    kernel.client.stop_channels()
    kernel.manager.cleanup_resources()


def test_a_client_that_goes_takes_its_kernel_along(tmp_path):
    before = card_memory()
    code = ("from jupyter_client.manager import start_new_kernel\nimport os\nm, c = start_new_kernel(kernel_name='xcuda')\n"
            "c.execute_interactive('int a[1 << 28];')\nprint(m.provisioner.pid, flush=True)\nos.kill(os.getpid(), 9)")
    said = subprocess.run(["python3", "-c", code], capture_output=True, text=True, env={**os.environ, "HOME": str(tmp_path)}).stdout
    assert card_is_free_again(before)
    assert not lives(int(said.split()[-1]))
