"""The whole of jupyter_kernel_test, on the scripted kernel and on the real one, and the other clients on the real one."""
import subprocess
import sys

import jupyter_kernel_test
import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from raw_client import PATIENCE


class Patient:
    """The suite gives a message on iopub 0.1 s, and takes what comes later for the next test's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        iopub = cls.kc.iopub_channel
        receive = iopub.get_msg
        iopub.get_msg = lambda timeout=None: receive(timeout=max(timeout or 0, PATIENCE))

    def flush_channels(self):
        msg_id = self.kc.kernel_info()  # what is older comes before its answer
        for receive, is_last in ((self.kc.get_shell_msg, lambda message: message["msg_type"] == "kernel_info_reply"),
                                 (self.kc.get_iopub_msg, lambda message: message["content"].get("execution_state") == "idle")):
            while True:
                message = receive(timeout=PATIENCE)
                if message["parent_header"].get("msg_id") == msg_id and is_last(message):
                    break


class FakeSuite(Patient, jupyter_kernel_test.KernelTests):
    kernel_name = "xcuda-fake"
    language_name = "cuda"
    file_extension = ".cu"
    code_hello_world = "print hello, world"
    code_stderr = "printerr oops"
    completion_samples = [{"text": "pri", "matches": {"print", "printerr"}}]
    complete_code_samples = ["print x"]
    incomplete_code_samples = ["print {"]
    invalid_code_samples = ["print !"]
    code_page_something = "page help"
    code_generate_error = "fail boom"
    code_execute_result = [{"code": "result 6", "result": "6"}, {"code": "result 7", "result": "7"}]
    code_display_data = [{"code": "display x", "mime": "text/plain"}]
    code_history_pattern = "result 6*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "print"


class FakeIopub(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "xcuda-fake"
    support_iopub_welcome = True


@pytest.mark.usefixtures("real")
class RealSuite(Patient, jupyter_kernel_test.KernelTests):
    kernel_name = "xcuda"
    language_name = "cuda"
    file_extension = ".cu"
    code_hello_world = 'printf("hello, world\\n");'
    code_stderr = "!echo oops >&2"
    completion_samples = [{"text": "%lsmag", "matches": {"%lsmagic"}}, {"text": "__syncthreads_o", "matches": {"__syncthreads_or"}}]
    complete_code_samples = ["int n = 1;", "__global__ void f(float* x) { x[0] = 1; }", "%lsmagic", "1 + 1"]
    incomplete_code_samples = ["__global__ void f(float* x) {", "int n = (1 +", "for (int i = 0; i < 3; ++i) {", "/* a comment"]
    invalid_code_samples = ["int n = 1);", "}"]
    code_page_something = "%launch?"
    code_generate_error = "nothing_of_this_name;"
    code_execute_result = [{"code": "1 + 2", "result": "3"}, {"code": "6 * 7", "result": "42"}]
    code_display_data = [{"code": "float shown[4];\n%arrays", "mime": "text/html"}, {"code": "%device", "mime": "text/plain"}]
    code_history_pattern = "1 +*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "%launch"


@pytest.mark.usefixtures("real")
class RealIopub(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "xcuda"
    support_iopub_welcome = True


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells])


@pytest.mark.parametrize("name, cells, text", [
    ("xcuda-fake", ("print hello", "result 42"), "hello\n"),
    ("xcuda", ('printf("hello\\n");', "6 * 7"), "hello\n"),
])
def test_nbclient(name, cells, text, request):
    if name == "xcuda":
        request.getfixturevalue("real")
    book = notebook(*cells)
    NotebookClient(book, kernel_name=name, timeout=120).execute()
    assert book.cells[0].outputs[0].text == text
    assert book.cells[1].outputs[0].data["text/plain"] == "42"
    assert [cell.execution_count for cell in book.cells] == [1, 2]


def test_nbclient_stops_at_an_error_unless_the_cell_says_otherwise():
    with pytest.raises(CellExecutionError, match="boom"):
        NotebookClient(notebook("fail boom", "print after"), kernel_name="xcuda-fake").execute()
    book = notebook("fail boom", "print after")
    book.cells[0].metadata["tags"] = ["raises-exception"]
    NotebookClient(book, kernel_name="xcuda-fake").execute()
    assert book.cells[0].outputs[0].ename == "FakeError"
    assert book.cells[1].outputs[0].text == "after\n"


def test_nbclient_interrupts_a_cell_that_takes_too_long():
    book = notebook("spin", "print after")
    with pytest.raises(CellExecutionError, match="KeyboardInterrupt"):
        NotebookClient(book, kernel_name="xcuda-fake", timeout=1, interrupt_on_timeout=True).execute()


def test_nbclient_gets_all_of_100000_lines():
    book = notebook("lines 100000")
    NotebookClient(book, kernel_name="xcuda-fake").execute()
    assert "".join(output.text for output in book.cells[0].outputs) == "".join(f"line {i}\n" for i in range(100_000))


@pytest.mark.parametrize("name, code", [("xcuda-fake", "print hello\nresult 42"), ("xcuda", 'printf("hello\\n"); 6 * 7')])
def test_nbconvert_writes_a_page(name, code, tmp_path, request):
    if name == "xcuda":
        request.getfixturevalue("real")
    path = tmp_path / "book.ipynb"
    book = notebook(code)
    book.metadata["kernelspec"] = {"name": name, "display_name": name, "language": "cuda"}
    nbformat.write(book, path)
    done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute", str(path)], capture_output=True,
                          text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "XEUS" not in done.stdout + done.stderr
    page = path.with_suffix(".html").read_text()
    assert "hello" in page and "42" in page


@pytest.mark.parametrize("transport", ["tcp", "ipc"])
@pytest.mark.parametrize("name, code", [("xcuda-fake", "print hello"), ("xcuda", 'printf("hello\\n");')])
def test_jupyter_console(name, code, transport, request):
    if name == "xcuda":
        request.getfixturevalue("real")
    done = subprocess.run([sys.executable, "-m", "jupyter_console", "--kernel", name, "--simple-prompt", f"--ConnectionFileMixin.transport={transport}"],
                          input=code + "\nexit\n", capture_output=True, text=True, timeout=240)
    assert "hello" in done.stdout, done.stderr


def test_restart_with_jupyter_client():
    from jupyter_client.manager import start_new_kernel
    manager, client = start_new_kernel(kernel_name="xcuda-fake")
    try:
        client.execute("print x", reply=True, timeout=20)
        client.execute("spin")
        manager.restart_kernel()
        client.wait_for_ready(timeout=20)
        assert client.execute("print x", reply=True, timeout=20)["content"]["execution_count"] == 1
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
