"""Lends an array of the session to the program that drives it: the descriptor of its memory goes over a Unix socket."""
from __future__ import annotations

import socket
from typing import Any

from . import channel

_lent: dict[int, Any] = {}  # by token: what the other program still uses


def lend(session: Any, name: str, path: str, returned: list[int]) -> None:
    """Sends the array `name` to the socket at `path`; takes the arrays with the tokens `returned` back."""
    for token in returned:
        _lent.pop(token, None)
    names = session._names
    if names.memory.driver is not None:
        raise AttributeError(f"{name} is on a GPU: its memory is not the host's")
    array = names.get(name)
    owner = array._owner
    entry = names.arrays.entries[name]
    token = max(_lent, default=0) + 1
    piece = owner.piece
    head = {"token": token, "entry": entry, "address": piece.address, "size": piece.size}
    text = channel.pack(head)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect(path)
        socket.send_fds(link, [channel.HEADER.pack(channel.MAGIC, 1, len(text), 0) + text], [piece.descriptor])
    _lent[token] = owner
