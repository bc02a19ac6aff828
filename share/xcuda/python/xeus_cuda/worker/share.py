"""What a program that drives the session shares with it, by cells of %%python. Lends what the session has to the program: the descriptor of an array's memory goes over a Unix socket. On a GPU
this process does not map that memory itself, and needs no context."""
from __future__ import annotations

import json
import socket
from typing import Any

from . import channel

_lent: dict[int, Any] = {}  # by token: what the other program still uses


def gpu(session: Any) -> int:
    """The number of the session's GPU; -1: its arrays are the host's."""
    driver = session._names.memory.driver
    return -1 if driver is None else int(driver.ordinal)


def borrow(session: Any, arrays: list[dict[str, Any]]) -> None:
    """Arrays of the session over the program's own memory, by CUDA IPC: each a name with type, shape, handle and offset. Prints why
    not, by name, where that is impossible."""
    refused = {}
    for array in arrays:
        try:
            session._names.ask({"event": "borrow", **array})
        except RuntimeError as reason:
            refused[array["name"]] = str(reason)
    print(json.dumps(refused))


def lend(session: Any, name: str, path: str, returned: list[int]) -> None:
    """Sends the array or scalar `name` to the socket at `path`; takes the arrays with the tokens `returned` back."""
    for token in returned:
        _lent.pop(token, None)
    names = session._names
    if name in names.scalars:
        return _send(path, {"entry": names.scalars[name]})
    owner = names.get(name)._owner
    token = max(_lent, default=0) + 1
    piece = owner.piece
    entry = names.arrays.entries[name]
    _send(path, {"token": token, "entry": entry, "address": piece.address, "size": piece.size, "gpu": gpu(session)}, piece.descriptor)
    _lent[token] = owner


def lends_gpu_memory() -> bool:
    """Whether another program has a context on the session's GPU."""
    return any(hasattr(owner.piece, "driver") for owner in _lent.values())


def _send(path: str, head: dict[str, Any], *files: int) -> None:
    text = channel.pack(head)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect(path)
        socket.send_fds(link, [channel.HEADER.pack(channel.MAGIC, len(files), len(text), 0) + text], files)
