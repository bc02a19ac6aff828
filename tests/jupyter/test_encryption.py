"""CurveZMQ: with keys in the connection file every channel is encrypted, or the kernel does not start."""
import json
import os
import socket
import subprocess
import threading

import pytest
import zmq
from jupyter_client.manager import KernelManager
from raw_client import CHANNELS, PATIENCE, connection, curve_keys, encrypt, text_of
from zmq.utils.monitor import recv_monitor_message

KEYS = curve_keys()
OTHER = curve_keys()


def test_every_channel_works(start, fake_argv):
    kernel = start(fake_argv, **curve_keys())
    reply, outputs = kernel.execute("print x")
    assert reply["status"] == "ok" and text_of(outputs) == "x\n"
    assert kernel.ask("kernel_info_request", {}, "control")["implementation"] == "xcuda"
    kernel.send("stdin", "input_reply", {"value": "x"})
    for beat in (b"one", b"two"):
        kernel.sockets["hb"].send(beat)
        assert kernel.sockets["hb"].poll(PATIENCE * 1000) and kernel.sockets["hb"].recv() == beat
    running = kernel.begin("print begun\nspin")
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(running)["content"]["ename"] == "KeyboardInterrupt"


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("how", ["no keys", "the key of another server"])
def test_a_client_without_the_key_gets_no_connection(start, fake_argv, tmp_path, channel, how, transport):
    kernel = start(fake_argv, transport=transport, **KEYS, **({"ip": str(tmp_path / "socket")} if transport == "ipc" else {}))
    with zmq.Context() as context, context.socket(CHANNELS[channel]) as link:
        link.setsockopt(zmq.LINGER, 0)
        if how != "no keys":
            encrypt(link, OTHER["curve_publickey"])
        monitor = link.get_monitor_socket()
        link.connect(kernel.endpoint(channel))
        seen = set()
        while not seen & {zmq.Event.DISCONNECTED, zmq.Event.HANDSHAKE_FAILED_PROTOCOL, zmq.Event.HANDSHAKE_FAILED_NO_DETAIL,
                          zmq.Event.HANDSHAKE_FAILED_AUTH}:
            assert monitor.poll(PATIENCE * 1000), f"the kernel keeps the connection; seen: {seen}"
            seen.add(recv_monitor_message(monitor)["event"])
        assert zmq.Event.HANDSHAKE_SUCCEEDED not in seen
        link.disable_monitor()
    assert kernel.alive()


class Relay:
    """Passes the bytes of connections to a port on, and keeps them."""

    def __init__(self, port):
        self.port, self.seen = port, bytearray()
        self.server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                here, _ = self.server.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self.port))
            for ends in ((here, there), (there, here)):
                threading.Thread(target=self.copy, args=ends, daemon=True).start()

    def copy(self, source, target):
        try:
            while data := source.recv(65536):
                self.seen += data
                target.sendall(data)
        except OSError:
            pass


@pytest.mark.parametrize("keys", [{}, KEYS], ids=["in the clear", "encrypted"])
def test_what_travels_cannot_be_read(start, fake_argv, keys):
    kernel = start(fake_argv, **keys)
    relays = {channel: Relay(kernel.info[channel + "_port"]) for channel in ("shell", "iopub", "control", "hb")}
    for channel, relay in relays.items():
        kernel.sockets[channel].close()
        kernel.info[channel + "_port"] = relay.server.getsockname()[1]
        kernel.connect(channel)
    while kernel.receive("iopub", 0.1) is None:
        pass
    assert text_of(kernel.execute("print a-secret-text")[1]) == "a-secret-text\n"
    kernel.ask("kernel_info_request", {}, "control")
    kernel.sockets["hb"].send(b"a-secret-beat")
    assert kernel.sockets["hb"].poll(PATIENCE * 1000) and kernel.sockets["hb"].recv() == b"a-secret-beat"
    words = {"shell": b"a-secret-text", "iopub": b"a-secret-text", "control": b"kernel_info", "hb": b"a-secret-beat"}
    for channel, relay in relays.items():
        assert relay.seen and (words[channel] in relay.seen) == (not keys), channel
        relay.server.close()


@pytest.mark.parametrize("changes, said", [
    ({"curve_publickey": KEYS["curve_publickey"]}, "has curve_publickey but no curve_secretkey"),
    ({"curve_secretkey": KEYS["curve_secretkey"]}, "has curve_secretkey but no curve_publickey"),
    ({**KEYS, "curve_publickey": OTHER["curve_publickey"]}, "does not match"),
    ({**KEYS, "curve_secretkey": ""}, "no CurveZMQ key"),
    ({**KEYS, "curve_secretkey": KEYS["curve_secretkey"][:-1]}, "no CurveZMQ key"),
    ({**KEYS, "curve_secretkey": KEYS["curve_secretkey"][:-1] + "~"}, "no CurveZMQ key"),
    ({**KEYS, "curve_publickey": 7}, "no CurveZMQ key"),
], ids=["public only", "secret only", "of two pairs", "empty", "short", "not Z85", "a number"])
def test_keys_that_do_not_fit_are_refused(fake_argv, tmp_path, changes, said):
    assert said in refusal(fake_argv, tmp_path, changes)


def refusal(argv, tmp_path, changes, env=None):
    path = tmp_path / "connection.json"
    path.write_text(json.dumps(connection(**changes)))
    done = subprocess.run([*argv, "-f", str(path)], capture_output=True, text=True, timeout=PATIENCE, env=env)
    assert done.returncode == 2 and done.stdout == "", done
    for key in (*KEYS.values(), *OTHER.values()):
        assert key[:10] not in done.stderr
    return done.stderr


def test_a_libzmq_without_curve_is_refused(fake_argv, tmp_path):
    stand_in = os.path.join(os.path.dirname(fake_argv[0]), "libzmq_without_curve.so")
    if not os.path.exists(stand_in):
        pytest.skip("libzmq_without_curve.so is not built beside the scripted kernel")
    said = refusal(fake_argv, tmp_path, KEYS, env={**os.environ, "LD_PRELOAD": stand_in})
    assert "asks for encryption" in said and "without CURVE" in said


@pytest.mark.parametrize("policy", ["auto", "required"])
@pytest.mark.parametrize("name", ["xcuda-fake", "xcuda"])
def test_with_jupyter_client(request, name, policy):
    request.getfixturevalue("fake_argv" if name == "xcuda-fake" else "real")
    manager = KernelManager(kernel_name=name, transport_encryption=policy)
    manager.start_kernel()
    try:
        with open(manager.connection_file) as file:
            assert {"curve_publickey", "curve_secretkey"} <= set(json.load(file))
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=PATIENCE)
        texts = []
        reply = client.execute_interactive("print x" if name == "xcuda-fake" else 'printf("x\\n");', timeout=PATIENCE,
                                           output_hook=lambda message: texts.append(message["content"].get("text", "")))
        assert reply["content"]["status"] == "ok" and "".join(texts) == "x\n"
        heart = manager.connect_hb()
        heart.send(b"beat")
        assert heart.poll(PATIENCE * 1000) and heart.recv() == b"beat"
        heart.close(linger=0)
        client.stop_channels()
    finally:
        manager.shutdown_kernel(now=True)
