"""Who does not know the key takes a bounded part of the kernel's memory: unending messages, many connections, no reading."""
import pathlib
import random
import socket
import struct
import threading

import pytest
import zmq
from raw_client import PATIENCE, text_of

pytestmark = pytest.mark.alone
MIB = 1 << 20
PEERS = {"shell": "DEALER", "control": "DEALER", "stdin": "DEALER", "hb": "REQ", "iopub": "SUB"}


def receive_exactly(link, count):
    data = b""
    while len(data) < count:
        piece = link.recv(count - len(data))
        if not piece:
            raise ConnectionError("closed in the handshake")
        data += piece
    return data


def zmtp(kernel, channel):
    """A connection after ZMTP's handshake without security, whose frames a test writes itself."""
    link = socket.create_connection(("127.0.0.1", kernel.info[channel + "_port"]), timeout=PATIENCE)
    link.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
    receive_exactly(link, 64)
    kind = PEERS[channel].encode()
    ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind + b"\x08Identity" + bytes(4)
    link.sendall(bytes([4, len(ready)]) + ready)
    _, size = receive_exactly(link, 2)
    receive_exactly(link, size)
    return link


def frame(body, more):
    return bytes([2 | more]) + struct.pack(">Q", len(body)) + body


def send_until_closed(link, piece, most):
    """How many bytes the kernel let through before it closed the connection."""
    sent = 0
    try:
        while sent < most:
            sent += link.send(piece)
        if link.recv(1) == b"":  # what is in flight outruns the guard on a busy machine
            return sent
    except ConnectionError:
        return sent
    except TimeoutError:
        pass
    pytest.fail(f"{sent} bytes went through and the connection is still there")


def memory(kernel):
    """The most that the process has ever had in memory, in bytes."""
    status = pathlib.Path(f"/proc/{kernel.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


@pytest.mark.parametrize("size", [1, 1000, 64 * 1024, MIB], ids=lambda size: f"frames of {size}")
@pytest.mark.parametrize("channel", PEERS)
def test_a_message_without_end_is_cut_off(kernel, channel, size):
    before = memory(kernel)
    link = zmtp(kernel, channel)
    piece = frame(bytes(size), 1)
    piece *= max(1, 64 * 1024 // len(piece))
    send_until_closed(link, piece, 2048 * MIB)
    link.close()
    # A frame of one byte costs libzmq 64; a busy machine lets some more through.
    assert memory(kernel) - before < 1500 * MIB
    assert kernel.alive()


def test_a_frame_without_end_is_cut_off(kernel):
    link = zmtp(kernel, "shell")
    link.sendall(b"\x02" + struct.pack(">Q", 250 * MIB))
    send_until_closed(link, bytes(64 * 1024), 200 * MIB)
    assert kernel.alive()


def test_messages_with_a_wrong_signature_are_bounded_while_a_cell_runs(kernel):
    running = kernel.begin("print begun\nspin")
    link = zmtp(kernel, "shell")
    send_until_closed(link, (frame(b"", 1) + frame(bytes(60_000), 0)), 2048 * MIB)
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(running)["content"]["status"] == "error"
    assert kernel.alive()


def test_several_connections_share_a_limit(kernel):
    links = [zmtp(kernel, "shell") for _ in range(8)]
    closed = []

    def send(link):
        try:
            link.sendall(frame(bytes(MIB), 1) * 40)  # each of them is below its own limit
            link.settimeout(PATIENCE)
            while link.recv(4096):
                pass
        except OSError:  # reset by the kernel, or closed by the end of the test
            pass
        closed.append(link)

    threads = [threading.Thread(target=send, args=(link,), daemon=True) for link in links]
    for thread in threads:
        thread.start()
    while len(closed) < 5:  # 8 times 40 MiB, of which 128 MiB may stay
        assert kernel.alive()
    for link in links:
        link.close()
    assert kernel.alive()


def test_heartbeats_that_nobody_reads_are_bounded(kernel):
    link = zmtp(kernel, "hb")
    send_until_closed(link, (frame(b"", 1) + frame(bytes(1000), 0)) * 50, 2048 * MIB)
    assert kernel.alive()


def test_a_heart_may_beat_for_ever(kernel):
    beat = bytes(1000)
    for _ in range(300):  # far more than a heartbeat that nobody reads may send
        kernel.sockets["hb"].send(beat)
        assert kernel.sockets["hb"].poll(PATIENCE * 1000) and kernel.sockets["hb"].recv() == beat


@pytest.mark.parametrize("first", [True, False], ids=["as the first message", "later"])
def test_a_cell_of_50_mb_runs(kernel, first):
    if not first:
        assert kernel.alive()
    code = "print x\n// " + "x" * (50 * 1000 * 1000)
    reply, outputs = kernel.execute(code)
    assert reply["status"] == "ok" and text_of(outputs) == "x\n"
    assert kernel.alive()


def test_a_client_with_the_key_has_no_limit(kernel):
    """Buffers cost little beside their bytes; text of that length is signed and parsed on both sides, seconds each on a busy machine."""
    assert kernel.alive()
    large = [bytes(50 * 1000 * 1000)]
    for _ in range(4):  # more than connections without a signed message may send together
        assert kernel.execute("print x", buffers=large)[0]["status"] == "ok"
    running = kernel.begin("print begun\nspin")
    queued = [kernel.execute_async("print x", buffers=large) for _ in range(4)]
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(running)["content"]["status"] == "error"
    assert {kernel.reply(msg_id)["content"]["status"] for msg_id in queued} <= {"ok", "aborted"}
    assert kernel.alive()


@pytest.mark.parametrize("channel", PEERS)
@pytest.mark.parametrize("how", ["says nothing", "half a greeting", "rubbish", "one frame", "comes and goes"])
def test_clients_that_say_little_hold_nobody_up(kernel, channel, how):
    port = kernel.info[channel + "_port"]
    links = []
    for _ in range(20):
        if how == "one frame":
            links.append(zmtp(kernel, channel))
            links[-1].sendall(frame(b"x", 1))
            continue
        links.append(socket.create_connection(("127.0.0.1", port)))
        if how == "half a greeting":
            links[-1].sendall(b"\xff" + bytes(5))
        if how == "rubbish":
            links[-1].sendall(random.Random(1).randbytes(1000))
        if how == "comes and goes":
            links.pop().close()
    assert kernel.alive()
    kernel.sockets["hb"].send(b"beat")
    assert kernel.sockets["hb"].poll(PATIENCE * 1000) and kernel.sockets["hb"].recv() == b"beat"
    for link in links:
        link.close()


def test_a_thousand_connections(kernel):
    """Beyond 200 each new one is closed; those that are there stay, and new ones come in when they leave."""
    assert kernel.alive()
    links, refused = [], 0
    for number in range(1000):
        try:
            links.append(socket.create_connection(("127.0.0.1", kernel.info[list(PEERS)[number % 5] + "_port"])))
        except ConnectionError:  # closed before connect() returned
            refused += 1
    closed = 0
    while closed < 800:  # the test's time limit is what fails it
        closed = refused
        for link in links:
            link.setblocking(False)
            try:
                while link.recv(4096):  # the kernel's greeting
                    pass
                closed += 1
            except BlockingIOError:
                pass
            except ConnectionError:
                closed += 1
    files = len(list(pathlib.Path(f"/proc/{kernel.process.pid}/fd").iterdir()))
    assert files < 300
    assert kernel.alive()
    for link in links:
        link.close()
    # libzmq connects again and again until it is let in.
    second = kernel.connect("shell")
    assert kernel.alive()
    second.close()


@pytest.mark.parametrize("size", [255, 256, 257, 5000])
def test_only_short_topics_are_subscribed_to(kernel, size):
    with zmq.Context() as context, context.socket(zmq.SUB) as link:
        link.setsockopt(zmq.LINGER, 0)
        link.setsockopt(zmq.SUBSCRIBE, b"t" * size)
        link.setsockopt(zmq.SUBSCRIBE, b"")
        link.connect(kernel.endpoint("iopub"))
        assert link.poll(PATIENCE * 1000)
        assert kernel.alive()
