"""What must work while a cell runs: control, the heartbeat, signals, and the ways to the end."""
import os
import signal
import subprocess
import sys

import pytest
from raw_client import PATIENCE, kinds, text_of


def spinning(kernel, code="spin"):
    return kernel.begin("print begun\n" + code)


def ended(kernel):
    """The exit code, and what the kernel said at its end."""
    code = kernel.wait()
    return code, kernel.process.stderr.read().decode()


def test_control_answers_while_a_cell_runs(kernel):
    msg_id = spinning(kernel)
    assert kernel.ask("kernel_info_request", {}, "control")["implementation"] == "xcuda"
    assert kernel.ask("comm_info_request", {}, "control")["comms"] == {}
    assert kernel.receive("shell", 0) is None
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"


def test_the_heart_beats_while_a_cell_runs(kernel):
    spinning(kernel)
    for beat in (b"one", b"two", b""):
        kernel.sockets["hb"].send(beat)
        assert kernel.sockets["hb"].poll(PATIENCE * 1000) and kernel.sockets["hb"].recv() == beat


def test_interrupt_request_stops_the_cell(kernel):
    msg_id = spinning(kernel)
    assert kernel.ask("interrupt_request", {}, "control") == {"status": "ok"}
    reply = kernel.reply(msg_id)["content"]
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert kernel.execute("print x")[0]["status"] == "ok"


def test_every_interrupt_reaches_the_cell(kernel):
    msg_id = spinning(kernel, "stubborn")
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.receive("shell", 0.1) is None
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"


def test_sigint_stops_the_cell(kernel):
    msg_id = spinning(kernel)
    kernel.process.send_signal(signal.SIGINT)
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"
    assert kernel.alive()


def test_an_interrupt_of_an_idle_kernel_hits_nothing(kernel):
    for _ in range(3):
        kernel.ask("interrupt_request", {}, "control")
        kernel.process.send_signal(signal.SIGINT)
    reply, outputs = kernel.execute("interruptions")
    assert reply["status"] == "ok"
    assert text_of(outputs) == "0\n"


def test_an_interrupt_aborts_the_queue(kernel):
    msg_id = spinning(kernel)
    queued = [kernel.execute_async("print x") for _ in range(3)]
    kernel.let_arrive()
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["status"] == "error"
    assert [kernel.reply(each)["content"]["status"] for each in queued] == ["aborted"] * 3


@pytest.mark.parametrize("restart", [False, True])
def test_shutdown_while_idle(kernel, restart):
    msg_id = kernel.send("control", "shutdown_request", {"restart": restart})
    assert kernel.reply(msg_id, "control")["content"] == {"status": "ok", "restart": restart}
    outputs = kernel.outputs(msg_id)
    assert kinds(outputs) == ["status", "shutdown_reply", "status"]
    assert outputs[1]["content"] == {"status": "ok", "restart": restart}
    code, said = ended(kernel)
    assert code == 0 and "prepare_exit" in said


def test_shutdown_while_a_cell_runs(kernel):
    cell = spinning(kernel, "stubborn")
    msg_id = kernel.send("control", "shutdown_request", {"restart": True})
    assert kernel.reply(msg_id, "control")["content"]["restart"] is True
    assert kernel.reply(cell)["content"]["status"] == "error"
    code, said = ended(kernel)
    assert code == 0 and "prepare_exit" in said


def test_shutdown_on_shell(kernel):
    assert kernel.reply(kernel.send("shell", "shutdown_request", {}))["content"] == {"status": "ok", "restart": False}
    assert ended(kernel)[0] == 0


def test_wrong_shutdown_is_refused(kernel):
    assert kernel.ask("shutdown_request", {"restart": "maybe"}, "control")["status"] == "error"
    assert kernel.alive()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_signals_end_the_kernel_in_order(kernel, number, busy):
    if busy:
        spinning(kernel)
    kernel.process.send_signal(number)
    code, said = ended(kernel)
    assert code == 0 and "prepare_exit" in said


def test_a_cell_that_ignores_interrupts_does_not_keep_the_kernel(kernel):
    spinning(kernel, "deaf")
    kernel.send("control", "shutdown_request", {})
    assert ended(kernel)[0] == -signal.SIGALRM


def test_a_stopped_kernel_continues(kernel):
    kernel.process.send_signal(signal.SIGSTOP)
    msg_id = kernel.execute_async("print x")
    kernel.process.send_signal(signal.SIGCONT)
    assert kernel.reply(msg_id)["content"]["status"] == "ok"
    msg_id = spinning(kernel)
    for _ in range(5):
        kernel.process.send_signal(signal.SIGSTOP)
        kernel.process.send_signal(signal.SIGCONT)
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["status"] == "error"


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_the_kernel_leaves_with_its_parent(start, fake_argv, busy):
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    kernel = start(fake_argv, env={"JPY_PARENT_PID": str(parent.pid)})
    if busy:
        spinning(kernel)
    else:
        assert kernel.alive()
    parent.kill()
    parent.wait()
    code, said = ended(kernel)
    assert code == 0 and "prepare_exit" in said


@pytest.mark.parametrize("text", ["", "x", "-1", "0", "999999999", "99999999999999999999"])
def test_a_parent_that_means_nothing_is_passed_over(start, fake_argv, text):
    kernel = start(fake_argv, env={"JPY_PARENT_PID": text})
    for _ in range(50):  # its watch runs beside its answers
        assert kernel.alive()


def test_nobody_reads_stderr(start, fake_argv):
    reader, writer = os.pipe()
    kernel = start(fake_argv, stderr=writer)
    os.close(writer)
    os.close(reader)
    for _ in range(5):
        kernel.send_frames("shell", [b"rubbish"])  # each is a line on stderr
    assert kernel.alive()


def test_there_is_no_debugger(kernel):
    reply = kernel.ask("debug_request", {"type": "request", "seq": 7, "command": "initialize", "arguments": {}}, "control")
    assert (reply["success"], reply["request_seq"], reply["command"]) == (False, 7, "initialize")
    assert kernel.ask("kernel_info_request", {})["debugger"] is False


@pytest.mark.parametrize("comm_id", ["abc", "i" * 100])
def test_a_comm_of_an_unknown_target_is_closed(kernel, comm_id):
    msg_id = kernel.send("shell", "comm_open", {"comm_id": comm_id, "target_name": "nobody", "data": {}})
    outputs = kernel.outputs(msg_id)
    assert kinds(outputs) == ["status", "comm_close", "status"]
    assert outputs[1]["content"] == {"comm_id": comm_id, "data": {}}
    assert kernel.ask("comm_info_request", {"target_name": "nobody"}) == {"status": "ok", "comms": {}}


@pytest.mark.parametrize("msg_type", ["comm_open", "comm_msg", "comm_close"])
@pytest.mark.parametrize("content", [{}, {"comm_id": None}, {"comm_id": "i" * 10_000, "target_name": "t"}, [], None,
                                     {"comm_id": "unknown", "data": {}}], ids=range(6))
def test_other_comm_messages_are_passed_over(kernel, msg_type, content):
    msg_id = kernel.send("shell", msg_type, content)
    assert set(kinds(kernel.outputs(msg_id))) <= {"status", "comm_close"}
    assert kernel.receive("shell", 0.02) is None
    assert kernel.alive()


def test_replies_on_stdin_that_nobody_asked_for_are_passed_over(kernel):
    for value in ("x", None, 3, "y" * 100_000):
        kernel.send("stdin", "input_reply", {"value": value})
    reply, outputs = kernel.execute("print x")
    assert reply["status"] == "ok" and text_of(outputs) == "x\n"
    assert kernel.receive("stdin", 0.05) is None


def test_two_clients_get_their_own_replies(kernel):
    first = kernel.sockets["shell"]
    one = kernel.execute_async("sleep 50\nresult 1")
    second = kernel.connect("shell")
    two = kernel.execute_async("result 2")
    assert kernel.reply(two)["parent"] == two
    kernel.sockets["shell"] = first
    assert kernel.reply(one)["parent"] == one
    assert not second.poll(20)
