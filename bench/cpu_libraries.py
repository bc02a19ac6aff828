#!/usr/bin/env python3
"""Products, equations and transforms on the CPU device beside NumPy and SciPy in the same run, interleaved, over one OpenBLAS.

    bench/cpu_libraries.py [--rounds N] [--threads N] [--own]

Needs xcuda, NumPy, and SciPy for the transforms. NumPy's wheel holds an OpenBLAS of its own, which the session takes unless the
system has one: the first line says which each of them has. --own gives the session NumPy's in any case. Times are minima of the rounds: of a cell from
request to reply, and of the library's calls in it, as %%launch reports them. The ratio is that of the calls; on a busy machine one thread is the fairer measure.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--own", action="store_true")
options = parser.parse_args()
os.environ["XCUDA_CPU_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)  # read when NumPy and the session start

import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "share/xcuda/python"))
import xeus_cuda  # noqa: E402

try:
    from scipy import fft as scipy_fft
except ImportError:
    scipy_fft = None

# name, declarations, statement, what NumPy does with the session's arrays, at most this ratio
CASES = [
    ("matmul, 1024, float", "float a[1024][1024] = uniform(seed = 1), b[1024][1024] = uniform(seed = 2), c[1024][1024];", "c = matmul(a, b);", lambda a, b, c: np.matmul(a, b, out=c), 1.1),
    ("matmul, 1024, double", "double a[1024][1024] = uniform(seed = 1), b[1024][1024] = uniform(seed = 2), c[1024][1024];", "c = matmul(a, b);", lambda a, b, c: np.matmul(a, b, out=c), 1.1),
    ("matmul, 1024, complex<float>", "complex<float> a[1024][1024] = 1, b[1024][1024] = 2, c[1024][1024];", "c = matmul(a, b);", lambda a, b, c: np.matmul(a, b, out=c), 1.1),
    ("solve, 1024, double", "double a[1024][1024] = normal(seed = 1), b[1024] = 1, c[1024];", "c = solve(a, b);", lambda a, b, c: np.linalg.solve(a, b), 1.1),
    ("solve, 1024, float", "float a[1024][1024] = normal(seed = 1), b[1024] = 1, c[1024];", "c = solve(a, b);", lambda a, b, c: np.linalg.solve(a, b), 1.1),
    ("fft, 2^20 complex floats", "complex<float> a[1 << 20] = 1, b[1], c[1 << 20];", "c = fft(a);", lambda a, b, c: scipy_fft.fft(a, workers=options.threads), 2),
    ("fft, 2^20 complex doubles", "complex<double> a[1 << 20] = 1, b[1], c[1 << 20];", "c = fft(a);", lambda a, b, c: scipy_fft.fft(a, workers=options.threads), 2),
    ("fft2, 1024 x 1024 complex floats", "complex<float> a[1024][1024] = 1, b[1], c[1024][1024];", "c = fft2(a);", lambda a, b, c: scipy_fft.fft2(a, workers=options.threads), 2),
    ("rfft, 1000 rows of 1000 floats", "float a[1000][1000] = uniform(seed = 3); complex<float> b[1], c[1000][501];", "c = rfft(a);", lambda a, b, c: scipy_fft.rfft(a, workers=options.threads), 2),
    ("fft, 1,000,003 complex doubles", "complex<double> a[1000003] = 1, b[1], c[1000003];", "c = fft(a);", lambda a, b, c: scipy_fft.fft(a, workers=options.threads), 2),
]


def rest():
    """The threads of either OpenBLAS spin for a while after a call, and would be in the way of the next one."""
    time.sleep(0.05)


def seconds(run):
    rest()
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def calls_of(session, statement):
    """Seconds of the library's calls alone."""
    rest()
    shown = session.run(f"%%launch\n{statement}").displays
    rows = next(one["application/vnd.xcuda.launch+json"] for one in shown if "application/vnd.xcuda.launch+json" in one)
    return sum(sum(row["times"]) for row in rows.get("launches", [rows])) * 1e-9


def use_copy_of_numpy():
    """The loader finds NumPy's library by the names of the system's."""
    library, = (pathlib.Path(np.__file__).parents[1] / "numpy.libs").glob("libscipy_openblas*")
    folder = pathlib.Path(tempfile.mkdtemp())
    for name in ("libopenblas.so", "libopenblas.so.0"):
        (folder / name).symlink_to(library)
    os.environ["LD_LIBRARY_PATH"] = f"{folder}:{library.parent}"


def main():
    rounds = options.rounds
    if options.own:
        use_copy_of_numpy()
    with xeus_cuda.Session(device="cpu") as session:
        session.run("float one[2][2] = 1;")
        print("session:", next(line for line in str(session.run("%%launch\nauto two = matmul(one, one);")).splitlines() if "OpenBLAS" in line))
        print("threads:", options.threads)
        print("NumPy:", np.__version__, np.show_config(mode="dicts")["Build Dependencies"]["blas"]["version"], flush=True)
        for name, declared, statement, theirs, limit in CASES:
            if scipy_fft is None and "fft" in name:
                continue
            session.run(declared)
            a, b, c = (np.array(session[one]) for one in "abc")
            cells, calls, other = [], [], []
            for _ in range(rounds + 1):  # the first is left out
                cells.append(seconds(lambda: session.run(statement)))
                calls.append(calls_of(session, statement))
                other.append(seconds(lambda: theirs(a, b, c)))
            cell, call, peer = (min(times[1:]) for times in (cells, calls, other))
            print(f"{name:34} cell {1e3 * cell:8.2f} ms, calls {1e3 * call:8.2f} ms   NumPy, SciPy {1e3 * peer:8.2f} ms   ratio {call / peer:.2f} "
                  f"(at most {limit}) {'ok' if call / peer <= limit else 'OVER'}; of the cell {cell / peer:.2f}", flush=True)
            session.run("%free a b c")


if __name__ == "__main__":
    main()
