"""Subshells (JEP 91): they answer editors, %arrays and %info while a cell runs."""
import pytest
from raw_client import kinds, ok, text_of


def create(kernel):
    return kernel.ask("create_subshell_request", {}, "control")["subshell_id"]


def send(kernel, subshell, msg_type, content):
    return kernel.send("shell", msg_type, content, header={**kernel.header(msg_type), "subshell_id": subshell})


def ask(kernel, subshell, msg_type, content):
    """The reply's content and what iopub showed between busy and idle."""
    msg_id = send(kernel, subshell, msg_type, content)
    reply = kernel.reply(msg_id)
    assert reply and reply["msg_type"] == msg_type.replace("_request", "_reply")
    outputs = kernel.outputs(msg_id)
    assert outputs[0]["content"] == {"execution_state": "busy"}
    return reply["content"], outputs[1:-1]


def execute(kernel, subshell, code):
    return ask(kernel, subshell, "execute_request", {"code": code, "silent": False})


def matches(kernel, subshell):
    return ask(kernel, subshell, "complete_request", {"code": "", "cursor_pos": 0})[0]["matches"]


def interrupted(kernel, running):
    kernel.ask("interrupt_request", {}, "control")
    return kernel.reply(running)["content"]["ename"] == "KeyboardInterrupt"


def test_the_kernel_says_that_it_has_them(kernel):
    assert "kernel subshells" in kernel.ask("kernel_info_request", {})["supported_features"]


def test_they_are_made_listed_and_deleted(kernel):
    one, two = create(kernel), create(kernel)
    assert one != two
    assert sorted(kernel.ask("list_subshell_request", {}, "control")["subshell_id"]) == sorted([one, two])
    assert kernel.ask("delete_subshell_request", {"subshell_id": one}, "control")["status"] == "ok"
    assert kernel.ask("list_subshell_request", {}, "control")["subshell_id"] == [two]
    for content in ({"subshell_id": one}, {"subshell_id": 5}, {}):
        assert kernel.ask("delete_subshell_request", content, "control")["status"] == "error"
    assert ask(kernel, one, "complete_request", {"code": "", "cursor_pos": 0})[0]["ename"] == "NameError"


def test_their_requests_are_for_the_control_channel(kernel):
    reply = kernel.ask("create_subshell_request", {})
    assert reply["status"] == "error" and "control" in reply["evalue"]
    assert kernel.ask("list_subshell_request", {}, "control")["subshell_id"] == []


def test_no_more_than_a_hundred(kernel):
    for _ in range(100):
        create(kernel)
    assert kernel.ask("create_subshell_request", {}, "control")["status"] == "error"


@pytest.mark.parametrize("when", ["before the cell", "while it runs"])
def test_they_answer_while_a_cell_runs(kernel, when):
    ok(kernel, "print earlier")
    if when == "before the cell":
        subshell = create(kernel)
    running = kernel.begin("print begun\nspin")
    if when == "while it runs":
        subshell = create(kernel)
    for _ in range(3):
        assert matches(kernel, subshell) == ["after_1_cells"]
    assert ask(kernel, subshell, "inspect_request", {"code": "x", "cursor_pos": 0})[0]["data"]["text/plain"] == "x after 1 cells"
    assert ask(kernel, subshell, "is_complete_request", {"code": "x"})[0]["status"] == "complete"
    history = ask(kernel, subshell, "history_request", {"hist_access_type": "tail", "n": 1})[0]["history"]
    assert history[0][2] == "print begun\nspin"
    assert ask(kernel, subshell, "kernel_info_request", {})[0]["implementation"] == "xcuda"
    reply, outputs = execute(kernel, subshell, "%arrays")
    assert reply["status"] == "ok" and kinds(outputs) == ["execute_input", "display_data"]
    assert outputs[1]["content"]["data"]["text/plain"] == "arrays after 1 cells"
    reply, outputs = execute(kernel, subshell, "print no")
    assert reply["status"] == "error" and kinds(outputs) == ["execute_input", "error"]
    assert kernel.receive("shell", 0) is None, "the cell still runs"
    assert interrupted(kernel, running)
    assert matches(kernel, subshell) == ["after_2_cells"]


def test_what_is_not_theirs_waits_for_the_cell_in_its_order(kernel):
    subshell = create(kernel)
    running = kernel.begin("print begun\nspin")
    later = [kernel.execute_async(f"print {i}", stop_on_error=False) for i in range(3)]
    asked = kernel.send("shell", "complete_request", {"code": "pri", "cursor_pos": 3})
    comm = send(kernel, subshell, "comm_open", {"comm_id": "c", "target_name": "t", "data": {}})
    assert matches(kernel, subshell) == ["after_0_cells"]
    assert kernel.receive("shell", 0) is None
    kernel.ask("interrupt_request", {}, "control")
    replies = [kernel.receive("shell") for _ in range(5)]
    assert [each["parent"] for each in replies] == [running, *later, asked]
    assert [each["content"]["status"] for each in replies] == ["error", "aborted", "aborted", "aborted", "ok"]
    assert "comm_close" in kinds(kernel.outputs(comm))


def test_a_subshell_between_two_cells_sees_the_last_one(kernel):
    subshell = create(kernel)
    assert matches(kernel, subshell) == ["after_0_cells"]
    ok(kernel, "print one")
    assert matches(kernel, subshell) == ["after_1_cells"]
    assert execute(kernel, subshell, "print no")[0]["status"] == "error"
    assert ok(kernel, "print two")  # nothing is aborted by it


def test_a_cell_and_its_subshells_change_places_many_times(kernel):
    subshell = create(kernel)
    for count in range(200):
        running = kernel.execute_async("sleep 1")
        beside = send(kernel, subshell, "complete_request", {"code": "", "cursor_pos": 0})
        replies = {each["parent"]: each["content"] for each in (kernel.receive("shell"), kernel.receive("shell"))}
        assert replies[running]["status"] == "ok" and replies[beside]["matches"][0].startswith("after_"), count


def test_shutdown_while_a_subshell_is_there(kernel):
    create(kernel)
    kernel.begin("print begun\nspin")
    kernel.send("control", "shutdown_request", {"restart": False})
    assert kernel.wait() == 0


@pytest.mark.installed
def test_of_the_installed_kernel(kernel):
    ok(kernel, "__global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }\n__global__ void spin(volatile int* x) { while (*x == 0) {} }")
    ok(kernel, "float numbers[32] = 1; int flag[1] = 0;")
    running = kernel.begin('printf("begun\\n");\nspin<<<1, 1>>>(flag);')
    subshell = create(kernel)
    found = ask(kernel, subshell, "complete_request", {"code": "numb", "cursor_pos": 4})[0]
    assert found["matches"][0] == "numbers"
    page = ask(kernel, subshell, "inspect_request", {"code": "scale", "cursor_pos": 2})[0]["data"]["text/plain"]
    assert "float* x" in page
    reply, outputs = execute(kernel, subshell, "%arrays\n%info scale")
    assert reply["status"] == "ok"
    listed, info = (each["content"]["data"]["text/plain"] for each in outputs if each["msg_type"] == "display_data")
    assert "numbers" in listed and "flag" in listed and "scale(float* x, float a)" in info
    for code, said in (("numbers[0] = 2;", "a subshell runs %arrays and %info"), ("%info sclae", "Did you mean scale?"),
                       ("%arrays\n%free numbers", "a subshell runs"), ("%info", "Usage: %info kernel"), ("%%bash\nls", "a subshell runs"),
                       ("%arrays x", "takes no words"), ("__global__ void k() {}", "a subshell runs"), ("%info scale --blok 3", "--block")):
        reply, outputs = execute(kernel, subshell, code)
        assert reply["status"] == "error" and said in "\n".join(reply["traceback"]), code
        assert "display_data" not in kinds(outputs), code
    assert kernel.receive("shell", 0) is None
    assert interrupted(kernel, running)
    assert text_of(ok(kernel, 'printf("%g\\n", numbers[0]);')) == "1\n"
