"""The command line and the connection file: what is wrong is said, with exit code 2, and the key is never shown."""
import json
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile

import pytest
from raw_client import connection, text_of

KEY = "a-key-that-nobody-may-see"


def run(argv, *arguments):
    done = subprocess.run([*argv, *arguments], capture_output=True, text=True, timeout=20)
    assert KEY not in done.stdout + done.stderr
    return done


def refused(argv, path):
    done = run(argv, "-f", str(path))
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.stderr.startswith("xcuda: ")
    return done.stderr


@pytest.mark.parametrize("changes, said", [
    ({"key": ""}, "empty key"),
    ({"key": None}, 'no field "key"'),
    ({"key": 7}, 'no string in its field "key"'),
    ({"signature_scheme": "hmac-sha999"}, "hmac-sha999"),
    ({"signature_scheme": "rot13"}, "rot13"),
    ({"signature_scheme": None}, 'no field "signature_scheme"'),
    ({"shell_port": None}, 'no field "shell_port"'),
    ({"control_port": None}, 'no field "control_port"'),
    ({"stdin_port": None}, 'no field "stdin_port"'),
    ({"iopub_port": None}, 'no field "iopub_port"'),
    ({"hb_port": None}, 'no field "hb_port"'),
    ({"transport": None}, 'no field "transport"'),
    ({"ip": None}, 'no field "ip"'),
    ({"shell_port": "5555"}, "no port"),
    ({"shell_port": 0}, "no port"),
    ({"shell_port": 70000}, "no port"),
    ({"shell_port": 1.5}, "no port"),
    ({"transport": "udp"}, '"udp"'),
    ({"ip": "127.0.0.1:80"}, '"127.0.0.1:80"'),
    ({"ip": "no.such.host.invalid"}, "no.such.host.invalid"),
    ({"ip": ""}, '""'),
    ({"ip": "203.0.113.7"}, "cannot bind the shell socket to tcp://203.0.113.7"),  # an address of no machine
], ids=lambda value: json.dumps(value) if isinstance(value, dict) else "")
def test_a_wrong_connection_file_is_refused(fake_argv, tmp_path, changes, said):
    path = tmp_path / "connection.json"
    path.write_text(json.dumps(connection(**{"key": KEY, **changes})))
    assert said in refused(fake_argv, path)


@pytest.mark.parametrize("port", ["shell", "control", "stdin", "iopub", "hb"])
def test_a_busy_port_is_refused(fake_argv, tmp_path, port):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        path = tmp_path / "connection.json"
        path.write_text(json.dumps(connection(key=KEY, **{port + "_port": busy.getsockname()[1]})))
        message = refused(fake_argv, path)
    assert str(busy) and "cannot bind" in message and "Address already in use" in message


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '{"key": "%s"' % KEY, '{"key": "%s", }' % KEY, "\xff" + KEY, "[" * 100_000],
                         ids=range(8))
def test_a_file_that_is_no_json_object_is_refused(fake_argv, tmp_path, text):
    path = tmp_path / "connection.json"
    path.write_text(text)
    assert "is not a JSON object" in refused(fake_argv, path)


def test_a_file_that_cannot_be_read_is_refused(fake_argv, tmp_path):
    assert "No such file" in refused(fake_argv, tmp_path / "nowhere.json")
    assert "cannot read" in refused(fake_argv, tmp_path)


@pytest.mark.parametrize("arguments", [[], ["-f"], ["-f", "a", "b"], ["--hlep"], ["file.json"]], ids=str)
def test_a_wrong_command_line_is_refused(fake_argv, arguments):
    done = run(fake_argv, *arguments)
    assert done.returncode == 2
    assert "--help" in done.stderr


def test_help_and_version(fake_argv):
    assert run(fake_argv, "--version").stdout == "xcuda 0.0.1\n"
    shown = run(fake_argv, "--help")
    assert shown.returncode == 0 and "usage: xcuda -f FILE" in shown.stdout and shown.stderr == ""
    assert "did you mean --version?" in run(fake_argv, "--versoin").stderr


@pytest.mark.parametrize("digest", ["sha1", "sha224", "sha384", "sha512"])
def test_other_digests(start, fake_argv, digest, monkeypatch):
    import hashlib
    monkeypatch.setattr(hashlib, "sha256", getattr(hashlib, digest))  # what the client signs with
    assert start(fake_argv, signature_scheme=f"hmac-{digest}").alive()


@pytest.mark.parametrize("ip", ["localhost", "::1", "[::1]", "127.0.0.2", "*"])
def test_addresses(start, fake_argv, ip):
    if ":" in ip:
        try:
            socket.socket(socket.AF_INET6).bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
    kernel = start(fake_argv, ip=ip)
    assert text_of(kernel.execute("print x")[1]) == "x\n"
    assert kernel.ask("kernel_info_request", {}, "control")["status"] == "ok"


def ipc_kernel(start, argv, tmp_path, **more):
    return start(argv, transport="ipc", ip=str(tmp_path / "socket"), **more)


def sockets(tmp_path):
    return sorted(path.name for path in tmp_path.glob("socket-*"))


def test_ipc(start, fake_argv, tmp_path):
    kernel = ipc_kernel(start, fake_argv, tmp_path)
    assert text_of(kernel.execute("print x")[1]) == "x\n"
    assert len(sockets(tmp_path)) == 5
    for name in sockets(tmp_path):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("end", ["shutdown", "SIGTERM", "SIGHUP", "parent", "by force"])
def test_the_sockets_of_ipc_go_with_the_kernel(start, fake_argv, tmp_path, end):
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    kernel = ipc_kernel(start, fake_argv, tmp_path, env={"JPY_PARENT_PID": str(parent.pid)})
    if end == "by force":
        kernel.begin("print begun\ndeaf")
    if end.startswith("SIG"):
        kernel.process.send_signal(getattr(signal, end))
    elif end == "parent":
        parent.kill()
    else:
        kernel.send("control", "shutdown_request", {"restart": False})
    kernel.wait()
    parent.kill()
    parent.wait()
    parent.stdin.close()
    assert sockets(tmp_path) == []


def test_an_ipc_socket_that_is_served_is_left_alone(start, fake_argv, tmp_path):
    kernel = ipc_kernel(start, fake_argv, tmp_path)
    before = sockets(tmp_path)
    path = tmp_path / "connection.json"
    other = {**connection(key=KEY, transport="ipc", ip=str(tmp_path / "socket")), "control_port": kernel.info["control_port"]}
    path.write_text(json.dumps(other))
    assert "cannot bind the control socket" in refused(fake_argv, path)
    assert sockets(tmp_path) == before
    assert kernel.alive()


def test_an_ipc_socket_that_nobody_serves_is_replaced(start, fake_argv, tmp_path):
    kernel = ipc_kernel(start, fake_argv, tmp_path)
    kernel.process.kill()
    kernel.wait()
    ports = {name: port for name, port in kernel.info.items() if name.endswith("_port")}
    assert len(sockets(tmp_path)) == 5
    assert ipc_kernel(start, fake_argv, tmp_path, **ports).alive()


def test_the_longest_path_of_ipc(start, fake_argv, tmp_path):
    """A Unix socket's path has 107 bytes: one that just fits is served, a longer one is refused."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        room = 107 - len("-65535") - len(str(folder)) - 1
        longest = str(folder / ("x" * room))
        assert start(fake_argv, transport="ipc", ip=longest).alive()
        path = tmp_path / "connection.json"
        path.write_text(json.dumps(connection(key=KEY, transport="ipc", ip=longest + "x")))
        message = refused(fake_argv, path)
        assert "at most 101 characters" in message
    finally:
        shutil.rmtree(folder)


def test_nothing_is_said_at_the_start(start, fake_argv):
    kernel = start(fake_argv)
    kernel.ask("shutdown_request", {}, "control")
    kernel.wait()
    assert kernel.process.stderr.read() == b"fake engine: prepare_exit\n"
