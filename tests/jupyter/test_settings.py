"""%config: each setting is read somewhere, shows its value, and refuses what is not one."""
import re
import time

import pytest
from processes import device_processes
from raw_client import PATIENCE, fails, ok, text_of

pytestmark = pytest.mark.installed

SPIN = """__global__ void spin(int* x, unsigned long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
  x[0] += 1;
}
__global__ void endless(volatile int* x) { while (x[0] == 7) {} }
int x[4] = {7, 8, 9, 10};"""


def shown(kernel, code):
    return "".join(output["content"]["data"]["text/plain"] for output in ok(kernel, code) if "data" in output["content"])


def on_a_gpu(kernel):
    ok(kernel, "int one[1];")
    return "xcuda-gpu" in device_processes(kernel)


def timeout(kernel):
    ok(kernel, SPIN)
    ok(kernel, "%config timeout 0.05")
    reply = fails(kernel, "endless<<<1, 1>>>(x);")
    assert reply["ename"] == "KeyboardInterrupt" and "time limit" in reply["evalue"]
    assert "The limit is 50.0 ms" in "\n".join(reply["traceback"])
    # For launches of the session's own, of a loop, and of what an error leaves behind, too.
    fails(kernel, "for (int i = 0; i < 100000; ++i) spin<<<1, 1>>>(x, 1000000ull);")
    assert fails(kernel, "endless<<<1, 1>>>(x);\nnobody;")["ename"] == "NameError"
    # --timeout is for its own statements, whether it is longer or shorter.
    ok(kernel, "%%launch --timeout 1000 --quiet\nspin<<<1, 1>>>(x, 200000000ull);")
    ok(kernel, "%%launch --timeout 0 --quiet\nspin<<<1, 1>>>(x, 200000000ull);")
    ok(kernel, "%config timeout 1000")
    ok(kernel, "x[0] = 7;")
    reply = fails(kernel, "%%launch --timeout 50ms\nendless<<<1, 1>>>(x);")
    assert "The limit is 50.0 ms" in "\n".join(reply["traceback"])
    ok(kernel, "assert(x[0] == 7 && x[1] == 8 && x[3] == 10);")
    # What the host does while nothing is under way does not count.
    ok(kernel, "%config timeout 0.5\nspin<<<1, 1>>>(x, 1ull);\nassert(x[0] == 8);")
    ok(kernel, "!sleep 1\nspin<<<1, 1>>>(x, 1ull);\n!sleep 1\nspin<<<1, 1>>>(x, 1ull);")
    ok(kernel, "%config timeout 0")
    ok(kernel, "spin<<<1, 1>>>(x, 600000000ull);")


def grace(kernel):
    """A launch of many blocks is stopped between two of them, if there is time for it."""
    ok(kernel, SPIN)
    if on_a_gpu(kernel):
        pytest.skip("a GPU's launch is not stopped between two blocks")
    for seconds, stops in (("4", True), ("0.004", False)):
        ok(kernel, f"%config grace {seconds}")
        said = "did not run"
        while "did not run" in said:  # the interrupt may come before the launch
            msg_id = kernel.begin('printf("begun\\n");\nspin<<<100000, 1>>>(x, 200000000ull);')
            kernel.ask("interrupt_request", {}, "control")
            reply = kernel.reply(msg_id)["content"]
            assert reply["ename"] == "KeyboardInterrupt"
            said = "\n".join(reply["traceback"])
        assert ("stopped between two blocks" in said) == stops, said
        ok(kernel, "assert(x[1] == 8);")


def output(kernel):
    print_much = 'for (int i = 0; i < 1000; ++i) printf("0123456789\\n");'
    assert text_of(ok(kernel, print_much)).count("0123456789") == 1000
    ok(kernel, "%config output 2k")
    assert text_of(ok(kernel, print_much)).count("0123456789") < 200


def checks(kernel):
    ok(kernel, "__global__ void peek(const int* x, int* y) { y[0] = x[5]; }\nint x[4] = 1, y[1];")
    if on_a_gpu(kernel):
        pytest.skip("a GPU has no bounds checks")
    fails(kernel, "peek<<<1, 1>>>(x, y);")
    ok(kernel, "%config checks off")
    ok(kernel, "peek<<<1, 1>>>(x, y);")
    ok(kernel, "%config checks on")
    fails(kernel, "peek<<<1, 1>>>(x, y);")


def options(kernel):
    code = "__global__ void width(int* x) { x[0] = WIDTH; }\nint w[1];\nwidth<<<1, 1>>>(w);\nassert(w[0] == 41);"
    fails(kernel, code)
    ok(kernel, "%config options -DWIDTH=41")
    ok(kernel, code)


def precision(kernel):
    ok(kernel, "%config precision 2")
    assert "[0.33 0.67]" in shown(kernel, "double x[2] = {1.0 / 3, 2.0 / 3};\nx")


def edge(kernel):
    ok(kernel, "%config edge 1")
    assert "[   0 ... 1999]" in shown(kernel, "int x[2000] = arange();\nx")


def threshold(kernel):
    ok(kernel, "%config threshold 5")
    assert "..." in shown(kernel, "int x[7] = arange();\nx")


def idle(kernel):
    ok(kernel, "int x[1] = 3;")
    assert device_processes(kernel)
    ok(kernel, "%config idle 0.001")
    end = time.monotonic() + PATIENCE
    while device_processes(kernel):
        assert time.monotonic() < end, "the device's process is still there"
        time.sleep(0.02)
    ok(kernel, "assert(x[0] == 3);")


def tf32(kernel):
    """Of products on a GPU; elsewhere it changes nothing. What it takes is checked everywhere."""
    ok(kernel, "%config tf32 on")
    assert re.search(r"^tf32\s+on\b", shown(kernel, "%config"), re.M)
    ok(kernel, "float a[2][2] = {{1, 2}, {3, 4}};\nauto b = matmul(a, a);\nassert(b[1][1] == 22);")
    fails(kernel, "%config tf32 perhaps")


def deterministic(kernel):
    """Of products on a GPU; elsewhere sums have one order. What it takes is checked everywhere."""
    ok(kernel, "%config deterministic on")
    assert re.search(r"^deterministic\s+on\b", shown(kernel, "%config"), re.M)
    ok(kernel, "float a[2][2] = {{1, 2}, {3, 4}};\nassert(matmul(a, a)[1][1] == 22);")
    fails(kernel, "%config deterministic perhaps")


def said(reply):
    return re.sub("\x1b\\[[0-9;]*m", "", "\n".join(reply["traceback"]))


def memory(kernel):
    """Of arrays: the session counts. Of workers: each has a limit of its own (test_limits.py)."""
    ok(kernel, "float kept[100000] = 7;")
    ok(kernel, "%config memory 64MiB\nfloat a[8000000] = 1;")
    reply = fails(kernel, "float b[8000000];")
    assert reply["ename"] == "MemoryError"
    assert re.search(r"b needs 30\.5 MiB, but \d+\.\d MiB are left of the 64\.0 MiB that arrays may take \(%config memory\)", reply["evalue"])
    assert "%config memory 128MiB" in said(reply) and "a holds 30.5 MiB" in said(reply)
    fails(kernel, "float c[2000000] = a[0:2000000] + 1, d[2000000] = 1, e[2000000] = 2, f[2000000] = 3, g[4000000] = 4;")
    ok(kernel, "assert(kept[5] == 7 && a[7] == 1);")
    ok(kernel, "%free a\nfloat b[8000000] = 2;\nassert(b[7999999] == 2);")
    ok(kernel, "%config memory 128MiB\nfloat c[8000000] = 1;\nassert(c[5] == 1);")
    ok(kernel, "%config memory off\nfloat d[30000000] = 1;")


def duration(kernel):
    """Whatever the cell does; the next one has its time for itself."""
    ok(kernel, SPIN)
    ok(kernel, "%%python\nimport time")
    ok(kernel, "%config duration 1")
    for code in ("for (int i = 0; i >= 0; i = (i + 1) % 7) {}", "endless<<<1, 1>>>(x);", "!sleep 100", "%%python\ntime.sleep(100)"):
        reply = fails(kernel, code)
        assert reply["ename"] == "KeyboardInterrupt", code
        assert "the cell took longer than 1.00 s" in said(reply) and "%config duration" in said(reply), said(reply)
        ok(kernel, "assert(x[0] == 7 && x[3] == 10);")
    ok(kernel, "!sleep 0.01")
    ok(kernel, "%config duration 0")
    ok(kernel, "!sleep 1.1")


def processes(kernel):
    ok(kernel, "%config processes 20")
    ok(kernel, "!for i in 1 2 3 4 5; do sleep 0.05 & done; wait")
    reply = fails(kernel, "!for i in $(seq 100); do sleep 100 & done; wait")
    found = re.search(r"the command was killed: it had (\d+) processes at once, but the limit is 20", reply["evalue"])
    assert found and 20 < int(found[1]) <= 102 and "%config processes" in said(reply)
    assert text_of(ok(kernel, "!echo still here")) == "still here\n"
    ok(kernel, "%config processes off\n!for i in $(seq 30); do sleep 0.05 & done; wait")


def split_launches(kernel):
    """Of a launch over split arrays: the report has a row for each device, or one."""
    ok(kernel, "%device cpu:2\n__global__ void one(float* u, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) u[i] = 1; }\n"
               "float u[4096] = shard(0);")
    assert "device 1" in shown(kernel, "%%launch\none<<<16, 256>>>(u, 4096);")
    ok(kernel, "%config split_launches off")
    assert "device 1" not in shown(kernel, "%%launch\none<<<16, 256>>>(u, 4096);")
    ok(kernel, "%device cpu")


def launcher(kernel):
    ok(kernel, "%config launcher echo started {n} by &&")
    reply = fails(kernel, "%device mpi:2")
    assert "echo started" in said(reply) or "xcuda-mpi" in said(reply), said(reply)


EFFECTS = {effect.__name__: effect for effect in (grace, timeout, idle, output, checks, options, precision, edge, threshold, tf32,
                                                deterministic, memory, duration, processes, split_launches, launcher)}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", EFFECTS)
def test_a_setting_has_an_effect(kernel, name):
    EFFECTS[name](kernel)


def test_every_setting_is_tested(kernel):
    lines = shown(kernel, "%config").splitlines()
    assert {line.split()[0] for line in lines[3:]} == EFFECTS.keys()


WRONG = {
    "grace": ("soon", "-1", "nan", "inf", "1e300", "1e7", "5 apples"),
    "timeout": ("never", "-1", "nan", "inf", "1e300", "1e7", "x", "true"),
    "idle": ("never", "-1", "nan", "1e9", "1 year"),
    "output": ("much", "-1", "1e3", "99999999999999999999", "1 apple"),
    "duration": ("never", "-1", "nan", "1e7", "0.5", "100ms"),
    "memory": ("much", "-1", "0", "1 MiB", "1 apple"),
    "processes": ("many", "-1", "0", "2k", "1.5"),
    "checks": ("yes", "1", "ON"),
    "precision": ("-1", "18", "2.5", "few"),
    "edge": ("0", "-1", "1001", "x"),
    "threshold": ("0", "-3", "10000000", "x"),
    "options": ("--no-such-option", "--maxrregcount=many"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_changes_nothing(kernel, name):
    before = shown(kernel, f"%config {name}")
    for value in WRONG[name]:
        reply = fails(kernel, f"%config {name} {value}")
        assert reply["ename"] == "ValueError", value
        assert value.split("=")[0] in reply["evalue"] and (name in reply["evalue"] or name == "options")
        assert shown(kernel, f"%config {name}") == before


def test_a_value_is_shown_as_it_was_set(kernel):
    for name, value, text in (("timeout", "500ms", "timeout = 0.5 s"), ("timeout", "2 s", "timeout = 2 s"), ("timeout", "0", "timeout = 0 (no limit)"),
                              ("grace", "0.25", "grace = 0.25 s"), ("idle", "10 min", "idle = 10 min"), ("output", "2 MiB", "output = 2.0 MiB"),
                              ("memory", "8 GiB", "memory = 8.0 GiB"), ("memory", "1GB", "memory = 953.7 MiB"), ("memory", "off", "memory = off"),
                              ("duration", "2 s", "duration = 2 s"), ("processes", "100", "processes = 100"), ("processes", "off", "processes = off"),
                              ("options", "-DA=1 -use_fast_math", "options = -DA=1 -use_fast_math")):
        assert text in shown(kernel, f"%config {name} {value}")
        assert text in shown(kernel, f"%config {name}")
