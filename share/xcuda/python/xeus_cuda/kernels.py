"""Kernels of a session, launched with arrays and numbers of Python."""
from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from .session import START_SECONDS, CudaError, Session, is_writable

Extent = Union[int, tuple[int, ...]]


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
        passing = _Passing(self.session, self._parameters(), arguments)
        try:
            passing.hand_over()
            self.session._run(f"{self.name}<<<{configuration}>>>({', '.join(passing.texts)});")
            for name, value in passing.back:
                self.session.copy_back(name, value)
        finally:
            self.session._tell(passing.told)
            passing.free()

    def _parameters(self) -> list[str]:
        """As the kernel's signature writes them; empty where it is not known."""
        self.session._check_open()
        plain = self.name.split("<")[0]
        content = self.session._client.complete(plain, len(plain), reply=True, timeout=START_SECONDS)["content"]
        for match in content.get("metadata", {}).get("_jupyter_types_experimental", []):
            if match["text"] == plain and match["type"] == "kernel" and "(" in match["signature"]:
                inside = match["signature"].split("(", 1)[1].rsplit(")", 1)[0]
                return [part.strip() for part in re.split(r",(?![^<(]*[>)])", inside)]
        return []


class _Passing:
    """How the arguments of one launch get to the device: the session's own as they are, Python's on the same GPU by CUDA IPC, and
    what neither has by copies."""

    def __init__(self, session: Session, parameters: list[str], arguments: tuple[Any, ...]) -> None:
        self.session, self.parameters, self.arguments = session, parameters, arguments
        self.texts: list[str] = []  # of C++
        self.told: list[str] = []
        self.back: list[tuple[str, Any]] = []  # names of copies that the kernel may write, with where they come from
        self.made: list[str] = []  # names that last as long as the launch

    def hand_over(self) -> None:
        own = [_number(value) or self.session._shared(value) for value in self.arguments]
        foreign = {f"xcuda_argument_{at}": value for at, value in enumerate(self.arguments) if not own[at]}
        self.made = list(foreign)
        refused = self.session._open(foreign) if foreign else {}
        for at, (text, value) in enumerate(zip(own, self.arguments)):
            name = f"xcuda_argument_{at}"
            self.texts.append(text or name)
            self._tell(at, self._how(at, text, value, refused.get(name)))

    def _how(self, at: int, text: str, value: Any, refused: Optional[str]) -> str:
        if text:
            return f"by value, {text}" if _number(value) is not None else f"the session's {text}, no copy"
        if refused is None:
            return "Python's memory by CUDA IPC, no copy"
        name = f"xcuda_argument_{at}"
        parameter = self._parameter(at)
        constant = re.search(r"\bconst\b[^*]*\*", parameter) is not None
        if "*" in parameter and not constant and not refused and not is_writable(value):  # of the host: not refused for a reason
            raise TypeError(f"argument {at + 1} cannot be written, and the kernel's {parameter} is not const; "
                            "pass an array that can be written, or declare the parameter const")
        _, how = self.session.give(name, value)
        if not constant:
            self.back.append((name, value))
        return how + ("" if constant else ", and back") + (f" (no CUDA IPC: {refused})" if refused else "")

    def _parameter(self, at: int) -> str:
        return self.parameters[at] if at < len(self.parameters) else ""

    def _tell(self, at: int, how: str) -> None:
        self.told.append(f"{at + 1}. {self._parameter(at) or 'argument'}: {how}")

    def free(self) -> None:
        """Whatever became of the launch. After a fault the arrays that CUDA IPC opened are gone already."""
        try:
            if self.made:
                self.session._run(f"%free {' '.join(self.made)}")
        except CudaError:
            for name in self.made:
                with contextlib.suppress(CudaError):
                    self.session._run(f"%free {name}")


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
