#!/usr/bin/env python3
"""Whole CUDA programs on the CPU device beside the same algorithm in plain C++.

usage: programs.py [ROUNDS] [--toolkit FOLDER]

Each source of bench/programs is compiled by the CPU device's nvcc (-O3) and by g++ (-O3 -march=native), and both run in turn,
on one thread each and then with all threads of the device. The times are the least of the rounds: of the part that the program times
itself, when it runs for the second time, and of the whole process with kernels compiled before.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def run(binary, threads):
    environment = {**os.environ, **({"XCUDA_CPU_THREADS": str(threads)} if threads else {})}
    begin = time.monotonic()
    output = subprocess.run([binary], env=environment, check=True, capture_output=True, text=True).stdout
    value, inner = map(float, output.split())
    return value, inner, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("--toolkit", type=pathlib.Path, default=HERE.parent / "build/release/lib/xcuda/toolkit")
    options = parser.parse_args()
    print("| program | g++, s | one thread | all threads | whole process, g++, s | one thread |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((HERE / "programs").glob("*.cu")):
            ours, theirs = f"{folder}/{source.stem}", f"{folder}/{source.stem}.host"
            subprocess.run([options.toolkit / "bin/nvcc", "-O3", "-std=c++17", source, "-o", ours], check=True)
            subprocess.run(["g++", "-x", "c++", "-O3", "-march=native", "-std=c++17", source, "-o", theirs], check=True)
            best = {}
            for _ in range(options.rounds + 1):  # the first round compiles kernels
                values = {}
                for name, binary, threads in (("g++", theirs, 0), ("one", ours, 1), ("all", ours, 0)):
                    values[name], inner, whole = run(binary, threads)
                    before = best.get(name, (float("inf"),) * 2)
                    best[name] = (min(before[0], inner), min(before[1], whole))
                if any(abs(value - values["g++"]) > 1e-3 * abs(values["g++"]) for value in values.values()):
                    raise SystemExit(f"{source.stem}: {values}")
            host, one, every = best["g++"], best["one"], best["all"]
            print(f"| {source.stem} | {host[0]:.4f} | {one[0] / host[0]:.2f} | {every[0] / host[0]:.2f} | {host[1]:.3f} | {one[1] / host[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
