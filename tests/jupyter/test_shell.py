"""Commands of the shell: a cell ends with its shell, an interrupt always ends it, and nothing outlives the kernel."""
import os
import re
import signal
import subprocess
import sys

import pytest
from processes import command, descendants, runs, wait_until_gone
from raw_client import ok, text_of

pytestmark = [pytest.mark.installed, pytest.mark.timeout(180)]


def left(kernel, code):
    """What the note of a cell names: process ids and commands."""
    return {int(pid): text for pid, text in re.findall(r"^  (\d+)  (.*)$", text_of(ok(kernel, code), "stderr"), re.M)}


def status(kernel, code):
    reply, outputs = kernel.execute(code)
    return reply["status"], reply.get("evalue", ""), text_of(outputs)


def interrupt(kernel, code, times=1):
    """The end of a cell that prints "begun" and is interrupted then."""
    cell = kernel.begin(code)
    for _ in range(times):
        kernel.ask("interrupt_request", {}, "control")
    return kernel.reply(cell)["content"]["ename"]


@pytest.mark.parametrize("line", ["sleep 1001 &", "nohup sleep 1001 > /dev/null 2>&1 &", "setsid sleep 1001 &", "(sleep 1001 &)",
                                  "(setsid sh -c 'sleep 1001 & sleep 1001 & exit' &) ; sleep 0.1", "sleep 1001 > /dev/null 2>&1 &",
                                  "trap '' TERM INT HUP; sleep 1001 &"])
def test_a_cell_ends_with_its_shell_and_names_what_is_left(kernel, line):
    found = left(kernel, f"!{line}")
    # One that is just becoming sleep has no arguments yet, only the name of the program that starts it.
    assert found and all("sleep 1001" in text or text in ("nohup", "setsid", "sh", "sleep") for text in found.values()), found
    assert any(runs(pid) for pid in found)
    assert left(kernel, "!true") == {}  # told once
    kernel.ask("shutdown_request", {"restart": False}, "control")
    assert kernel.wait() == 0
    wait_until_gone(found)


@pytest.mark.parametrize("line", ["sleep 1001", "setsid sleep 1001 & sleep 1001", "trap '' INT; sleep 1001; sleep 1001",
                                  "trap '' INT TERM; while true; do sleep 0.01; done", "kill -STOP $$", "exec setsid -w sleep 1001", "cat /dev/zero",
                                  "yes", "exec > /dev/null 2>&1; sleep 1001", "exec >&- 2>&-; sleep 1001"])
@pytest.mark.parametrize("times", [1, 3])
def test_an_interrupt_ends_every_command(kernel, line, times):
    assert interrupt(kernel, f"!echo begun; {line}", times) == "KeyboardInterrupt"
    assert text_of(ok(kernel, "!echo after")) == "after\n"


@pytest.mark.parametrize("line, outcome", [
    ("exit 3", ("error", "the command exited with status 3", "")),
    ("exec >&- 2>&-; sleep 0.1; exit 3", ("error", "the command exited with status 3", "")),
    ("cat; read x; echo \"$x.\"", ("ok", "", ".\n")),  # nothing to read
    ("kill -KILL $$", ("error", "the command was killed by SIGKILL (Killed)", "")),
    ("no_such_command_at_all 2> /dev/null", ("error", "the command was not found (exit status 127)", "")),
    ("sleep 1001 & echo out; exit 4", ("error", "the command exited with status 4", "out\n")),
    ("yes | head -c 3000000 | wc -c", ("ok", "", "3000000\n")),
    ("head -c 3000000 /dev/zero | tr '\\0' 'x' | fold -w 99 | tail -n 1", ("ok", "", "x" * (3000000 % 99))),
])
def test_how_a_command_ends(kernel, line, outcome):
    assert status(kernel, f"!{line}") == outcome


def test_all_that_a_command_wrote_is_shown(kernel):
    assert text_of(ok(kernel, "!seq 100000")) == "".join(f"{i}\n" for i in range(1, 100_001))
    shown = text_of(ok(kernel, "!printf '\\377\\376 \\303\\251 \\0 end\\n'"))
    assert shown.endswith(" \u00e9 \0 end\n")


def test_what_a_process_in_the_background_writes_later_is_dropped(kernel, tmp_path):
    go = tmp_path / "go"
    code = f"!echo first; (while [ ! -e {go} ]; do sleep 0.01; done; echo late; head -c 1000000 /dev/zero; touch {tmp_path}/done) &"
    assert text_of(ok(kernel, code)) == "first\n"
    go.touch()
    assert text_of(ok(kernel, f"!while [ ! -e {tmp_path}/done ]; do sleep 0.01; done; echo second")) == "second\n"


def test_a_thousand_processes_in_the_background(kernel):
    shown = text_of(ok(kernel, "!for i in $(seq 1000); do sleep 1001 & done"), "stderr")
    assert "[1000 processes of this command still run" in shown and "and 990 more" in shown
    pids = descendants(kernel.process.pid)
    assert sum(command(pid) == "sleep 1001" for pid in pids) == 1000
    kernel.process.send_signal(signal.SIGKILL)
    wait_until_gone(pids)


def test_a_supervising_process_that_is_killed_while_idle_costs_nothing(kernel):
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
        ok(kernel, "!true")
        pid, = [each for each in descendants(kernel.process.pid) if "xcuda-shell" in command(each)]
        os.kill(pid, how)
        assert text_of(ok(kernel, "!echo hello")) == "hello\n"


def test_a_supervising_process_that_is_killed_at_work_costs_the_cell(kernel):
    cell = kernel.begin("!echo begun; sleep 1001")
    pids = descendants(kernel.process.pid)
    pid, = [each for each in pids if "xcuda-shell" in command(each)]
    sleeping = [each for each in pids if command(each) in ("sleep 1001", "/bin/sh -c echo begun; sleep 1001")]
    os.kill(pid, signal.SIGKILL)
    assert "SIGKILL" in "\n".join(kernel.reply(cell)["content"]["traceback"])
    wait_until_gone([each for each in sleeping if command(each) != "sleep 1001"])
    for each in sleeping:  # nobody is left to do it
        if runs(each):
            os.kill(each, signal.SIGKILL)
    assert text_of(ok(kernel, "!echo hello")) == "hello\n"


ENDS = ["shutdown", "restart", "SIGTERM", "SIGHUP", "SIGKILL", "client"]
# 2^30 different instances: NVRTC does not come to its end.
BOMB = ("template <int D, unsigned long P> struct B { static constexpr int v = B<D - 1, 2 * P>::v + B<D - 1, 2 * P + 1>::v; };\n"
        "template <unsigned long P> struct B<0, P> { static constexpr int v = 1; };\n__global__ void k(int* x) { *x = B<30, 0>::v; }\n")


@pytest.mark.parametrize("work", ["idle", "shell", "kernel", "compile"])
@pytest.mark.parametrize("end", ENDS)
def test_nothing_outlives_the_kernel(start, real, end, work):
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    kernel = start(real, env={"JPY_PARENT_PID": str(client.pid)})
    ok(kernel, "__global__ void endless(volatile int* p) { while (*p == 0) {} }\nint a[1], b[10] = arange();")
    ok(kernel, "!setsid sleep 1001 & (nohup sleep 1001 > /dev/null 2>&1 &); trap '' TERM INT HUP; sleep 1001 &")
    if work == "shell":
        kernel.begin("!echo begun; setsid sleep 1001 & sleep 1001")
    if work == "kernel":
        kernel.begin('printf("begun\\n");\nendless<<<1, 1>>>(a);')
    if work == "compile":
        kernel.execute_async(BOMB)
        kernel.let_arrive()
    names = []
    while sum(name.endswith("sleep 1001") for name in names) < 3:  # one that was just started may still be a shell
        pids = descendants(kernel.process.pid)
        names = [command(pid) for pid in pids]
    assert any("xcuda-shell" in name for name in names), names
    if end in ("shutdown", "restart"):
        kernel.send("control", "shutdown_request", {"restart": end == "restart"})
    elif end == "client":
        client.kill()
    else:
        kernel.process.send_signal(getattr(signal, end))
    kernel.wait()
    wait_until_gone(pids)
    client.kill()
    client.wait()
