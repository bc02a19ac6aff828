#!/usr/bin/env python3
"""From `pip install` to the first SAXPY, in fresh environments, beside `pip install cupy-cuda13x`: seconds, downloads included.

usage: first_saxpy.py WHEEL [PEER]

WHEEL is what `make wheel` has made; it is installed with [cuda] and jupyter_client, and a kernel is started from it whose first cell is
SAXPY. PEER is another requirement than cupy-cuda13x. pip keeps nothing between the two.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

CLIENT = """
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="xcuda", startup_timeout=60)
for cell in (r'''SAXPY''', "assert(y[1000] == 2001);"):
    reply = client.execute_interactive(cell, output_hook=lambda message: None, timeout=120)
    assert reply["content"]["status"] == "ok", reply["content"]
client.stop_channels()
manager.shutdown_kernel(now=True)
"""


def seconds(*command):
    begin = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True)
    return time.perf_counter() - begin


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    wheel, peer = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) == 3 else "cupy-cuda13x"
    saxpy = (pathlib.Path(__file__).resolve().parents[1] / "docs/colab.md").read_text(encoding="utf-8").split("```cuda\n")[1].split("```")[0]
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = pathlib.Path(folder) / "ours", pathlib.Path(folder) / "theirs"
        for place in (ours, theirs):
            subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = ("-m", "pip", "install", "-q", "--no-cache-dir", "--disable-pip-version-check")
        installed = seconds(ours / "bin/python", *pip, f"{wheel}[cuda]", "jupyter_client")
        ran = seconds(ours / "bin/python", "-c", CLIENT.replace("SAXPY", saxpy))
        other = seconds(theirs / "bin/python", *pip, peer)
    print(f"pip install xeus-cuda[cuda] jupyter_client     {installed:7.1f} s")
    print(f"... a kernel's start and its first SAXPY       {ran:7.1f} s")
    print(f"pip install {peer:34} {other:7.1f} s")


if __name__ == "__main__":
    main()
