"""The command line and the connection file: what is wrong is said, with exit code 2, and the key is never shown."""
import json
import socket
import subprocess

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
    ({"key": 7}, 'no text in its field "key"'),
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
    ({"ip": "localhost"}, '"localhost"'),
    ({"ip": "::1"}, '"::1"'),
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


def test_ipc(start, fake_argv, tmp_path):
    kernel = start(fake_argv, transport="ipc", ip=str(tmp_path / "socket"))
    assert text_of(kernel.execute("print x")[1]) == "x\n"


def test_nothing_is_said_at_the_start(start, fake_argv):
    kernel = start(fake_argv)
    kernel.ask("shutdown_request", {}, "control")
    kernel.wait()
    assert kernel.process.stderr.read() == b"fake engine: prepare_exit\n"
