"""A CUDA C++ session that a Python program drives: cells, arrays, kernels."""
from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import threading
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Union

from ._programs import program
from .worker import channel
from .worker.memory import Piece

Bundle = dict[str, Any]  # MIME type -> content
Extent = Union[int, tuple[int, ...]]
_START_SECONDS = 60


class CudaError(RuntimeError):
    """What ended a cell, in the session's words: `ename`, `evalue` and `traceback` are those of Jupyter's error."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.ename: str = content.get("ename", "")
        self.evalue: str = content.get("evalue", "")
        self.traceback: list[str] = content.get("traceback", [])
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(self.traceback))
        super().__init__(text or f"{self.ename}: {self.evalue}")

    def _render_traceback_(self) -> list[str]:
        """For IPython: the session's own words; the frames of this package say nothing about the cell."""
        return self.traceback


@dataclass
class Result:
    """What a cell has shown."""
    stdout: str = ""
    stderr: str = ""
    displays: list[Bundle] = field(default_factory=list)  # in order, the shown last expression included
    value: Optional[Bundle] = None  # of the last expression

    def __repr__(self) -> str:
        shown = [bundle.get("text/plain", "") for bundle in self.displays]
        return "\n".join(text.rstrip("\n") for text in (self.stdout, *shown) if text)


Show = Callable[[dict[str, Any]], None]  # gets each message of iopub as it comes


class Session:
    """One session, in a process of its own; it ends with `close()`, with the `with` block, or with this program.

    device: "cpu", "gpu:0", ...; by default the first GPU, or the CPU device where there is none.
    """

    def __init__(self, device: Optional[str] = None) -> None:
        try:
            from jupyter_client.kernelspec import KernelSpec
            from jupyter_client.manager import KernelManager
        except ImportError:
            raise ImportError("xeus_cuda.Session needs the package jupyter_client: pip install jupyter_client") from None
        self._folder = tempfile.mkdtemp(prefix="xeus-cuda-")
        self._manager = KernelManager(transport="ipc", connection_file=os.path.join(self._folder, "kernel.json"))
        self._manager._kernel_spec = KernelSpec(argv=[program(), "-f", "{connection_file}"], display_name="CUDA C++", language="cuda",
                                                interrupt_mode="message")
        # The arrays come through a %%python cell, which has to find what this Python has.
        self._manager.start_kernel(env={**os.environ, "XCUDA_PYTHON": sys.executable})
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._owners: weakref.WeakSet[Any] = weakref.WeakSet()
        self._returned: list[int] = []
        self._explained: list[str] = []
        self._close = weakref.finalize(self, _end, self._client, self._manager, self._folder)
        self._client.wait_for_ready(timeout=_START_SECONDS)
        if device is not None:
            self.run(f"%device {device}")

    # --- Cells ---

    def run(self, code: str, show: Optional[Show] = None) -> Result:
        """Runs a cell: CUDA C++, or what a magic of the session makes of it. Raises CudaError."""
        result = Result()

        def take(message: dict[str, Any]) -> None:
            kind, content = message["msg_type"], message["content"]
            if kind == "stream" and content["name"] == "stderr":
                result.stderr += content["text"]
            elif kind == "stream":
                result.stdout += content["text"]
            elif kind in ("display_data", "execute_result"):
                result.displays.append(content["data"])
                if kind == "execute_result":
                    result.value = content["data"]
            if show is not None:
                show(message)

        reply = self._execute(code, take)
        if re.search(r"^\s*%device\s+\S", code, re.M):
            for owner in self._owners:
                owner.stale = "its elements moved to another device"
        if reply["status"] != "ok":
            raise CudaError(reply)
        return result

    def _execute(self, code: str, take: Show) -> dict[str, Any]:
        if not self._close.alive:
            raise RuntimeError("this session is closed")
        with _forwarded_interrupts(self._process()) as interrupted:
            message = self._client.execute_interactive(code, store_history=False, allow_stdin=False, output_hook=take)
        content: dict[str, Any] = message["content"]
        if interrupted and content["status"] != "ok":
            raise KeyboardInterrupt
        return content

    def _process(self) -> int:
        provisioner: Any = self._manager.provisioner
        return int(provisioner.pid)

    def close(self) -> None:
        """Ends the session. Arrays that Python has of it keep their elements."""
        self._close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- Arrays and scalars ---

    def __getitem__(self, name: str) -> Any:
        """An array of the session as a NumPy array over the same memory (on a GPU: a copy); or a scalar."""
        _check_name(name)
        with self._listener() as link:
            arguments = f"xcuda, {name!r}, {link.getsockname()!r}, {self._take_returned()}"
            try:
                self.run(f"%%python\nfrom xeus_cuda.worker import share as _share\n_share.lend({arguments})")
            except CudaError as error:
                if error.ename == "AttributeError":  # on a GPU, or no array
                    return self._copied_out(name)
                raise
            return self._received(link)

    def _received(self, link: socket.socket) -> Any:
        from .worker.arrays import Owner, dtype_of
        connection, _ = link.accept()
        lane = channel.Channel(connection.detach())
        message = lane.receive()
        head = message.head
        piece = Piece(head["address"], head["size"], message.files[0])
        dtype = dtype_of(head["entry"]["type"])
        owner = Owner(head["entry"], piece, f"|V{dtype.itemsize}")
        self._owners.add(owner)
        weakref.finalize(owner, self._returned.append, head["token"])
        return owner.array(dtype)

    def _take_returned(self) -> list[int]:
        taken = list(self._returned)
        del self._returned[:len(taken)]
        return taken

    @contextlib.contextmanager
    def _listener(self) -> Iterator[socket.socket]:
        path = os.path.join(self._folder, "arrays")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.bind(path)
            try:
                link.listen(1)
                yield link
            finally:
                os.unlink(path)

    def _copied_out(self, name: str) -> Any:
        import numpy as np
        path = os.path.join(self._folder, "out.npy")
        try:
            self.run(f'%save {name} "{path}"')
            return np.load(path)
        except CudaError as error:
            value = self.run(f"%%python\n_value = xcuda.{name}\nprint(repr(_value.item() if hasattr(_value, 'item') else _value))") if _is_scalar(self, name) else None
            if value is None:
                raise KeyError(f"the session has no array or scalar named {name}") from error
            import ast
            return ast.literal_eval(value.stdout.strip())
        finally:
            Path(path).unlink(missing_ok=True)

    def __setitem__(self, name: str, value: Any) -> None:
        """Makes an array of the session, copied once, or a host variable of a number."""
        import numpy as np
        from .worker.arrays import as_array
        _check_name(name)
        array = as_array(value, name)
        if array.ndim == 0:
            self.run(f"%%python\nxcuda.{name} = {array.item()!r}" if array.dtype == np.asarray(array.item()).dtype
                     else f"%%python\nimport numpy as _numpy\nxcuda.{name} = _numpy.{array.dtype.name}({array.item()!r})")
            return
        path = os.path.join(self._folder, "in.npy")
        try:
            np.save(path, np.ascontiguousarray(array))
            self.run(f'auto {name} = load("{path}");')
        finally:
            Path(path).unlink(missing_ok=True)

    # --- Kernels ---

    def kernel(self, name: str) -> "Kernel":
        """A kernel of the session: kernel[grid, block](arguments) launches it and waits for its end."""
        return Kernel(self, name)

    def explain(self) -> str:
        """How each argument of the last launch reached the device."""
        return "\n".join(self._explained) or "nothing has been launched by kernel(...)[...](...) yet"


@dataclass(frozen=True)
class Kernel:
    session: Session
    name: str

    def __getitem__(self, shape: Union[Extent, tuple[Any, ...]]) -> Callable[..., None]:
        """[grid, block] or [grid, block, bytes of dynamic shared memory]; an extent is a number or up to three."""
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 3:
            raise TypeError(f"{self.name}[grid, block] takes a grid and a block, got {shape!r}")
        configuration = ", ".join([_extent(shape[0]), _extent(shape[1]), *(str(int(each)) for each in shape[2:])])

        def launch(*arguments: Any) -> None:
            self._launch(configuration, arguments)
        return launch

    def _launch(self, configuration: str, arguments: tuple[Any, ...]) -> None:
        parameters = self._parameters()
        texts, back, told, temporary = [], [], [], []
        for position, value in enumerate(arguments):
            parameter = parameters[position] if position < len(parameters) else ""
            label = f"{position + 1}. {parameter or 'argument'}"
            if (text := _number(value)) is not None:
                texts.append(text)
                told.append(f"{label}: by value, {text}")
            elif (owner := getattr(value, "_owner", None)) is not None and owner in self.session._owners:
                owner.check()
                texts.append(owner.name)
                told.append(f"{label}: the session's array {owner.name}, no copy")
            else:
                name = f"xcuda_argument_{position}"
                self.session[name] = value
                temporary.append(name)
                texts.append(name)
                constant = re.search(r"\bconst\b[^*]*\*", parameter) is not None
                if not constant:
                    back.append((name, value))
                told.append(f"{label}: copied in" + ("" if constant else ", and back"))
        try:
            self.session.run(f"{self.name}<<<{configuration}>>>({', '.join(texts)});")
            for name, value in back:
                value[...] = self.session[name]
        finally:
            if temporary:
                self.session.run(f"%free {' '.join(temporary)}")
        self.session._explained[:] = told

    def _parameters(self) -> list[str]:
        """As the kernel's signature writes them; empty where it is not known."""
        plain = self.name.split("<")[0]
        content = self.session._client.complete(plain, len(plain), reply=True, timeout=_START_SECONDS)["content"]
        for match in content.get("metadata", {}).get("_jupyter_types_experimental", []):
            if match["text"] == plain and match["type"] == "kernel" and "(" in match["signature"]:
                inside = match["signature"].split("(", 1)[1].rsplit(")", 1)[0]
                return [part.strip() for part in re.split(r",(?![^<(]*[>)])", inside)]
        return []


@contextlib.contextmanager
def _forwarded_interrupts(process: int) -> Iterator[list[int]]:
    """Ctrl-C ends the cell, and the wait with it: the session answers. The list says whether there was one."""
    seen: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return

    def forward(number: int, _: Any) -> None:
        seen.append(number)
        os.kill(process, number)
    before = signal.signal(signal.SIGINT, forward)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def _is_scalar(session: Session, name: str) -> bool:
    try:
        session.run(f"%%python\nxcuda.{name}")
        return True
    except CudaError:
        return False


def _end(client: Any, manager: Any, folder: str) -> None:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    shutil.rmtree(folder, ignore_errors=True)


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"{name!r} is not a name in C++")


def _extent(extent: Extent) -> str:
    numbers = extent if isinstance(extent, tuple) else (extent,)
    if not 1 <= len(numbers) <= 3:
        raise TypeError(f"an extent has one to three numbers, got {extent!r}")
    return str(int(numbers[0])) if len(numbers) == 1 else f"dim3({', '.join(str(int(each)) for each in numbers)})"


def _number(value: Any) -> Optional[str]:
    """A literal of C++; nothing for what is an array."""
    if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:
        if str(value.dtype) == "float32":
            return f"{float(value)!r}f" if float("-inf") < float(value) < float("inf") else f"(float){_number(float(value))}"
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value}" if -(1 << 31) < value < 1 << 31 else f"{value}ll" if value < 1 << 63 else f"{value}ull"
    if isinstance(value, float):
        if value != value:
            return "nan(\"\")"
        return repr(value) if abs(value) != float("inf") else "INFINITY" if value > 0 else "-INFINITY"
    return None
