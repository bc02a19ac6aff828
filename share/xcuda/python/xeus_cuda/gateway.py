"""Starts xcuda where Jupyter Enterprise Gateway wants a kernel, and tells the gateway how to reach it.

    python3 -m xeus_cuda.gateway --kernel-id ID --response-address HOST:PORT --public-key KEY

The values come from a kernelspec ({kernel_id}, {response_address}, {public_key}, {port_range}), or from the environment
of a pod. Needs pycryptodomex, as the gateway's own launchers do.
"""
import argparse
import base64
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid

CHANNELS = ("shell_port", "iopub_port", "stdin_port", "hb_port", "control_port")


def arguments(words=None):
    def given(name):
        return os.environ.get(name) or os.environ.get(f"EG_{name}")

    parser = argparse.ArgumentParser(prog="xeus_cuda.gateway", description=__doc__.splitlines()[0])
    for name in ("kernel-id", "response-address", "public-key"):
        value = given(name.upper().replace("-", "_"))
        parser.add_argument(f"--{name}", default=value, required=not value)
    parser.add_argument("--port-range", default=given("PORT_RANGE") or "0..0", help="LOW..HIGH; 0..0: any port")
    parser.add_argument("command", nargs="*", help="the kernel's program and its arguments, without the connection file")
    found = parser.parse_args(words)
    try:
        found.low, found.high = (int(bound) for bound in found.port_range.split(".."))
    except ValueError:
        parser.error(f"--port-range takes LOW..HIGH, not {found.port_range}")
    if not found.command:
        beside = pathlib.Path(sys.executable).with_name("xcuda")
        found.command = [str(beside) if beside.exists() else shutil.which("xcuda") or "xcuda"]
    return found


def bound_socket(low, high):
    """A listening socket on a port of the range."""
    for port in [0] if high <= low else random.sample(range(low, high + 1), high - low + 1):
        listener = socket.socket()
        try:
            listener.bind(("", port))
            listener.listen()
            return listener
        except OSError:
            listener.close()
    raise SystemExit(f"xeus_cuda.gateway: no port of {low}..{high} is free")


def sealed(info, public_key):
    """The connection as the gateway takes it: encrypted by a key of its own, which the public key encrypts."""
    from Cryptodome.Cipher import AES, PKCS1_v1_5
    from Cryptodome.PublicKey import RSA
    from Cryptodome.Util.Padding import pad

    key = os.urandom(16)
    text = AES.new(key, AES.MODE_ECB).encrypt(pad(json.dumps(info).encode(), 16))
    sealed_key = PKCS1_v1_5.new(RSA.import_key(base64.b64decode(public_key))).encrypt(key)
    payload = {"version": 1, "key": base64.b64encode(sealed_key).decode(), "conn_info": base64.b64encode(text).decode()}
    return base64.b64encode(json.dumps(payload).encode())


def tell(address, message):
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as link:
        link.sendall(message)


def serve(listener, kernel):
    """What the gateway asks while the kernel lives: a signal, 0 for none, or the end."""
    listener.settimeout(0.5)
    while kernel.poll() is None:
        try:
            link, _ = listener.accept()
        except TimeoutError:
            continue
        with link:
            link.settimeout(5)
            try:
                request = json.loads(link.recv(4096) or b"{}")
            except (OSError, ValueError):
                continue
        if request.get("shutdown"):
            break
        if request.get("signum"):
            kernel.send_signal(int(request["signum"]))
    if kernel.poll() is None:
        kernel.terminate()
        try:
            kernel.wait(10)
        except subprocess.TimeoutExpired:
            kernel.kill()
    return kernel.wait()


def main():
    wanted = arguments()
    sockets = [bound_socket(wanted.low, wanted.high) for _ in CHANNELS]
    listener = bound_socket(wanted.low, wanted.high)
    info = {"transport": "tcp", "ip": "0.0.0.0", "key": uuid.uuid4().hex, "signature_scheme": "hmac-sha256",
            **{name: one.getsockname()[1] for name, one in zip(CHANNELS, sockets)}}
    with tempfile.TemporaryDirectory(prefix="xcuda-gateway-") as folder:
        file = pathlib.Path(folder) / "connection.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(info))
        for one in sockets:
            one.close()
        kernel = subprocess.Popen([*wanted.command, "-f", str(file)])
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: kernel.send_signal(number))
        tell(wanted.response_address,
             sealed({**info, "kernel_id": wanted.kernel_id, "pid": str(os.getpid()), "pgid": str(os.getpgrp()),
                     "comm_port": listener.getsockname()[1]}, wanted.public_key))
        return serve(listener, kernel)


if __name__ == "__main__":
    sys.exit(main())
