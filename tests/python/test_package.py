"""The package xeus_cuda: a session that Python drives, and the magics of a Python notebook."""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "share/xcuda/python"))

np = pytest.importorskip("numpy")
import xeus_cuda  # noqa: E402

SAXPY = "__global__ void saxpy(float a, const float* x, float* y) { y[threadIdx.x] += a * x[threadIdx.x]; }"


def installed():
    folder = os.environ.get("XCUDA_PREFIX", sys.prefix)
    return os.access(os.path.join(folder, "bin", "xcuda"), os.X_OK) and os.path.join(folder, "bin")


pytestmark = [pytest.mark.skipif(not installed(), reason="xcuda is not installed: make build"), pytest.mark.timeout(120)]


@pytest.fixture(scope="module", autouse=True)
def history(tmp_path_factory):
    """Cells of these tests go into a history of their own: other tests search theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="module")
def session(history):
    os.environ["XCUDA_PROGRAMS"] = installed()
    with xeus_cuda.Session(device="cpu") as made:
        made.run(SAXPY)
        yield made


def test_cells_and_what_they_show(session):
    result = session.run('printf("%d\\n", 6 * 7);\n3 + 4')
    assert result.stdout == "42\n" and result.value["text/plain"] == "7"
    with pytest.raises(xeus_cuda.CudaError, match="no_such_thing") as caught:
        session.run("no_such_thing + nor_this; // é\n  \"é\", nor_this + again")
    assert caught.value.ename == "NameError" and caught.value.traceback
    assert caught.value.unknown == ["no_such_thing", "nor_this", "again"]
    with pytest.raises(xeus_cuda.CudaError) as caught:
        session.run("1 +")
    assert caught.value.unknown == []


def test_arrays_are_shared(session):
    session.run("float x[2][3] = arange();\nconst int c[2] = 5;\nstruct Q { int a; double b; };\nQ q[2];\nq[1].b = 2;")
    x = session["x"]
    assert isinstance(x, np.ndarray) and x.shape == (2, 3) and x.dtype == "float32"
    x[1, 2] = 50
    session.run("assert(x[1][2] == 50);\nx[0][0] = 7;")
    assert x[0, 0] == 7 and session["q"]["b"].tolist() == [0, 2]
    with pytest.raises(ValueError, match="read-only"):
        session["c"][0] = 1


def test_what_python_keeps_is_valid_after_the_name_is_gone(session):
    session.run("float k[4] = 3;")
    kept = session["k"]
    session.run("%free k\nfloat l0[4] = 9, l1[4] = 9, l2[4] = 9;")
    assert kept.tolist() == [3, 3, 3, 3]
    where = kept.ctypes.data
    del kept
    session.run("float k[4] = 1;")
    session["k"]  # tells that the memory came back
    session.run("%free k\n%free l0\nfloat k[4] = 1;")
    assert isinstance(where, int) and session["k"].tolist() == [1, 1, 1, 1]


def test_a_stale_array_says_where_the_new_one_is(session):
    session.run("float moved[4] = 1;")
    kept = session["moved"]
    session.run("%device cpu")
    with pytest.raises(xeus_cuda.StaleArray, match=r'moved is stale: .*; session\["moved"\] is the array as it is now'):
        kept.sum()
    assert session["moved"].sum() == 4


def test_assigning_copies_once(session):
    values = np.arange(6, dtype="int16").reshape(2, 3)
    session["i"] = values
    values[:] = 0
    session.run("assert(i[1][2] == 5);")
    session["n"] = 5
    session["f"] = np.float32(0.5)
    session.run("int sized[n];\nassert(f == 0.5f);")
    assert session["n"] == 5
    with pytest.raises(TypeError, match="C\\+\\+ has no type"):
        session["t"] = np.array(["text"])
    with pytest.raises(ValueError, match="not a name"):
        session["no name"] = 1
    with pytest.raises(KeyError, match="missing"):
        session["missing"]
    with pytest.raises(KeyError, match="saxpy"):
        session["saxpy"]
    session["z"] = np.float64("nan")
    session["b"] = True
    session["w"] = np.complex64(1 + 2j)
    assert np.isnan(session["z"]) and session["z"].dtype == "f8" and session["b"].dtype == "?"
    session["k"] = np.arange(4, dtype="c8").reshape(2, 2)
    assert session["k"][1, 1] == 3 and session["w"] == 1 + 2j


def test_kernels(session):
    session.run("float x[32] = arange(), y[32] = 1;")
    saxpy = session.kernel("saxpy")
    saxpy[1, 32](2.0, session["x"], session["y"])
    assert session["y"][3] == 7
    assert "2. const float* x: the session's x, no copy" in session.explain()
    mine, into = np.ones(32, "f4"), np.zeros(32, "f4")
    saxpy[(1, 1), (32,)](np.float32(0.5), mine, into)
    assert into.tolist() == [0.5] * 32
    said = session.explain()
    assert "copied in\n" in said and said.endswith("copied in, and back")
    assert "xcuda_argument" not in session.run("%arrays").displays[0]["text/plain"]
    # Parts of the session's arrays are passed as they are, too; what the session has given up is copied.
    session.run("float m[4][32] = 1;")
    m = session["m"]
    saxpy[1, 32](2.0, m[1], np.asarray(m)[3])
    assert "the session's &m[1][0], no copy" in session.explain() and "the session's &m[3][0], no copy" in session.explain()
    assert m[3].tolist() == [3] * 32 and m[2].tolist() == [1] * 32
    columns = m[:2, :32].T[:32, 0]
    saxpy[1, 32](1.0, m[0], columns[::-1])
    assert "copied in, and back" in session.explain() and m[0].tolist() == [2] * 32
    session.run("float m[4][32] = 50;")
    saxpy[1, 32](1.0, m[1], m[2])
    assert "copied in, and back" in session.explain() and m[2].tolist() == [2] * 32
    with pytest.raises(xeus_cuda.CudaError):
        saxpy[1, 32](2.0, session["x"])
    assert "3." not in session.explain() and xeus_cuda.explain() == session.explain()  # of the launch that failed
    with pytest.raises(TypeError, match="takes a grid and a block"):
        saxpy[1]


def frozen(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("value", [frozen(np.ones(4)), [1.0] * 4, (1.0,) * 4], ids=["a read-only array", "a list", "a tuple"])
def test_what_cannot_be_written_is_refused_before_the_launch(session, value):
    session.run("__global__ void fill(const double* x, double* y) { y[threadIdx.x] = x[threadIdx.x]; printf(\"ran\\n\"); }")
    into = np.zeros(4)
    session.kernel("fill")[1, 4](value, into)
    assert into.tolist() == [1] * 4
    with pytest.raises(TypeError, match=r"argument 2 cannot be written, and the kernel's double\* y is not const"):
        session.kernel("fill")[1, 4](into, value)
    assert "xcuda_argument" not in session.run("%arrays").displays[0]["text/plain"]


def test_a_type_that_numpy_lacks(session):
    session.run("%%python\nimport sys\nsys.modules['ml_dtypes'] = None")
    try:
        with pytest.raises(TypeError, match="^brief: NumPy has no bfloat16; install one: pip install ml_dtypes"):
            session.empty("brief", 4, "bfloat16")
    finally:
        session.run("%%python\ndel sys.modules['ml_dtypes']")


@pytest.mark.parametrize("dtype, made", [("float16", "f2"), (np.int8, "i1"), (bool, "?"), ("double", "f8"), (np.dtype("u4"), "u4")])
def test_empty_arrays(session, dtype, made):
    array = session.empty("fresh", (2, 3), dtype)
    assert array.dtype == made and array.shape == (2, 3) and not array.any()
    assert session.empty("fresh", 5).shape == (5,)


def test_an_element_type_of_c(session):
    assert session.empty("vectors", 3, "float4").dtype.names == ("x", "y", "z", "w")
    with pytest.raises(xeus_cuda.CudaError, match="float5"):
        session.empty("vectors", 3, "float5")
    with pytest.raises(TypeError):
        session.empty("vectors", 3, np.dtype("U4"))


def test_a_fault_costs_no_array(session):
    session.run("float x[4] = 1;\n__global__ void bad(float* p) { p[99] = 1; }")
    x = session["x"]
    with pytest.raises(xeus_cuda.CudaError, match="bad"):
        session.kernel("bad")[1, 1](x)
    assert x.tolist() == [1, 1, 1, 1]
    x[0] = 2
    session.run("assert(x[0] == 2);")


def test_an_interrupt_ends_the_cell(session):
    timer = threading.Timer(1, lambda: os.kill(os.getpid(), 2))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.run("for (long i = 0; ; ++i) {}")
    timer.join()
    assert session.run("1 + 1").value["text/plain"] == "2"


def test_a_closed_session_says_so():
    made = xeus_cuda.Session(device="cpu")
    made.run("float x[2] = 4;")
    kept = made["x"]
    process = made._process()
    made.close()
    assert kept.tolist() == [4, 4]
    with pytest.raises(RuntimeError, match="closed"):
        made.run("1")
    for use in (lambda: made["x"], lambda: made.kernel("saxpy")[1, 1](kept), lambda: made.__setitem__("y", kept), lambda: made.empty("y", 2)):
        with pytest.raises(RuntimeError, match="this session is closed"):
            use()
    end = time.monotonic() + 60
    while pathlib.Path(f"/proc/{process}").exists() and time.monotonic() < end:
        time.sleep(0.01)


KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
import xeus_cuda
session = xeus_cuda.Session(device="cpu")
session.run("float x[2] = 1;")
os.kill(os.getpid(), 9)
"""


def test_what_a_killed_program_left_is_removed_by_the_next(session):
    with tempfile.TemporaryDirectory(prefix="xc") as folder:  # pytest's own can be too long for a socket's path
        open_after_one_was_killed(pathlib.Path(folder))


def open_after_one_was_killed(folder):
    environment = {**os.environ, "TMPDIR": str(folder)}
    assert subprocess.run([sys.executable, "-c", KILLED, ROOT / "share/xcuda/python"], env=environment).returncode == -9
    (left,) = folder.glob("xeus-cuda-session-*")
    open_and_close = KILLED.replace("os.kill(os.getpid(), 9)", "print(sum(name.startswith('xeus-cuda-session-') for name in os.listdir(os.environ['TMPDIR'])))\nsession.close()")
    counted = subprocess.run([sys.executable, "-c", open_and_close, ROOT / "share/xcuda/python"], env=environment, capture_output=True, text=True)
    assert counted.stdout == "1\n", counted.stderr
    assert not left.exists()
    assert not list(folder.glob("xeus-cuda-session-*"))


NOTEBOOK = r'''
from IPython.core.interactiveshell import InteractiveShell
import numpy as np
shell = InteractiveShell.instance()
def run(code):
    result = shell.run_cell(code)
    return result
assert run("%load_ext xeus_cuda").success
assert run("import numpy as np\na = np.arange(4, dtype='f4')").success
assert run("""%%cuda -i a -o b
float b[4];
b = a * 2;
printf("%g\\n", b[3]);""").success
assert run("assert b.tolist() == [0, 2, 4, 6], b").success
assert run("import xeus_cuda\nassert xeus_cuda.explain() == 'a: copied in, by -i', xeus_cuda.explain()").success
assert run("%%kernel\n__global__ void inc(float* p) { p[threadIdx.x] += 1; }").success
assert run("%%launch\ninc<<<1, 4>>>(b);").success
assert run("assert b.tolist() == [1, 3, 5, 7], b\nb[0] = 9").success
assert run("%cuda assert(b[0] == 9);").success
assert not run("%%cuda\nnothing_there").success
assert not run("%%cuda -x\n1").success
assert not run("%%cuda -i unknown_name\n1").success
# Names of Python that the session does not know, arrays and numbers: in before the cell, and back after it.
assert run("c = np.arange(4, dtype='f4')\nfactor = 3\nfixed = np.ones(4, 'f4')\nfixed.flags.writeable = False").success
assert run("""%%cuda
__global__ void scaled(float* c, float factor) { c[threadIdx.x] *= factor; }
scaled<<<1, 4>>>(c, factor);
assert(fixed[3] == 1);""").success
assert run("assert c.tolist() == [0, 3, 6, 9], c\nc[0] = 5\nfactor = 10").success
assert run("%%cuda\nassert(c[0] == 5 && factor == 10);\nc[1] = 7;\nthere_is_none = 1;").success is False
assert run("assert c.tolist() == [5, 3, 6, 9], c").success  # refused before any of it ran
assert run("%%cuda\nfloat c[2] = 8;").success
assert run("assert c.tolist() == [5, 3, 6, 9], c").success
assert run("%%cuda -o c\nassert(c[1] == 8);").success
assert run("assert c.tolist() == [8, 8], c").success
assert not run("words = ['a']\ntexts = np.array(['a'])").error_in_exec
assert not run("%%cuda\nwords = 1;").success
assert not run("%%cuda\ntexts = 1;").success
assert run("import xeus_cuda\nassert xeus_cuda.current_session().kernel('inc').name == 'inc'").success
assert run("%unload_ext xeus_cuda").success
assert not run("xeus_cuda.current_session()").success
print("all went well")
'''


def test_the_magics_of_a_python_notebook(tmp_path):
    pytest.importorskip("IPython")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "share/xcuda/python"), "XCUDA_PROGRAMS": installed(), "IPYTHONDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, env=env, cwd=tmp_path, timeout=110)
    assert done.stdout.endswith("all went well\n"), done.stdout + done.stderr
    assert "6\n" in done.stdout and "inc" in done.stdout
    assert "nothing_there" in done.stdout + done.stderr
