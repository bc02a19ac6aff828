#!/usr/bin/env python3
"""Calls of libraries on a GPU beside the same libraries from C++ and from CuPy, in one run, interleaved.

    bench/gpu/libraries.py [--rounds N] [--only TEXT]      only: rows whose names have the text

Needs a GPU, an installed xcuda (or `. scripts/gpu-environment` for that of gpu-bundle/), nvcc with cuBLASLt and cuFFT, and CuPy for its
rows (they are left out without it). A figure is the median of the times
from request to reply of a loop less that of a loop of one call, over the other calls, so that the session's part of each call is in it,
but not that of the cell, 2 to 3 ms through jupyter_client; a ratio is xeus-cuda's time over the
peer's. The SM clock is that of the end of each row: figures at different clocks do not compare.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "share/xcuda/python"))
import xeus_cuda  # noqa: E402

try:
    import cupy
except ImportError:
    cupy = None

# name, what the session declares, what it repeats, what C++ repeats (library_peer.cu), calls, at most this ratio
OF_CPP = [
    ("matmul 8192³, bfloat16", "bfloat16 a[8192][8192] = uniform(-1, 1, seed = 1), b[8192][8192] = uniform(-1, 1, seed = 2), c[8192][8192];", "c = matmul(a, b);", "bfloat16", 100, 1 / 0.98),
    ("matmul 8192³, float", "float a[8192][8192] = uniform(-1, 1, seed = 1), b[8192][8192] = uniform(-1, 1, seed = 2), c[8192][8192];", "c = matmul(a, b);", "float", 10, 1 / 0.98),
    ("matmul 8192³, TF32", "%config tf32 on\nfloat a[8192][8192] = uniform(-1, 1, seed = 1), b[8192][8192] = uniform(-1, 1, seed = 2), c[8192][8192];", "c = matmul(a, b);", "tf32", 50, 1 / 0.98),
    ("matmul 8192³, double", "%config tf32 off\ndouble a[8192][8192] = uniform(-1, 1, seed = 1), b[8192][8192] = uniform(-1, 1, seed = 2), c[8192][8192];", "c = matmul(a, b);", "double", 20, 1 / 0.98),
    ("fft of 2^24 complex floats", "complex<float> a[1 << 24] = 1, c[1 << 24]; int b[1];", "c = fft(a);", "fft", 1000, 1.02),
    ("fft2 of 4096² complex floats", "complex<float> a[4096][4096] = 1, c[4096][4096]; int b[1];", "c = fft2(a);", "fft2", 1000, 1.02),
]
M = 1 << 24
# name, declarations, statement, what CuPy repeats, calls, ratio. CuPy has the session's arrays, without a copy.
OF_CUPY = [
    ("10,000 products of 64³, float", "float a[10000][64][64] = uniform(seed = 1), b[10000][64][64] = uniform(seed = 2), c[10000][64][64];", "c = matmul(a, b);", lambda a, b, c: cupy.matmul(a, b, out=c), 1000, 1.05),
    ("solve, 2048, double", "double a[2048][2048] = normal(seed = 1), b[2048] = 1, c[2048];", "c = solve(a, b);", lambda a, b, c: cupy.linalg.solve(a, b), 20, 1.05),
    ("svd, 2048, float", "float a[2048][2048] = normal(seed = 1); int b[1], c[1];", "{ auto [u, s, vt] = svd(a); }", lambda a, b, c: cupy.linalg.svd(a), 3, 1.05),
    ("eigh, 2048, double", "double g[2048][2048] = normal(seed = 1);\nauto a = g + transpose(g); int b[1], c[1];", "{ auto [w, v] = eigh(a); }", lambda a, b, c: cupy.linalg.eigh(a), 5, 1.05),
    ("sort of 16.7 M floats", f"float a[{M}] = uniform(seed = 3), c[{M}]; int b[1];", "c = sort(a);", lambda a, b, c: cupy.sort(a), 500, 1.03),
    ("argsort of 16.7 M floats", f"float a[{M}] = uniform(seed = 3); size_t c[{M}]; int b[1];", "c = argsort(a);", lambda a, b, c: cupy.argsort(a), 500, 1.03),
    ("scan of 16.7 M floats", f"float a[{M}] = uniform(seed = 3), c[{M}]; int b[1];", "c = scan(a);", lambda a, b, c: cupy.cumsum(a, out=c), 1000, 1.03),
    ("sparse by a vector, 10^6 rows of 9", "int places[9000000] = arange(), rows[1000001] = arange(0, 9);\nfloat values[9000000] = 1, b[1000000] = uniform(seed = 4), c[1000000];\n"
     "auto columns = places % 9 * 111111 + places / 9 % 111111;\nauto a = csr(values, columns, rows, n = 1000000);", "c = matmul(a, b);", None, 1000, 1.05),
]


def clock():
    query = subprocess.run(["nvidia-smi", "--query-gpu=clocks.sm", "--format=csv,noheader"], capture_output=True, text=True, check=False)
    return query.stdout.split("\n")[0] or "?"


class Peer:
    """The C++ program, which answers a line with seconds."""

    def __init__(self, folder):
        self.path = folder / "library_peer"
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", "-o", self.path, HERE / "library_peer.cu", "-lcublasLt", "-lcufft"], check=True)
        self.process = self.start()

    def start(self):
        return subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @staticmethod
    def ask(process, line):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    def seconds(self, name, count):
        return self.ask(self.process, f"{name} {count}")

    def first(self, name):
        with self.start() as process:
            found = self.ask(process, f"first {name}")
            process.stdin.close()
        return found


def of_cell(session, statement, count):
    begun = time.perf_counter()
    session.run(f"for (int i = 0; i < {count}; ++i) {statement}")
    return time.perf_counter() - begun


def of_session(session, statement, count):
    one = min(of_cell(session, statement, 1) for _ in range(3))
    return (of_cell(session, statement, count + 1) - one) / count


def row(name, mine, other, limit, peer):
    ratio = mine / other
    print(f"{name:38} {1e3 * mine:10.4f} ms  {peer} {1e3 * other:10.4f} ms  ratio {ratio:.3f} (at most {limit:.3f}) {'ok' if ratio <= limit else 'OVER'}  {clock()}", flush=True)


def measure(session, case, rounds, other, peer):
    name, declared, statement, _, count, limit = case
    session.run(declared)
    of_cell(session, statement, 3)
    other(3)
    mine, theirs = [], []
    for turn in range(rounds):
        for own in (True, False) if turn % 2 == 0 else (False, True):
            if own:
                mine.append(of_session(session, statement, count))
            else:
                theirs.append(other(count))
    row(name, statistics.median(mine), statistics.median(theirs), limit, peer)


def cupy_loop(session, repeated):
    # The declarations come first: the arrays are looked up when the loop first runs.
    def run(count):
        a, b, c = (cupy.asarray(session[name]) for name in "abc")
        cupy.cuda.runtime.deviceSynchronize()
        begun = time.perf_counter()
        for _ in range(count):
            repeated(a, b, c)
        cupy.cuda.runtime.deviceSynchronize()
        return (time.perf_counter() - begun) / count
    return run


def sparse_loop(session):
    from cupyx.scipy import sparse

    def run(count):
        values, columns, rows, b = (cupy.asarray(session[name]) for name in ("values", "columns", "rows", "b"))
        a = sparse.csr_matrix((values, columns, rows), shape=(1000000, 1000000))
        a @ b
        cupy.cuda.runtime.deviceSynchronize()
        begun = time.perf_counter()
        for _ in range(count):
            a @ b
        cupy.cuda.runtime.deviceSynchronize()
        return (time.perf_counter() - begun) / count
    return run


def first_calls(peer):
    for name, declared, statement in (("matmul", "float a[64][64] = 1, c[64][64];", "c = matmul(a, a);"), ("fft", "complex<float> a[1024] = 1, c[1024];", "c = fft(a);")):
        ours, theirs = [], []
        for _ in range(3):
            with xeus_cuda.Session(device="gpu:0") as session:
                session.run(declared)
                once = of_cell(session, statement, 1)
                ours.append(once - of_cell(session, statement, 1))
            theirs.append(peer.first(name))
        mine, other = min(ours), min(theirs)
        print(f"first {name:32} {mine:10.3f} s   C++ {other:10.3f} s   {mine - other:+.3f} s (at most +0.300) {'ok' if mine - other <= 0.3 else 'OVER'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(pathlib.Path(folder))
        with xeus_cuda.Session(device="gpu:0") as session:
            for case in OF_CPP:
                if options.only in case[0]:
                    measure(session, case, options.rounds, lambda count, name=case[3]: peer.seconds(name, count), "C++")
                    session.run("%free a b c")
            for case in OF_CUPY if cupy else ():
                if options.only in case[0]:
                    measure(session, case, options.rounds, cupy_loop(session, case[3]) if case[3] else sparse_loop(session), "CuPy")
                    session.run("%free b c" if case[3] is None else "%free a b c")
        if options.only in "first calls":
            first_calls(peer)
        peer.process.stdin.close()
        peer.process.wait()


if __name__ == "__main__":
    main()
