"""Several GPUs in one session: arrays across them, order, faults, collectives against NumPy. Needs two GPUs.

From a tree whose kernel is installed:  pytest tests/gpu/test_many.py
"""
import os
import signal
import time

import pytest
from conftest import gpus

pytestmark = pytest.mark.skipif(len(gpus()) < 2, reason="fewer than two GPUs on this machine")

KERNELS = """
#include <xcuda/devices.cuh>
__global__ void add(float* x, float v, size_t n) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += v; }
__global__ void number(int* x) { x[threadIdx.x] = 100 * xcuda::device_count() + xcuda::device(); }
__global__ void fault(int* x) { x[1ull << 40] = 1; }
__global__ void endless(int* x) { while (true) if (atomicAdd(x, 0) < 0) break; }
__global__ void heat(const float* u, float* v, int first, int last, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = first + blockIdx.y;
  if (i >= last || i == 0 || i == rows - 1 || j == 0 || j >= columns - 1) return;
  size_t at = (size_t)i * columns + j;
  v[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - columns] + u[at + columns]);
}
"""


@pytest.fixture
def kernel(start):
    kernel = start()
    ok(kernel, f"%device gpu:0-{len(gpus()) - 1}")
    ok(kernel, KERNELS)
    return kernel


def ok(kernel, code, timeout=300):
    status, text = kernel.run(code, timeout)
    assert status == "ok", f"{code}\n{text}"
    return text


def test_each_gpu_has_a_process_and_says_its_number(kernel):
    assert len(kernel.workers("xcuda-gpu")) == len(gpus())
    ok(kernel, "int who[device_count()][32] = shard(0);")
    ok(kernel, "%%launch --devices all\nnumber<<<1, 32>>>(local(who));")
    ok(kernel, "for (int d = 0; d < device_count(); ++d) assert(who[d][31] == 100 * device_count() + d);")


def test_parts_of_any_size_are_one_array(kernel):
    for rows, columns in [(2, 1), (3, 5), (1000, 999), (4097, 1025), (20011, 3001)]:
        ok(kernel, f"{{ float u[{rows}][{columns}] = shard(0), v[{rows}][{columns}];\n"
                   "for (int d = 0; d < device_count(); ++d) on (d) { local(u) = d + 1; }\n"
                   f"v = u; assert(all(v == u)); u += v; assert(sum(u) == 2 * sum(v));\n"
                   f"u[{rows - 1}][{columns - 1}] = 77; assert(u[{rows - 1}][{columns - 1}] == 77); u = 3; assert(min(u) == 3 && max(u) == 3); }}")


def test_launches_wait_for_the_arrays_that_they_need(kernel):
    ok(kernel, "const size_t n = 1 << 24; float x[n];\n"
               "for (int i = 0; i < 100; ++i) on (i % device_count()) { add<<<(n + 255) / 256, 256>>>(x, 1, n); }\n"
               "assert(min(x) == 100 && max(x) == 100);")


def test_halos_are_read_through_the_pointer(kernel):
    ok(kernel, "const int rows = 515, columns = 1029;\n"
               "float a[rows][columns] = shard(0), b[rows][columns] = shard(0), c[rows][columns], d[rows][columns];\n"
               "a[0] = 1; b[0] = 1; c[0] = 1; d[0] = 1;\n"
               "for (int i = 0; i < 50; ++i) { heat<<<dim3((columns + 127) / 128, rows), 128>>>(c, d, 0, rows, rows, columns); swap(c, d); }")
    ok(kernel, "%%launch --devices all --quiet\nfor (int i = 0; i < 50; ++i) {\n"
               "int first = device() * rows / device_count();\n"
               "heat<<<dim3((columns + 127) / 128, rows), 128>>>(a, b, device() * rows / device_count(), (device() + 1) * rows / device_count(), rows, columns);\n"
               "swap(a, b); }")
    ok(kernel, "assert(all(a == c));")


@pytest.mark.parametrize("n", [1, 511, 512, 1000, 1 << 20, (1 << 22) + 3])
def test_collectives(kernel, n):
    ok(kernel, f"{{ float g[{n}] = replicated();\n"
               "for (int d = 0; d < device_count(); ++d) on (d) { g = arange(); g += d; }\n"
               "all_reduce(g);\nint s = device_count() * (device_count() - 1) / 2;\n"
               f"float want[{n}] = arange(); want = device_count() * want + s;\n"
               "for (int d = 0; d < device_count(); ++d) assert(all(g.device(d) == want));\n"
               "on (1) { g = 5; } broadcast(g, root = 1); for (int d = 0; d < device_count(); ++d) assert(min(g.device(d)) == 5); }")
    if n < len(gpus()):
        return
    ok(kernel, f"{{ float w[{n}] = replicated(), u[{n}] = shard(0); u = arange(); all_gather(w, u);\n"
               "for (int d = 0; d < device_count(); ++d) { assert(all(w.device(d) == u)); on (d) { w *= d + 1; } }\n"
               f"reduce_scatter(u, w); float want[{n}] = arange(); assert(all(u == want * (device_count() * (device_count() + 1) / 2))); }}")


def test_devices_share_the_grid_of_a_launch(kernel):
    ok(kernel, "const size_t n = (1 << 24) + 77; float u[n] = shard(0), v[n] = arange(); u = v; __constant__ float factor = 2;\n"
               "__global__ void scale(const float* x, float* y, size_t n) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; "
               "if (i < n) y[i] = factor * x[i] + blockIdx.x % 7 + gridDim.x; }\n"
               "float p[n] = shard(0), q[n];")
    text = ok(kernel, "%%launch\nscale<<<cover(n), 256>>>(u, p, n);")
    assert f"{len(gpus())} devices share the grid of scale along x, as p is split" in text
    ok(kernel, "scale<<<cover(n), 256>>>(v, q, n); assert(all(p == q)); factor = 3;\n"
               "for (int i = 0; i < 20; ++i) { scale<<<cover(n), 256>>>(u, p, n); scale<<<cover(n), 256>>>(p, u, n); }\n"
               "for (int i = 0; i < 20; ++i) { scale<<<cover(n), 256>>>(v, q, n); scale<<<cover(n), 256>>>(q, v, n); }\n"
               "assert(all((p == q) | (isinf(p) & isinf(q))));")
    ok(kernel, "const int rows = 515, columns = 1029;\n"
               "float a[rows][columns] = shard(0), b[rows][columns] = shard(0), c[rows][columns], d[rows][columns];\n"
               "a[0] = 1; b[0] = 1; c[0] = 1; d[0] = 1;\n"
               "for (int i = 0; i < 50; ++i) { heat<<<dim3((columns + 127) / 128, rows), 128>>>(c, d, 0, rows, rows, columns); swap(c, d); }")
    text = ok(kernel, "%%launch\nfor (int i = 0; i < 50; ++i) { heat<<<dim3((columns + 127) / 128, rows), 128>>>(a, b, 0, rows, rows, columns); swap(a, b); }")
    assert "share the grid of heat along y" in text
    ok(kernel, "assert(all(a == c));")


@pytest.mark.parametrize("n", [1000, (1 << 20) + 1, 1 << 24])
def test_a_split_array_is_sorted_in_parts(kernel, n):
    ok(kernel, f"float x[{n}] = uniform(-1, 1, seed = 5), u[{n}] = shard(0), v[{n}] = shard(0); u = x; v = sort(u); assert(all(v == sort(x)));"
               f"u = sort(u); assert(all(u == v)); int few[{n}] = shard(0); few = x * 5; few = sort(few); assert(all(few[1:] >= few[:-1]));")


def test_products_and_transforms_of_split_arrays(kernel):
    ok(kernel, "float a0[700][300], b[300][500], c0[700][500], a[700][300] = shard(0), w[300][500] = replicated(), c[700][500] = shard(0), e[700][500] = shard(1), "
               "f[300][500] = shard(1);\n"
               "a0 = uniform(-1, 1, seed = 1); b = uniform(-1, 1, seed = 2); a = a0; w = b; f = b; c0 = matmul(a0, b);\n"
               "c = matmul(a, b); assert(allclose(c, c0, atol = 1e-4)); c = 2 * matmul(a, w) + c; assert(allclose(c, 3 * c0, atol = 1e-4)); e = matmul(a, f); assert(allclose(e, c0, atol = 1e-4));")
    ok(kernel, "complex<float> z0[100][4096], z[100][4096] = shard(0), t[100][4096] = shard(0); float r[100][4096] = uniform(-1, 1, seed = 3); z0 = r; z = z0;\n"
               "t = fft(z); assert(allclose(t, fft(z0), atol = 1e-3)); t = ifft(t); assert(allclose(t, z0, atol = 1e-4));")


def test_send_and_recv(kernel):
    ok(kernel, "const int n = 1 << 20; int k = device_count(); float u[n] = shard(0), v[n] = shard(0); u = arange();\n"
               "for (int d = 0; d < k; ++d) on (d) { send(u[0:1000], (d + 1) % k); recv(v[1000 * d:1000 * d + 1000], (d + k - 1) % k); u[0:1000] = 0; u = arange(); }\n"
               "for (int d = 0; d < k; ++d) assert(v[1000 * d + 999] == 999);")


def test_the_picture_of_the_devices(kernel):
    text = ok(kernel, "%device")
    assert "between devices: " in text and ("NVLink" in text or "PCIe" in text)
    ok(kernel, "float x[1000] = 0;")
    text = ok(kernel, "%%timeline\nfor (int d = 0; d < 2; ++d) on (d) { add<<<4, 256>>>(x, 1, 1000); }")
    assert "device 0" in text and "device 1" in text


def test_a_fault_costs_one_gpu(kernel):
    ok(kernel, "const size_t n = 1 << 22; float u[n] = shard(0); u = 3; int x[32];")
    before = set(kernel.workers("xcuda-gpu"))
    status, text = kernel.run("on (1) { fault<<<1, 1>>>(x); }")
    assert status == "error" and "device 1" in text, text
    assert len(before & set(kernel.workers("xcuda-gpu"))) == len(before) - 1
    ok(kernel, "assert(min(u) == 3 && max(u) == 3); on (1) { number<<<1, 32>>>(x); } assert(x[5] % 100 == 1);")


def test_an_interrupt_ends_an_endless_kernel_of_any_gpu(kernel):
    ok(kernel, "const size_t n = 1 << 22; float u[n] = shard(0); u = 3; int x[32]; x = 0;")
    for device in range(len(gpus())):
        number = kernel.begin(f"on ({device}) {{ endless<<<1, 1>>>(x); }}")
        kernel.manager.interrupt_kernel()
        assert kernel.reply(number)["status"] == "error"
        ok(kernel, f"assert(min(u) == 3); on ({device}) {{ number<<<1, 32>>>(x); }} assert(x[5] % 100 == {device}); x = 0;")


def wait_for_each_other(device, times=20):
    """Statements by which all GPUs wait for what this one was given, and it for them."""
    others = [d for d in range(len(gpus())) if d != device]
    turn = "".join(f"on ({d}) {{ add<<<1, 32>>>(z, 1, 32); }} " for d in [device, *others])
    return f"for (int i = 0; i < {times}; ++i) {{ {turn} }}"


def test_a_fault_holds_up_nobody_and_names_its_gpu(kernel):
    ok(kernel, "int x[32]; float z[32]; x = 0; z = 0;")
    for device in range(len(gpus())):
        before = set(kernel.workers("xcuda-gpu"))
        status, text = kernel.run(f"{wait_for_each_other(device)} on ({device}) {{ fault<<<1, 1>>>(x); add<<<1, 32>>>(z, 1, 32); }} {wait_for_each_other(device)}")
        assert status == "error" and f"device {device}" in text, text
        assert len(before & set(kernel.workers("xcuda-gpu"))) == len(before) - 1
        ok(kernel, f"z = 0; {wait_for_each_other(device)} assert(min(z) == 20 * device_count() && max(z) == 20 * device_count());")


def test_a_fault_with_more_posted_than_a_ring_holds(kernel):
    ok(kernel, "int x[32]; float z[32]; x = 0; z = 0;")
    status, text = kernel.run(f"on (0) {{ fault<<<1, 1>>>(x); add<<<1, 32>>>(z, 1, 32); }} {wait_for_each_other(0, 8000)}")
    assert status == "error" and "device 0" in text, text
    ok(kernel, f"z = 0; {wait_for_each_other(1)} assert(min(z) == 20 * device_count());")


def test_a_time_limit_ends_the_gpu_that_takes_too_long(kernel):
    ok(kernel, "int x[32]; float z[32]; x = 0; z = 0;")
    for device in range(len(gpus())):
        before = set(kernel.workers("xcuda-gpu"))
        status, text = kernel.run(f"%%launch --timeout 1\non ({device}) {{ endless<<<1, 1>>>(x); add<<<1, 32>>>(z, 1, 32); }} {wait_for_each_other(device)}")
        assert status == "error" and f"device {device}" in text, text
        assert len(before & set(kernel.workers("xcuda-gpu"))) == len(before) - 1
        ok(kernel, f"z = 0; {wait_for_each_other(device)} assert(min(z) == 20 * device_count());")


def test_an_interrupt_ends_the_gpu_that_others_wait_for(kernel):
    ok(kernel, "int x[32]; float z[32]; x = 0; z = 0;")
    for device in range(len(gpus())):
        number = kernel.begin(f"on ({device}) {{ endless<<<1, 1>>>(x); add<<<1, 32>>>(z, 1, 32); }} {wait_for_each_other(device)}")
        kernel.manager.interrupt_kernel()
        assert kernel.reply(number)["status"] == "error"
        ok(kernel, f"z = 0; {wait_for_each_other(device)} assert(min(z) == 20 * device_count());")


def test_a_process_that_is_killed_while_others_wait_for_it(kernel):
    ok(kernel, "int x[32]; float z[32], u[1 << 22] = shard(0); x = 0; z = 0; u = 3;")
    for device in range(len(gpus())):
        number = kernel.begin(f"on ({device}) {{ endless<<<1, 1>>>(x); add<<<1, 32>>>(z, 1, 32); }} {wait_for_each_other(device)}")
        time.sleep(1)
        for process in kernel.workers("xcuda-gpu"):
            os.kill(process, signal.SIGKILL)
        assert kernel.reply(number)["status"] == "error"
        ok(kernel, f"assert(min(u) == 3 && max(u) == 3); z = 0; {wait_for_each_other(device)} assert(min(z) == 20 * device_count());")


def test_streams_of_a_gpu_wait_with_it(kernel):
    ok(kernel, "const size_t n = 1 << 22; float u[n]; u = 0; stream a; on (1) { stream b;\n"
               "for (int i = 0; i < 50; ++i) { on (0) { add<<<(n + 255) / 256, 256, 0, a>>>(u, 1, n); } add<<<(n + 255) / 256, 256, 0, b>>>(u, 1, n); } }\n"
               "assert(min(u) == 100 && max(u) == 100);")


def test_a_killed_process_costs_nothing(kernel):
    ok(kernel, "const size_t n = 1 << 22; float u[n] = shard(0); u = 3;")
    for process in kernel.workers("xcuda-gpu"):
        os.kill(process, signal.SIGKILL)
    ok(kernel, "assert(min(u) == 3 && max(u) == 3); u += 1; assert(sum(u) == 4.0 * n);")


def test_the_session_moves_to_one_gpu_and_to_the_cpu_and_back(kernel):
    ok(kernel, "float u[100003] = shard(0), w[7] = replicated(); u = arange(); w = 2;")
    for device in ("gpu:1", "cpu", "cpu:2", "gpu:all"):
        ok(kernel, f"%device {device}")
        ok(kernel, "assert(u[100002] == 100002 && w[6] == 2); u += 0; all_reduce(w);" if device in ("gpu:1", "cpu") else "assert(sum(w) == 14);")


def test_memory_comes_back(kernel):
    ok(kernel, "size_t before, after, total;\non (1) { cudaMemGetInfo(&before, &total); }")
    for _ in range(5):
        ok(kernel, "{ float big[1 << 29] = shard(0); big = 1; assert(big[(1 << 29) - 1] == 1); }")
    ok(kernel, "on (1) { cudaMemGetInfo(&after, &total); } assert(after + (64 << 20) > before);")
