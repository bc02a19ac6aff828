"""What a Jupyter client feels, on raw sockets: xcuda beside ipykernel in the same run, with ratios.

    python bench/jupyter_latency.py [--xcuda PROGRAM] [--code EMPTY] [--lines CODE] [--starts N] [--rounds N]

start        process started to kernel_info_reply, median
execute      an empty statement, from the request's handing to the socket to its reply, median and 99th percentile
rss          resident memory of the idle kernel process, after its first cells
python       xcuda's first `%%python` cell, in a session that is ready, with the start of its process; beside ipykernel's start
output       100,000 lines printed by one cell: seconds to the cell's idle, messages, and whether all lines came
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/jupyter"))
from raw_client import Kernel, text_of  # noqa: E402

LINES = 100_000


class Peer:
    def __init__(self, name, argv, empty, lines):
        self.name, self.argv, self.empty, self.lines = name, argv, empty, lines


def start_once(peer, folder):
    """Seconds to the reply, and the kernel."""
    begin = time.perf_counter()
    kernel = Timed(peer.argv, folder)
    return kernel.answered - begin, kernel


class Timed(Kernel):
    """Asks for kernel_info before all else, as soon as there is a port to ask at."""

    reconnect_ms = 1

    def wait_for_iopub(self):
        msg_id = self.send("shell", "kernel_info_request", {})
        assert self.reply(msg_id, timeout=60)
        self.answered = time.perf_counter()
        # The subscription has arrived when iopub reports about a request.
        while not self.sockets["iopub"].poll(0):
            self.reply(self.send("shell", "kernel_info_request", {}))
            time.sleep(0.01)


def resident_bytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def round_trip(kernel, code, timeout=120):
    """Seconds from the request to the reply, and what iopub told. Making and reading messages is this client's own time."""
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
               "stop_on_error": True}
    header = kernel.header("execute_request")
    frames = kernel.frames("execute_request", content, header=header)
    begin = time.perf_counter()
    kernel.send_frames("shell", frames)
    kernel.sockets["shell"].poll(int(timeout * 1000))
    seconds = time.perf_counter() - begin
    reply = kernel.reply(header["msg_id"], timeout=timeout)
    assert reply is not None and reply["content"]["status"] == "ok", reply and reply["content"]
    return seconds, kernel.outputs(header["msg_id"], timeout)


def measure(peer, options, folder):
    starts = []
    for _ in range(options.starts):
        seconds, kernel = start_once(peer, folder)
        starts.append(seconds)
        kernel.close()
    _, kernel = start_once(peer, folder)
    for _ in range(50):
        round_trip(kernel, peer.empty)
    trips = sorted(round_trip(kernel, peer.empty)[0] for _ in range(options.rounds))
    rss = resident_bytes(kernel.process.pid)

    begin = time.perf_counter()
    msg_id = kernel.execute_async(peer.lines)
    outputs = kernel.outputs(msg_id, timeout=120)
    seconds = time.perf_counter() - begin
    whole = text_of(outputs) == "".join(f"line {i}\n" for i in range(LINES))
    kernel.close()
    return {"start_ms": statistics.median(starts) * 1e3, "execute_us": statistics.median(trips) * 1e6,
            "execute_p99_us": trips[int(len(trips) * 0.99)] * 1e6, "rss_mb": rss / 1e6, "output_ms": seconds * 1e3,
            "output_messages": sum(each["msg_type"] == "stream" for each in outputs), "output_whole": whole}


def python_ms(xcuda, starts, folder):
    """A session's first `%%python` cell."""
    times = []
    for _ in range(starts):
        _, kernel = start_once(xcuda, folder)
        round_trip(kernel, "float x[100] = 1;")
        times.append(round_trip(kernel, "%%python\npass")[0])
        kernel.close()
    return statistics.median(times) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xcuda", default=str(pathlib.Path(sys.prefix) / "bin/xcuda"), help="the program")
    parser.add_argument("--code", default=";", help="its empty statement")
    parser.add_argument("--lines", default=f'for (int i = 0; i < {LINES}; ++i) printf("line %d\\n", i);', help=f"its {LINES} lines")
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--json", help="write the figures there too")
    options = parser.parse_args()

    peers = [Peer("xcuda", [options.xcuda], options.code, options.lines),
             Peer("ipykernel", [sys.executable, "-m", "ipykernel_launcher"], "pass",
                  f"import sys\nfor i in range({LINES}): sys.stdout.write(f'line {{i}}\\n')")]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = os.environ["IPYTHONDIR"] = folder
        found = {peer.name: measure(peer, options, pathlib.Path(folder)) for peer in peers}
        found["xcuda"]["python_ms"] = python_ms(peers[0], options.starts, pathlib.Path(folder))
        found["ipykernel"]["python_ms"] = found["ipykernel"]["start_ms"]

    ours, theirs = found["xcuda"], found["ipykernel"]
    print(f"{'':16}{'xcuda':>12}{'ipykernel':>12}{'ratio':>9}")
    for name in ours:
        a, b = ours[name], theirs[name]
        ratio = "" if isinstance(a, bool) else f"{a / b:9.3f}"
        shown = (f"{value:12}" if isinstance(value, bool) else f"{value:12.1f}" for value in (a, b))
        print(f"{name:16}{''.join(shown)}{ratio}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=1))
    return 0 if ours["output_whole"] else 1


if __name__ == "__main__":
    sys.exit(main())
