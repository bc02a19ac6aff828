#!/usr/bin/env python3
"""What displays of large arrays take on a GPU, request to reply on raw sockets: the figures of bench/RESULTS.md.

usage: display.py XCUDA

XCUDA is the program. Prints the median and the greatest of 20 cells of each, in milliseconds, beside what it should be.
The first cell of each, which compiles the kernel's own kernels when they are not in the cache, is printed apart.
"""
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from jupyter_latency import Timed, round_trip  # noqa: E402

SETUP = """float image[16384][16384] = uniform(0, 1, seed = 1);
float big[1073741824] = uniform(0, 1, seed = 2);
float line[10000000] = normal(0, 1, seed = 3), other[10000000] = normal(0, 1, seed = 4);"""
CELLS = [
    ("%image of 16k x 16k floats", "%image image", 50),
    ("an array of 4 GiB", "big", 20),
    ("%plot of 10 million points", "%plot line", 100),
    ("%scatter of 10 million points", "%scatter line other", 100),
    ("%hist of 10 million elements", "%hist line", 100),
    ("%heatmap of 16k x 16k floats", "%heatmap image", 100),
]

failed = False
with tempfile.TemporaryDirectory() as folder:
    kernel = Timed([sys.argv[1]], pathlib.Path(folder))
    round_trip(kernel, SETUP)
    print(f"{'':32} {'first':>9} {'median':>9} {'greatest':>9} {'goal':>6}   ms")
    for name, cell, goal in CELLS:
        first = round_trip(kernel, cell)[0]
        times = [round_trip(kernel, cell)[0] for _ in range(20)]
        median = statistics.median(times)
        failed |= 1e3 * median > goal
        print(f"{name:32} {1e3 * first:9.1f} {1e3 * median:9.1f} {1e3 * max(times):9.1f} {goal:6}")
    kernel.close()
sys.exit(1 if failed else 0)
