#!/usr/bin/env python3
"""What the sandbox of the workers costs: a session with it beside one with XCUDA_SANDBOX=off, in turn.

usage: sandbox.py XCUDA [ROUNDS]

XCUDA is the program. Prints the medians of ROUNDS (9) sessions of each, and their ratio: the time from the start to the reply of
the first launch, which starts the compiler and the device's process, and 200,000 launches of one cell.
"""
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from jupyter_latency import Timed, round_trip  # noqa: E402

FIRST = "__global__ void tiny(int* p) { if (threadIdx.x == 1000) *p = 1; }\nint p[1];\ntiny<<<1, 32>>>(p);"
MANY = "for (int i = 0; i < 200000; ++i) tiny<<<1, 32>>>(p);"
FORMS = {"with the sandbox": {}, "without": {"XCUDA_SANDBOX": "off"}}
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 9


def session(environment):
    os.environ.pop("XCUDA_SANDBOX", None)
    os.environ.update(environment)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        kernel = Timed([sys.argv[1]], pathlib.Path(folder))
        round_trip(kernel, FIRST)
        first = time.perf_counter() - begin
        many = round_trip(kernel, MANY)[0]
        kernel.close()
    return first, many


def main():
    session({})  # fills the caches
    times = {form: [] for form in FORMS}
    for _ in range(ROUNDS):
        for form, environment in FORMS.items():
            times[form].append(session(environment))
    for i, what in enumerate(["start to first launch, s", "200,000 launches, s"]):
        inside, outside = (statistics.median(one[i] for one in times[form]) for form in FORMS)
        print(f"{what:26} {inside:8.4f} with the sandbox  {outside:8.4f} without  ratio {inside / outside:.3f}")


main()
