"""The session's memory in this process: each piece at the address that it has in the session, so that pointers stored in
arrays mean the same here.

A piece is mapped as long as something here uses it, also when the session has given it up."""
from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Optional, Union

from .gpu import Driver, GpuPiece

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_PROT_READ, _PROT_WRITE = 1, 2
_MAP_SHARED, _MAP_FIXED_NOREPLACE = 1, 0x100000
_FAILED = ctypes.c_void_p(-1).value


class Piece:
    """One memory file of the session; unmapped with the last array that holds on to it."""

    def __init__(self, address: int, size: int, descriptor: int) -> None:
        self.address, self.size = address, size  # of the session
        protection = _PROT_READ | _PROT_WRITE
        # What is stale may still be at the place that it had: then this one goes anywhere.
        place = _libc.mmap(address, size, protection, _MAP_SHARED | _MAP_FIXED_NOREPLACE, descriptor, 0)
        if place == _FAILED:
            place = _libc.mmap(None, size, protection, _MAP_SHARED, descriptor, 0)
        number = ctypes.get_errno()
        self.descriptor = descriptor  # for a program that this one lends the memory to (share.py)
        if place == _FAILED:
            raise MemoryError(f"cannot map {size} bytes of the session's memory: {os.strerror(number)}")
        self.place: int = place

    def local(self, address: int) -> int:
        """Where an address of the session is here."""
        return self.place + (address - self.address)

    def freeze(self) -> None:
        """Nobody else sees what is written from now on, so that nothing may be written."""
        _libc.mprotect(self.place, self.size, _PROT_READ)

    def __del__(self, ends: Any = sys.is_finalizing) -> None:
        if ends():  # and what the process has with it
            return
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)
        if hasattr(self, "place"):
            _libc.munmap(self.place, self.size)


class Memory:
    def __init__(self) -> None:
        self.pieces: dict[int, Union[Piece, GpuPiece]] = {}  # by the session's number
        self.driver: Optional[Driver] = None  # where the arrays are on a GPU
        self.ordinals: dict[int, Driver] = {}
        self.epoch = 0  # another one: the session's arrays live on another device

    def update(self, request: dict[str, Any], files: list[int]) -> bool:
        """Takes the list of a request. False when the session has moved to another device."""
        kept = bool(request["epoch"] == self.epoch)
        self.epoch = request["epoch"]
        if not kept:
            for piece in self.pieces.values():
                piece.freeze()
            self.pieces = {}
        gpu = request["gpu"]  # its number; -1: the memory is the host's
        if gpu >= 0 and gpu not in self.ordinals:
            self.ordinals[gpu] = Driver(gpu)
        self.driver = self.ordinals[gpu] if gpu >= 0 else None
        wanted = {piece["id"] for piece in request["pieces"]}
        self.pieces = {number: piece for number, piece in self.pieces.items() if number in wanted}
        fresh = [piece for piece in request["pieces"] if piece["sent"]]
        for piece, descriptor in zip(fresh, files):
            place = piece["address"], piece["size"], descriptor
            self.pieces[piece["id"]] = GpuPiece(self.driver, *place) if self.driver is not None else Piece(*place)
        return kept

    def synchronize(self) -> None:
        """Python's own streams are done with the session's arrays, also with those that it took before they moved to another device."""
        for driver in self.ordinals.values():
            driver.synchronize()

    def find(self, address: int, size: int) -> Union[Piece, GpuPiece]:
        for piece in self.pieces.values():
            if piece.address <= address and address + size <= piece.address + piece.size:
                return piece
        raise MemoryError(f"the session's memory at {address:#x} was not handed over")
