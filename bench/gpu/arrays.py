#!/usr/bin/env python3
"""Array expressions, sums and sorts of xcuda beside CuPy, and the latency of an expression, on one GPU.

usage: arrays.py [--n N]

Needs a GPU, the kernelspec xcuda, CuPy and ipykernel. Each figure is the time from request to reply of a cell that repeats the work,
less that of the same cell with one repetition, over the repetitions; a ratio is xeus-cuda's time over CuPy's.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time

from jupyter_client.kernelspec import get_kernel_spec
from run import Kernel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from jupyter_latency import Timed, round_trip  # noqa: E402

# Cells over a thousand elements. The goal for an expression is 0.3 ms; an empty cell and a loop of scalars show what a cell takes by itself.
SEEN = {
    "empty cell": ";",
    "expression": "other = small + 1;",
    "expression, three arrays": "other = 2 * small + other * small;",
    "slice": "other[0:1000:2] = small[1:1000:2];",
    "sum": "double s = sum(small);",
    "element": "float e = small[500];",
    "10,000 rounds of scalars": "for (int i = 0; i < 10000; ++i) k += i % 7;",
}

arguments = argparse.ArgumentParser()
arguments.add_argument("--n", type=int, default=1 << 28)
N = arguments.parse_args().n
SORTED = 1 << 24

xcuda, cupy = Kernel("xcuda"), Kernel("python3")
xcuda.run(f"""__global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {{
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}}
const size_t n = {N}, m = {SORTED};
float a = 2, x[n] = uniform(seed = 1), y[n] = uniform(seed = 2), out[n], keys[m] = uniform(seed = 3), sorted[m];
double total = 0, doubles[m] = uniform(seed = 4), sorted_doubles[m];
int8_t bytes[m] = uniform(-100, 100, seed = 5), sorted_bytes[m];
size_t order[m];""")
cupy.run(f"""import cupy
n, m = {N}, {SORTED}
x, y, keys = cupy.random.rand(n, dtype=cupy.float32), cupy.random.rand(n, dtype=cupy.float32), cupy.random.rand(m, dtype=cupy.float32)
doubles, bytes = cupy.random.rand(m), cupy.random.randint(-100, 101, m).astype(cupy.int8)
out = cupy.empty_like(x)
saxpy = cupy.ElementwiseKernel('float32 a, float32 x, float32 y', 'float32 z', 'z = a * x + y', 'saxpy')
wait = cupy.cuda.runtime.deviceSynchronize""")


def each(kernel, cell, repetitions):
    """Seconds of one repetition; cell has a place for their number."""
    def median(count):
        kernel.run(cell.format(count))
        return statistics.median(timed(kernel, cell.format(count)) for _ in range(7))
    return (median(repetitions + 1) - median(1)) / repetitions


def timed(kernel, cell):
    start = time.perf_counter()
    kernel.run(cell)
    return time.perf_counter() - start


LOOP = "for (int k = 0; k < {{}}; ++k) {{{{ {} }}}}"
PY = "for k in range({{}}): {}\nwait()"
ROWS = [
    ("a * x + y", LOOP.format("out = a * x + y;"), PY.format("saxpy(cupy.float32(2), x, y, out)"), 50),
    ("a * x + y, own kernel", LOOP.format("saxpy<<<(n + 255) / 256, 256>>>(a, x, y, out, n);"), None, 50),
    ("sum(x)", LOOP.format("total = sum(x);"), PY.format("float(cupy.sum(x))"), 500),
    ("sort of 16.7 M floats", LOOP.format("sorted = sort(keys);"), PY.format("cupy.sort(keys)"), 100),
    ("sort of doubles", LOOP.format("sorted_doubles = sort(doubles);"), PY.format("cupy.sort(doubles)"), 100),
    ("sort of int8", LOOP.format("sorted_bytes = sort(bytes);"), PY.format("cupy.sort(bytes)"), 100),
    ("argsort of floats", LOOP.format("order = argsort(keys);"), PY.format("cupy.argsort(keys)"), 100),
    ("scan of floats", LOOP.format("sorted = scan(keys);"), PY.format("cupy.cumsum(keys)"), 100),
]
expression = None
for name, ours, theirs, count in ROWS:
    own = each(xcuda, ours, count)
    line = f"{name:24} {1e3 * own:9.3f} ms"
    if name == "a * x + y":
        expression = own
    if name.endswith("own kernel"):
        line += f"   expression / kernel {expression / own:.3f}"
    if theirs is not None:
        peer = each(cupy, theirs, count)
        line += f"   CuPy {1e3 * peer:9.3f} ms   ratio {own / peer:.3f}"
    print(line, flush=True)

xcuda.close()
cupy.close()

# Small arrays, on raw sockets: what a cell costs besides the device's work.
with tempfile.TemporaryDirectory() as folder:
    kernel = Timed(get_kernel_spec("xcuda").argv[:1], pathlib.Path(folder))
    round_trip(kernel, "float small[1000] = 1, other[1000]; int k = 0;")
    first = []
    for k in range(20):  # a literal is a part of the kernel, so each is one that was not seen before
        first.append(round_trip(kernel, f"other = small * {time.time_ns() % 1000000007}.5f + {k};")[0])
    print(f"first-seen expression {1e3 * statistics.median(first):.1f} ms, request to reply")
    for name, cell in SEEN.items():
        times = [round_trip(kernel, cell)[0] for _ in range(320)][20:]
        print(f"{name:24} seen before {1e3 * statistics.median(times):7.3f} ms, request to reply")
    kernel.close()
