#!/usr/bin/env python3
"""10 GB to Python and back: what a cell takes more than an empty one, request to reply on raw sockets.

usage: handover.py XCUDA

XCUDA is the program. Python has its context before. Each round makes a new array of 2.5 billion floats; Python takes it as a
tensor for the first time and changes an element, and the session reads that element. Prints medians of 7, in milliseconds.
"""
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from jupyter_latency import Timed, round_trip  # noqa: E402

COUNT = 2_500_000_000


def main():
    with tempfile.TemporaryDirectory() as folder:
        kernel = Timed([sys.argv[1]], pathlib.Path(folder))
        milliseconds = lambda code: 1e3 * round_trip(kernel, code)[0]  # noqa: E731
        milliseconds("float small[4];")
        milliseconds("%%python\nt = small.torch(); t += 1; del t")
        empty, statement, taken, back = [], [], [], []
        for _ in range(7):
            milliseconds(f"float big[{COUNT}];")
            empty.append(milliseconds("%%python\npass"))
            taken.append(milliseconds("%%python\nt = big.torch(); t[7] = 5"))
            statement.append(milliseconds("{ float other = small[1]; }"))
            back.append(milliseconds("{ float seven = big[7]; assert(seven == 5); }"))
            milliseconds("%%python\ndel t")
            milliseconds("%free big")
        kernel.close()
    median = statistics.median
    print(f"an empty %%python cell                         {median(empty):9.3f} ms")
    print(f"... that takes 10 GB as a tensor and writes    {median(taken):9.3f} ms")
    print(f"a statement that reads a small array           {median(statement):9.3f} ms")
    print(f"... that reads what Python wrote               {median(back):9.3f} ms")
    print(f"to Python and back, over these                 {median(taken) - median(empty) + median(back) - median(statement):9.3f} ms")


if __name__ == "__main__":
    main()
