#!/usr/bin/env python3
"""Reductions of a sharded array on two GPUs beside one GPU, and nothing else: half a minute on a machine with two GPUs.

usage: many_sum.py [--json FILE] [--device one,two] [--bits 30] [--rounds 12]

Each figure is a median over rounds in which the two sessions take turns, by the kernel's own clock. For each reduction: a
pass on one GPU and on two, the speed-up, and its least and most over the rounds (the session's code takes longer for some
seconds and then not). For the sum also the kernels alone, by the device's events (%%timeline), their speed-up, and what
is not in them: posting, waiting, reading. "small" is a sum of 65,536 floats, whose time is all of that.
"""
import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from many import report, timed  # noqa: E402
from run import Kernel  # noqa: E402

TIMELINE = "application/vnd.xcuda.timeline+json"
CASES = {
    "sum": ("s = sum(x);", 60),
    "max": ("s = max(x);", 20),
    "mean": ("s = mean(x);", 20),
    "dot": ("s = dot(x, x);", 20),
    "argmax": ("at = argmax(x);", 20),
    "sum(2 * x + 1)": ("s = sum(2 * x + 1);", 20),
    "small": ("s = sum(small);", 200),
}


def seconds(kernel, body, passes):
    """Of one pass: the cell's own cost is taken off by a cell with one pass."""
    cell = "for (int pass = 0; pass < {}; ++pass) {{ " + body + " }}"
    return (timed(kernel, cell.format(passes + 1), 1) - timed(kernel, cell.format(1), 1)) / passes


def kernels(kernel, body, passes):
    """Seconds of the longest launch of a pass, over all devices."""
    longest = []
    for _ in range(passes):
        for message in kernel.run(f"%%timeline\n{body}"):
            bars = message["content"].get("data", {}).get(TIMELINE, {}).get("bars", [])
            if times := [bar["end"] - bar["begin"] for bar in bars if "reduce" in bar["label"]]:
                longest.append(max(times) / 1e9)
    return statistics.median(longest) if longest else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--device", default="gpu:0,gpu:0-1", help="of the two sessions: cpu:1,cpu:2 shows that it runs")
    parser.add_argument("--bits", type=int, default=30, help="of the number of floats")
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()

    sessions = []
    for device in options.device.split(","):
        kernel = Kernel("xcuda")
        kernel.run(f"%device {device}")
        kernel.run(f"const size_t n = 1ull << {options.bits}; float x[n] = shard(0), small[65536] = shard(0); x = 1; small = 1; double s = 0; size_t at = 0;")
        for body, _ in CASES.values():
            seconds(kernel, body, 2)
        sessions.append(kernel)

    figures = {}
    for name, (body, passes) in CASES.items():
        rounds = [[seconds(kernel, body, passes) for kernel in sessions] for _ in range(options.rounds if name == "sum" else 3)]
        one, two = (statistics.median(times) for times in zip(*rounds))
        ratios = sorted(a / b for a, b in rounds)
        figures[name] = {"one, µs": one * 1e6, "two, µs": two * 1e6, "speed-up": one / two, "least": ratios[0], "most": ratios[-1]}
    alone = [kernels(kernel, CASES["sum"][0], 9) for kernel in sessions]
    figures["kernels of the sum"] = {"one, µs": alone[0] * 1e6, "two, µs": alone[1] * 1e6, "speed-up": alone[0] / alone[1]}
    for which, time in zip(("one, µs", "two, µs"), alone):
        figures["sum"]["beside kernels, " + which] = figures["sum"][which] - time * 1e6
    for kernel in sessions:
        kernel.close()
    report(figures, options.json)


if __name__ == "__main__":
    main()
