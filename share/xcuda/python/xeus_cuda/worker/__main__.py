"""Enters the worker as src/base/enter_worker.cpp does, and serves the session's requests, one at a time.

While a cell runs, this process asks the session: to show something, for a line of input, for an array. Each such question is an
answer to the session's last message, and the session's next message answers it."""
from __future__ import annotations

import builtins
import ctypes
import getpass
import io
import os
import signal
import sys
from typing import Any

from . import channel
from .gpu import CudaDriverError
from .names import Names
from .share import lends_gpu_memory
from .shell import flush, make_shell

PROTOCOL = 1  # of src/base/worker_protocol.hpp
SOCKET = 3
_PR_SET_PDEATHSIG = 1


def enter() -> channel.Channel:
    session, _, version = os.environ.pop("XCUDA_WORKER", "").partition(":")
    if version != str(PROTOCOL):
        sys.exit("xcuda-python: started by xcuda, and does nothing by itself")
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(session):
        os._exit(0)
    os.set_inheritable(SOCKET, False)
    link = channel.Channel(SOCKET)
    link.send({"hello": "xcuda-python", "protocol": PROTOCOL})
    return link


class Worker:
    def __init__(self, link: channel.Channel) -> None:
        self.link = link
        self.running = False
        self.asking = False
        self.interrupted = False  # while it was asking
        self.leaving = False
        signal.signal(signal.SIGINT, self.interrupt)
        self.shell = make_shell(self.ask)
        self.names = Names(self.shell.space, self.ask_for_message)
        builtins.input = self.input
        getpass.getpass = lambda prompt="Password: ", stream=None: self.input(prompt, echo=False)

    def interrupt(self, *_: Any) -> None:
        if self.asking:
            self.interrupted = True
        elif self.running:
            raise KeyboardInterrupt

    def ask_for_message(self, question: dict[str, Any]) -> channel.Message:
        """Nothing comes between a question and its answer, an interrupt neither. To block the signal is not enough: a thread of some
        library takes it then, and Python calls the handler here all the same."""
        if not self.running:
            raise RuntimeError("the session listens only while a cell of %%python runs; a thread of an earlier cell cannot ask it")
        self.asking = True
        try:
            self.link.send(question)
            message = self.link.receive()
        finally:
            self.asking = False
        if self.interrupted or message.head.get("interrupted"):
            self.interrupted = False
            raise KeyboardInterrupt
        if "error" in message.head:
            raise RuntimeError(message.head["error"])
        return message

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        return self.ask_for_message(question).head

    def input(self, prompt: object = "", *, echo: bool = True) -> str:
        flush()
        return str(self.ask({"event": "input", "prompt": str(prompt), "echo": echo})["text"])

    def serve(self) -> None:
        while True:
            try:
                message = self.link.receive()
            except channel.Closed:
                return
            try:
                reply = self.answer(message)
            except KeyboardInterrupt:  # it came when the cell had just ended
                self.running = False
                reply = {"done": True, "error": None, "held": self.names.held()}
            self.link.send({**reply, "context": self.has_context()})
            if self.leaving:
                os._exit(0)

    def has_context(self) -> bool:
        """Whether Python, here or where arrays were lent to, takes memory of the card for itself."""
        driver = self.names.memory.driver
        return driver is not None and (driver.context is not None or lends_gpu_memory())

    def answer(self, message: channel.Message) -> dict[str, Any]:
        head = message.head
        verb = head["verb"]
        if verb == "run":
            return self.run(head, message.files)
        if verb == "alive":
            return {"done": True}
        if problem := self.update(head, message.files):
            return {"done": True, "failed": problem["evalue"], "held": []}
        try:
            if verb == "complete":
                return {"done": True, **self.shell.complete(head["code"], head["cursor"]), "held": self.names.held()}
            if verb == "inspect":
                return {"done": True, "data": self.shell.inspect(head["code"], head["cursor"], head["detail"]), "held": self.names.held()}
        except Exception as error:  # a property of some object that fails: there is nothing to offer
            return {"done": True, "failed": f"{type(error).__name__}: {error}", "held": self.names.held()}
        return {"done": True, "held": self.names.held()}  # of a release

    def update(self, head: dict[str, Any], files: list[int]) -> Any:
        """The error, if the session's memory cannot be had. Then this process leaves: the session believes that it has it."""
        try:
            self.names.update(head, files)
        except (MemoryError, OSError, CudaDriverError) as problem:
            self.leaving = True
            text = f"cannot map the session's arrays: {problem}"
            return {"ename": type(problem).__name__, "evalue": text, "traceback": [f"{type(problem).__name__}: {text}"]}
        return None

    def run(self, head: dict[str, Any], files: list[int]) -> dict[str, Any]:
        error: Any = self.update(head, files)
        if error is not None:
            return {"done": True, "error": error, "held": []}
        self.interrupted = False
        try:
            self.running = True
            error = self.explained(self.shell.run(head["code"], head["count"]))
            if error is None:
                for name in head["outputs"]:
                    error = error or self.hand_over(name)
        except KeyboardInterrupt:  # between two statements of this file
            error = {"ename": "KeyboardInterrupt", "evalue": "", "traceback": ["KeyboardInterrupt"]}
        finally:
            self.running = False
        flush()
        try:
            self.names.memory.synchronize()
        except CudaDriverError as fault:
            # The context is lost for good, and with it this process; the session's own is not.
            self.leaving = True
            error = {"ename": "CudaDriverError", "evalue": f"{fault}; Python's process ends with it, and no array of the session is lost",
                     "traceback": [*(error or {"traceback": []})["traceback"], f"CudaDriverError: {fault}"]}
        return {"done": True, "error": error, "held": self.names.held()}

    def explained(self, error: Any) -> Any:
        """A name that is missing because NumPy is, or has no type for it."""
        if error is not None and error["ename"] == "NameError" and error["evalue"].count("'") >= 2:
            if reason := self.names.why_absent(error["evalue"].split("'")[1]):
                error["evalue"] += f": {reason}"
                error["traceback"].append(reason)
        return error

    def hand_over(self, name: str) -> Any:
        """-o name: what Python calls so becomes an array of the session."""
        try:
            if name not in self.shell.space:
                raise NameError(f"-o {name}: Python has no variable of this name after the cell")
            self.names.define(name, self.shell.space[name])
        except Exception as problem:
            return {"ename": type(problem).__name__, "evalue": str(problem), "traceback": [f"{type(problem).__name__}: {problem}"]}
        self.shell.space.pop(name)  # from here on the name is the session's array
        self.names.place()
        return None


def main() -> None:
    # Text at once, in any locale: the session passes on what comes.
    for number, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, io.TextIOWrapper(open(number, "wb", closefd=False, buffering=0), "utf-8", "replace", write_through=True))
    link = enter()
    sys.argv = [""]
    Worker(link).serve()


if __name__ == "__main__":
    main()
