"""Lends what the session has to the program that drives it: the descriptor of an array's memory goes over a Unix socket. On a GPU
this process does not map that memory itself, and needs no context."""
from __future__ import annotations

import socket
from typing import Any

from . import channel

_lent: dict[int, Any] = {}  # by token: what the other program still uses


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
    gpu = -1 if names.memory.driver is None else names.memory.driver.ordinal
    _send(path, {"token": token, "entry": names.arrays.entries[name], "address": piece.address, "size": piece.size, "gpu": gpu}, piece.descriptor)
    _lent[token] = owner


def _send(path: str, head: dict[str, Any], *files: int) -> None:
    text = channel.pack(head)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect(path)
        socket.send_fds(link, [channel.HEADER.pack(channel.MAGIC, len(files), len(text), 0) + text], files)
