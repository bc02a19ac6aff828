#!/usr/bin/env python3
"""Products of matrices on a GPU: matmul of a session beside PyTorch's, both over cuBLASLt, in one run, interleaved.

    bench/gpu/products.py [rounds]     the medians of the times of a product, and their ratio (below 1: xeus-cuda is quicker)

A loop of products is timed from the request to the reply, so that the session's part of each is in it.
"""
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "share/xcuda/python"))
import torch  # noqa: E402
import xeus_cuda  # noqa: E402

# name, C++ type, PyTorch's type, shape of both factors, products in a loop, TF32
CASES = [("8192 x 8192, bfloat16", "bfloat16", torch.bfloat16, (8192, 8192), 100, False),
         ("8192 x 8192, float", "float", torch.float32, (8192, 8192), 10, False),
         ("8192 x 8192, float, TF32", "float", torch.float32, (8192, 8192), 50, True),
         ("8192 x 8192, double", "double", torch.float64, (8192, 8192), 20, False),
         ("10,000 of 64 x 64, float", "float", torch.float32, (10000, 64, 64), 200, False)]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(torch.cuda.get_device_name())
    with xeus_cuda.Session(device="gpu:0") as session:
        for name, cpp, kind, shape, count, tf32 in CASES:
            extents = "".join(f"[{extent}]" for extent in shape)
            session.run(f"%config tf32 {'on' if tf32 else 'off'}")
            session.run(f"{cpp} a{extents} = uniform(-1, 1, seed = 1), b{extents} = uniform(-1, 1, seed = 2), c{extents};")
            torch.backends.cuda.matmul.allow_tf32 = tf32
            a, b, c = session["a"].torch(), session["b"].torch(), session["c"].torch()
            into = torch.empty_like(c)

            def ours():
                session.run(f"for (int i = 0; i < {count}; ++i) c = matmul(a, b);")

            def theirs():
                for _ in range(count):
                    torch.matmul(a, b, out=into)
                torch.cuda.synchronize()
            times = {ours: [], theirs: []}
            ours(), theirs()
            for _ in range(rounds):
                for run in (ours, theirs):
                    begun = time.perf_counter()
                    run()
                    times[run].append((time.perf_counter() - begun) / count)
            assert torch.allclose(c, into, rtol=1e-2, atol=1e-1), name
            mine, other = (statistics.median(times[run]) for run in (ours, theirs))
            print(f"{name:28} {mine * 1e3:9.4f} ms  PyTorch {other * 1e3:9.4f} ms  ratio {mine / other:.3f}", flush=True)
            del a, b, c, into
            session.run("%free a b c")


if __name__ == "__main__":
    main()
