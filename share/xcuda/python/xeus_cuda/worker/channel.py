"""Messages between the session and this process, as src/base/channel.cpp has them: a head in MessagePack, a body, descriptors."""
from __future__ import annotations

import array
import socket
import struct
from typing import Any, NamedTuple

HEADER = struct.Struct("<IIQQ")  # magic, number of descriptors, bytes of the head, bytes of the body
MAGIC = 0x31414358
MOST_FILES = 16


class Message(NamedTuple):
    head: dict[str, Any]
    body: bytes = b""
    files: list[int] = []


class Closed(Exception):
    """The session has closed its end."""


def pack(value: Any) -> bytes:
    """MessagePack, as far as JSON's values go, and bytes."""
    if value is None:
        return b"\xc0"
    if value is True or value is False:
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if 0 <= value < 128:
            return bytes([value])
        if -(1 << 63) <= value < 1 << 63:
            return b"\xd3" + struct.pack(">q", value)
        if 0 <= value < 1 << 64:
            return b"\xcf" + struct.pack(">Q", value)
        return pack(float(value))
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode("utf-8", "replace")
        return b"\xdb" + struct.pack(">I", len(text)) + text
    if isinstance(value, (bytes, bytearray)):
        return b"\xc6" + struct.pack(">I", len(value)) + bytes(value)
    if isinstance(value, (list, tuple)):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(pack(item) for item in value)
    if isinstance(value, dict):
        return b"\xdf" + struct.pack(">I", len(value)) + b"".join(pack(str(key)) + pack(item) for key, item in value.items())
    return pack(str(value))


_NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
_SIZES = {1: ">B", 2: ">H", 4: ">I"}


class _Unpacker:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        piece = self.data[self.at:self.at + count]
        self.at += count
        return piece

    def number(self, form: str) -> Any:
        (value,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return value

    def text(self, count: int) -> str:
        return self.take(count).decode("utf-8", "replace")

    def items(self, count: int) -> list[Any]:
        return [self.value() for _ in range(count)]

    def table(self, count: int) -> dict[str, Any]:
        return {self.value(): self.value() for _ in range(count)}

    def value(self) -> Any:
        code = self.number(">B")
        if code < 0x80:
            return code
        if code >= 0xE0:
            return code - 0x100
        if code < 0x90:
            return self.table(code & 15)
        if code < 0xA0:
            return self.items(code & 15)
        if code < 0xC0:
            return self.text(code & 31)
        if code in _NUMBERS:
            return self.number(_NUMBERS[code])
        simple = {0xC0: None, 0xC2: False, 0xC3: True}
        if code in simple:
            return simple[code]
        if code in (0xD9, 0xDA, 0xDB):
            return self.text(self.number(_SIZES[1 << (code - 0xD9)]))
        if code in (0xC4, 0xC5, 0xC6):
            return self.take(self.number(_SIZES[1 << (code - 0xC4)]))
        if code in (0xDC, 0xDD):
            return self.items(self.number(_SIZES[2 << (code - 0xDC)]))
        if code in (0xDE, 0xDF):
            return self.table(self.number(_SIZES[2 << (code - 0xDE)]))
        raise ValueError(f"a MessagePack value of the kind {code:#x}")


def unpack(data: bytes) -> Any:
    return _Unpacker(data).value()


class Channel:
    """This process's end of the socket."""

    def __init__(self, descriptor: int) -> None:
        self.socket = socket.socket(fileno=descriptor)

    def send(self, head: dict[str, Any], body: bytes = b"") -> None:
        text = pack(head)
        try:
            self.socket.sendall(HEADER.pack(MAGIC, 0, len(text), len(body)) + text + body)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed from error

    def receive(self) -> Message:
        files: list[int] = []
        magic, count, head_size, body_size = HEADER.unpack(self._take(HEADER.size, files))
        if magic != MAGIC:
            raise Closed
        head = self._take(head_size, files)
        body = self._take(body_size, files)
        if len(files) != count:
            raise OSError(f"{len(files)} descriptors came with a message of {count}: the limit on open files may be reached")
        return Message(unpack(head), body, files)

    def _take(self, size: int, files: list[int]) -> bytes:
        """Descriptors may come with any byte. A signal does not end the wait: its handler decides."""
        parts = bytearray()
        while len(parts) < size:
            data, ancillary, _, _ = self.socket.recvmsg(size - len(parts), socket.CMSG_SPACE(MOST_FILES * array.array("i").itemsize),
                                                        socket.MSG_CMSG_CLOEXEC)
            for level, kind, payload in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    numbers = array.array("i")
                    numbers.frombytes(payload[:len(payload) - len(payload) % numbers.itemsize])
                    files.extend(numbers)
            if not data:
                raise Closed
            parts += data
        return bytes(parts)
