#!/usr/bin/env python3
"""What a launch of the package xeus_cuda costs by where its arrays come from: the session's own, PyTorch's by CUDA IPC, NumPy's by copies.

usage: foreign.py        (with $XCUDA_PROGRAMS, or an installed xcuda, and PyTorch)

Each launch adds two arrays and is waited for. Prints medians of 30, in milliseconds.
"""
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "share/xcuda/python"))
import numpy as np  # noqa: E402
import torch  # noqa: E402
import xeus_cuda  # noqa: E402

ADD = "__global__ void add(const float* x, float* y, size_t n) { size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; if (i < n) y[i] += x[i]; }"


def milliseconds(work):
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def main():
    with xeus_cuda.Session(device="gpu:0") as session:
        session.run(ADD)
        add = session.kernel("add")
        print(f"{'floats':>12}{'of the session':>17}{'CUDA IPC':>12}{'NumPy':>12}{'  an empty cell':>15}   [ms]")
        for count in (1 << 10, 1 << 20, 1 << 28):
            shape = (count + 255) // 256, 256
            own = session.empty("x", count), session.empty("y", count)
            tensors = [torch.ones(count, device="cuda") for _ in range(2)]
            arrays = [np.ones(count, "f4") for _ in range(2)]
            rows = [milliseconds(lambda: add[shape](*own, count)), milliseconds(lambda: add[shape](*tensors, count))]
            print(session.explain(), file=sys.stderr)
            rows.append(milliseconds(lambda: add[shape](*arrays, count)) if count <= 1 << 20 else float("nan"))
            rows.append(milliseconds(lambda: session.run("")))
            print(f"{count:12}{rows[0]:17.3f}{rows[1]:12.3f}{rows[2]:12.3f}{rows[3]:15.3f}", flush=True)
            del own, tensors, arrays


if __name__ == "__main__":
    main()
