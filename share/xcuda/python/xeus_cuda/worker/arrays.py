"""What the session's names are in Python: NumPy arrays over the session's own memory, NumPy scalars; and what Python's values
are in the session."""
from __future__ import annotations

import re
import weakref
from typing import Any, Optional

from .gpu import GpuArray, item_size
from .memory import Memory

try:
    import numpy as np
except ImportError:  # cells run without it; arrays say so
    np = None  # type: ignore[assignment]

NO_NUMPY = "the session's arrays are NumPy arrays here, and NumPy is not installed in this environment: pip install numpy"


MOVED = "its elements moved to another device"


class StaleArray(RuntimeError):
    """An array of the session whose elements live elsewhere by now."""


# --- Types -----------------------------------------------------------------------------------------------------------

def dtype_of(spec: Any) -> Any:
    """spec: as session_view.cpp writes it: "f4", "bfloat16", or the members of a struct with their offsets."""
    if isinstance(spec, str):
        if spec != "bfloat16":
            return np.dtype(spec)
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("NumPy has no bfloat16; install one: pip install ml_dtypes") from None
        return np.dtype(ml_dtypes.bfloat16)
    formats = [(dtype_of(member["type"]), tuple(member["shape"])) if member["shape"] else dtype_of(member["type"]) for member in spec["members"]]
    layout = {"names": [member["name"] for member in spec["members"]], "formats": formats,
              "offsets": [member["offset"] for member in spec["members"]], "itemsize": spec["size"]}
    return np.dtype(layout, metadata={"c++": spec["name"]})  # type: ignore[call-overload]


# NumPy's kinds and sizes that C++ has, with their names there.
CPP = {"b1": "bool", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long", "u1": "unsigned char", "u2": "unsigned short",
        "u4": "unsigned int", "u8": "unsigned long", "f2": "__half", "f4": "float", "f8": "double",
        "c8": "cuda::std::complex<float>", "c16": "cuda::std::complex<double>"}


def cpp_type(dtype: "np.dtype[Any]") -> str:
    """The C++ name of an element type; TypeError for those that C++ lacks."""
    if dtype.metadata and "c++" in dtype.metadata:
        return str(dtype.metadata["c++"])
    if dtype.name == "bfloat16":
        return "__nv_bfloat16"
    name = CPP.get(f"{dtype.kind}{dtype.itemsize}") if dtype.names is None else None
    if name is None:
        raise TypeError(f"C++ has no type for NumPy's {dtype}; convert it first, for example with .astype('float32')")
    return name


# --- Arrays ----------------------------------------------------------------------------------------------------------

class Owner:
    """Keeps the memory of one array; the base of every NumPy array over it."""

    def __init__(self, entry: dict[str, Any], piece: Any, item: str, again: str = "xcuda.{}") -> None:
        """again: what gives the array as it is now, with its name at {}."""
        self.name: str = entry["name"]
        self.again = again.format(self.name)
        self.address: int = entry["address"]  # of the session
        self.shape: tuple[int, ...] = tuple(entry["shape"])
        self.item_size = item_size(entry["type"])
        self.piece = piece
        self.stale = ""  # why, in words
        self.arrays: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # NumPy's over it, parts too, by id()
        if not item:
            return  # on a GPU
        self.__array_interface__ = {"version": 3, "shape": tuple(entry["shape"]), "typestr": item,
                                    "data": (piece.local(entry["address"]), bool(entry["const"]))}

    def index_of(self, place: int) -> Optional[list[int]]:
        """The index of the element at an address of this process."""
        if self.piece.place is None:
            return None
        element, rest = divmod(place - self.piece.local(self.address), self.item_size)
        if rest or element < 0:
            return None
        index: list[int] = []
        for extent in reversed(self.shape):
            element, at = divmod(element, extent)
            index.insert(0, at)
        return index if element == 0 else None

    def array(self, dtype: "np.dtype[Any]") -> "SharedArray":
        shared = np.asarray(self).view(dtype).view(SharedArray)
        shared._belong_to(self)
        return shared

    def outdate(self, why: str) -> None:
        """Nothing reads or writes the elements through this array's objects any more. Functions in C (np.asarray, np.concatenate, a buffer
        of Numba's) ask no method of them: each becomes an array of objects that refuse whatever is done with them, beside a time and in the
        order of Fortran, which no buffer can hold."""
        kind = np.dtype([("stale", object), ("time", "M8[s]")])
        for array in list(self.arrays.values()):
            np.ndarray.__setstate__(array, (1, (2, 2), kind, True, [(StaleElement(self), 0)] * 4))  # type: ignore[arg-type]
        self.stale = why

    def error(self) -> StaleArray:
        return StaleArray(f"{self.name} is stale: {self.stale}; {self.again} is the array as it is now")

    def check(self) -> None:
        if self.stale:
            raise self.error()


class StaleElement:
    """An element of an array that is stale."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner


def _refusing(self: StaleElement, *_: Any) -> Any:
    raise self._owner.error()


for _name in ("add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul lt le gt ge eq ne neg pos abs invert and "
              "rand or ror xor rxor lshift rshift float int complex index bool str repr format len iter getitem hash round reduce").split():
    setattr(StaleElement, f"__{_name}__", _refusing)


if np is not None:
    class SharedArray(np.ndarray):
        """An array of the session: its elements are the session's. What is computed of it is an ordinary array."""

        _owner: Optional[Owner] = None

        def __array_finalize__(self, parent: Any) -> None:
            # A part of the array is the session's, too; a copy is not.
            if parent is not None and not self.flags.owndata:
                self._belong_to(getattr(parent, "_owner", None))

        def _belong_to(self, owner: Optional[Owner]) -> None:
            self._owner = owner
            if owner is not None:
                owner.arrays[id(self)] = self

        def __getattribute__(self, name: str) -> Any:
            if name not in ("_owner", "_belong_to", "__class__", "flags", "__array_finalize__"):
                owner = object.__getattribute__(self, "_owner")
                if owner is not None:
                    owner.check()
            return super().__getattribute__(name)

        def _plain(self) -> "np.ndarray[Any, Any]":
            if self._owner is not None:
                self._owner.check()
            return self.view(np.ndarray)

        def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, out: Any = None, **more: Any) -> Any:
            plain = [each._plain() if isinstance(each, SharedArray) else each for each in inputs]
            if out is not None:
                more["out"] = tuple(each._plain() if isinstance(each, SharedArray) else each for each in out)
            result = getattr(ufunc, method)(*plain, **more)
            return out[0] if out is not None and len(out) == 1 else result

        def __getitem__(self, index: Any) -> Any:
            self._plain()
            return super().__getitem__(index)

        def __setitem__(self, index: Any, value: Any) -> None:
            self._plain()
            super().__setitem__(index, value)

        def __iter__(self) -> Any:
            self._plain()
            return super().__iter__()

        def __reduce__(self) -> Any:  # pickled as an ordinary array
            return self._plain().__reduce__()

        def __repr__(self) -> str:
            return repr(self._plain())

        def __str__(self) -> str:
            return str(self._plain())


class Arrays:
    """The session's arrays as objects, made when they are first wanted, and the same ones as long as nothing has changed."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.entries: dict[str, dict[str, Any]] = {}
        self.made: dict[str, tuple[Any, Any]] = {}  # name -> what it was made from, the array
        self.owners: weakref.WeakSet[Owner] = weakref.WeakSet()  # of what is not stale

    def update(self, request: dict[str, Any], kept: bool) -> None:
        if not kept:
            for owner in self.owners:
                owner.outdate(MOVED)
            self.made, self.owners = {}, weakref.WeakSet()
        self.entries = {entry["name"]: entry for entry in request["arrays"]}
        wanted = {name: self._key(entry) for name, entry in self.entries.items()}
        self.made = {name: pair for name, pair in self.made.items() if wanted.get(name) == pair[0]}

    @staticmethod
    def _key(entry: dict[str, Any]) -> Any:
        return repr((entry["address"], entry["shape"], entry["type"], entry["const"]))

    def get(self, name: str) -> Any:
        """Errors: ImportError without NumPy, TypeError for element types that NumPy lacks."""
        entry = self.entries[name]
        if name not in self.made:
            self.made[name] = (self._key(entry), self._make(entry))
        return self.made[name][1]

    def _make(self, entry: dict[str, Any]) -> Any:
        count = 1
        for extent in entry["shape"]:
            count *= extent
        if self.memory.driver is not None:
            owner = Owner(entry, self.memory.find(entry["address"], count * item_size(entry["type"])), "")
            self.owners.add(owner)
            return GpuArray(owner, entry, self.memory.driver)
        if np is None:
            raise ImportError(NO_NUMPY)
        dtype = dtype_of(entry["type"])
        owner = Owner(entry, self.memory.find(entry["address"], count * dtype.itemsize), f"|V{dtype.itemsize}")
        self.owners.add(owner)
        return owner.array(dtype)

    def held(self) -> list[int]:
        """Addresses of the session's memory that something here looks at."""
        return sorted({owner.address for owner in self.owners})


# --- Scalars and values of Python -------------------------------------------------------------------------------------

def scalar_of(entry: dict[str, Any]) -> Any:
    if "text" in entry:
        return entry["text"]
    if np is None:
        raise ImportError(NO_NUMPY)
    return np.frombuffer(bytes.fromhex(entry["bytes"]), dtype_of(entry["type"]))[0]


def as_array(value: Any, name: str) -> Any:
    """An array of NumPy for anything that is one, or a scalar; TypeError for what C++ has no name for."""
    if np is None:
        raise ImportError(NO_NUMPY)
    column = value if hasattr(value, "to_numpy") else None  # of pandas, pyarrow, polars
    if column is not None:
        bare = type(value).__module__.startswith("pyarrow") and not hasattr(value, "chunks")
        value = value.to_numpy(zero_copy_only=False) if bare else value.to_numpy()
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # a tensor
        value = value.detach().cpu().numpy()
    if hasattr(value, "__cuda_array_interface__"):  # of CuPy, of Numba
        value = value.get() if hasattr(value, "get") else value.copy_to_host() if hasattr(value, "copy_to_host") else value
    array = np.asarray(value)
    if array.dtype.kind == "O" or array.dtype.kind in "SUMm":
        library = "NumPy" if column is None else type(column).__module__.partition(".")[0]
        kind = array.dtype if column is None else getattr(column, "type", getattr(column, "dtype", array.dtype))
        raise TypeError(f"xcuda.{name}: C++ has no type for {library}'s {kind}")
    if array.size == 0:
        raise ValueError(f"xcuda.{name}: an array of the session has at least one element, got the shape {array.shape}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    cpp_type(array.dtype)
    return array


def is_name(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) is not None

