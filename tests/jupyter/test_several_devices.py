"""Several devices in one session, as processes of the CPU device: one of them is lost while another waits for it."""
import os
import re
import signal
import time

import pytest
from raw_client import fails, ok, text_of

pytestmark = pytest.mark.installed

KERNELS = """
__global__ void add(int* x, int v) { x[threadIdx.x] += v; }
__global__ void endless(int* x) { while (atomicAdd(x, 0) == 0) { } }
__global__ void fault(int* x, int n) { x[n] = 1; }
int x[4], stop[1], kept[4] = 3;
"""
TURNS = "x = 0; for (int i = 0; i < 20; ++i) { on (0) { add<<<1, 4>>>(x, 1); } on (1) { add<<<1, 4>>>(x, 1); } } assert(min(x) == 40 && max(x) == 40 && min(kept) == 3);"


def shown(outputs):
    return text_of(outputs) + "".join(message["content"].get("data", {}).get("text/plain", "") for message in outputs)


def failure(kernel, code):
    reply = fails(kernel, code)
    return f"{reply['ename']}: {reply['evalue']}"


@pytest.fixture
def pair(kernel):
    """A kernel with two devices, and a function that gives their processes."""
    ok(kernel, "%device cpu:2")
    ok(kernel, KERNELS)
    return kernel, lambda: [int(number) for number in re.findall(r"process (\d+)", shown(ok(kernel, "%device")))]


def held(device, before="endless<<<1, 1>>>(stop);"):
    """Statements whose work on the other device waits for this one."""
    return f"on ({device}) {{ {before} add<<<1, 4>>>(kept, 1); }} on ({1 - device}) {{ add<<<1, 4>>>(kept, 1); }} on ({device}) {{ add<<<1, 4>>>(kept, 1); }}"


@pytest.mark.parametrize("device", [0, 1])
def test_a_fault_holds_up_nobody(pair, device):
    kernel, processes = pair
    before = processes()
    told = failure(kernel, held(device, "fault<<<1, 1>>>(x, 4);"))
    assert told.startswith("DeviceError") and f"device {device}: write of x[4]" in told
    ok(kernel, TURNS)
    assert [old == new for old, new in zip(before, processes())] == [i != device for i in range(2)]


@pytest.mark.parametrize("device", [0, 1])
def test_an_interrupt_ends_what_others_wait_for(pair, device):
    kernel, _ = pair
    msg_id = kernel.begin('printf("begun\\n");\n' + held(device))
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"
    ok(kernel, TURNS)


@pytest.mark.parametrize("device", [0, 1])
def test_a_time_limit_names_the_device_that_takes_too_long(pair, device):
    kernel, processes = pair
    before = processes()
    told = failure(kernel, "%%launch --timeout 0.5\n" + held(device))
    assert told.startswith("KeyboardInterrupt") and f"device {device}: " in told
    ok(kernel, TURNS)
    assert before[1 - device] == processes()[1 - device]


def test_a_time_limit_that_a_call_finds_over_is_told_once(pair):
    """The session loads code on a device that is busy; afterwards the new process is asked for what it has."""
    kernel, _ = pair
    ok(kernel, "int copies[6] = replicated();\n%config timeout 0.3")
    told = failure(kernel, "on (1) { endless<<<1, 1>>>(stop); }\nall_reduce(copies);\nint next = prod(kept + 12345);")
    assert told.startswith("KeyboardInterrupt: endless<<<1, 1>>>(stop): device 1: ")
    ok(kernel, "%config timeout 0\n" + TURNS)


def test_a_time_limit_that_a_compile_finds_over_ends_the_device(pair):
    """The compiler says so before the device does, which is waited for no longer for that."""
    kernel, _ = pair
    ok(kernel, "int made[4];\n%config timeout 0.05")
    reply = fails(kernel, "on (1) { endless<<<1, 1>>>(stop); }\nmade = kept * 23456 + made / 3 - (kept & 5);")
    assert reply["ename"] == "KeyboardInterrupt" and reply["evalue"].startswith("endless<<<1, 1>>>(stop): device 1: ")
    assert "The limit is 50.0 ms. Change it with" in "".join(reply["traceback"])
    ok(kernel, "%config timeout 0\n" + TURNS)


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=lambda each: each.name)
def test_a_lost_process_holds_up_nobody(pair, device, how):
    kernel, processes = pair
    before = processes()
    msg_id = kernel.begin('printf("begun\\n");\n' + held(device))
    time.sleep(0.2)  # so that it waits; it may as well be lost before
    os.kill(before[device], how)
    reply = kernel.reply(msg_id)["content"]
    assert reply["status"] == "error" and f"device {device}: " in reply["evalue"]
    ok(kernel, TURNS)
    assert before[1 - device] == processes()[1 - device]
