"""Python's arrays on a GPU as arguments of a kernel, on a driver and a session that write down what they are asked."""
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "share/xcuda/python"))

np = pytest.importorskip("numpy")
from xeus_cuda import kernels, session as sessions  # noqa: E402
from xeus_cuda.worker import share  # noqa: E402
from xeus_cuda.worker.gpu import CudaDriverError, shared_by_ipc  # noqa: E402

BASE = 0x7F00_0000_0000


class Array:
    """Of a library of Python, on a GPU."""

    def __init__(self, offset=0, shape=(256,), strides=None):
        self.__cuda_array_interface__ = {"version": 3, "shape": shape, "typestr": "<f4", "data": (BASE + offset, False), "strides": strides}


class Driver:
    def __init__(self, ordinal=0, device=0, exports=True):
        self.ordinal, self.device, self.exports, self.asked = ordinal, device, exports, []

    def call(self, name, *arguments):
        self.asked.append(name)
        if name == "cuPointerGetAttribute":
            arguments[0]._obj.value = self.device
        elif name == "cuMemGetAddressRange_v2":
            arguments[0]._obj.value, arguments[1]._obj.value = BASE, 2 << 20
        elif name == "cuIpcGetMemHandle":
            if not self.exports:
                raise CudaDriverError("cuIpcGetMemHandle: CUDA_ERROR_INVALID_VALUE (1)")
            assert arguments[1].value == BASE
            arguments[0][:] = list(range(64))

    def synchronize(self):
        self.asked.append("synchronize")


class Session(sessions.Session):
    """Without a process: its cells are written down."""

    def __init__(self, driver, refused=None, fails=""):
        self._drivers, self._ordinal, self._owners, self.cells = {driver.ordinal: driver}, driver.ordinal, [], []
        self.driver, self.refused, self.fails, self.given, self.brought_back = driver, refused or {}, fails, [], []

    def _run(self, code, show=None, *, numbered=False):
        self.cells.append(code)
        if self.fails and self.fails in code:
            raise sessions.CudaError({"ename": "RuntimeError", "evalue": "it fails"})
        return sessions.Result(stdout=json.dumps(self.refused) + "\n" if "_share.borrow" in code else "")

    def give(self, name, value):
        self.given.append(name)
        return value, "copied on the GPU" if hasattr(value, "__cuda_array_interface__") else "copied in"

    def copy_back(self, name, value):
        self.brought_back.append(name)


@pytest.fixture
def parameters(monkeypatch):
    monkeypatch.setattr(kernels.Kernel, "_parameters", lambda self: ["const float* x", "float* y", "size_t n"])


def test_the_handle_is_of_the_allocation_and_not_of_the_address():
    assert shared_by_ipc(Driver(), BASE + 4096) == (bytes(range(64)), 4096)
    with pytest.raises(ValueError, match="it is on GPU 1"):
        shared_by_ipc(Driver(device=1), BASE)


def test_what_ipc_opens_is_passed_by_its_name_and_closed_after_the_launch(parameters):
    session = Session(Driver())
    session.kernel("add")[1, 256](Array(), Array(512), 256)
    opened, launch, freed = session.cells
    assert "'name': 'xcuda_argument_0', 'type': 'float', 'shape': [256]" in opened and "'offset': 512" in opened
    assert launch == "add<<<1, 256>>>(xcuda_argument_0, xcuda_argument_1, 256);" and freed == "%free xcuda_argument_0 xcuda_argument_1"
    assert session.driver.asked[-1] == "synchronize" and not session.given and not session.brought_back
    assert session.explain().splitlines() == ["1. const float* x: Python's memory by CUDA IPC, no copy", "2. float* y: Python's memory by CUDA IPC, no copy",
                                              "3. size_t n: by value, 256"]
    assert sessions.explain() == session.explain()


@pytest.mark.parametrize("session, why", [
    (Session(Driver(exports=False)), "cuIpcGetMemHandle: CUDA_ERROR_INVALID_VALUE (1)"), (Session(Driver(device=1)), "it is on GPU 1"),
    (Session(Driver(ordinal=-1)), "the session runs on the CPU device"),
    (Session(Driver(), refused={"xcuda_argument_0": "no", "xcuda_argument_1": "no"}), "no")], ids=["not exported", "elsewhere", "cpu", "not opened"])
def test_what_ipc_cannot_open_is_copied_with_the_reason(parameters, session, why):
    session.kernel("add")[1, 256](Array(), Array(), 256)
    assert session.given == ["xcuda_argument_0", "xcuda_argument_1"] and session.brought_back == ["xcuda_argument_1"]
    assert session.explain().splitlines()[:2] == [f"1. const float* x: copied on the GPU (no CUDA IPC: {why})",
                                                  f"2. float* y: copied on the GPU, and back (no CUDA IPC: {why})"]


def test_of_two_each_goes_its_way(parameters):
    session = Session(Driver())
    session.kernel("add")[1, 256](np.ones(256, "f4"), Array(), 256)
    assert session.given == ["xcuda_argument_0"] and not session.brought_back
    assert session.explain().splitlines()[:2] == ["1. const float* x: copied in", "2. float* y: Python's memory by CUDA IPC, no copy"]
    session.kernel("add")[1, 256](np.ones(256, "f4"), np.ones(256, "f4"), 256)
    assert "_share" not in session.cells[-2], "nothing is asked of a GPU for arrays of the host"


def test_a_launch_that_fails_leaves_no_name(parameters):
    session = Session(Driver(), fails="<<<")
    with pytest.raises(sessions.CudaError):
        session.kernel("add")[1, 256](Array(), Array(), 256)
    assert session.cells[-1] == "%free xcuda_argument_0 xcuda_argument_1" and not session.brought_back
    session = Session(Driver(), fails="xcuda_argument_0 xcuda_argument_1")  # the session has forgotten the names with the fault
    session.kernel("add")[1, 256](Array(), Array(), 256)
    assert session.cells[-2:] == ["%free xcuda_argument_0", "%free xcuda_argument_1"]


def test_the_worker_says_which_the_session_cannot_open(capsys):
    class Names:
        class memory:
            driver = None

        def ask(self, question):
            assert question["event"] == "borrow"
            if question["name"] == "b":
                raise RuntimeError("cannot open another process's memory")

    class Of:
        _names = Names()

    share.borrow(Of(), [{"name": "a"}, {"name": "b"}])
    assert json.loads(capsys.readouterr().out) == {"b": "cannot open another process's memory"}
    assert share.gpu(Of()) == -1 and not share.lends_gpu_memory()
