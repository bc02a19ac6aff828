"""What comes in over the sockets: the kernel drops what it must not read and answers all the rest once."""
import json
import random

import pytest
from raw_client import DELIMITER, kinds, text_of

CHANNELS = ["shell", "control", "stdin"]


def nested(depth):
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize("channel", CHANNELS)
def test_messages_of_too_few_frames_are_dropped(kernel, channel):
    whole = kernel.frames("kernel_info_request", {})
    for count in range(len(whole)):
        kernel.send_frames(channel, whole[:count] or [b""])
    for frames in ([b""], [b"", b""], [DELIMITER], [b"x", DELIMITER], [DELIMITER, b"x", b"y"], [b"no delimiter"] * 9):
        kernel.send_frames(channel, frames)
    assert kernel.alive()


def test_many_identities_and_buffers_are_dropped(kernel):
    whole = kernel.frames("kernel_info_request", {})
    kernel.send_frames("shell", [b"i"] * 40 + whole)
    kernel.send_frames("shell", whole + [b"b"] * 5000)
    assert kernel.alive()


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("spoil", [
    lambda signature: b"",
    lambda signature: signature[:-1],
    lambda signature: signature[:8],
    lambda signature: signature + b"junk",
    lambda signature: signature + signature,
    lambda signature: bytes([signature[0] ^ 1]) + signature[1:],
    lambda signature: b"\0" * len(signature),
    lambda signature: signature.upper() + b"\0",
], ids=["none", "short", "eight", "junk", "twice", "changed", "zeros", "null"])
def test_only_the_exact_signature_counts(kernel, channel, spoil):
    frames = kernel.frames("kernel_info_request", {})
    frames[1] = spoil(frames[1])
    kernel.send_frames(channel, frames)
    assert kernel.receive(channel, 0.2) is None
    assert kernel.alive()


def test_the_json_of_unsigned_messages_is_never_read(kernel):
    for part in range(2, 6):
        for text in (nested(100_000), b"{" * 100_000, b"\xff\xfe", b""):
            frames = kernel.frames("kernel_info_request", {})
            frames[part] = text
            kernel.send_frames("shell", frames)
    assert kernel.alive()


def test_a_repeated_message_runs_once(kernel):
    frames = kernel.frames("execute_request", {"code": "count"})
    for _ in range(3):
        kernel.send_frames("shell", frames)
    assert kernel.receive("shell")["content"]["execution_count"] == 1
    assert kernel.receive("shell", 0.2) is None
    assert kernel.execute("count")[0]["execution_count"] == 2


@pytest.mark.parametrize("header", [
    nested(100_000), nested(129), b"null", b"[]", b"3", b"{}", b'{"msg_id": "x"', b"\xff", b'{"a":' * 200 + b"1" + b"}" * 200,
    b'{"msg_id": 1, "msg_type": "kernel_info_request", "session": "s"}',
    b'{"msg_id": "1", "msg_type": null, "session": "s"}',
    b'{"msg_id": "1", "msg_type": "kernel_info_request"}',
    b'{"msg_id": "' + b"i" * 1000 + b'", "msg_type": "kernel_info_request", "session": "s"}',
], ids=range(13))
@pytest.mark.parametrize("channel", CHANNELS)
def test_signed_messages_with_a_bad_header_are_dropped(kernel, channel, header):
    kernel.send_frames(channel, kernel.frames("", {}, header=header))
    assert kernel.receive(channel, 0.1) is None
    assert kernel.alive()


@pytest.mark.parametrize("part", ["content", "metadata", "parent"])
@pytest.mark.parametrize("text", [nested(100_000), nested(129), b"\xff", b"not json", b"", b"[1e999]"], ids=range(6))
def test_other_parts_that_are_no_json_leave_the_kernel_alive(kernel, part, text):
    parts = {"content": {"code": "print x"}, "metadata": {}, "parent": {}}
    parts[part] = text
    msg_id = kernel.send("shell", "execute_request", parts.pop("content"), **parts)
    reply = kernel.reply(msg_id)
    assert reply["content"]["status"] == ("error" if part == "content" else "ok")
    assert kinds(kernel.outputs(msg_id))[-1] == "status"
    assert kernel.alive()


CODE_TYPES = ["complete_request", "inspect_request", "is_complete_request", "execute_request"]
WRONG_CODE = [{}, {"code": None}, {"code": 3}, {"code": []}, {"code": {}}, None, [], "text", 7, True]


@pytest.mark.parametrize("msg_type", CODE_TYPES)
@pytest.mark.parametrize("content", WRONG_CODE, ids=[json.dumps(each) for each in WRONG_CODE])
def test_wrong_content_gets_one_error_reply(kernel, msg_type, content):
    reply = kernel.ask(msg_type, content)
    assert reply["status"] == "error"
    assert reply["ename"] and reply["evalue"] and isinstance(reply["traceback"], list)
    assert kernel.receive("shell", 0.05) is None
    assert kernel.alive()


@pytest.mark.parametrize("field", [{"silent": None}, {"silent": 1}, {"store_history": "yes"}, {"stop_on_error": []},
                                   {"user_expressions": None}, {"user_expressions": [1]}], ids=json.dumps)
def test_wrong_flags_of_execute_get_an_error_reply(kernel, field):
    assert kernel.ask("execute_request", {"code": "print x", **field})["status"] == "error"
    assert kernel.execute("count")[0]["execution_count"] == 1


@pytest.mark.parametrize("content", [
    {}, {"hist_access_type": None}, {"hist_access_type": "other"}, {"hist_access_type": "tail", "n": "x"},
    {"hist_access_type": "range", "start": 1e300}, {"hist_access_type": "search", "pattern": 3},
    {"hist_access_type": "tail", "n": 2 ** 70},
], ids=json.dumps)
def test_wrong_history_requests_get_an_error_reply(kernel, content):
    assert kernel.ask("history_request", content)["status"] == "error"


@pytest.mark.parametrize("channel", ["shell", "control"])
def test_unknown_requests_get_an_error_reply(kernel, channel):
    reply = kernel.ask("make_coffee_request", {}, channel)
    assert reply["status"] == "error"
    assert "make_coffee_request" in reply["evalue"]


def test_message_types_keep_to_their_channels(kernel):
    running = kernel.begin("print begun\nspin")
    for msg_type in ("execute_request", "complete_request", "history_request"):
        reply = kernel.ask(msg_type, {"code": "print ran", "cursor_pos": 0, "hist_access_type": "tail"}, "control")
        assert reply["status"] == "error"
        assert "shell" in reply["evalue"]
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(running)["content"]["ename"] == "KeyboardInterrupt"
    assert "ran" not in text_of(kernel.outputs(running))
    assert kernel.execute("count")[0]["execution_count"] == 2


def test_messages_that_are_no_requests_are_survived(kernel):
    for msg_type in ("", "execute_reply", "status", "_request", "x" * 256):
        kernel.send("shell", msg_type, {})
        kernel.send("control", msg_type, {})
    assert kernel.alive()


def test_random_messages_are_survived(kernel):
    rng = random.Random(7)
    pieces = [b"", b"{}", b"[]", b"null", b'{"code": "print"}', DELIMITER, b"\xff" * 9, nested(200), b"0" * 64]
    for _ in range(400):
        channel = rng.choice(CHANNELS)
        if rng.random() < 0.5:
            frames = [rng.choice(pieces) for _ in range(rng.randrange(1, 9))]
        else:
            frames = kernel.frames("execute_request", rng.choice(pieces), header=rng.choice(pieces) or None,
                                   metadata=rng.choice(pieces), parent=rng.choice(pieces))
        kernel.send_frames(channel, frames)
    assert kernel.alive()


def test_the_log_about_dropped_messages_is_bounded(kernel):
    for _ in range(2000):
        kernel.send_frames("shell", [b"rubbish"])
    assert kernel.alive()
    kernel.ask("shutdown_request", {"restart": False}, "control")
    kernel.wait()
    lines = kernel.process.stderr.read().decode().splitlines()
    assert 1 < len(lines) < 200
    assert not any(kernel.info["key"] in line for line in lines)
