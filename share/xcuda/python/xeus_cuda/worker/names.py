"""The session's names in the namespace of the cells, and the object `xcuda`.

A name of the session is there unless Python has one of its own: what a cell assigns, imports or defines, and Python's built-in
names. All of them are attributes of `xcuda`, too."""
from __future__ import annotations

import builtins
import keyword
from typing import Any, Callable

from .arrays import Arrays, as_array, cpp_type, is_name, scalar_of
from .channel import Message
from .gpu import Source
from .memory import Memory


# Why a name of the session may have no object here: no NumPy, no type in it, memory that a driver does not export.
ABSENT = (ImportError, TypeError, MemoryError)


class Session:
    """The CUDA C++ session: xcuda.x is its array or scalar x, and xcuda.x = value makes it an array of the session.

    What is assigned is copied once. A number becomes a host variable."""

    def __init__(self, names: "Names") -> None:
        object.__setattr__(self, "_names", names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._names.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._names.define(name, value)

    def __dir__(self) -> list[str]:
        names: list[str] = self._names.all()
        return names

    def __repr__(self) -> str:
        return "the CUDA C++ session, with " + (", ".join(self._names.all()) or "no names yet")


class Names:
    def __init__(self, space: dict[str, Any], ask: Callable[[dict[str, Any]], Message]) -> None:
        self.space = space  # of the cells
        self.ask = ask
        self.memory = Memory()
        self.arrays = Arrays(self.memory)
        self.scalars: dict[str, dict[str, Any]] = {}
        self.placed: dict[str, Any] = {}  # what was put into the namespace
        self.session = Session(self)
        space["xcuda"] = self.session

    def update(self, request: dict[str, Any], files: list[int]) -> None:
        """What the session has by now, before a cell runs and after an assignment."""
        kept = self.memory.update(request, files)
        self.arrays.update(request, kept)
        self.scalars = {entry["name"]: entry for entry in request["scalars"]}
        self.place()

    def place(self) -> None:
        for name, value in list(self.placed.items()):
            if self.space.get(name) is value:
                del self.space[name]
        self.placed = {}
        self.space.setdefault("xcuda", self.session)  # IPython's %reset takes it away
        for name in self.all():
            if name in self.space or keyword.iskeyword(name) or hasattr(builtins, name):
                continue
            try:
                value = self.get(name)
            except ABSENT:
                continue  # xcuda.name says why
            self.space[name] = self.placed[name] = value

    def why_absent(self, name: str) -> str:
        """Why a name of the session is not in the namespace; empty when it is, or is none."""
        if name not in self.all() or name in self.space:
            return ""
        try:
            self.get(name)
        except ABSENT as reason:
            return f"{name} is the session's, but {reason}"
        return ""

    def all(self) -> list[str]:
        return sorted({*self.arrays.entries, *self.scalars})

    def get(self, name: str) -> Any:
        if name in self.arrays.entries:
            return self.arrays.get(name)
        if name in self.scalars:
            return scalar_of(self.scalars[name])
        raise AttributeError(f"the session has no array or scalar named {name}")

    def define(self, name: str, value: Any) -> None:
        if not is_name(name):
            raise ValueError(f"{name} is not a name in C++")
        if self.memory.driver is not None:
            source = Source(value, name)
            self._announce(name, source.cpp_type, source.shape, "" if source.shape else source.on_host(self.memory.driver).hex())
            if source.shape:
                source.copy_to(self.arrays.get(name))
            return
        array = as_array(value, name)
        self._announce(name, cpp_type(array.dtype), list(array.shape), array.tobytes().hex() if array.ndim == 0 else "")
        if array.ndim > 0:
            self.arrays.get(name)[...] = array

    def _announce(self, name: str, cpp: str, shape: list[int], value: str) -> None:
        message = self.ask({"event": "define", "name": name, "type": cpp, "shape": shape, "bytes": value})
        self.update(message.head, message.files)

    def held(self) -> list[int]:
        """Addresses of the session's memory that something here looks at."""
        return self.arrays.held()
