"""The installed kernel over raw sockets: the language's promises as a client sees them."""
import contextlib
import json
import os
import pathlib
import signal
import time

import numpy as np
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from processes import device_processes, strike, wait_until_gone, workers
from raw_client import PATIENCE, fails, ok, text_of

pytestmark = pytest.mark.installed

SAXPY = "__global__ void saxpy(float a, const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += a * x[i];\n}"


def spinning(kernel, code):
    return kernel.begin('printf("begun\\n");\n' + code)


def test_kernel_info_needs_no_worker(start, real):
    """With a toolkit nowhere and no device, kernel_info and host statements are answered."""
    kernel = start(real, env={"CUDA_HOME": "/nonexistent", "CUDA_PATH": "", "CUDA_VISIBLE_DEVICES": ""})
    assert kernel.ask("kernel_info_request", {})["language_info"]["name"] == "cuda"
    assert text_of(ok(kernel, 'printf("%d\\n", 6 * 7);')) == "42\n"


def test_vs_code_takes_the_kernel_for_the_notebook_and_runs_its_cells(start, real):
    """VS Code takes the name of language_info, in small letters, and finds the kernel by the language of its kernel.json. A name that it has
    among its own languages of notebooks limits the kernel to cells of that language; *CUDA C++*, cuda-cpp there, would not run then."""
    name = start(real).ask("kernel_info_request", {})["language_info"]["name"]
    assert KernelSpecManager().get_kernel_spec("xcuda").language == name == name.lower()
    assert name not in {"python", "r", "julia", "c++", "cpp", "c", "c#", "f#", "q#", "powershell", "java", "scala", "haskell", "bash", "cling", "rust", "sas", "sos", "ocaml"}


def test_an_id_is_of_one_cell(kernel):
    """A client updates every output that has a display id: those of two cells differ, also after a restart."""
    def ids(outputs, kind):
        return [message["content"]["transient"]["display_id"] for message in outputs if message["header"]["msg_type"] == kind]

    first = ok(kernel, "float u[4][4] = arange();\nfor (int i = 0; i < 3; ++i) {\n  u = u + 1;\n  %image u --id live\n}")
    second = ok(kernel, "%image u --id live")
    made = ids(first, "display_data")
    assert len(made) == 2  # the image and its scale
    assert set(ids(first, "update_display_data")) == set(made)
    assert len(set(made + ids(second, "display_data"))) == 4
    assert ids(second, "update_display_data") == []


@pytest.mark.parametrize("colab", [False, True], ids=["one page", "a frame for each cell"])
def test_outputs_share_their_styles_where_they_share_a_page(start, real, colab):
    kernel = start(real, env={"COLAB_RELEASE_TAG": "release"} if colab else {})
    shown = [ok(kernel, code)[-1]["content"]["data"]["text/html"] for code in ("int u[4] = arange();\nu", "u[0:2]")]
    assert [html.count("<style>") for html in shown] == ([1, 1] if colab else [1, 0])
    assert all('<div class="xcuda">' in html for html in shown)


@pytest.mark.timeout(120)
def test_saxpy(kernel):
    ok(kernel, SAXPY)
    ok(kernel, "const int n = 1000;\nfloat x[n] = arange(), y[n] = 1;")
    ok(kernel, "saxpy<<<(n + 255) / 256, 256>>>(2.0f, x, y, n);")
    outputs = ok(kernel, "y[10]")
    assert outputs[-1]["msg_type"] == "execute_result"
    assert outputs[-1]["content"]["data"]["text/plain"] == "21.0"
    shown = ok(kernel, "y")[-1]["content"]["data"]
    assert "float32" in shown["text/plain"] and "text/html" in shown
    assert shown["application/vnd.xcuda.array+json"]["schema"] == 1


@pytest.mark.timeout(120)
def test_a_compile_error_has_its_place(kernel):
    reply = fails(kernel, "__global__ void f(int* p) {\n  *p = undefined_name;\n}")
    text = "\n".join(reply["traceback"])
    assert "undefined_name" in text and "^" in text and "2" in text
    assert kernel.execute("1 + 1")[0]["status"] == "ok"


@pytest.mark.parametrize("code", ["%nonsense", "int n = ;", "undefined_name", "assert(1 == 2);", "int a[-1];", "\"unterminated",
                                  "f<<<1, 1>>>();", "int n = 1 / 0;", "a\0b"])
def test_wrong_cells_are_one_error(kernel, code):
    reply = fails(kernel, code)
    assert reply["evalue"] and reply["traceback"]
    assert text_of(ok(kernel, 'printf("still here\\n");')) == "still here\n"


def test_an_endless_loop_is_interrupted(kernel):
    msg_id = spinning(kernel, "while (true) {}")
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"
    assert text_of(kernel.outputs(msg_id), "stderr") == ""
    ok(kernel, "1 + 1")


def test_sigint_interrupts(kernel):
    msg_id = spinning(kernel, "for (int i = 0; ; ++i) {}")
    kernel.process.send_signal(signal.SIGINT)
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"


@pytest.mark.timeout(180)
def test_an_endless_kernel_is_interrupted_and_arrays_stay(kernel):
    ok(kernel, "__global__ void forever(volatile int* p) { while (*p == 0) {} }\nint zero[1];\nint kept[1000] = arange();")
    msg_id = spinning(kernel, "forever<<<1, 1>>>(zero);")
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"
    assert ok(kernel, "kept[999]")[-1]["content"]["data"]["text/plain"] == "999"


LOST = pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP], ids=lambda each: each.name)


def test_workers_are_in_a_sandbox(kernel, tmp_path):
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("builds with a sanitizer have no sandbox")
    np.save(tmp_path / "x.npy", np.arange(8))
    ok(kernel, f'{SAXPY}\nfloat x[100] = arange(), y[100] = 0;\nsaxpy<<<1, 100>>>(1.0f, x, y, 100);\nauto z = load("{tmp_path}/x.npy");')
    seen = set()
    for pid in workers(kernel):
        fields = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
        seen.add(fields["Name"])
        assert (fields["Seccomp"], fields["NoNewPrivs"]) == ("2", "1"), fields["Name"]
    assert {"xcuda-compile", "xcuda-files"} < seen


@LOST
@pytest.mark.timeout(180)
def test_a_worker_lost_while_idle_costs_nothing(kernel, how):
    ok(kernel, SAXPY + "\n__device__ int counter = 5;\n__global__ void count(int* n) { *n = ++counter; }\nint n[1];\n"
       "float x[100] = arange(), y[100] = 0;\nsaxpy<<<1, 100>>>(1.0f, x, y, 100);\ncount<<<1, 1>>>(n);")
    for code, value in [("y[3]", "3.0"), ("saxpy<<<1, 100>>>(1.0f, x, y, 100);\ny[3]", "6.0"), ("count<<<1, 1>>>(n);\nn[0]", "7"),
                        ("counter", "7"), ("__global__ void g%d(float* p) { *p = 1; }\ng%d<<<1, 1>>>(y);\ny[0]" % (how, how), "1.0"),
                        ("float z[1 << 20] = 2;\nz[5]", "2.0"), ("6 * 7", "42")]:
        strike(kernel, how)
        assert ok(kernel, code)[-1]["content"]["data"]["text/plain"] == value, code


@pytest.mark.timeout(180)
def test_workers_killed_again_and_again_cost_nothing(kernel):
    ok(kernel, "int a[10] = arange();")
    for _ in range(5):
        strike(kernel, signal.SIGKILL)
        strike(kernel, signal.SIGKILL)
        assert ok(kernel, "a[7]")[-1]["content"]["data"]["text/plain"] == "7"


@pytest.mark.timeout(180)
def test_workers_killed_as_fast_as_they_start_cost_the_cell(kernel):
    """A device is given up after a few attempts; the next cell, when nobody kills any more, tries again."""
    ok(kernel, "__global__ void bump(int* p) { p[threadIdx.x] += 1; }\nint a[10] = arange(), b[10];\nbump<<<1, 10>>>(b);")
    for _ in range(3):
        cell = kernel.execute_async("for (int i = 0; i < 100; ++i) bump<<<1, 10>>>(b);\nb[3]")
        while kernel.reply(cell, timeout=0.001) is None:
            for pid in workers(kernel):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        ok(kernel, "bump<<<1, 10>>>(b);\nassert(b[3] > 0 && a[7] == 7);")


@LOST
@pytest.mark.timeout(180)
def test_workers_lost_while_they_start_cost_nothing(start, real, how):
    kernel = start(real)
    strike(kernel, how)
    ok(kernel, SAXPY + "\nfloat x[100] = arange(), y[100] = 0;\nsaxpy<<<1, 100>>>(1.0f, x, y, 100);\nassert(y[3] == 3);")


@LOST
@pytest.mark.timeout(180)
def test_a_worker_lost_between_two_statements_costs_nothing(kernel, how):
    ok(kernel, SAXPY + "\n__device__ int counter = 5;\nfloat x[100] = arange(), y[100] = 0;")
    kill = f"!kill -{how.value} {' '.join(map(str, workers(kernel)))}"
    ok(kernel, f"saxpy<<<1, 100>>>(1.0f, x, y, 100);\n{kill}\nsaxpy<<<1, 100>>>(1.0f, x, y, 100);\nassert(y[3] == 6 && counter == 5);")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("posts", ["int copied[8] = 1;", "a = 1;", "auto c = a;", "cudaMemcpy(b, a, 40, cudaMemcpyDeviceToDevice);", "a = a + b;", "nothing<<<1, 1>>>();"])
def test_an_endless_loop_of_posts_notices_that_its_worker_is_gone(kernel, posts):
    ok(kernel, "__global__ void nothing() {}\nint a[10] = arange(), b[10], kept[10] = arange(5);")
    msg_id = spinning(kernel, f"for (;;) {{ {posts} }}")
    reply = None
    while reply is None:  # a worker lost before the first post is replaced, and the loop goes on; the test's time limit is what fails it
        strike(kernel, signal.SIGKILL)
        reply = kernel.reply(msg_id, timeout=5)
    assert "device process died" in reply["content"]["evalue"]
    ok(kernel, "assert(kept[9] == 14);")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("how", ["shutdown", "SIGTERM", "SIGKILL"])
def test_no_worker_outlives_the_kernel(kernel, how):
    ok(kernel, SAXPY + "\nfloat x[100] = arange(), y[100];\nsaxpy<<<1, 100>>>(1.0f, x, y, 100);")
    pids = workers(kernel)
    assert pids
    if how == "shutdown":
        kernel.ask("shutdown_request", {"restart": False}, "control")
    else:
        kernel.process.send_signal(getattr(signal, how))
    assert kernel.wait() == (-signal.SIGKILL if how == "SIGKILL" else 0)
    wait_until_gone(pids)


def test_children_get_the_signals_back(kernel):
    lines = text_of(ok(kernel, "!grep -E '^Sig(Blk|Ign)' /proc/self/status")).split()
    fields = dict(zip(lines[::2], lines[1::2]))
    for signal_ in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        assert int(fields["SigBlk:"], 16) & (1 << (signal_ - 1)) == 0
        assert int(fields["SigIgn:"], 16) & (1 << (signal_ - 1)) == 0


def test_a_shell_command_is_interrupted(kernel):
    msg_id = spinning(kernel, "!sleep 1000")
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"


def test_100000_lines(kernel):
    outputs = ok(kernel, 'for (int i = 0; i < 100000; ++i) printf("line %d\\n", i);')
    assert text_of(outputs) == "".join(f"line {i}\n" for i in range(100_000))


@pytest.mark.timeout(180)
def test_device_printf_reaches_the_cell_that_launched_it(kernel):
    ok(kernel, '#include <cstdio>\n__global__ void hello() { printf("from thread %d\\n", (int)threadIdx.x); }')
    assert sorted(text_of(ok(kernel, "hello<<<1, 4>>>();")).splitlines()) == [f"from thread {i}" for i in range(4)]


def test_completion_has_types(kernel):
    ok(kernel, "float field[10];")
    reply = kernel.ask("complete_request", {"code": "float é = fie", "cursor_pos": 13})
    assert "field" in reply["matches"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (10, 13)
    types = {each["text"]: each["type"] for each in reply["metadata"]["_jupyter_types_experimental"]}
    assert types["field"] == "array"


def test_user_expressions(kernel):
    ok(kernel, "int n = 6;")
    reply, _ = kernel.execute("n *= 7;", user_expressions={"n": "n", "bad": "no_such_name"})
    assert reply["user_expressions"]["n"]["data"]["text/plain"] == "42"
    assert reply["user_expressions"]["bad"]["status"] == "error"


ERROR = "application/vnd.xcuda.error+json"


def test_an_error_has_a_json_form_in_its_reply(kernel):
    """And nowhere else: clients save the `error` message, and the notebook format has no place in it."""
    reply, outputs = kernel.execute("int n = 1 / 0;")
    assert set(outputs[-1]["content"]) == {"ename", "evalue", "traceback"}
    data = reply["data"]
    assert set(data) == {"text/plain", "text/html", ERROR}
    form = data[ERROR]
    assert form["schema"] == 1
    assert (form["ename"], form["evalue"]) == (reply["ename"], reply["evalue"])
    assert form["place"]["source"] == "In[1]" and form["place"]["line"] == 1
    assert "\x1b" not in data["text/plain"]

    form = fails(kernel, "__global__ void f(int* p) {\n  *p = undefined_name;\n}")["data"][ERROR]
    assert [each["place"]["line"] for each in form["diagnostics"] if each["severity"] == "error"] == [2]

    ok(kernel, "__global__ void g(int* p) { p[threadIdx.x + 4] = 1; }\nint x[4];")
    form = fails(kernel, "g<<<1, 4>>>(x);")["data"][ERROR]
    assert form["fault"]["kind"] == "out of bounds" and form["fault"]["array"] == "x"

    reply, _ = kernel.execute("", user_expressions={"bad": "no_such_name"})
    bad = reply["user_expressions"]["bad"]
    assert bad["data"][ERROR]["evalue"] == bad["evalue"]
    assert kernel.ask("complete_request", {"code": 1})["data"][ERROR]["ename"] == "ValueError"


@pytest.mark.parametrize("silent", [False, True])
def test_requests_without_a_cell_of_their_own_show_what_they_print(kernel, silent):
    """Of user_expressions, and of a cell that shows nothing, each statement that writes somewhere."""
    ok(kernel, "int n = 6;\nfloat x[4] = arange();")
    expressions = {"a": 'printf("%d\\n", n)', "b": "assert(n == 7)", "c": "x[9]", "d": "x", "e": "sum(x)", "f": "n = 7",
                   "g": "no_such_name", "h": "%help", "i": "", "j": "x +", "k": "printf(\"%s\\n\", 3)", "l": "x.shape"}
    reply, outputs = kernel.execute("n;", user_expressions=expressions, silent=silent)
    assert reply["status"] == "ok"
    values = reply["user_expressions"]
    assert set(values) == set(expressions)
    assert [values[name]["status"] for name in "abcdef"] == ["ok", "error", "error", "ok", "ok", "ok"]
    assert text_of(outputs) == ("" if silent else "6\n")
    assert ok(kernel, "n")[-1]["content"]["data"]["text/plain"] == "7"

    cell = 'printf("x\\n");\nx?\n%help saxpy\n%lsmagic\n!echo hello\nx\n'
    reply, outputs = kernel.execute(cell, silent=True)
    assert outputs == []
    for kind in ("comm_open", "comm_msg", "comm_close"):
        kernel.send("shell", kind, {"comm_id": "c", "target_name": "jupyter.widget", "data": {}})
    for request in ("complete_request", "inspect_request"):
        assert kernel.ask(request, {"code": "x", "cursor_pos": 1, "detail_level": 1})["status"] == "ok"
    assert kernel.alive()


def test_user_expressions_before_anything_else(kernel):
    """The first use of the device, too."""
    reply, outputs = kernel.execute("", user_expressions={"a": 'printf("first\\n")', "b": "1 + 1", "c": "zeros"})
    assert reply["user_expressions"]["b"]["data"]["text/plain"] == "2"
    assert text_of(outputs) == "first\n"


def test_an_interrupt_ends_long_user_expressions(kernel):
    """Each takes a while on the device; together they take minutes."""
    ok(kernel, "float x[1 << 22] = arange();")
    expressions = {f"{i:03}": "sum(sort(sin(x)))" for i in range(256)}
    msg_id = kernel.execute_async('printf("begun\\n");', user_expressions=expressions)
    while (reply := kernel.reply(msg_id, timeout=0.2)) is None:
        kernel.reply(kernel.send("control", "interrupt_request", {}), "control")
    values = reply["content"]["user_expressions"]
    assert len(values) == 256
    assert values["255"]["ename"] == "KeyboardInterrupt"
    assert ok(kernel, "x[5]")[-1]["content"]["data"]["text/plain"] == "5.0"


def test_every_request_is_answered_whatever_the_code(kernel):
    codes = ["", "\n", "%", "%%", "?", "!", "x?", "\0", "é" * 1000, "(" * 1000, "{" * 1000, "a<<<", "//", "/*", "'", "\\"]
    for code in codes:
        for cursor in (0, len(code) // 2, len(code)):
            for msg_type in ("complete_request", "inspect_request", "is_complete_request"):
                assert kernel.ask(msg_type, {"code": code, "cursor_pos": cursor})["status"] != "error", (msg_type, code[:20])
    assert kernel.alive()


def test_the_outputs_are_json_with_a_schema(kernel):
    bundle = ok(kernel, "float x[4] = arange();\nx")[-1]["content"]["data"]
    for mime, value in bundle.items():
        if mime.startswith("application/vnd.xcuda"):
            assert value["schema"] == 1 and json.dumps(value)
    assert any(mime.startswith("application/vnd.xcuda") for mime in bundle)


def test_an_idle_kernel_gives_its_device_back_and_keeps_the_arrays(kernel):
    ok(kernel, "__device__ int counter = 4;\n__global__ void count(int* x) { x[1] = ++counter; }\nint x[2] = {7, 8};\ncount<<<1, 1>>>(x);")
    assert device_processes(kernel)
    ok(kernel, "%config idle 0.001")
    end = time.monotonic() + PATIENCE
    while device_processes(kernel):
        assert time.monotonic() < end, "the device's process is still there"
        time.sleep(0.02)
    ok(kernel, "count<<<1, 1>>>(x);\nassert(x[0] == 7 && x[1] == 6);")


def test_completion_of_structs_says_their_types_and_not_their_bytes(kernel):
    ok(kernel, "struct Grid { int width, height; float cell(int i) const { return i; } };\nGrid grid_of = {2, 3};")
    matches = {}
    for code in ("grid_o", "grid_of."):
        reply = kernel.ask("complete_request", {"code": code, "cursor_pos": len(code)})
        matches |= {each["text"]: each["signature"] for each in reply["metadata"]["_jupyter_types_experimental"]}
    assert matches == {"grid_of": "Grid", "width": "int width, height", "height": "int width, height", "cell": "float cell(int i) const"}
    reply = kernel.ask("inspect_request", {"code": "grid_of", "cursor_pos": 3, "detail_level": 0})
    assert "Grid grid_of" in reply["data"]["text/plain"] and "=" not in reply["data"]["text/plain"].split("\n")[0]
