"""%load_ext xeus_cuda: cells of CUDA C++ in a Python notebook."""
from __future__ import annotations

import re
import shlex
from typing import Any, Optional, Sequence

from .session import CudaError, Session, is_writable

# Magics of the session that stand over a cell; each becomes one of IPython. %%cuda is a cell without any.
CELLS = ("kernel", "launch", "alloc", "bench", "roofline")


class Magics:
    """One session for the notebook, started by the first cell that needs it."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._session: Optional[Session] = None
        self._found: dict[str, tuple[Any, str]] = {}  # what cells have found in Python: the session's array, and how it came there

    @property
    def session(self) -> Session:
        if self._session is None:
            self._session = Session()
        return self._session

    def cuda(self, line: str, cell: Optional[str] = None) -> None:
        """%%cuda [-i x y ...] [-o out ...]: a cell of CUDA C++. %cuda line: one line of it, such as %cuda %arrays.

        -i makes arrays of the session of Python's arrays and numbers, -o Python's variables of the session's arrays. Other names
        that the session does not know are Python's: their arrays are copied in before the cell, and back after it.
        """
        if cell is None:
            self._run(line)
            return
        inputs, outputs = _names(line)
        told = []
        for name in inputs:
            if name not in self.shell.user_ns:
                raise NameError(f"%%cuda -i {name}: Python has no variable of this name")
            self._found.pop(name, None)
            _, how = self.session.give(name, self.shell.user_ns[name])
            told.append(f"{name}: {how}, by -i")
        self._run(cell, told)
        for name in outputs:
            self.shell.user_ns[name] = self.session[name]

    def of_the_session(self, name: str) -> Any:
        def run(line: str, cell: str) -> None:
            self._run(f"%%{name} {line}\n{cell}")
        run.__doc__ = f"%%{name} of the CUDA C++ session; %cuda %help {name} says more."
        return run

    def _run(self, code: str, told: Sequence[str] = ()) -> None:
        words = set(re.findall(r"\w+", code))
        used = {name for name in self._found if name in words and self._find(name)}
        try:
            while True:
                try:
                    self.session.run(code, self._show)
                    return
                except CudaError as error:
                    new = {name for name in error.unknown if name not in used and self._find(name)}
                    if not new:
                        raise
                    used |= new
        finally:
            self.session._tell([*told, *(f"{name}: {self._give_back(name)}" for name in sorted(used))])

    def _find(self, name: str) -> bool:
        """Gives the session what Python calls so, if it is an array or a number."""
        value = self.shell.user_ns.get(name)
        if not _is_data(value):
            self._found.pop(name, None)
            return False
        try:
            self._found[name] = self.session.give(name, value)
        except (TypeError, ValueError):  # C++ has no such array
            return False
        return True

    def _give_back(self, name: str) -> str:
        """What the cell has written; in words, what was done with the name. An array that the cell declared by this name is the
        session's from here on."""
        (mine, how), value = self._found[name], self.shell.user_ns[name]
        if getattr(mine, "ndim", 0) == 0:
            return how
        if not self.session.is_current(mine):
            del self._found[name]
        elif is_writable(value):
            self.session.copy_back(name, value)
            return f"{how}, and back"
        return how

    def _show(self, message: dict[str, Any]) -> None:
        from IPython.display import display, update_display
        import sys
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            print(content["text"], end="", file=sys.stderr if content["name"] == "stderr" else sys.stdout, flush=True)
        elif kind in ("display_data", "execute_result"):
            display_id = content.get("transient", {}).get("display_id")
            display(content["data"], metadata=content.get("metadata"), raw=True, **({"display_id": display_id} if display_id else {}))
        elif kind == "update_display_data":
            update_display(content["data"], metadata=content.get("metadata"), raw=True, display_id=content["transient"]["display_id"])

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def _is_data(value: Any) -> bool:
    if isinstance(value, (int, float, complex)):
        return True
    return not isinstance(value, type) and any(hasattr(value, name) for name in ("__array__", "__cuda_array_interface__", "__dlpack__"))


def _names(line: str) -> tuple[list[str], list[str]]:
    lists: dict[str, list[str]] = {"-i": [], "-o": []}
    current: Optional[list[str]] = None
    for word in shlex.split(line):
        if word in lists:
            current = lists[word]
        elif current is None or word.startswith("-"):
            raise ValueError(f"%%cuda does not know {word}; it takes -i names and -o names")
        else:
            current.append(word)
    return lists["-i"], lists["-o"]


_loaded: Optional[Magics] = None


def current_session() -> Session:
    """The session of the notebook's magics."""
    if _loaded is None:
        raise RuntimeError("no session yet: %load_ext xeus_cuda brings the magics, and xeus_cuda.Session() makes one without them")
    return _loaded.session


def load(shell: Any) -> None:
    global _loaded
    _loaded = Magics(shell)
    shell.register_magic_function(_loaded.cuda, "line_cell", "cuda")
    for name in CELLS:
        shell.register_magic_function(_loaded.of_the_session(name), "cell", name)


def unload(shell: Any) -> None:
    global _loaded
    if _loaded is not None:
        _loaded.close()
    _loaded = None
    for name in ("cuda", *CELLS):
        shell.magics_manager.magics["cell"].pop(name, None)
    shell.magics_manager.magics["line"].pop("cuda", None)
