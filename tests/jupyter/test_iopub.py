"""Output on iopub: all of it, in few messages, valid, and no more than the limit."""
import time

import pytest
from raw_client import Kernel, kinds, text_of


def lines(count):
    return "".join(f"line {i}\n" for i in range(count))


def test_many_lines_arrive_whole_in_few_messages(kernel):
    reply, outputs = kernel.execute("lines 100000")
    assert reply["status"] == "ok"
    assert text_of(outputs) == lines(100_000)
    assert len(outputs) < 2000


def test_a_client_that_reads_late_loses_nothing(kernel):
    late = kernel.connect("iopub")
    kernel.wait_for_iopub()
    ids = [kernel.execute_async("lines 50000") for _ in range(4)]
    for msg_id in ids:
        assert kernel.reply(msg_id)["content"]["status"] == "ok"
    assert kernel.sockets["iopub"] is late
    for msg_id in ids:
        assert text_of(kernel.outputs(msg_id)) == lines(50_000)


class WithoutIopub(Kernel):
    """A client whose socket of iopub is not connected yet."""

    def connect(self, channel):
        return super().connect(channel) if channel != "iopub" else None

    def wait_for_iopub(self):
        self.reply(self.send("control", "kernel_info_request", {}), "control")


@pytest.fixture
def without_iopub(fake_argv, tmp_path):
    kernel = WithoutIopub(fake_argv, tmp_path, env={"XDG_DATA_HOME": str(tmp_path / "data")})
    yield kernel
    kernel.close()


def test_the_first_request_waits_until_iopub_is_connected_too(without_iopub):
    """jupyter console connects its sockets one by one, and waits for the end of its first cell on iopub."""
    msg_id = without_iopub.execute_async("print hello")
    time.sleep(0.1)
    Kernel.connect(without_iopub, "iopub")
    assert text_of(without_iopub.outputs(msg_id)) == "hello\n"
    assert without_iopub.reply(msg_id)["content"]["status"] == "ok"


def test_a_client_that_never_reads_iopub_gets_its_replies(without_iopub):
    for i in range(3):
        assert without_iopub.reply(without_iopub.execute_async("print hello"))["content"]["execution_count"] == i + 1


def test_streams_that_alternate_do_not_become_a_message_per_line(kernel):
    reply, outputs = kernel.execute("alternate 100000")
    assert text_of(outputs, "stdout") == "".join(f"{i}\n" for i in range(0, 100_000, 2))
    assert text_of(outputs, "stderr") == "".join(f"{i}\n" for i in range(1, 100_000, 2))
    assert len(outputs) < 10_000


def test_a_few_changes_of_stream_keep_their_order(kernel):
    _, outputs = kernel.execute("print a\nprinterr b\nprint c\nprint d\nprinterr e")
    assert [(each["content"]["name"], each["content"]["text"]) for each in outputs[1:]] == [
        ("stdout", "a\n"), ("stderr", "b\n"), ("stdout", "c\nd\n"), ("stderr", "e\n")]


def test_text_comes_before_what_follows_it(kernel):
    _, outputs = kernel.execute("print a\ndisplay d\nprint b\nresult r\nprint e\nfail x")
    assert kinds(outputs) == ["execute_input", "stream", "display_data", "stream", "execute_result", "stream", "error"]


def test_text_is_sent_while_the_cell_runs(kernel):
    msg_id = kernel.execute_async("print early\nspin")
    while (message := kernel.receive("iopub"))["msg_type"] != "stream":
        pass
    assert message["content"]["text"] == "early\n"
    assert kernel.receive("shell", 0) is None
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["status"] == "error"


def test_slow_text_is_gathered(kernel):
    _, outputs = kernel.execute("slow 1000")
    assert text_of(outputs) == "".join(f"{i}\n" for i in range(1000))
    assert 1 < kinds(outputs).count("stream") < 900


def test_publishing_from_several_threads_keeps_every_message_whole(kernel):
    """Each received message has its signature checked."""
    msg_id = kernel.execute_async("slow 800")
    asked = [kernel.send("control", "kernel_info_request", {}) for _ in range(400)]
    for each in asked:
        assert kernel.reply(each, "control")["content"]["status"] == "ok"
    assert kernel.reply(msg_id)["content"]["status"] == "ok"
    seen = []
    while not (seen and seen[-1]["parent"] == msg_id and seen[-1]["content"].get("execution_state") == "idle"):
        seen.append(kernel.receive("iopub"))
    assert text_of([each for each in seen if each["parent"] == msg_id]) == "".join(f"{i}\n" for i in range(800))
    for each in asked:
        assert [message["content"]["execution_state"] for message in seen if message["parent"] == each] == ["busy", "idle"]


EURO = "e282ac"


@pytest.mark.parametrize("script, text", [
    ("raw ff", "\ufffd"), ("raw 41ff42", "A\ufffdB"), ("raw e2\nraw 82ac", "€"), ("raw e282\nraw ac", "€"),
    ("raw e282", "\ufffd\ufffd"), ("raw f09f\nprinterr x\nraw 9880", "\U0001F600"), ("raw c3\nraw 28", "\ufffd("),
    ("raw eda080", "\ufffd\ufffd\ufffd"), ("raw 00", "\0"),
], ids=range(9))
def test_bytes_that_are_not_utf8(kernel, script, text):
    reply, outputs = kernel.execute(script)
    assert reply["status"] == "ok"
    assert text_of(outputs) == text


def test_a_character_is_not_split_by_a_flush(kernel, tmp_path):
    msg_id = kernel.begin(f"raw {EURO}e2\nuntil {tmp_path}/go\nraw 82ac")  # which has received the first one alone
    (tmp_path / "go").touch()
    assert text_of(kernel.outputs(msg_id)) == "€"


def test_invalid_bytes_in_a_result_and_an_error(kernel):
    reply, outputs = kernel.execute("badresult 41ff")
    assert outputs[-1]["content"]["data"]["text/plain"] == "A\ufffd"
    reply, outputs = kernel.execute("throwbad ff")
    assert outputs[-1]["content"]["evalue"] == reply["evalue"] == "\ufffd"


def size(outputs):
    return sum(len(str(each["content"].get("text", each["content"]))) for each in outputs)


def test_a_cell_has_a_limit_and_says_what_was_dropped(kernel):
    kernel.execute("limit 100000")
    reply, outputs = kernel.execute("lines 100000\ndisplay x")
    assert reply["status"] == "ok"
    whole = lines(100_000)
    received = text_of(outputs)
    assert whole.startswith(received) and 60_000 < len(received) <= 100_000
    notices = text_of(outputs, "stderr").splitlines()
    assert len(notices) == 2
    assert "limit of 97.7 KiB" in notices[0]
    assert "KiB of output dropped, including 1 displays" in notices[1]
    assert "display_data" not in kinds(outputs)


def test_displays_and_updates_count_too(kernel):
    kernel.execute("limit 5000")
    _, outputs = kernel.execute("\n".join(["display " + "x" * 400] * 100))
    assert 5 <= kinds(outputs).count("display_data") < 13
    assert "dropped" in text_of(outputs, "stderr")


def test_of_a_display_that_is_too_large_the_text_stays(kernel):
    kernel.execute("limit 20000")
    _, outputs = kernel.execute("bigdisplay 50000\nbigdisplay 50000")
    first = next(each["content"]["data"] for each in outputs if each["msg_type"] == "display_data")
    assert first == {"text/plain": "small\n[cut: 48.8 KiB of text/html]"}
    assert "of output dropped" in text_of(outputs, "stderr")


def test_the_default_limit_is_16_mib(kernel):
    line = "write " + "x" * (1 << 20)
    _, outputs = kernel.execute("\n".join([line] * 15))
    assert len(text_of(outputs)) == 15 << 20
    _, outputs = kernel.execute("\n".join([line] * 18))
    assert 15 << 20 < len(text_of(outputs)) <= 16 << 20
    assert "limit of 16.0 MiB" in text_of(outputs, "stderr")


def test_the_limit_is_per_cell(kernel):
    kernel.execute("limit 1000")
    for _ in range(3):
        reply, outputs = kernel.execute("write " + "x" * 900)
        assert text_of(outputs) == "x" * 900 and text_of(outputs, "stderr") == ""


def test_the_error_and_a_small_result_pass_the_limit(kernel):
    kernel.execute("limit 1000")
    _, outputs = kernel.execute("lines 1000\nresult 42\nfail boom")
    assert "execute_result" in kinds(outputs)
    assert outputs[-1]["msg_type"] == "error" or outputs[-2]["msg_type"] == "error"


def test_updates_of_a_display_are_few_and_the_last_one_arrives(kernel):
    _, outputs = kernel.execute("show shown\nupdates 100000")
    updates = [each["content"] for each in outputs if each["msg_type"] == "update_display_data"]
    assert len(updates) < 1000
    assert updates[-1] == {"data": {"text/plain": "99999"}, "metadata": {}, "transient": {"display_id": "shown"}}


def test_an_update_is_shown_while_the_cell_runs(kernel):
    msg_id = kernel.execute_async("show shown\nupdates 5\nspin")
    while True:  # earlier ones come too where the cell was slow
        message = kernel.receive("iopub")
        assert message is not None, "the last update is held back"
        if message["msg_type"] == "update_display_data" and message["content"]["data"] == {"text/plain": "4"}:
            break
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)


def test_a_display_has_its_id(kernel):
    _, outputs = kernel.execute("display plain\nshow named")
    assert outputs[1]["content"] == {"data": {"text/plain": "plain"}, "metadata": {}, "transient": {}}
    assert outputs[2]["content"]["transient"] == {"display_id": "named"}


def test_every_client_is_greeted(kernel):
    for _ in range(3):
        kernel.connect("iopub")
        assert kernel.receive("iopub")["content"] == {"subscription": ""}


def test_a_greeting_comes_before_the_outputs_of_a_cell_that_runs(kernel):
    msg_id = kernel.begin("print begun\nslow 60000")
    for _ in range(20):
        kernel.connect("iopub")
        message = kernel.receive("iopub")
        assert message["msg_type"] == "iopub_welcome"
        assert kernel.receive("iopub")["parent"] == msg_id
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)


def test_the_outputs_have_the_parent_of_their_cell(kernel):
    first = kernel.execute_async("slow 150")
    second = kernel.execute_async("print second")
    assert text_of(kernel.outputs(first)) == "".join(f"{i}\n" for i in range(150))
    assert text_of(kernel.outputs(second)) == "second\n"
