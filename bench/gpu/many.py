#!/usr/bin/env python3
"""Several GPUs beside one GPU, PyTorch's NCCL and C++ with two threads, in one run on a machine with two GPUs.

usage: many.py [--json FILE] [--quick]

Needs two GPUs, the kernelspec xcuda; nvcc on PATH for launches, PyTorch with NCCL for the all-reduce. Each figure is
a median of the kernel's own clock (a host timer around launches and a wait); what is missing is said and left out.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from run import Kernel  # noqa: E402

SETUP = """
__global__ void saxpy(float a, const float* x, float* y, size_t n) {
  for (size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 4; i < n; i += (size_t)gridDim.x * blockDim.x * 4) {
    float4 u = *(const float4*)(x + i), v = *(float4*)(y + i);
    v.x += a * u.x; v.y += a * u.y; v.z += a * u.z; v.w += a * u.w;
    *(float4*)(y + i) = v;
  }
}
__global__ void heat(const float* u, float* v, int first, int last, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = first + blockIdx.y;
  if (i >= last || i == 0 || i == rows - 1 || j == 0 || j >= columns - 1) return;
  size_t at = (size_t)i * columns + j;
  v[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - columns] + u[at + columns]);
}
__global__ void touch(float* x) { x[threadIdx.x] += 1; }
__global__ void axpy(float a, const float* x, float* y, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""

# PyTorch starts its own processes: one rank per GPU.
TORCH = """
import os, sys, time, torch, torch.distributed as dist, torch.multiprocessing as mp
def run(rank, n, runs):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29571")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=2)
    x = torch.ones(n, device="cuda")
    for _ in range(3): dist.all_reduce(x)
    torch.cuda.synchronize(); dist.barrier(); torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(runs): dist.all_reduce(x)
    torch.cuda.synchronize()
    if rank == 0: print((time.perf_counter() - start) / runs)
    dist.destroy_process_group()
if __name__ == "__main__": mp.spawn(run, (int(sys.argv[1]), int(sys.argv[2])), nprocs=2)
"""

THREADS = """
#include <chrono>
#include <cstdio>
#include <thread>
__global__ void touch(float* x) { x[threadIdx.x] += 1; }
int main() {
  float* x[2];
  for (int d = 0; d < 2; ++d) { cudaSetDevice(d); cudaMalloc(&x[d], 1024); touch<<<1, 32>>>(x[d]); cudaDeviceSynchronize(); }
  for (int round = 0; round < 5; ++round) {
    auto begin = std::chrono::steady_clock::now();
    std::thread threads[2];
    for (int d = 0; d < 2; ++d)
      threads[d] = std::thread([&, d] { cudaSetDevice(d); for (int i = 0; i < 5000; ++i) touch<<<1, 32>>>(x[d]); cudaDeviceSynchronize(); });
    for (auto& one : threads) one.join();
    std::printf("%g\\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}
"""


# SAXPY of 2^BITS floats in equal parts on DEVICES GPUs, a thread for each: what the GPUs themselves gain.
SAXPY = """
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>
KERNEL
int main() {
  const size_t n = (size_t(1) << BITS) / DEVICES;
  float *x[DEVICES], *y[DEVICES];
  for (int d = 0; d < DEVICES; ++d) { cudaSetDevice(d); cudaMalloc(&x[d], n * 4); cudaMalloc(&y[d], n * 4); cudaMemset(x[d], 0, n * 4); cudaMemset(y[d], 0, n * 4); cudaDeviceSynchronize(); }
  for (int round = 0; round < 8; ++round) {
    auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (int d = 0; d < DEVICES; ++d)
      threads.emplace_back([&, d] { cudaSetDevice(d); for (int i = 0; i < PASSES; ++i) saxpy<<<4096, 256>>>(2.0f, x[d], y[d], n); cudaDeviceSynchronize(); });
    for (auto& one : threads) one.join();
    std::printf("%g\\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / PASSES);
  }
}
"""

# Each launch after the one before, which is on the other GPU.
TURNS = """
#include <chrono>
#include <cstdio>
__global__ void touch(float* x) { x[threadIdx.x] += 1; }
int main() {
  float* x;
  cudaStream_t s[2];
  cudaEvent_t e[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d); cudaDeviceEnablePeerAccess(1 - d, 0);
    cudaStreamCreate(&s[d]); cudaEventCreateWithFlags(&e[d], cudaEventDisableTiming);
  }
  cudaSetDevice(0); cudaMalloc(&x, 1024);
  for (int round = 0; round < 5; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 10000; ++i) {
      int d = i % 2;
      cudaSetDevice(d);
      cudaStreamWaitEvent(s[d], e[1 - d], 0); touch<<<1, 32, 0, s[d]>>>(x); cudaEventRecord(e[d], s[d]);
    }
    for (int d = 0; d < 2; ++d) { cudaSetDevice(d); cudaDeviceSynchronize(); }
    std::printf("%g\\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}
"""


def compiled(folder, name, text):
    """The median of the seconds that this CUDA C++ program prints, without the first; None without nvcc."""
    if not shutil.which("nvcc"):
        print(f"{name}: no nvcc for the peer")
        return None
    source = pathlib.Path(folder) / f"{name}.cu"
    source.write_text(text)
    subprocess.run(["nvcc", "-O2", "-std=c++17", "-o", f"{folder}/{name}", str(source)], check=True)
    rounds = [float(line) for line in subprocess.run([f"{folder}/{name}"], capture_output=True, text=True, check=True).stdout.split()]
    return statistics.median(rounds[1:])


def timed(kernel, body, runs, options=""):
    """Seconds of a cell with this body and a wait at its end, by the kernel's own clock: the median."""
    magic = f"%%launch {options} --quiet\n" if options else ""
    cell = f'{magic}double t0 = omp_get_wtime();\n{body}\ncudaDeviceSynchronize();\nprintf("%.9f\\n", omp_get_wtime() - t0);'
    times = []
    for _ in range(runs):
        kernel.run("cudaDeviceSynchronize();")
        times.append(float("".join(message["content"].get("text", "") for message in kernel.run(cell)).split()[-1]))
    return statistics.median(times)


def loop(kernel, setup, body, count, runs, options=""):
    """Seconds of one pass of a loop in one cell: the cell's own cost is taken off by a cell with one pass."""
    kernel.run(setup)
    cell = "for (int pass = 0; pass < {}; ++pass) {{ " + body + " }}"
    timed(kernel, cell.format(3), 1, options=options)
    one = timed(kernel, cell.format(1), runs, options=options)
    many = timed(kernel, cell.format(count + 1), runs, options=options)
    return (many - one) / count


def report(figures, json_file):
    """Prints a line for each row; keeps all in a file if one is named."""
    for name, row in figures.items():
        print(f"{name:20}", "  ".join(f"{key} {value:.6g}" for key, value in row.items()))
    if json_file:
        pathlib.Path(json_file).write_text(json.dumps(figures, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--quick", action="store_true", help="small arrays, to see that it runs")
    options = parser.parse_args()
    runs, bits, side, passes = (3, 20, 1024, 3) if options.quick else (7, 30, 16384, 50)
    figures = {}

    one, two = Kernel("xcuda"), Kernel("xcuda")
    one.run("%device gpu:0")
    two.run("%device gpu:0-1")
    for kernel in (one, two):
        kernel.run(SETUP)

    # SAXPY of 2^bits.
    saxpy = "saxpy<<<4096, 256>>>(2.0f, {x}, {y}, {n});"
    t1 = loop(one, f"const size_t n = 1ull << {bits}; float x[n] = 1, y[n] = 2;", saxpy.format(x="x", y="y", n="n"), passes, runs)
    t2 = loop(two, f"const size_t n = 1ull << {bits}; float x[n] = shard(0), y[n] = shard(0); x = 1; y = 2;",
              saxpy.format(x="local(x)", y="local(y)", n="n / 2"), passes, runs, "--devices all")
    figures["saxpy"] = {"one": t1, "two": t2, "speedup": t1 / t2, "GB/s": 12 * 2**bits / t2 / 1e9}
    with tempfile.TemporaryDirectory() as folder:
        kernel = SETUP[SETUP.index("__global__ void saxpy"):SETUP.index("__global__ void heat")]
        text = SAXPY.replace("KERNEL", kernel).replace("BITS", str(bits)).replace("PASSES", str(passes))
        peers = [compiled(folder, f"saxpy{devices}", text.replace("DEVICES", str(devices))) for devices in (1, 2)]
        if all(peers):
            figures["saxpy"] |= {"C++ one": peers[0], "C++ two": peers[1], "speedup of C++": peers[0] / peers[1]}

    # A launch over the whole arrays, whose grid the session splits.
    body = "axpy<<<cover(n), 256>>>(2.0f, x, y, n);"
    t1, t2 = (loop(kernel, "", body, passes, runs) for kernel in (one, two))
    figures["axpy, split by the session"] = {"one": t1, "two": t2, "speedup": t1 / t2}

    # The sum of the same array.
    t1 = loop(one, "double s = 0;", "s = sum(x);", passes, runs)
    t2 = loop(two, "double s = 0;", "s = sum(x);", passes, runs)
    figures["sum"] = {"one": t1, "two": t2, "speedup": t1 / t2}
    for kernel in (one, two):
        kernel.run("%free x y")

    # A step of the heat equation, halos by pointer.
    grid = f"const int rows = {side}, columns = {side};"
    step = "heat<<<dim3((columns + 255) / 256, {rows}), 256>>>(u, v, {first}, {last}, rows, columns); swap(u, v);"
    t1 = loop(one, grid + "float u[rows][columns] = 0, v[rows][columns] = 0;", step.format(rows="rows", first="0", last="rows"), passes, runs)
    t2 = loop(two, grid + "float u[rows][columns] = shard(0), v[rows][columns] = shard(0);",
              step.format(rows="rows / 2", first="device() * rows / 2", last="(device() + 1) * rows / 2"), passes, runs, "--devices all")
    figures["heat"] = {"one": t1, "two": t2, "speedup": t1 / t2}
    t2 = loop(two, "", step.format(rows="rows", first="0", last="rows"), passes, runs)
    figures["heat, split by the session"] = {"one": t1, "two": t2, "speedup": t1 / t2}
    for kernel in (one, two):
        kernel.run("%free u v")

    # What libraries and sorts compute in parts.
    half = side // 2
    for name, declarations, body in [
            ("sort", f"float x[1 << {bits - 2}]{{0}}, y[1 << {bits - 2}]{{0}}; x = uniform(-1, 1, seed = 1);", "y = sort(x);"),
            ("matmul", f"float a[{half}][{half}]{{0}}, b[{half}][{half}]{{1}}, c[{half}][{half}]{{0}}; a = 1; b = 2;", "c = matmul(a, b);"),
            ("fft", f"complex<float> p[{side}][{half}]{{0}}, q[{side}][{half}]{{0}}; p = 1;", "q = fft(p);")]:
        t1 = loop(one, declarations.format("", ""), body, passes, runs)
        t2 = loop(two, declarations.format(" = shard(0)", " = replicated()"), body, passes, runs)
        figures[name] = {"one": t1, "two": t2, "speedup": t1 / t2}
        for kernel in (one, two):
            kernel.run({"sort": "%free x y", "matmul": "%free a b c", "fft": "%free p q"}[name])

    # all_reduce of 1 GiB of float.
    count = 2**(bits - 2)
    t2 = loop(two, f"float g[{count}] = replicated(); g = 1;", "all_reduce(g);", passes, runs)
    figures["all_reduce"] = {"seconds": t2, "bus GB/s": 4 * count / t2 / 1e9}
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "reduce.py"
        program.write_text(textwrap.dedent(TORCH))
        peer = subprocess.run([sys.executable, str(program), str(count), "20"], capture_output=True, text=True)
        if peer.returncode == 0:
            seconds = float(peer.stdout.split()[-1])
            figures["all_reduce"] |= {"PyTorch NCCL": seconds, "bus GB/s of NCCL": 4 * count / seconds / 1e9, "ratio": seconds / t2}
        else:
            print("all_reduce: no PyTorch with NCCL:", peer.stderr.strip().splitlines()[-1:])

        # 10,000 launches, half of them to each GPU.
        two.run("float a[32] = 0; on (1) { float warm[32] = 0; } float* b; cudaSetDevice(1); cudaMalloc(&b, 128); cudaSetDevice(0);")
        body = "for (int i = 0; i < 5000; ++i) { on (0) { touch<<<1, 32>>>(a); } on (1) { touch<<<1, 32>>>(b); } }"
        timed(two, body, 1)
        seconds = timed(two, body, runs)
        figures["launches"] = {"seconds": seconds, "µs each": seconds * 100}
        if peer := compiled(folder, "threads", THREADS):
            figures["launches"] |= {"C++ with two threads": peer, "ratio": seconds / peer}
        # As many on one GPU, which is what the session's side of a launch costs alone.
        one.run("float a[32] = 0, b[32] = 0;")
        body = "for (int i = 0; i < 5000; ++i) { touch<<<1, 32>>>(a); touch<<<1, 32>>>(b); }"
        timed(one, body, 1)
        figures["launches"] |= {"one GPU, µs each": timed(one, body, runs) * 100}

        # 10,000 launches that take turns: each waits for the one before, on the other GPU.
        body = "for (int i = 0; i < 5000; ++i) { on (0) { touch<<<1, 32>>>(a); } on (1) { touch<<<1, 32>>>(a); } }"
        timed(two, body, 1)
        seconds = timed(two, body, runs)
        figures["turns"] = {"seconds": seconds, "µs each": seconds * 100}
        if peer := compiled(folder, "turns", TURNS):
            figures["turns"] |= {"C++ with events, µs each": peer * 100, "ratio": seconds / peer}

        # A sum whose time is all waiting.
        small = "float small[65536]{}; small = 1; double total = 0;"
        t1 = loop(one, small.format(" = 0"), "total = sum(small);", passes, runs)
        t2 = loop(two, small.format(" = shard(0)"), "total = sum(small);", passes, runs)
        figures["small sum"] = {"one": t1, "two": t2}

    for kernel in (one, two):
        kernel.close()
    report(figures, options.json)


if __name__ == "__main__":
    main()
