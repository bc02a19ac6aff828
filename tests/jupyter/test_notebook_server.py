"""Through jupyter_server and a websocket, as JupyterLab speaks to a kernel: it drops what comes in too many messages."""
import json
import os
import subprocess
import sys
import time
import urllib.request
import uuid

import pytest
import websocket
from raw_client import PATIENCE, free_ports, text_of

TOKEN = uuid.uuid4().hex


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    process = address = None
    while address is None:  # again when another program took the port meanwhile
        address, process = start_server(folder)
    yield address
    process.terminate()
    process.wait(PATIENCE)


def start_server(folder):
    port = free_ports(1)[0]
    with open(folder / "log", "w") as log:
        process = subprocess.Popen([sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", f"--port={port}",
                                    "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}"],
                                   stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "JUPYTER_CONFIG_DIR": str(folder)})
    address = f"127.0.0.1:{port}"
    end = time.monotonic() + 2 * PATIENCE
    while process.poll() is None:
        try:
            ask(address, "GET", "/api/status")
            return address, process
        except OSError:
            assert time.monotonic() < end, (folder / "log").read_text()
            time.sleep(0.1)
    assert "already in use" in (folder / "log").read_text(), (folder / "log").read_text()
    return None, None


def ask(address, method, path, body=None):
    request = urllib.request.Request(f"http://{address}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
                                     headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        return json.loads(reply.read() or "null")


class Browser:
    def __init__(self, address, name):
        self.address = address
        self.id = ask(address, "POST", "/api/kernels", {"name": name})["id"]
        self.connect()

    def connect(self):
        self.session = uuid.uuid4().hex
        address = f"ws://{self.address}/api/kernels/{self.id}/channels?session_id={self.session}&token={TOKEN}"
        self.link = websocket.create_connection(address, timeout=60)

    def send(self, code):
        msg_id = uuid.uuid4().hex
        header = {"msg_id": msg_id, "session": self.session, "username": "", "msg_type": "execute_request", "version": "5.3", "date": ""}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        self.link.send(json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell",
                                   "buffers": []}))
        return msg_id

    def wait_for(self, msg_type):
        while (message := json.loads(self.link.recv()))["msg_type"] != msg_type:
            pass
        return message["content"]

    def execute(self, code):
        """iopub's messages of the cell, as raw_client gives them."""
        msg_id = self.send(code)
        outputs = []
        while True:
            message = json.loads(self.link.recv())
            if message.get("parent_header", {}).get("msg_id") != msg_id or message["channel"] != "iopub":
                continue
            outputs.append({"msg_type": message["msg_type"], "content": message["content"]})
            if message["content"].get("execution_state") == "idle":
                return outputs

    def close(self):
        self.link.close()
        ask(self.address, "DELETE", f"/api/kernels/{self.id}")


@pytest.fixture
def browser(server):
    browser = Browser(server, "xcuda-fake")
    yield browser
    browser.close()


@pytest.mark.parametrize("code, stdout, stderr", [
    ("lines 100000", "".join(f"line {i}\n" for i in range(100_000)), ""),
    ("alternate 20000", "".join(f"{i}\n" for i in range(0, 20_000, 2)), "".join(f"{i}\n" for i in range(1, 20_000, 2))),
    ("slow 3500", "".join(f"{i}\n" for i in range(3500)), ""),
], ids=["lines", "alternate", "slow"])
def test_a_notebook_server_passes_all_of_the_output(browser, code, stdout, stderr):
    outputs = browser.execute(code)
    assert text_of(outputs, "stderr") == stderr
    assert text_of(outputs) == stdout


def test_updates_do_not_exceed_the_rate_of_a_notebook_server(browser):
    outputs = browser.execute("show shown\nupdates 50000")
    assert text_of(outputs, "stderr") == ""
    assert [each["content"]["data"]["text/plain"] for each in outputs if each["msg_type"] == "update_display_data"][-1] == "49999"


def test_interrupt_and_restart_by_the_server(browser, server):
    browser.send("print begun\nspin")
    browser.wait_for("stream")
    ask(server, "POST", f"/api/kernels/{browser.id}/interrupt")
    assert browser.wait_for("execute_reply")["ename"] == "KeyboardInterrupt"

    browser.send("print begun\nspin")
    browser.wait_for("stream")
    ask(server, "POST", f"/api/kernels/{browser.id}/restart")
    browser.link.close()
    browser.connect()  # as JupyterLab does after a restart
    assert text_of(browser.execute("count")) == "1 false true []\n"
