"""A CUDA C++ session that a Python program drives: cells, arrays, kernels."""
from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import sys
import threading
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence, Union

from ._folder import SessionFolder
from ._programs import program
from .worker import channel
from .worker.gpu import CudaDriverError, Driver, GpuArray, GpuPiece, Source, shared_by_ipc
from .worker.memory import Piece

if TYPE_CHECKING:
    from .kernels import Kernel

Bundle = dict[str, Any]  # MIME type -> content
START_SECONDS = 60
AGAIN = 'session["{}"]'  # what gives a stale array as it is now


class CudaError(RuntimeError):
    """What ended a cell, in the session's words: `ename`, `evalue` and `traceback` are those of Jupyter's error. `unknown` has the
    names that the session refused the cell for, before any of it ran."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.unknown = _unknown_names(content.get("data", {}).get("application/vnd.xcuda.error+json", {}))
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
        self._folder = SessionFolder()
        self._manager = KernelManager(transport="ipc", connection_file=os.path.join(self._folder.path, "kernel.json"))
        self._manager._kernel_spec = KernelSpec(argv=[program(), "-f", "{connection_file}"], display_name="CUDA C++", language="cuda",
                                                interrupt_mode="message")
        # The arrays come through a %%python cell, which has to find what this Python has.
        self._manager.start_kernel(env={**os.environ, "XCUDA_PYTHON": sys.executable})
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._owners: weakref.WeakSet[Any] = weakref.WeakSet()
        self._returned: list[int] = []
        self._drivers: dict[int, Driver] = {}  # by the GPU's number
        self._told: list[str] = []  # of the last launch
        self._ordinal: Optional[int] = None  # of the session's GPU, once it was asked for
        self._close = weakref.finalize(self, _end, self._client, self._manager, self._folder)
        self._client.wait_for_ready(timeout=START_SECONDS)
        if device is not None:
            self._run(f"%device {device}")

    # --- Cells ---

    def run(self, code: str, show: Optional[Show] = None) -> Result:
        """Runs a cell: CUDA C++, or what a magic of the session makes of it. Raises CudaError."""
        return self._run(code, show, numbered=True)

    def _run(self, code: str, show: Optional[Show] = None, *, numbered: bool = False) -> Result:
        """numbered: a cell of the user's, which errors and the session's history call In[1], In[2], ..."""
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

        reply = self._execute(code, take, numbered)
        if re.search(r"^\s*%device\s+\S", code, re.M):
            self._ordinal = None
            from .worker.arrays import MOVED
            for owner in self._owners:
                owner.outdate(MOVED)
                owner.piece.freeze()
        if reply["status"] != "ok":
            raise CudaError(reply)
        return result

    def _execute(self, code: str, take: Show, numbered: bool) -> dict[str, Any]:
        self._check_open()
        with _forwarded_interrupts(self._process()) as interrupted:
            message = self._client.execute_interactive(code, store_history=numbered, allow_stdin=False, output_hook=take)
        content: dict[str, Any] = message["content"]
        if interrupted and content["status"] != "ok":
            raise KeyboardInterrupt
        return content

    def _check_open(self) -> None:
        if not self._close.alive:
            raise RuntimeError("this session is closed")

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
        """An array of the session over the same memory: a NumPy array, or on a GPU one that CuPy, PyTorch, JAX and Numba take as
        it is (`.torch()`, `.cupy()`; `.numpy()` copies). Or a scalar, as NumPy's. Errors: KeyError."""
        _check_name(name)
        with self._listener() as link:
            arguments = f"xcuda, {name!r}, {link.getsockname()!r}, {self._take_returned()}"
            try:
                self._run(f"%%python\nfrom xeus_cuda.worker import share as _share\n_share.lend({arguments})")
            except CudaError as error:
                if error.ename == "AttributeError":
                    raise KeyError(f"the session has no array or scalar named {name}") from None
                if error.ename == "TypeError":  # NumPy has no such type
                    raise TypeError(f"{name}: {error.evalue}") from None
                raise
            return self._received(link)

    def _received(self, link: socket.socket) -> Any:
        from .worker.arrays import Owner, dtype_of, scalar_of
        connection, _ = link.accept()
        message = channel.Channel(connection.detach()).receive()
        head, entry = message.head, message.head["entry"]
        if not message.files:
            return scalar_of(entry)
        place = head["address"], head["size"], message.files[0]
        array: Any
        if head["gpu"] >= 0:
            driver = self._drivers.setdefault(head["gpu"], Driver(head["gpu"]))
            owner = Owner(entry, GpuPiece(driver, *place), "", AGAIN)
            array = GpuArray(owner, entry, driver)
        else:
            dtype = dtype_of(entry["type"])
            owner = Owner(entry, Piece(*place), f"|V{dtype.itemsize}", AGAIN)
            array = owner.array(dtype)
        self._owners.add(owner)
        weakref.finalize(owner, self._returned.append, head["token"])
        return array

    def _take_returned(self) -> list[int]:
        taken = list(self._returned)
        del self._returned[:len(taken)]
        return taken

    @contextlib.contextmanager
    def _listener(self) -> Iterator[socket.socket]:
        self._check_open()
        path = os.path.join(self._folder.path, "arrays")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.bind(path)
            try:
                link.listen(1)
                yield link
            finally:
                os.unlink(path)

    def __setitem__(self, name: str, value: Any) -> None:
        """Makes an array of the session, copied once, or a host variable of a number."""
        self.give(name, value)

    def give(self, name: str, value: Any) -> tuple[Any, str]:
        """`session[name] = value`. Returns what `session[name]` is from here on, and in words how the value came there."""
        _check_name(name)
        source = Source(value, name)
        if not source.shape:
            from .worker.arrays import as_array
            number = as_array(value, name)
            self._run(f"%%python\nimport numpy as _numpy\n"
                     f"xcuda.{name} = _numpy.frombuffer(bytes.fromhex('{number.tobytes().hex()}'), '{number.dtype.str}')[0]")
            return value, "by value"
        self._run(f"{source.cpp_type} {name}{''.join(f'[{extent}]' for extent in source.shape)};")
        made = self[name]
        if isinstance(made, GpuArray):
            source.copy_to(made)
            return made, "copied to the GPU" if source.host is not None else "copied on the GPU"
        from .worker.arrays import as_array
        made[...] = as_array(value, name) if source.host is None else source.host
        return made, "copied in" if source.host is not None else "copied from the GPU"

    def empty(self, name: str, shape: Union[int, Sequence[int]], dtype: Any = "float32") -> Any:
        """Makes an array of the session, and returns it as `session[name]` does. Its elements are zero. dtype: NumPy's, or a C++ type
        that the session knows, such as "float4"."""
        _check_name(name)
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        self._run(f"{_element_type(dtype)} {name}{''.join(f'[{int(extent)}]' for extent in extents)};")
        return self[name]

    def _open(self, values: dict[str, Any]) -> dict[str, str]:
        """Makes arrays of the session over Python's own memory on its GPU, by CUDA IPC, until they are freed. Returns why not, by
        the names for which that is impossible; empty for what is not on a GPU. Python's streams are done with them."""
        sources = {name: Source(value, name) for name, value in values.items()}
        refused = {name: "" for name, source in sources.items() if source.host is not None}
        gpu = self._gpu() if len(refused) < len(values) else -1
        wanted: list[dict[str, Any]] = []
        for name, source in sources.items():
            if name in refused:
                continue
            try:
                if source.address != _address_of(values[name]):
                    raise ValueError("its elements are not contiguous")
                driver = self._drivers.setdefault(gpu, Driver(gpu)) if gpu >= 0 else None
                if driver is None:
                    raise ValueError("the session runs on the CPU device")
                handle, offset = shared_by_ipc(driver, source.address)
                wanted.append({"name": name, "type": source.cpp_type, "shape": source.shape, "handle": handle.hex(), "offset": offset})
                driver.synchronize()
            except (CudaDriverError, ValueError) as reason:
                refused[name] = str(reason)
        if wanted:
            said = self._run(f"%%python\nfrom xeus_cuda.worker import share as _share\n_share.borrow(xcuda, {wanted!r})").stdout
            refused.update(json.loads(said))
        return refused

    def _gpu(self) -> int:
        """The number of the session's GPU; -1: it has none."""
        if self._ordinal is None:
            said = self._run("%%python\nfrom xeus_cuda.worker import share as _share\nprint(_share.gpu(xcuda))").stdout
            self._ordinal = int(said)
        return self._ordinal

    def _shared(self, value: Any) -> str:
        """The expression of C++ for an array of this session, or for a tensor or NumPy array over elements of one; or nothing."""
        where = _address_of(value)
        for owner in list(self._owners) if where else ():
            inside = None if owner.stale else owner.index_of(where)
            if inside is not None and self._is_current(owner):
                return str(owner.name) if not any(inside) else f"&{owner.name}{''.join(f'[{each}]' for each in inside)}"
        return ""

    def _is_current(self, owner: Any) -> bool:
        """Whether the session still means this array by its name."""
        try:
            return bool(int(self._run(f'printf("%p\\n", {owner.name})').stdout, 16) == owner.address)
        except (CudaError, ValueError):
            return False

    def is_current(self, array: Any) -> bool:
        """Whether the session still means this array, which it has given, by the array's name."""
        return self._is_current(array._owner)

    def copy_back(self, name: str, value: Any) -> None:
        """Copies the session's array `name` into `value`, an array of NumPy, CuPy, Numba or a tensor of the same shape."""
        made = self[name]
        on_gpu = isinstance(made, GpuArray)
        if hasattr(value, "detach"):  # a tensor, here or there
            import torch
            value.detach().copy_(made.torch() if on_gpu and value.is_cuda else torch.from_numpy(made.numpy() if on_gpu else made._plain()))
        elif hasattr(value, "copy_to_device"):  # of Numba
            from numba import cuda
            value.copy_to_device(cuda.as_cuda_array(made) if on_gpu else made._plain())
        elif type(value).__module__.partition(".")[0] == "cupy":
            import cupy
            value[...] = made.cupy() if on_gpu else cupy.asarray(made._plain())
        else:
            value[...] = made.numpy() if on_gpu else made
        if on_gpu:
            made._driver.synchronize()  # before the memory goes back to the session

    # --- Kernels ---

    def kernel(self, name: str) -> Kernel:
        """A kernel of the session: kernel[grid, block](arguments) launches it and waits for its end."""
        from .kernels import Kernel
        return Kernel(self, name)

    def explain(self) -> str:
        """How each argument of the last launch reached the device, or each of Python's arrays that the last %%cuda cell used."""
        return _explained(self._told)

    def _tell(self, told: list[str]) -> None:
        global _last_told
        self._told = _last_told = told


_last_told: list[str] = []  # of any session


def explain() -> str:
    """What `Session.explain` says, of the session that was used last."""
    return _explained(_last_told)


def _explained(told: list[str]) -> str:
    return "\n".join(told) or "no array of Python has reached the device yet"


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


def _end(client: Any, manager: Any, folder: SessionFolder) -> None:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    folder.remove()


def _unknown_names(error: dict[str, Any]) -> list[str]:
    if "further" not in error:  # some of the cell has run
        return []
    places = [each["place"] for each in (error, *error["further"]) if each["ename"] == "NameError" and "place" in each]
    found = [place["excerpt"].encode()[place["column"] - 1:][:place["width"]].decode(errors="replace") for place in places]
    return list(dict.fromkeys(found))


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"{name!r} is not a name in C++")


def is_writable(value: Any) -> bool:
    """Whether elements can be copied back into `value`."""
    if hasattr(getattr(value, "flags", None), "writeable"):
        return bool(value.flags.writeable)
    return hasattr(value, "__setitem__") and not isinstance(value, list)


def _element_type(dtype: Any) -> str:
    import numpy as np
    from .worker.arrays import cpp_type
    text = str(dtype).removeprefix("torch.")
    if text == "bfloat16":
        return "__nv_bfloat16"
    try:
        return cpp_type(np.dtype(text if isinstance(dtype, str) or text != str(dtype) else dtype))
    except TypeError:
        if not isinstance(dtype, str):
            raise
        return dtype


def _address_of(value: Any) -> int:
    """Of the first element of what is contiguous; 0 for all else."""
    if hasattr(value, "data_ptr"):  # a tensor
        return int(value.data_ptr()) if value.is_contiguous() else 0
    if hasattr(value, "ctypes"):  # NumPy's
        return int(value.ctypes.data) if value.flags.c_contiguous else 0
    interface = getattr(value, "__cuda_array_interface__", None)
    return int(interface["data"][0]) if interface is not None and interface.get("strides") is None else 0
