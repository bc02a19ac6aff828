#!/usr/bin/env python3
"""Two versions of one benchmark in turn, so that what the machine does meanwhile falls on both.

usage: interleaved.py [--rounds N] [--least] [--worse PERCENT] OLD NEW

OLD and NEW are command lines (in quotes) that print the same lines with other numbers. Prints for each number of each line the
median (with --least, the least) of all rounds of both, and new over old; a mark where the ratio is more than PERCENT (3) from 1.
The lines of both are matched by their text without the numbers. Exit status 0, whatever the ratios are.
"""
import argparse
import re
import shlex
import statistics
import subprocess

NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.])")


def figures(command):
    """{(the line's text, which number of it): value} of what the command prints; lines that are the same get a number."""
    text = subprocess.run(shlex.split(command), check=True, capture_output=True, text=True).stdout
    found, seen = {}, {}
    for line in text.splitlines():
        label = " ".join(NUMBER.sub("#", line).split())
        seen[label] = seen.get(label, 0) + 1
        for place, number in enumerate(NUMBER.findall(line)):
            found[(label, seen[label], place)] = float(number.replace(",", ""))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--least", action="store_true")
    parser.add_argument("--worse", type=float, default=3)
    parser.add_argument("old")
    parser.add_argument("new")
    options = parser.parse_args()
    middle = min if options.least else statistics.median
    rounds = {"old": [], "new": []}
    for turn in range(options.rounds):
        # Who is first changes from turn to turn.
        for name in ("old", "new") if turn % 2 == 0 else ("new", "old"):
            rounds[name].append(figures(getattr(options, name)))
    shared = [key for key in rounds["old"][0] if all(key in each for side in rounds.values() for each in side)]
    print(f"{'old':>12} {'new':>12} {'new/old':>8}")
    for key in shared:
        old, new = (middle(each[key] for each in rounds[side]) for side in ("old", "new"))
        if old == new == 0:
            continue
        ratio = new / old if old else float("inf")
        mark = "*" if abs(ratio - 1) > options.worse / 100 else " "
        print(f"{old:12.4g} {new:12.4g} {ratio:8.3f} {mark} {key[0]} [{key[2]}]")
    unmatched = {key[0] for side in rounds.values() for each in side for key in each} - {key[0] for key in shared}
    for label in sorted(unmatched):
        print(f"only on one side: {label}")


if __name__ == "__main__":
    main()
