"""The launcher for Jupyter Enterprise Gateway: what it tells the gateway, and what it does when asked."""
import base64
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds


class Gateway:
    """The gateway's side: the key, and the address where launchers answer."""

    def __init__(self):
        self.key = pytest.importorskip("Cryptodome.PublicKey.RSA", reason="pycryptodomex is not installed").generate(1024)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        self.address = "127.0.0.1:{}".format(self.listener.getsockname()[1])
        self.public_key = base64.b64encode(self.key.public_key().export_key("DER")).decode()

    def answer(self):
        from Cryptodome.Cipher import AES, PKCS1_v1_5
        from Cryptodome.Util.Padding import unpad

        link, _ = self.listener.accept()
        with link:
            data = b"".join(iter(lambda: link.recv(65536), b""))
        payload = json.loads(base64.b64decode(data))
        assert payload["version"] == 1
        key = PKCS1_v1_5.new(self.key).decrypt(base64.b64decode(payload["key"]), b"")
        return json.loads(unpad(AES.new(key, AES.MODE_ECB).decrypt(base64.b64decode(payload["conn_info"])), 16))


@pytest.fixture
def launch():
    started = []

    def begin(gateway, command, *words, **env):
        process = subprocess.Popen(
            [sys.executable, "-m", "xeus_cuda.gateway", *words, *command], stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "share/xcuda/python"),
                                                              os.environ.get("PYTHONPATH", "")]), **env})
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def ask(info, request):
    with socket.create_connection(("127.0.0.1", info["comm_port"]), timeout=PATIENCE) as link:
        link.sendall(json.dumps(request).encode())


def test_the_gateway_hears_how_to_reach_the_kernel(launch, fake_argv):
    gateway = Gateway()
    process = launch(gateway, fake_argv, "--kernel-id", "k-1", "--response-address", gateway.address, "--public-key",
                     gateway.public_key)
    info = gateway.answer()
    assert info["kernel_id"] == "k-1" and info["transport"] == "tcp" and info["signature_scheme"] == "hmac-sha256"
    ports = {info[name] for name in ("shell_port", "iopub_port", "stdin_port", "hb_port", "control_port", "comm_port")}
    assert len(ports) == 6 and int(info["pid"]) == process.pid and len(info["key"]) == 32
    import zmq
    with zmq.Context() as context, context.socket(zmq.REQ) as heartbeat:
        heartbeat.setsockopt(zmq.LINGER, 0)
        heartbeat.connect(f"tcp://127.0.0.1:{info['hb_port']}")
        heartbeat.send(b"alive")
        assert heartbeat.poll(1000 * PATIENCE) and heartbeat.recv() == b"alive"
    ask(info, {"signum": 0})
    ask(info, {"shutdown": 1})
    process.wait(PATIENCE)


def test_a_pod_gives_it_the_values_by_its_environment(launch):
    gateway = Gateway()
    process = launch(gateway, ["--", "sh", "-c", "exec sleep 1000"], KERNEL_ID="k-2",
                     EG_RESPONSE_ADDRESS=gateway.address, EG_PUBLIC_KEY=gateway.public_key)
    info = gateway.answer()
    assert info["kernel_id"] == "k-2"
    ask(info, {"signum": int(signal.SIGKILL)})
    assert process.wait(PATIENCE) != 0


def test_bad_words_are_an_error(launch):
    process = launch(None, [], "--kernel-id", "k", "--response-address", "h:1", "--public-key", "p", "--port-range", "many")
    assert process.wait(PATIENCE) == 2
    assert "--port-range takes LOW..HIGH, not many" in process.stderr.read()
