#!/usr/bin/env python3
"""The CUDA device beside nvcc-built C++, CuPy and cuda.core, in one run on one GPU.

usage: run.py [--json FILE]

Needs a GPU, nvcc on PATH, the kernelspec xcuda; CuPy, cuda.core and ipykernel where their rows are wanted. A ratio is
xeus-cuda's time over the peer's.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from jupyter_client.manager import start_new_kernel

HERE = pathlib.Path(__file__).resolve().parent
LAUNCH = "application/vnd.xcuda.launch+json"
N = 512 * 32768


class Kernel:
    """A kernel of that name; run() waits for the reply and returns the outputs."""

    def __init__(self, name):
        start = time.perf_counter()
        self.manager, self.client = start_new_kernel(kernel_name=name, startup_timeout=120)
        self.start_seconds = time.perf_counter() - start

    def run(self, code, timeout=600):
        outputs = []
        reply = self.client.execute_interactive(code, timeout=timeout, output_hook=lambda m: outputs.append(m), store_history=False)
        if reply["content"]["status"] != "ok":
            raise RuntimeError("\n".join(reply["content"].get("traceback", [str(reply["content"])])))
        return outputs

    def seconds(self, code, runs):
        """Median time from request to reply."""
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            self.run(code)
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def launch_median(outputs):
    for message in outputs:
        data = message["content"].get("data", {})
        if LAUNCH in data:
            return data[LAUNCH]["launches"][0]["median"]
    raise RuntimeError("no launch report")


def cpp_peer():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "peer")
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", "-o", program, str(HERE / "peer.cu")], check=True)
        return json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def first_result(code):
    """Seconds of a fresh Python process from start to its first result, best of 3."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


FIRST_CUPY = """
import cupy
k = cupy.RawKernel('extern "C" __global__ void inc(int* p) { p[threadIdx.x] += %d; }', 'inc')
x = cupy.zeros(32, dtype=cupy.int32)
k((1,), (32,), (x,))
assert int(x[0]) == %d
"""
FIRST_CORE = """
import numpy
from cuda.core import Device, Program, ProgramOptions, LaunchConfig, launch
d = Device(); d.set_current(); s = d.create_stream()
m = Program('extern "C" __global__ void inc(int* p) { p[threadIdx.x] += %d; }', code_type='c++',
            options=ProgramOptions(std='c++17', arch='sm_%%s%%s' %% tuple(d.compute_capability))).compile('cubin')
k = m.get_kernel('inc')
b = d.memory_resource.allocate(128, stream=s)
import cupy
x = cupy.ndarray((32,), dtype=cupy.int32, memptr=cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(int(b.handle), 128, b), 0))
launch(s, LaunchConfig(grid=1, block=32), k, b)
s.sync()
"""


def first_xcuda(number):
    """The same from a fresh kernel process: start, compile, load, copy, launch, read."""
    times = []
    for i in range(3):
        value = number + i
        start = time.perf_counter()
        kernel = Kernel("xcuda")
        kernel.run(f"__global__ void inc(int* p) {{ p[threadIdx.x] += {value}; }}\nint x[32];\ninc<<<1, 32>>>(x);\nassert(x[0] == {value});")
        times.append(time.perf_counter() - start)
        kernel.close()
    return min(times)


def save_seconds(kernel, cell, path, runs=3):
    """Best of a few: what the disk does meanwhile is not ours."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        kernel.run(cell)
        times.append(time.perf_counter() - start)
        os.unlink(path)
    return min(times)


def plain_fault():
    """Milliseconds until a C++ program is told of a trap, and from then until its process has ended; best of 3."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "fault")
        subprocess.run(["nvcc", "-O3", "-arch=native", "-o", program, str(HERE / "fault.cu")], check=True)
        told, left = [], []
        for _ in range(3):
            process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
            told.append(float(process.stdout.readline()))
            start = time.perf_counter()
            process.wait()
            left.append(1e3 * (time.perf_counter() - start))
        return min(told), min(left)


def fault_to_next_launch(kernel):
    """Seconds from sending a cell that faults to the reply of the next cell, which launches; the median of 5."""
    kernel.run("__global__ void trap() { asm volatile(\"trap;\"); }")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        try:
            kernel.run("trap<<<1, 1>>>();")
        except RuntimeError:
            pass
        kernel.run("tiny<<<1, 32>>>(p);")
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def interrupt_to_reply(kernel):
    kernel.run("__global__ void endless(volatile int* x) { while (x[0] != -1) {} }")
    times = []
    for _ in range(3):
        kernel.client.execute("endless<<<1, 1>>>(p);")
        time.sleep(1)
        start = time.perf_counter()
        kernel.manager.interrupt_kernel()
        kernel.client.get_shell_msg(timeout=60)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def copies():
    program = HERE.parents[1] / "gpu-bundle/bin/bench_copies"
    prefix = pathlib.Path(os.environ["XCUDA_PREFIX"])
    said = subprocess.run([program, prefix / "bin/xcuda-gpu"], check=True, capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")}).stdout
    return json.loads(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write every figure to this file")
    arguments = parser.parse_args()
    rows = []

    def row(name, ours, peer, peer_name, unit="µs", scale=1e-3):
        rows.append({"name": name, "ours": ours, "peer": peer, "peer_name": peer_name, "ratio": ours / peer})
        print(f"{name:34} {ours * scale:12.2f} {peer * scale:12.2f} {unit:3} {ours / peer:7.3f}  {peer_name}", flush=True)

    print(f"{'':34} {'xeus-cuda':>12} {'peer':>12}     {'ratio':>7}")
    cpp = cpp_peer()
    xcuda = Kernel("xcuda")
    xcuda.run((HERE / "kernels.cuh").read_text())
    xcuda.run(f"%%alloc\nconst size_t n = {N};\nconst int m = 4096;\nfloat x[n], y[n], out[n], a[m][m], b[m][m], c[m][m];\n"
              "unsigned char image[1024][1536];\nint p[1];")
    kernels = {
        "saxpy": "%%launch --warmup 5 --repeat 100 --no-restore\nsaxpy<<<32768, 512>>>(2.0f, x, y, out, n);",
        "matmul": "%%launch --warmup 5 --repeat 20 --no-restore\nmatmul<<<dim3(m / 32, m / 32), dim3(32, 32)>>>(a, b, c, m);",
        "mandelbrot": "%%launch --warmup 5 --repeat 100 --no-restore\nmandelbrot<<<dim3(32, 16), dim3(32, 8)>>>(image, 1536, 1024, 20);",
    }
    for name, cell in kernels.items():
        row(f"kernel time: {name}", launch_median(xcuda.run(cell)), cpp[name], "nvcc C++")

    bytes_copied = 1 << 30
    moved = copies()
    for name, way in (("up", "to the GPU"), ("down", "from the GPU")):
        row(f"1 GiB {way}, {bytes_copied / moved[name]:.1f} GB/s", moved[name], cpp[name], "pinned cudaMemcpy", "ms", 1e-6)

    loop = "for (int i = 0; i < 10000; ++i) tiny<<<1, 32>>>(p);"
    xcuda.run(loop)
    row("10,000 launches in one cell", 1e9 * xcuda.seconds(loop, 7), cpp["launches"], "nvcc C++ loop", "ms", 1e-6)

    xcuda.run("tiny<<<1, 32>>>(p);")
    tiny = 1e9 * xcuda.seconds("tiny<<<1, 32>>>(p);", 200)
    try:
        ipython = Kernel("python3")
        ipython.run("import cupy\nk = cupy.RawKernel('extern \"C\" __global__ void tiny(int* p) { if (threadIdx.x == 1000) *p = 1; }', 'tiny')\n"
                    "p = cupy.zeros(1, dtype=cupy.int32)")
        cell = "k((1,), (32,), (p,)); cupy.cuda.runtime.deviceSynchronize()"
        ipython.run(cell)
        row("a cell with one tiny launch", tiny, 1e9 * ipython.seconds(cell, 200), "CuPy in ipykernel")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "big.npy")
            xcuda.run("float big[1 << 30] = uniform();")
            ipython.run("import numpy\nbig = cupy.random.random(1 << 30, dtype=cupy.float32)")
            ours = save_seconds(xcuda, f"%save big {path}", path)
            peer = save_seconds(ipython, f"numpy.save({path!r}, cupy.asnumpy(big))", path)
            row("saving 4 GiB as .npy", 1e9 * ours, 1e9 * peer, "CuPy and NumPy", "ms", 1e-6)
            xcuda.run("%free big")
        ipython.close()
    except Exception as error:  # no ipykernel or CuPy here: say so, and go on with the other rows
        print(f"a cell with one tiny launch: {tiny * 1e-3:.1f} µs; no peer: {error}")
    for name, seconds in (("a fault to the next cell's launch", fault_to_next_launch(xcuda)), ("an interrupt to the reply", interrupt_to_reply(xcuda))):
        rows.append({"name": name, "ours": 1e9 * seconds})
        print(f"{name:34} {1e3 * seconds:12.2f} ms", flush=True)
    print("a trap in plain C++: told after {:.1f} ms, the process left {:.1f} ms later".format(*plain_fault()), flush=True)
    xcuda.close()

    first = first_xcuda(1000)
    for name, code in (("CuPy", FIRST_CUPY % (2001, 2001)), ("cuda.core", FIRST_CORE % 2002)):
        try:
            row("first result of a fresh process", 1e9 * first, 1e9 * first_result(code), name, "ms", 1e-6)
        except subprocess.CalledProcessError as error:
            print(f"first result: {name} failed: {error.stderr.decode()[-300:]}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
