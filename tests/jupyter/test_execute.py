"""One cell: counts, flags, results, errors, payloads, and what becomes of the requests behind a cell that fails."""
import json
import pathlib

import pytest
from raw_client import kinds, text_of


def test_execution_count_rises_with_stored_cells_only(kernel):
    counts = [kernel.execute("print x", **flags)[0]["execution_count"]
              for flags in ({}, {}, {"store_history": False}, {"silent": True}, {"store_history": False}, {})]
    assert counts == [1, 2, 2, 2, 2, 3]


def test_the_input_and_the_result_carry_the_count(kernel):
    kernel.execute("print x")
    reply, outputs = kernel.execute("result 42")
    assert kinds(outputs) == ["execute_input", "execute_result"]
    assert outputs[0]["content"] == {"code": "result 42", "execution_count": 2}
    assert outputs[1]["content"] == {"data": {"text/plain": "42"}, "metadata": {}, "execution_count": 2}
    assert reply == {"status": "ok", "execution_count": 2, "payload": [], "user_expressions": {}}


def test_a_silent_cell_shows_nothing(kernel):
    reply, outputs = kernel.execute("print x\nprinterr y\ndisplay z\nresult 1\nshow id\nupdates 3\nfail boom", silent=True)
    assert outputs == []
    assert reply["status"] == "error"
    reply, outputs = kernel.execute("count")
    assert text_of(outputs) == "1 false true []\n"


def test_silent_means_that_nothing_is_stored(kernel):
    kernel.execute("count", silent=True, store_history=True)
    assert kernel.ask("history_request", {"hist_access_type": "tail", "n": 9})["history"] == []


def test_the_cell_id_reaches_the_engine(kernel):
    reply, outputs = kernel.execute("count", metadata={"cellId": "abc-1"})
    assert text_of(outputs) == "1 false true [abc-1]\n"


def test_user_expressions(kernel):
    reply, _ = kernel.execute("print x", user_expressions={"a": "6 * 7", "b": "bad", "c": "throw", "d": 3})
    values = reply["user_expressions"]
    assert values["a"] == {"status": "ok", "data": {"text/plain": "6 * 7"}, "metadata": {}}
    assert (values["b"]["status"], values["b"]["ename"]) == ("error", "NameError")
    assert values["c"]["status"] == values["d"]["status"] == "error"


def test_what_user_expressions_print_is_output_of_the_request(kernel):
    reply, outputs = kernel.execute("print cell\n", user_expressions={"a": "say one\n", "b": "say two\n", "c": "bad"})
    assert text_of(outputs) == "cell\none\ntwo\n"
    assert [value["status"] for value in reply["user_expressions"].values()] == ["ok", "ok", "error"]
    reply, outputs = kernel.execute("", user_expressions={"a": "say x"}, silent=True)
    assert outputs == [] and reply["user_expressions"]["a"]["status"] == "ok"


def test_user_expressions_are_bounded_and_say_what_was_cut(kernel):
    values = kernel.execute("", user_expressions={f"{i:04}": "1" for i in range(300)})[0]["user_expressions"]
    assert [value["status"] for _, value in sorted(values.items())] == ["ok"] * 256 + ["error"] * 44
    assert "at most 256 user expressions" in values["0299"]["evalue"]

    value = kernel.execute("", user_expressions={"a": f"big {9 << 20}"})[0]["user_expressions"]["a"]
    assert set(value["data"]) == {"text/plain"} and len(value["data"]["text/plain"]) <= 1 << 20
    assert "[cut: 9.0 MiB of text/html]" in value["data"]["text/plain"]
    assert "of text/plain]" in value["data"]["text/plain"]

    values = kernel.execute("", user_expressions={f"{i:02}": f"big {1 << 20}" for i in range(40)})[0]["user_expressions"]
    assert values["00"]["status"] == "ok" and values["39"]["status"] == "error"
    assert "exceed 16.0 MiB" in values["39"]["evalue"]


def test_a_huge_error_is_cut(kernel):
    reply, outputs = kernel.execute("huge")
    for error in (reply, outputs[-1]["content"]):
        assert len(error["evalue"]) < 5000 and error["evalue"].endswith("MiB]")
        assert sum(map(len, error["traceback"])) < 300_000
        assert error["traceback"][0] == "FakeError: the first line" and error["traceback"][-1] == "the last line"
        assert any("lines, [cut: " in line for line in error["traceback"])
    error = kernel.execute("", user_expressions={"a": "huge"})[0]["user_expressions"]["a"]
    assert len(error["evalue"]) < 5000 and sum(map(len, error["traceback"])) < 300_000


def interrupted_reply(kernel, msg_id):
    """An interrupt that comes before the request is under way hits nothing: ask again until the reply comes."""
    while (reply := kernel.reply(msg_id, timeout=0.05)) is None:
        kernel.reply(kernel.send("control", "interrupt_request", {}), "control")
    return reply["content"]


def test_an_interrupt_ends_user_expressions(kernel):
    msg_id = kernel.execute_async("print cell", user_expressions={"a": "1", "b": "spin", "c": "say no", "d": "spin"})
    reply = interrupted_reply(kernel, msg_id)
    values = reply["user_expressions"]
    assert reply["status"] == "ok" and values["a"]["status"] == "ok"
    assert [values[name]["ename"] for name in "bcd"] == ["KeyboardInterrupt"] * 3
    assert text_of(kernel.outputs(msg_id)) == "cell\n"
    assert kernel.execute("print x", user_expressions={"a": "1"})[0]["user_expressions"]["a"]["status"] == "ok"


@pytest.mark.parametrize("msg_type", ["complete_request", "inspect_request"])
def test_an_interrupt_ends_completion_and_inspection(kernel, msg_type):
    reply = interrupted_reply(kernel, kernel.send("shell", msg_type, {"code": "spin", "cursor_pos": 4}))
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert kernel.ask(msg_type, {"code": "print", "cursor_pos": 5})["status"] == "ok"
    assert text_of(kernel.execute("interruptions")[1]) == "0\n"


def test_user_expressions_of_a_failed_cell_are_not_evaluated(kernel):
    assert kernel.execute("fail x", user_expressions={"a": "1"})[0]["user_expressions"] == {}


@pytest.mark.parametrize("code, ename, evalue", [
    ("fail boom", "FakeError", "boom"),
    ("throw a runtime_error", "InternalError", "a runtime_error"),
    ("throwint", "InternalError", "an exception of unknown type"),
    ("throwerror too large", "ValueError", "too large"),
])
def test_an_error_is_one_message_and_the_reply_says_the_same(kernel, code, ename, evalue):
    reply, outputs = kernel.execute("print before\n" + code)
    assert kinds(outputs) == ["execute_input", "stream", "error"]
    error = outputs[-1]["content"]
    assert (error["ename"], error["evalue"]) == (ename, evalue)
    assert evalue in "\n".join(error["traceback"])
    assert {name: reply[name] for name in error} == error
    assert reply["status"] == "error" and reply["execution_count"] == 1
    assert text_of(outputs, "stderr") == ""
    assert kernel.alive()


def test_payloads(kernel):
    reply, _ = kernel.execute("page first\npage second")
    assert reply["payload"] == [{"source": "page", "data": {"text/plain": "second"}, "start": 0}]
    assert kernel.execute("print x")[0]["payload"] == []


def test_queued_cells_are_aborted_after_an_error_and_other_requests_answered(kernel, tmp_path):
    failing = kernel.execute_async(f"until {tmp_path}/go\nfail boom")
    queued = [kernel.execute_async(f"print {i}") for i in range(3)]
    info = kernel.send("shell", "kernel_info_request", {})
    comms = kernel.send("shell", "comm_info_request", {})
    kernel.let_arrive()
    (tmp_path / "go").touch()
    assert kernel.reply(failing)["content"]["status"] == "error"
    for msg_id in queued:
        reply = kernel.reply(msg_id)
        assert reply["content"] == {"status": "aborted"}  # clients would show a count as the cell's
        assert [each["content"].get("execution_state") for each in kernel.outputs(msg_id)] == ["busy", "idle"]
    assert kernel.reply(info)["content"]["implementation"] == "xcuda"
    assert kernel.reply(comms)["content"] == {"status": "ok", "comms": {}}
    reply, outputs = kernel.execute("print after")
    assert reply["execution_count"] == 2
    assert text_of(outputs) == "after\n"


def test_cells_sent_together_are_aborted_even_when_the_first_fails_at_once(kernel):
    rounds = []
    for _ in range(10):
        ids = [kernel.execute_async(code) for code in ("fail x", "print 1", "print 2")]
        rounds.append([kernel.reply(msg_id)["content"]["status"] for msg_id in ids])
    assert ["error", "aborted", "aborted"] in rounds  # in all of them, unless this process was held up between two sends


def test_without_stop_on_error_queued_cells_run(kernel):
    ids = [kernel.execute_async(code, stop_on_error=False) for code in ("fail x", "print 1")]
    assert [kernel.reply(msg_id)["content"]["status"] for msg_id in ids] == ["error", "ok"]


def test_a_cell_sent_after_the_error_reply_runs(kernel):
    for _ in range(20):
        assert kernel.execute("fail x")[0]["status"] == "error"
        assert kernel.execute("print x")[0]["status"] == "ok"


def test_replies_keep_the_order_of_the_requests(kernel):
    ids = [kernel.execute_async(f"print {i}") for i in range(300)]
    seen = [kernel.receive("shell")["parent"] for _ in ids]
    assert seen == ids


def test_the_reply_says_when_it_started(kernel):
    msg_id = kernel.execute_async("print x")
    metadata = kernel.reply(msg_id)["metadata"]
    assert metadata["status"] == "ok" and metadata["started"].startswith("20")


def test_completion_offsets_are_code_points(kernel):
    code = "print \U0001F600é; pri"
    reply = kernel.ask("complete_request", {"code": code, "cursor_pos": len(code)})
    assert (reply["cursor_start"], reply["cursor_end"]) == (len(code) - 3, len(code))
    assert reply["matches"] == ["print", "printerr"]
    assert reply["metadata"]["_jupyter_types_experimental"][0] == {
        "start": len(code) - 3, "end": len(code), "text": "print", "type": "command", "signature": "print TEXT", "help": ""}


@pytest.mark.parametrize("cursor", [None, -1, 3, 10 ** 6])
def test_completion_bears_any_cursor(kernel, cursor):
    reply = kernel.ask("complete_request", {"code": "pri", "cursor_pos": cursor})
    assert reply["matches"] == ["print", "printerr"]


def test_completion_in_the_middle_of_the_code(kernel):
    reply = kernel.ask("complete_request", {"code": "dis\nprint x", "cursor_pos": 3})
    assert (reply["matches"], reply["cursor_start"], reply["cursor_end"]) == (["display"], 0, 3)


def test_completions_are_bounded_and_say_how_many_are_missing(kernel):
    reply = kernel.ask("complete_request", {"code": "many", "cursor_pos": 4})
    assert reply["matches"] == [f"many{i}" for i in range(1000)]
    assert reply["metadata"]["matches_left_out"] == 4000
    signature = reply["metadata"]["_jupyter_types_experimental"][0]["signature"]
    assert len(signature) < 2000 and signature.endswith("KiB]")
    assert "matches_left_out" not in kernel.ask("complete_request", {"code": "pri", "cursor_pos": 3})["metadata"]


def test_inspections_and_pages_are_bounded(kernel):
    text = kernel.ask("inspect_request", {"code": "big", "cursor_pos": 0})["data"]["text/plain"]
    assert len(text) <= 4 << 20 and text.endswith("of text/plain]")
    page = kernel.execute(f"bigpage {10 << 20}")[0]["payload"][0]["data"]["text/plain"]
    assert len(page) <= 4 << 20 and page.endswith("of text/plain]")


def test_inspection(kernel):
    found = kernel.ask("inspect_request", {"code": "print", "cursor_pos": 2})
    assert found == {"status": "ok", "found": True, "data": {"text/plain": "print TEXT"}, "metadata": {}}
    assert "source" in kernel.ask("inspect_request", {"code": "print", "cursor_pos": 2, "detail_level": 1})["data"]["text/plain"]
    missing = kernel.ask("inspect_request", {"code": "nothing", "cursor_pos": 2})
    assert missing == {"status": "ok", "found": False, "data": {}, "metadata": {}}


def test_is_complete(kernel):
    assert kernel.ask("is_complete_request", {"code": "x"}) == {"status": "complete"}
    assert kernel.ask("is_complete_request", {"code": "x {"}) == {"status": "incomplete", "indent": "  "}
    assert kernel.ask("is_complete_request", {"code": "x !"}) == {"status": "invalid"}


def test_kernel_info(kernel):
    info = kernel.ask("kernel_info_request", {})
    assert info["implementation"] == "xcuda"
    assert info["implementation_version"] == "0.0.1"
    assert info["banner"] == "A scripted engine"
    assert tuple(int(part) for part in info["protocol_version"].split(".")) < (5, 5)
    language = info["language_info"]
    assert {name: language[name] for name in ("name", "mimetype", "codemirror_mode", "pygments_lexer", "file_extension")} == {
        "name": "cuda", "mimetype": "text/x-c++src", "codemirror_mode": {"name": "cuda", "mime": "text/x-objectivec++"}, "pygments_lexer": "cuda",
        "file_extension": ".cu"}
    assert all(link["url"].startswith("https://") and link["text"] for link in info["help_links"])


NOTEBOOKS = [path for path in sorted((pathlib.Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
             if json.loads(path.read_text())["metadata"]["kernelspec"]["name"] == "xcuda"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_the_language_as_the_kernel_does(kernel, path):
    """Editors and nbconvert read the notebook's copy before a kernel runs."""
    written = json.loads(path.read_text())["metadata"]["language_info"]
    language = kernel.ask("kernel_info_request", {})["language_info"]
    assert written == {name: language[name] for name in written}
    assert {"name", "mimetype", "codemirror_mode", "pygments_lexer", "file_extension"} <= written.keys()
