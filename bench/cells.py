#!/usr/bin/env python3
"""What small cells take from request to reply, in two versions of the kernel that run side by side and take turns cell by cell.

usage: cells.py [--rounds N] [--only NAME ...] OLD NEW

OLD and NEW are the two programs, each from its own installation; XCUDA_DEVICE chooses the device. Prints the median and the fastest
fifth's last of each in microseconds, and new over old. Both see the same machine at the same time, so what else it does falls on both.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from jupyter_latency import Timed, round_trip  # noqa: E402

SETUP = """__global__ void one(float* x) { x[threadIdx.x] += 1; }
float small[1000] = 1, other[1000];
float grid[192][256] = arange();
grid = sin(grid / 900) * cos(grid / 31);
int k = 0;"""
CELLS = {
    "empty": ";",
    "launch": "one<<<1, 32>>>(small);",
    "expression": "other = small + 1;",
    "three arrays": "other = 2 * small + other * small;",
    "slice": "other[0:1000:2] = small[1:1000:2];",
    "sum": "double s = sum(small);",
    "element": "float e = small[500];",
    "10,000 scalars": "for (int i = 0; i < 10000; ++i) k += i % 7;",
    "array shown": "small",
    "plot": "%plot small",
    "histogram": "%hist small",
    "scatter": "%scatter small other",
    "heat map": "%heatmap grid",
    "image": "%image grid",
}

REST = 0.003  # seconds: what the other one still does after its reply (history, a worker that waits for more) is over by then


def quantile(values, fraction):
    return sorted(values)[int(len(values) * fraction)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--only", nargs="*", choices=CELLS, default=list(CELLS))
    parser.add_argument("old")
    parser.add_argument("new")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        kernels = [Timed([program], pathlib.Path(folder)) for program in (options.old, options.new)]
        for kernel in kernels:
            round_trip(kernel, SETUP)
        print(f"{'':16}{'old':>10}{'new':>10}{'ratio':>8}{'old':>14}{'new':>10}{'ratio':>8}   median, 20th percentile, us")
        for name in options.only:
            times = [[], []]
            for turn in range(options.rounds + 20):
                for side in (0, 1) if turn % 2 == 0 else (1, 0):
                    time.sleep(REST)
                    times[side].append(1e6 * round_trip(kernels[side], CELLS[name])[0])
            line = f"{name:16}"
            for width, fraction in ((10, 0.5), (14, 0.2)):
                old, new = (quantile(each[20:], fraction) for each in times)
                line += f"{old:{width}.1f}{new:10.1f}{new / old:8.3f}"
            print(line, flush=True)
        for kernel in kernels:
            kernel.close()


if __name__ == "__main__":
    main()
