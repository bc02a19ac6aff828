#!/usr/bin/env python3
"""A cell with one tiny launch, request to reply on raw sockets: xcuda beside CuPy in ipykernel.

usage: latency.py XCUDA

XCUDA is the program. Prints the median of 300 cells of each, in microseconds, and the ratio.
"""
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from jupyter_latency import Timed, round_trip  # noqa: E402

KERNEL = "__global__ void tiny(int* p) { if (threadIdx.x == 1000) *p = 1; }"
PEERS = {
    "xcuda": ([sys.argv[1]], f"{KERNEL}\nint p[1];", "tiny<<<1, 32>>>(p);"),
    "CuPy in ipykernel": ([sys.executable, "-m", "ipykernel_launcher"],
                          f"import cupy\nk = cupy.RawKernel('extern \"C\" {KERNEL}', 'tiny')\np = cupy.zeros(1, dtype=cupy.int32)",
                          "k((1,), (32,), (p,)); cupy.cuda.runtime.deviceSynchronize()"),
}

medians = []
for name, (argv, setup, cell) in PEERS.items():
    with tempfile.TemporaryDirectory() as folder:
        kernel = Timed(argv, pathlib.Path(folder))
        round_trip(kernel, setup)
        times = [round_trip(kernel, cell)[0] for _ in range(320)][20:]
        medians.append(statistics.median(times))
        print(f"{name:20} {1e6 * medians[-1]:9.1f} µs")
        kernel.close()
print(f"ratio {medians[0] / medians[1]:.3f}")
