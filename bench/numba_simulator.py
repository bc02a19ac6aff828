"""Numba's CUDA simulator on three kernels, time per element at small n: it runs each thread in Python.

    python bench/numba_simulator.py        in an environment with numba and numpy
"""
import os
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numpy as np  # noqa: E402
from numba import cuda, float32  # noqa: E402

TILE = 16


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def mandelbrot(out, most):
    px, py = cuda.grid(2)
    height, width = out.shape
    cx, cy, x, y, n = -2 + 3 * px / width, -1 + 2 * py / height, 0.0, 0.0, 0
    while n < most and x * x + y * y <= 4:
        x, y, n = x * x - y * y + cx, 2 * x * y + cy, n + 1
    out[py, px] = n


@cuda.jit
def matmul(a, b, c):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)  # the simulator tells arrays apart by their lines
    column, row = cuda.grid(2)
    x, y, total = cuda.threadIdx.x, cuda.threadIdx.y, 0.0
    for t in range(0, a.shape[0], TILE):
        left[y, x], right[y, x] = a[row, t + x], b[t + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    c[row, column] = total


def least(work):
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main():
    n = 4096
    x, y = np.random.rand(n).astype(np.float32), np.random.rand(n).astype(np.float32)
    print(f"saxpy {n}: {least(lambda: saxpy[n // 256, 256](np.float32(2), x, y)) / n * 1e9:.0f} ns per element")
    out = np.zeros((48, 64), np.int32)
    print(f"mandelbrot 64 x 48, 256 turns: {least(lambda: mandelbrot[(4, 3), (16, 16)](out, 256)) / out.size * 1e9:.0f} ns per pixel")
    n = 32
    a, b, c = (np.random.rand(n, n).astype(np.float32) for _ in range(3))
    spent = least(lambda: matmul[(n // TILE, n // TILE), (TILE, TILE)](a, b, c))
    assert np.allclose(c, a @ b, rtol=1e-4)
    print(f"matmul {n}: {spent / n**3 * 1e9:.0f} ns per multiplication")


main()
