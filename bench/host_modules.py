#!/usr/bin/env python3
"""What calls of a host module's functions cost, beside a launch and the read of an element, in one session.

usage: host_modules.py XCUDA

XCUDA is the program; XCUDA_DEVICE chooses the device. Loops in cells, request to reply; prints microseconds per statement, the median of 15.
"""
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from jupyter_latency import Timed, round_trip  # noqa: E402

MODULE = """%%cuda
void nothing(const float* x, int n) {}
int one(const float* x) { return 1; }
"""
SETUP = "__global__ void tiny(const float* x, int n) {}\nfloat x[1000] = 1;\nint k = 0;\nfloat s = 0;"
LOOPS = {
    "a call that is posted": (10000, "nothing(x, i);"),
    "a launch": (10000, "tiny<<<1, 32>>>(x, i);"),
    "a call with a value": (2000, "k += one(x);"),
    "an element": (2000, "s += x[i % 1000];"),
    "an element after a fill": (2000, "x[1] = i; s += x[i % 1000];"),
    "a scalar statement": (10000, "k += i;"),
}

with tempfile.TemporaryDirectory() as folder:
    kernel = Timed([sys.argv[1]], pathlib.Path(folder))
    round_trip(kernel, MODULE)
    round_trip(kernel, SETUP)
    for name, (count, statement) in LOOPS.items():
        cell = f"for (int i = 0; i < {count}; ++i) {{ {statement} }}"
        times = [round_trip(kernel, cell)[0] for _ in range(16)][1:]
        print(f"{name:26} {1e6 * statistics.median(times) / count:8.2f} µs")
    kernel.close()
