"""The session's arrays on a GPU: its memory, mapped here by the driver, as objects that CuPy, PyTorch, JAX and Numba take without
a copy. Everything through libcuda by ctypes; the context is the primary one, which those libraries use, too."""
from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Optional

_POSIX_DESCRIPTOR, _LOCATION_DEVICE = 1, 1
_READ, _READ_WRITE = 1, 3
_POINTER_DEVICE, _IPC_HANDLE_BYTES = 9, 64
_DEVICE_CUDA = 2  # of DLPack


class CudaDriverError(RuntimeError):
    """What the CUDA driver refused."""


class _Access(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int), ("flags", ctypes.c_int)]


class Driver:
    """libcuda with the primary context of one GPU. The context, half a gigabyte of the card, is there from the first call on."""

    def __init__(self, ordinal: int) -> None:
        self.ordinal = ordinal
        self.context: Optional[ctypes.c_void_p] = None

    def _enter(self) -> ctypes.c_void_p:
        """The context, made by the first call; it becomes this thread's where the thread has none."""
        if self.context is None:
            self.library = ctypes.CDLL("libcuda.so.1")
            self._call("cuInit", 0)
            device, context, current = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
            self._call("cuDeviceGet", ctypes.byref(device), self.ordinal)
            self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self._call("cuCtxGetCurrent", ctypes.byref(current))
            if not current:
                self._call("cuCtxSetCurrent", context)
            self.context = context
        return self.context

    def call(self, name: str, *arguments: Any) -> None:
        """In the context of this GPU; the thread keeps its own."""
        self._call("cuCtxPushCurrent_v2", self._enter())
        try:
            self._call(name, *arguments)
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise CudaDriverError(f"{name}: {(text.value or b'?').decode()} ({code})")

    def synchronize(self) -> None:
        """Without a context nothing here has touched the session's memory."""
        if self.context is not None:
            self.call("cuCtxSynchronize")


class GpuPiece:
    """One exported allocation of the session; mapped when an array in it is first used, and unmapped with the last array that
    holds on to it."""

    def __init__(self, driver: Driver, address: int, size: int, descriptor: int) -> None:
        self.driver, self.address, self.size, self.descriptor = driver, address, size, descriptor
        self.place: Optional[int] = None
        self._access = _READ_WRITE

    def _map(self) -> int:
        driver, size, handle, place = self.driver, self.size, ctypes.c_ulonglong(), ctypes.c_ulonglong()
        driver.call("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(self.descriptor), _POSIX_DESCRIPTOR)
        try:
            # The address is a wish. What is stale may still be there: then this one goes anywhere.
            driver.call("cuMemAddressReserve", ctypes.byref(place), ctypes.c_size_t(size), ctypes.c_size_t(0), ctypes.c_ulonglong(self.address), ctypes.c_ulonglong(0))
            driver.call("cuMemMap", place, ctypes.c_size_t(size), ctypes.c_size_t(0), handle, ctypes.c_ulonglong(0))
        finally:
            driver.call("cuMemRelease", handle)
        self.place = place.value
        self._allow()
        return self.place

    def _allow(self) -> None:
        access = _Access(_LOCATION_DEVICE, self.driver.ordinal, self._access)
        self.driver.call("cuMemSetAccess", ctypes.c_ulonglong(self.place or 0), ctypes.c_size_t(self.size), ctypes.byref(access), ctypes.c_size_t(1))

    def local(self, address: int) -> int:
        """Where an address of the session is here."""
        return (self._map() if self.place is None else self.place) + (address - self.address)

    def freeze(self) -> None:
        """Nobody else sees what is written from now on, so that nothing may be written."""
        self._access = _READ
        if self.place is not None:
            self._allow()

    def __del__(self, ends: Any = sys.is_finalizing) -> None:
        if ends():  # and what the process has with it
            return
        try:
            os.close(self.descriptor)
            if self.place is not None:
                self.driver.call("cuCtxSynchronize")
                self.driver.call("cuMemUnmap", ctypes.c_ulonglong(self.place), ctypes.c_size_t(self.size))
                self.driver.call("cuMemAddressFree", ctypes.c_ulonglong(self.place), ctypes.c_size_t(self.size))
        except (CudaDriverError, OSError):
            pass  # a context that a fault has ended has no mappings any more


# --- DLPack ----------------------------------------------------------------------------------------------------------

class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_CODES = {"i": 0, "u": 1, "f": 2, "bfloat16": 4, "c": 5, "b": 6}
_capsules: dict[int, Any] = {}  # what a consumer looks at, by the address of its structure


@_Deleter
def _delete(managed: Any) -> None:
    _capsules.pop(ctypes.addressof(managed.contents), None)


_CapsuleEnd = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@_CapsuleEnd
def _end_of_capsule(capsule: int) -> None:
    """Of one that nobody has taken."""
    valid = ctypes.pythonapi.PyCapsule_IsValid
    valid.argtypes, valid.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_int
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_void_p
    if valid(capsule, b"dltensor"):
        _capsules.pop(pointer(capsule, b"dltensor"), None)


def _capsule(array: "GpuArray", address: int) -> Any:
    spec = array._spec
    if not isinstance(spec, str) or spec.startswith("V"):
        raise BufferError(f"DLPack has no type for the structs of {array._owner.name}")
    shape = (ctypes.c_int64 * len(array.shape))(*array.shape)
    strides, step = (ctypes.c_int64 * len(array.shape))(), 1
    for axis in reversed(range(len(array.shape))):
        strides[axis] = step
        step *= array.shape[axis]
    code = _CODES["bfloat16" if spec == "bfloat16" else spec[0]]
    tensor = _DLTensor(address, _DEVICE_CUDA, array._device, len(array.shape), code, array.itemsize * 8, 1, shape, strides, 0)
    managed = _Managed(tensor, None, _delete)
    _capsules[ctypes.addressof(managed)] = (managed, shape, strides, array._owner)
    new = ctypes.pythonapi.PyCapsule_New
    new.argtypes, new.restype = [ctypes.c_void_p, ctypes.c_char_p, _CapsuleEnd], ctypes.py_object
    return new(ctypes.addressof(managed), b"dltensor", _end_of_capsule)


# --- Arrays ----------------------------------------------------------------------------------------------------------

def item_size(spec: Any) -> int:
    """Bytes of an element, of what session_view.cpp writes."""
    if not isinstance(spec, str):
        return int(spec["size"])
    return 2 if spec == "bfloat16" else int(spec[1:])


class GpuArray:
    """An array of the session on its GPU. CuPy, PyTorch, JAX and Numba take it as it is and see the same elements."""

    def __init__(self, owner: Any, entry: dict[str, Any], driver: Driver) -> None:
        self._owner, self._spec, self._device, self._driver = owner, entry["type"], driver.ordinal, driver
        self._const: bool = entry["const"]
        self.shape: tuple[int, ...] = tuple(entry["shape"])
        self.itemsize = item_size(self._spec)

    @property
    def size(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """NumPy's."""
        from .arrays import dtype_of
        return dtype_of(self._spec)

    def _address(self) -> int:
        self._owner.check()
        return int(self._owner.piece.local(self._owner.address))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        plain = isinstance(self._spec, str) and self._spec != "bfloat16" and not self._spec.startswith("V")
        mark = "|" if self.itemsize == 1 or not plain else "<"
        found: dict[str, Any] = {"version": 3, "shape": self.shape, "typestr": f"{mark}{self._spec}" if plain else f"|V{self.itemsize}",
                                 "data": (self._address(), self._const), "strides": None, "stream": None}
        if isinstance(self._spec, dict):
            found["descr"] = self.dtype.descr
        return found

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        return _capsule(self, self._address())

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_DEVICE_CUDA, self._device)

    def numpy(self) -> Any:
        """A copy on the host."""
        import numpy as np
        copy = np.empty(self.shape, self.dtype)
        self._driver.synchronize()
        self._driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(copy.ctypes.data), ctypes.c_ulonglong(self._address()), ctypes.c_size_t(self.nbytes))
        return copy

    def cupy(self) -> Any:
        """The same memory as a CuPy array."""
        import cupy
        return cupy.from_dlpack(self) if self._spec == "bfloat16" else cupy.asarray(self)

    def torch(self) -> Any:
        """The same memory as a PyTorch tensor."""
        import torch
        return torch.from_dlpack(self)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        if copy is False:
            raise ValueError("the elements are on a GPU: NumPy gets a copy of them")
        host = self.numpy()
        return host if dtype is None else host.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        name = self._spec if isinstance(self._spec, str) else self._spec["name"]
        return f"{self._owner.name}: {name}, {self.shape}, on GPU {self._device}; .torch(), .cupy() share it, .numpy() copies it"


# --- Back ------------------------------------------------------------------------------------------------------------

class Source:
    """What an assignment copies: an array on a GPU, or one of the host."""

    def __init__(self, value: Any, name: str) -> None:
        from .arrays import CPP, as_array, cpp_type
        self.host = None
        if getattr(value, "is_cuda", False) and hasattr(value, "contiguous"):
            value = value.detach().contiguous()
        try:
            interface = getattr(value, "__cuda_array_interface__", None)
        except (AttributeError, TypeError, RuntimeError):
            interface = None  # PyTorch has none for bfloat16, or one without the type
        if getattr(value, "is_cuda", False) and str(value.dtype) == "torch.bfloat16":
            self.cpp_type, self.shape, self.address = "__nv_bfloat16", list(value.shape), value.data_ptr()
            self.bytes = value.numel() * 2
        elif interface is not None:
            if interface.get("strides") is not None and not _contiguous(interface):
                import cupy
                value = cupy.ascontiguousarray(cupy.asarray(value))
                interface = value.__cuda_array_interface__
            code = interface["typestr"][1:]
            if isinstance(value, GpuArray):
                self.cpp_type = cpp_type(value.dtype)
            elif code in CPP:
                self.cpp_type = CPP[code]
            else:
                raise TypeError(f"xcuda.{name}: C++ has no type for {interface['typestr']}")
            self.shape, self.address, self.bytes = list(interface["shape"]), interface["data"][0], int(code[1:])
            for extent in self.shape:
                self.bytes *= extent
            if self.bytes == 0:
                raise ValueError(f"xcuda.{name}: an array of the session has at least one element, got the shape {tuple(self.shape)}")
        else:
            import numpy as np
            array = as_array(value, name)
            self.host = np.ascontiguousarray(array).reshape(array.shape)
            self.cpp_type, self.shape, self.bytes = cpp_type(self.host.dtype), list(self.host.shape), self.host.nbytes
        self.kept = value  # until it is copied

    def on_host(self, driver: Driver) -> bytes:
        if self.host is not None:
            return bytes(self.host.tobytes())
        buffer = (ctypes.c_ubyte * self.bytes)()
        driver.call("cuCtxSynchronize")  # whatever stream computes it
        driver.call("cuMemcpyDtoH_v2", buffer, ctypes.c_ulonglong(self.address), ctypes.c_size_t(self.bytes))
        return bytes(buffer)

    def copy_to(self, array: GpuArray) -> None:
        driver, to, size = array._driver, ctypes.c_ulonglong(array._address()), ctypes.c_size_t(self.bytes)
        driver.call("cuCtxSynchronize")
        if self.host is not None:
            driver.call("cuMemcpyHtoD_v2", to, ctypes.c_void_p(self.host.ctypes.data), size)
        else:
            driver.call("cuMemcpyDtoD_v2", to, ctypes.c_ulonglong(self.address), size)
        driver.call("cuCtxSynchronize")


def shared_by_ipc(driver: Driver, address: int) -> tuple[bytes, int]:
    """What another process opens the allocation by that holds this address, and where in it the address is, in bytes. Errors:
    CudaDriverError for what cudaMalloc has not made, ValueError for another GPU's memory."""
    where, base, size = ctypes.c_int(), ctypes.c_ulonglong(), ctypes.c_size_t()
    driver.call("cuPointerGetAttribute", ctypes.byref(where), _POINTER_DEVICE, ctypes.c_ulonglong(address))
    if where.value != driver.ordinal:
        raise ValueError(f"it is on GPU {where.value}")
    driver.call("cuMemGetAddressRange_v2", ctypes.byref(base), ctypes.byref(size), ctypes.c_ulonglong(address))
    handle = (ctypes.c_ubyte * _IPC_HANDLE_BYTES)()
    driver.call("cuIpcGetMemHandle", handle, base)
    return bytes(handle), address - base.value


def _contiguous(interface: dict[str, Any]) -> bool:
    step = int(interface["typestr"][2:])
    for extent, stride in zip(reversed(interface["shape"]), reversed(interface["strides"])):
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True
