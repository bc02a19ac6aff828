"""A bad cell costs one cell, on a real GPU: each fault is told, and the next cell runs on intact arrays."""
import os
import re
import signal
import subprocess
import time

import pytest
from jupyter_client.manager import start_new_kernel

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/nvidiactl"), reason="no GPU on this machine")

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


class Kernel:
    def __init__(self):
        self.manager, self.client = start_new_kernel(kernel_name="xcuda", startup_timeout=60)

    def run(self, code, timeout=120):
        """(status, text of all outputs)"""
        texts = []

        def hook(message):
            content = message["content"]
            texts.append(content.get("text") or "\n".join(content.get("traceback", [])) or content.get("data", {}).get("text/plain", ""))

        reply = self.client.execute_interactive(code, timeout=timeout, output_hook=hook)
        return reply["content"]["status"], re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(texts))

    def workers(self, name):
        pid = self.manager.provisioner.pid
        listing = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(pid)], capture_output=True, text=True).stdout
        return [int(line.split()[0]) for line in listing.splitlines() if name in line]

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


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


def test_an_endless_kernel_is_interrupted(kernel):
    kernel.client.execute("endless<<<1, 1>>>(a);")
    time.sleep(2)
    start = time.perf_counter()
    kernel.manager.interrupt_kernel()
    reply = kernel.client.get_shell_msg(timeout=30)
    print(f"interrupt to reply: {time.perf_counter() - start:.3f} s")
    assert reply["content"]["status"] == "error"
    check_intact(kernel)


def test_a_time_limit_ends_a_launch(kernel):
    status, text = kernel.run("%%launch --timeout 1\nendless<<<1, 1>>>(a);")
    print(text)
    assert status == "error"
    check_intact(kernel)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV])
def test_a_killed_worker_costs_one_cell_at_most(kernel, how):
    pids = kernel.workers("xcuda-gpu")
    assert pids
    for pid in pids:
        os.kill(pid, how)
    kernel.run("b[0]")
    check_intact(kernel)


def test_module_variables_survive(kernel):
    assert kernel.run("for (int i = 0; i < 5; ++i) count<<<1, 1>>>();\na[0]")[0] == "ok"
    status, text = kernel.run("trap<<<1, 1>>>(a);")
    assert status == "error"
    status, text = kernel.run("__global__ void look(int* p) { *p = counter; }\nint seen[1];\nlook<<<1, 1>>>(seen);\nassert(seen[0] == 12);")
    assert status == "ok", text


def test_out_of_memory_says_how_much_is_free(kernel):
    status, text = kernel.run("float huge[1ull << 40];")
    print(text)
    assert status == "error" and "free" in text and "big" in text
    check_intact(kernel)


def test_many_recoveries_leave_nothing_behind(kernel):
    def descriptors():
        return len(os.listdir(f"/proc/{kernel.manager.provisioner.pid}/fd"))

    before = descriptors()
    for _ in range(20):
        assert kernel.run("trap<<<1, 1>>>(a);")[0] == "error"
    assert descriptors() <= before
    check_intact(kernel)
