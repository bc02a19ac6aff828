"""The Python side of %%python by itself: its messages, and its arrays when the session moves to another device."""
import math
import os
import pathlib
import random
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "share/xcuda/python"))

from xeus_cuda.worker import channel  # noqa: E402
from xeus_cuda.worker.names import Names  # noqa: E402

np = pytest.importorskip("numpy")
from xeus_cuda.worker.arrays import StaleArray, cpp_type  # noqa: E402

BASE = 0x2100_0000_0000  # apart from what a session takes


@pytest.mark.parametrize("value", [None, True, False, 0, 127, 128, -1, -33, 2**63 - 1, -2**63, 2**64 - 1, 0.5, math.inf, "", "é" * 300, [], [1, [2, "x"]],
                                   {}, {"a": {"b": [None, -5]}}, b"\x00\xff", list(range(70000))], ids=lambda value: str(value)[:20])
def test_messagepack_and_back(value):
    assert channel.unpack(channel.pack(value)) == value


@pytest.mark.parametrize("text, value", [("93 01 cc 80 d0 df", [1, 128, -33]), ("81 a1 61 cd 01 00", {"a": 256}), ("ca 3f 00 00 00", 0.5), ("d9 02 c3 a9", "é"),
                                         ("dc 00 01 e0", [-32]), ("de 00 01 a1 78 c0", {"x": None}), ("d2 ff ff ff 00", -256), ("ce 00 01 00 00", 65536)])
def test_messagepack_as_others_write_it(text, value):
    assert channel.unpack(bytes.fromhex(text)) == value


class Session:
    """One piece of memory with arrays in it, as the session tells of them."""

    def __init__(self):
        self.space = {}
        self.names = Names(self.space, lambda question: None)
        self.file = os.memfd_create("test")
        os.ftruncate(self.file, 2 << 20)
        self.sent = False

    def tell(self, epoch=1, arrays=(), fresh=False, pieces=True):
        piece = {"id": 1, "address": BASE, "size": 2 << 20, "sent": fresh or not self.sent}
        self.sent = pieces
        request = {"epoch": epoch, "pieces": [piece] if pieces else [], "scalars": [], "gpu": -1,
                   "arrays": [{"name": name, "address": BASE + at, "shape": [4], "type": "f4", "const": False} for name, at in arrays]}
        self.names.update(request, [os.dup(self.file)] if pieces and piece["sent"] else [])


@pytest.fixture
def session():
    made = Session()
    yield made
    os.close(made.file)


USES = {"index": lambda x: x[0], "slice": lambda x: x[1:], "sum": lambda x: x.sum(), "ufunc": lambda x: np.sin(x), "plus": lambda x: x + 1,
        "right": lambda x: np.ones(4, "f4") * x, "out": lambda x: np.add(1, 2, out=x), "assign": lambda x: x.__setitem__(0, 1), "copy": lambda x: x.copy(),
        "list": lambda x: x.tolist(), "iterate": lambda x: list(x), "print": str, "repr": repr, "ravel": lambda x: x.ravel(),
        "astype": lambda x: x.astype("f8"), "matmul": lambda x: x @ x, "max": lambda x: x.max()}


@pytest.mark.parametrize("use", USES)
def test_after_a_change_of_device_an_object_says_that_it_is_stale(session, use):
    session.tell(arrays=[("x", 0)])
    kept = session.space["x"]
    part = kept[:]
    result = kept + 1
    USES[use](kept)
    session.tell(epoch=2, arrays=[("x", 512)], fresh=True)
    for old in (kept, part):
        with pytest.raises(StaleArray, match="x is stale: its elements moved to another device; xcuda.x is the array as it is now"):
            USES[use](old)
    assert result.sum() == 4 or use in ("out", "assign")  # what was computed is an ordinary array
    assert session.space["x"] is not kept and session.space["x"].sum() == 0


# These ask the object nothing before they read its memory.
IN_C = {"asarray": lambda x: np.asarray(x).sum(), "array": lambda x: np.array(x) + 1, "concatenate": lambda x: str(np.concatenate([x, x])),
        "copyto": lambda x: np.copyto(np.zeros(4, "f4"), x), "frombuffer": np.frombuffer, "memoryview": memoryview, "bytes": bytes,
        "from_dlpack": lambda x: np.from_dlpack(x), "float": lambda x: np.asarray(x, "f4"), "stack": lambda x: np.stack([x, x]) @ np.ones(4)}


@pytest.mark.parametrize("use", IN_C)
def test_functions_in_c_refuse_a_stale_array_too(session, use):
    session.tell(arrays=[("x", 0), ("y", 64)])
    kept, part, copy, plain = session.space["x"], session.space["x"][1:], session.space["x"].copy(), np.asarray(session.space["y"])
    session.tell(epoch=2, arrays=[("x", 512)], fresh=True)
    for old in (kept, part):
        with pytest.raises((StaleArray, TypeError, ValueError, BufferError)):
            print(IN_C[use](old))
    assert copy.tolist() == plain.tolist() == [0, 0, 0, 0]  # NumPy's own array over the memory keeps it, and reads what was there
    assert not plain.flags.owndata


def test_numba_refuses_a_stale_array(session):
    numba = pytest.importorskip("numba")
    total = numba.njit(lambda x: x.sum())
    session.tell(arrays=[("x", 0)])
    kept = session.space["x"]
    kept[:] = 2
    assert total(kept) == 8
    session.tell(epoch=2, arrays=[("x", 512)], fresh=True)
    with pytest.raises((StaleArray, TypeError, numba.core.errors.TypingError)):
        total(kept)


def test_a_tensor_of_a_stale_array_cannot_be_made(session):
    torch = pytest.importorskip("torch")
    session.tell(arrays=[("x", 0)])
    kept = session.space["x"]
    tensor = torch.from_numpy(kept)
    tensor += 2
    assert kept.tolist() == [2, 2, 2, 2]
    session.tell(epoch=2, arrays=[("x", 512)], fresh=True)
    with pytest.raises((StaleArray, TypeError)):
        torch.from_numpy(kept)
    assert tensor.tolist() == [2, 2, 2, 2]  # of the moment


def test_an_array_is_the_same_object_as_long_as_nothing_changes(session):
    session.tell(arrays=[("x", 0)])
    first = session.space["x"]
    session.tell(arrays=[("x", 0), ("y", 512)])
    assert session.space["x"] is first and session.names.held() == [BASE, BASE + 512]
    session.tell(arrays=[("y", 512)])
    assert "x" not in session.space and session.names.held() == [BASE, BASE + 512]
    del first
    assert session.names.held() == [BASE + 512]


def test_memory_outlives_its_piece(session):
    session.tell(arrays=[("x", 0)])
    kept = session.space["x"]
    kept[:] = 5
    session.tell(pieces=False)
    assert kept.tolist() == [5, 5, 5, 5]


def test_types_that_cpp_has():
    for name, spelling in (("f4", "float"), ("?", "bool"), ("u8", "unsigned long"), ("c16", "cuda::std::complex<double>")):
        assert cpp_type(np.dtype(name)) == spelling
    for name in ("O", "U3", "M8[s]", "V4", "S2"):
        with pytest.raises(TypeError, match="C\\+\\+ has no type"):
            cpp_type(np.dtype(name))


def test_random_messages():
    def make(rng, depth=0):
        kind = rng.randrange(7 if depth < 4 else 5)
        if kind == 5:
            return [make(rng, depth + 1) for _ in range(rng.randrange(20))]
        if kind == 6:
            return {str(i): make(rng, depth + 1) for i in range(rng.randrange(20))}
        return [None, True, rng.randrange(-2**63, 2**63), rng.random(), "x" * rng.randrange(40)][kind]
    rng = random.Random(1)
    for _ in range(200):
        value = make(rng)
        assert channel.unpack(channel.pack(value)) == value
