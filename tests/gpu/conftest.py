"""A kernel on the GPU machine, as a client has it."""
import os
import re
import subprocess

import pytest
from jupyter_client.manager import start_new_kernel


def gpus():
    """The GPUs of this machine, by UUID."""
    if not os.path.exists("/dev/nvidiactl"):
        return []
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    return re.findall(r"UUID: (GPU-[0-9a-f-]+)", listed)


class Kernel:
    def __init__(self, env=None):
        self.manager, self.client = start_new_kernel(kernel_name="xcuda", startup_timeout=60, env={**os.environ, **(env or {})})

    @property
    def pid(self):
        return self.manager.provisioner.pid

    def run(self, code, timeout=120):
        """(status, text of all outputs)"""
        texts = []

        def hook(message):
            content = message["content"]
            texts.append(content.get("text") or "\n".join(content.get("traceback", [])) or content.get("data", {}).get("text/plain", ""))

        reply = self.client.execute_interactive(code, timeout=timeout, output_hook=hook)
        return reply["content"]["status"], re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(texts))

    def workers(self, name):
        listing = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(self.pid)], capture_output=True, text=True).stdout
        return [int(line.split()[0]) for line in listing.splitlines() if name in line]

    def begin(self, code):
        """Starts a cell that prints "begun" first, and comes back when that is here."""
        msg_id = self.client.execute('printf("begun\\n");\n' + code)
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") == msg_id and message["msg_type"] == "stream":
                return msg_id

    def reply(self, msg_id, timeout=60):
        while True:
            message = self.client.get_shell_msg(timeout=timeout)
            if message["parent_header"]["msg_id"] == msg_id:
                return message["content"]

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def start():
    """Starts kernels, and ends them after the test."""
    kernels = []

    def make(env=None):
        kernels.append(Kernel(env))
        return kernels[-1]

    yield make
    for kernel in kernels:
        kernel.close()
