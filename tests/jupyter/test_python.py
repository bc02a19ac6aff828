"""Cells of %%python in the installed kernel: NumPy arrays over the session's memory, and Python as a notebook has it."""
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from processes import command, runs, workers
from raw_client import fails, kinds, ok, text_of

pytestmark = pytest.mark.installed


def py(code):
    return "%%python\n" + code


def says(kernel, code):
    """What a cell of Python prints."""
    return text_of(ok(kernel, py(code)))


def python_process(kernel):
    (pid,) = [pid for pid in workers(kernel) if "xeus_cuda.worker" in command(pid)]
    return pid


def test_an_array_is_there_without_a_copy(kernel):
    ok(kernel, "float x[2][3] = arange();\nconst int c[2] = {7, 8};")
    assert says(kernel, "print(x.dtype, x.shape, x.tolist(), hex(x.ctypes.data)[:6])") == "float32 (2, 3) [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] 0x2000\n"
    ok(kernel, py("x[1] = 10\nx[0, 0] += 5"))
    ok(kernel, "assert(x[0][0] == 5 && x[0][1] == 1 && x[1][2] == 10);")
    ok(kernel, "__global__ void twice(float* p) { p[threadIdx.x] *= 2; }\ntwice<<<1, 6>>>(x);")
    assert says(kernel, "print(x.ravel().tolist(), c.tolist())") == "[10.0, 2.0, 4.0, 20.0, 20.0, 20.0] [7, 8]\n"
    reply = fails(kernel, py("c[0] = 1"))
    assert reply["ename"] == "ValueError" and "read-only" in reply["evalue"]


TYPES = {"bool": "bool", "signed char": "int8", "char": "int8", "short": "int16", "int": "int32", "long": "int64", "long long": "int64",
         "unsigned char": "uint8", "unsigned short": "uint16", "unsigned": "uint32", "size_t": "uint64", "half": "float16", "float": "float32",
         "double": "float64", "complex<float>": "complex64", "complex<double>": "complex128"}


def test_every_type_and_back(kernel):
    names = {name: f"a{i}" for i, name in enumerate(TYPES)}
    ok(kernel, "\n".join(f"{spelling} {name}[3] = {{0, 1, 1}};" for spelling, name in names.items()))
    for spelling, name in names.items():
        wanted = TYPES[spelling]
        assert says(kernel, f"print(xcuda.{name}.dtype, xcuda.{name}.real.astype('int').tolist())") == f"{wanted} [0, 1, 1]\n", spelling
        ok(kernel, py(f"import numpy as np\nxcuda.b = np.array([1, 0, 1], '{wanted}')"))
        assert says(kernel, "print(b.dtype, b.real.astype('int').tolist())") == f"{wanted} [1, 0, 1]\n"
        if "complex" not in spelling:
            ok(kernel, f"assert({'(float)' if spelling == 'half' else ''}b[0] == 1 && {'(float)' if spelling == 'half' else ''}b[1] == 0);")


def test_structs_vectors_and_scalars(kernel):
    ok(kernel, "struct Inner { short s; double d; };\nstruct P { float position[3]; int id; Inner inner; };\n"
               "P p[2];\np[1].id = 4;\np[1].inner.d = 2.5;\nfloat4 v[2];\nv[0].w = 3;\n"
               "const int n = 5;\ndouble h = 0.5;\ndim3 g = {1, 2, 3};\nauto s = \"text\";")
    assert says(kernel, "print(p['id'].tolist(), p['inner']['d'].tolist(), p.dtype.itemsize, p['position'].shape)") == "[0, 4] [0.0, 2.5] 32 (2, 3)\n"
    ok(kernel, py("p['position'][0] = [1, 2, 3]\nv['x'][1] = 9\nxcuda.q = p.copy()\nxcuda.w = v"))
    ok(kernel, "assert(p[0].position[2] == 3 && v[1].x == 9 && q[1].id == 4 && w[0].w == 3);")
    assert says(kernel, "print(type(n).__name__, n, h, g['y'], s)") == "int32 5 0.5 2 text\n"
    ok(kernel, py("xcuda.m = 12\nxcuda.r = 1.5\nxcuda.t = True"))
    ok(kernel, "static_assert(true);\nassert(m == 12 && r == 1.5 && t);\nfloat y[m] = r;")


def test_names_of_python_stay_pythons(kernel):
    ok(kernel, "float x[2] = 1, sum[2] = 2;")
    assert says(kernel, "print(sum([1, 2]), xcuda.sum.tolist())") == "3 [2.0, 2.0]\n"
    ok(kernel, py("x = 'mine'"))
    assert says(kernel, "print(x, xcuda.x.tolist())") == "mine [1.0, 1.0]\n"
    assert says(kernel, "del x\nprint(x if 'x' in dir() else 'gone')") == "gone\n"
    assert says(kernel, "print(x.tolist())") == "[1.0, 1.0]\n"
    assert says(kernel, "print(dir(xcuda))") == "['sum', 'x']\n"
    assert fails(kernel, py("xcuda.nothing"))["ename"] == "AttributeError"
    ok(kernel, py("%reset -f"))
    assert says(kernel, "print(x.tolist(), xcuda.x is x)") == "[1.0, 1.0] True\n"


@pytest.mark.parametrize("value, said", [
    ("np.array(['a'])", "C++ has no type for NumPy's <U1"), ("np.array([object()])", "C++ has no type for NumPy's object"),
    ("np.zeros(2, 'datetime64[s]')", "datetime64"), ("np.zeros(0)", "at least one element"), ("np.zeros(2, 'f16')", "C++ has no type"),
    ("np.zeros(2, [('a', 'i4')])", "C++ has no type")])
def test_what_cannot_be_an_array_is_refused_by_name(kernel, value, said):
    reply = fails(kernel, py(f"import numpy as np\nxcuda.y = {value}"))
    assert said in reply["evalue"]
    assert fails(kernel, "y")["ename"] == "NameError"


def test_outputs_and_keywords(kernel):
    ok(kernel, "%%python -o a b\nimport numpy as np\na = np.arange(3.0)\nb = [1, 2]")
    ok(kernel, "assert(a[2] == 2 && b[1] == 2);\na[0] = 7;")
    assert says(kernel, "print(a[0])") == "7.0\n"  # Python's own a has become the session's
    assert "no variable of this name" in fails(kernel, "%%python -o nothing\npass")["evalue"]
    assert "cannot be the name" in fails(kernel, py("setattr(xcuda, 'while', 1)"))["evalue"]
    assert "has no meaning here" in "\n".join(fails(kernel, "%%python a\npass")["traceback"])


def test_it_is_python_as_in_a_notebook(kernel):
    outputs = ok(kernel, py("def f():\n    return 41\nprint('before')\nf() + 1"))
    assert [kind for kind in kinds(outputs) if kind != "status"] == ["execute_input", "stream", "execute_result"]
    assert outputs[-1]["content"]["data"]["text/plain"] == "42"
    outputs = ok(kernel, py("from IPython.display import HTML, display\nprint('a')\nh = display(HTML('<b>1</b>'), display_id='d')\nprint('b')\nh.update(HTML('2'))"))
    assert [kind for kind in kinds(outputs)][1:] == ["stream", "display_data", "stream", "update_display_data"]
    assert outputs[2]["content"]["data"]["text/html"] == "<b>1</b>"
    reply = fails(kernel, py("def g():\n    return 1 / 0\ng()"))
    assert (reply["ename"], reply["evalue"]) == ("ZeroDivisionError", "division by zero")
    assert "line 3" in re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(reply["traceback"]))
    assert fails(kernel, py("x = (")).get("ename") in ("SyntaxError", "_IncompleteInputError")
    assert "clear_output" in kinds(ok(kernel, py("from IPython.display import clear_output\nclear_output()")))
    assert says(kernel, "f()\nimport sys; print(f(), file=sys.stdout)") == "41\n"


def test_figures_are_shown(kernel):
    pytest.importorskip("matplotlib")
    ok(kernel, "float x[16] = arange();")
    outputs = ok(kernel, py("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot(x);"))
    (shown,) = [each for each in outputs if each["msg_type"] == "display_data"]
    assert shown["content"]["data"]["image/png"].startswith("iVBOR")


def test_an_interrupt_ends_the_cell_and_nothing_else(kernel):
    ok(kernel, py("kept = 5"))
    before = python_process(kernel)
    msg_id = kernel.begin(py("import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.01)"))
    kernel.ask("interrupt_request", {}, "control")
    assert kernel.reply(msg_id)["content"]["ename"] == "KeyboardInterrupt"
    assert says(kernel, "print(kept)") == "5\n" and python_process(kernel) == before
    kernel.process.send_signal(signal.SIGINT)  # hits nothing while nothing runs
    assert says(kernel, "print(kept)") == "5\n"


def test_a_crash_costs_the_python_process_alone(kernel):
    ok(kernel, "float x[3] = 2;")
    ok(kernel, py("x[0] = 9\ny = x"))
    reply = fails(kernel, py("import ctypes\nctypes.string_at(8)"))
    assert "SIGSEGV" in "\n".join(reply["traceback"]) and "arrays of the session are all there" in "\n".join(reply["traceback"])
    ok(kernel, "assert(x[0] == 9 && x[1] == 2);\n%free x")
    assert "NameError" == fails(kernel, py("y"))["ename"]
    os.kill(python_process(kernel), signal.SIGKILL)  # while nothing is asked of it
    outputs = ok(kernel, py("print('again')"))
    assert text_of(outputs) == "again\n"
    pid = python_process(kernel)
    kernel.process.kill()
    end = time.monotonic() + 60
    while runs(pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert not runs(pid)


FAULT = "__global__ void bad(float* p) { p[1000] = 1; }\nbad<<<1, 1>>>(x);"


@pytest.mark.parametrize("event, after", [
    ("%free x", "no name"), ("%reset", "no name"), ("float x[4] = 100;", "another"), ("double x[2] = 100;", "another"), ("%restart", "shared"),
    (FAULT, "shared"), ("float other[4] = 3;\nswap(x, other);", "another")], ids=lambda value: value.split("\n")[0][:24])
def test_an_object_is_valid_whatever_becomes_of_its_name(kernel, event, after):
    """It holds the elements that it had; what has its name by now is seen by the name."""
    ok(kernel, "float x[4] = {1, 2, 3, 4};")
    ok(kernel, py("kept = x\npart = x[1:3]"))
    kernel.execute(event)
    ok(kernel, "".join(f"float fill{i}[4] = 77;\n" for i in range(8)))  # would take the memory if it were free
    assert says(kernel, "print(kept.tolist(), part.sum())") == "[1.0, 2.0, 3.0, 4.0] 5.0\n"
    if after == "no name":
        assert fails(kernel, py("x"))["ename"] == "NameError"
    elif after == "another":
        assert says(kernel, "print(kept is x, x[0])").startswith("False ")
    else:
        ok(kernel, "x[0] = 50;")
        assert says(kernel, "print(kept[0], x is kept)") == "50.0 True\n"


def test_a_gpus_memory_is_not_for_the_cpu_device(kernel):
    """What the package xeus_cuda asks for PyTorch's tensors."""
    ask = "xcuda._names.ask({'event': 'borrow', 'name': 'b', 'type': 'float', 'shape': [4], 'handle': '00' * 64, 'offset': 0})"
    reply = fails(kernel, py(ask))
    assert "cannot open the memory of another process" in reply["evalue"]
    assert fails(kernel, "b")["ename"] == "NameError"


def test_memory_comes_back_when_python_lets_go(kernel):
    ok(kernel, "float x[1024] = 1;")
    first = says(kernel, "print(x.ctypes.data)")
    ok(kernel, "%free x")
    ok(kernel, "float x[1024] = 2;")
    assert says(kernel, "print(x.ctypes.data)") == first  # no variable of Python held it
    ok(kernel, py("kept = x"))
    ok(kernel, "%free x")
    ok(kernel, "float x[1024] = 3;")
    assert says(kernel, "print(kept[0], x[0], kept.ctypes.data == x.ctypes.data)") == "2.0 3.0 False\n"
    ok(kernel, py("del kept"))
    ok(kernel, "%free x")
    ok(kernel, "float z[1024] = 4;")
    assert says(kernel, "print(z.ctypes.data)") == first


def test_more_pieces_of_memory_than_one_message_takes(kernel):
    ok(kernel, "".join(f"float a{i}[1 << 20] = {i};\n" for i in range(40)))  # each has a piece of its own
    assert says(kernel, "print(sum(int(getattr(xcuda, f'a{i}')[-1]) for i in range(40)))") == "780\n"
    ok(kernel, "%free " + " ".join(f"a{i}" for i in range(0, 40, 2)) + "\nfloat b[1 << 21] = 5;")
    assert says(kernel, "print(sum(int(getattr(xcuda, f'a{i}')[-1]) for i in range(1, 40, 2)), b[-1], 'a0' in dir(xcuda))") == "400 5.0 False\n"


def test_an_address_in_an_array_is_an_address_in_python(kernel):
    ok(kernel, "float x[4] = {1, 2, 3, 4};\nlong where[1];\n__global__ void note(float* p, long* q) { q[0] = (long)(p + 2); }\nnote<<<1, 1>>>(x, where);")
    assert says(kernel, "import ctypes\nprint(ctypes.c_float.from_address(int(where[0])).value)") == "3.0\n"


def test_a_failed_assignment_leaves_the_array_as_it_was(kernel):
    ok(kernel, "float x[2] = 3;")
    assert fails(kernel, py("import numpy as np\nxcuda.x = np.array(['no'])"))["ename"] == "TypeError"
    assert says(kernel, "print(x.tolist())") == "[3.0, 3.0]\n"
    reply = fails(kernel, py("xcuda.x = np.zeros(1 << 45, 'i1')"))
    assert reply["ename"] in ("MemoryError", "RuntimeError", "_ArrayMemoryError")
    assert says(kernel, "print(x.tolist())") == "[3.0, 3.0]\n"


def test_assigning_a_view_of_the_array_itself(kernel):
    ok(kernel, "float x[6] = arange();")
    ok(kernel, py("xcuda.x = x[::-1]"))
    ok(kernel, "assert(x[0] == 5 && x[5] == 0);")
    ok(kernel, py("xcuda.x = x.reshape(2, 3).T"))
    ok(kernel, "assert(x[0][1] == 2 && x[2][0] == 3);")


def test_arrays_says_what_is_shared(kernel):
    ok(kernel, "float x[4], y[4];")
    assert "shared with Python" not in str(ok(kernel, "%arrays"))
    ok(kernel, py("pass"))
    assert "shared with Python: x, y" in str(ok(kernel, "%arrays"))


def test_launches_end_before_python_sees_an_array(kernel):
    ok(kernel, "__global__ void slow(int* p) { long s = 0; for (long i = 0; i < 30000000; ++i) s += i ^ (s >> 3); p[0] = s == 1 ? 1 : 2; }\nint x[1] = 0;")
    outputs = ok(kernel, "slow<<<1, 1>>>(x);\n")
    assert outputs is not None
    assert says(kernel, "print(x[0])") == "2\n"


def test_completion_and_inspection_are_pythons(kernel):
    ok(kernel, "float velocity[4] = 1;")
    ok(kernel, py("import math\ndef my_function(a):\n    'What it does.'"))

    def complete(code):
        return kernel.ask("complete_request", {"code": code, "cursor_pos": len(code)})["matches"]
    assert "velocity" in complete(py("π = 1\nvelo"))
    assert any(match.endswith("mean") for match in complete(py("velocity.mea")))
    assert any(match.endswith("factorial") for match in complete(py("math.factori")))
    assert "%%python" in complete("%%pyth")
    code = py("my_function(")
    found = kernel.ask("inspect_request", {"code": code, "cursor_pos": len(code) - 2, "detail_level": 0})
    assert found["found"] and "What it does." in found["data"]["text/plain"]
    assert "velocity" in kernel.ask("complete_request", {"code": "velo", "cursor_pos": 4})["matches"]  # C++ as ever


def test_input_comes_over_stdin(real, tmp_path):
    from jupyter_client import KernelManager
    from jupyter_client.kernelspec import KernelSpec
    manager = KernelManager(transport_encryption="disabled")
    manager._kernel_spec = KernelSpec(argv=[*real, "-f", "{connection_file}"], display_name="x", language="cuda", interrupt_mode="message")
    manager.start_kernel(env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    client = manager.client()
    client.start_channels()
    asked, texts = [], []
    try:
        client.wait_for_ready(60)

        def answer(message):
            asked.append((message["content"]["prompt"], message["content"]["password"]))
            client.input("Ada")

        def hook(message):
            if message["msg_type"] == "stream":
                texts.append(message["content"]["text"])
        code = py("import getpass\nprint('hello', input('name? '), getpass.getpass('word? '))")
        reply = client.execute_interactive(code, allow_stdin=True, stdin_hook=answer, output_hook=hook, timeout=60)
        assert reply["content"]["status"] == "ok"
        assert asked == [("name? ", False), ("word? ", True)] and "".join(texts) == "hello Ada Ada\n"
        reply = client.execute_interactive(py("input()"), allow_stdin=False, output_hook=hook, timeout=60)
        assert reply["content"]["status"] == "error" and "cannot be asked" in reply["content"]["evalue"]
        msg_id = client.execute(py("input('waits')"), allow_stdin=True)
        client.get_stdin_msg(timeout=60)
        manager.interrupt_kernel()
        assert client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt" and msg_id
        # It costs nothing, however often: no part of the answer is lost.
        client.execute_interactive(py("kept = 7"), timeout=60)
        for _ in range(12):
            client.execute(py("try:\n    input('waits')\nexcept KeyboardInterrupt:\n    pass"), allow_stdin=True)
            client.get_stdin_msg(timeout=60)
            manager.interrupt_kernel()
            client.get_shell_msg(timeout=60)
        texts.clear()
        client.execute_interactive(py("print(kept)"), output_hook=hook, timeout=60)
        assert "".join(texts) == "7\n"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_without_ipython_and_numpy(start, real, tmp_path):
    """A virtual environment that has neither."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    kernel = start(real, env={"XCUDA_PYTHON": str(tmp_path / "bare/bin/python3")})
    ok(kernel, "float x[2] = 1;")
    outputs = ok(kernel, py("import sys\nprint(1)\n6 * 7"))
    assert outputs[-1]["content"]["data"] == {"text/plain": "42"}
    reply = fails(kernel, py("x"))
    assert reply["ename"] == "NameError" and "NumPy is not installed" in reply["evalue"]
    assert fails(kernel, py("1 / 0"))["ename"] == "ZeroDivisionError"
    code = py("sys.version_i")
    assert "sys.version_info" in kernel.ask("complete_request", {"code": code, "cursor_pos": len(code)})["matches"]


def test_where_there_is_no_python(start, real, tmp_path):
    kernel = start(real, env={"XCUDA_PYTHON": str(tmp_path / "nowhere")})
    reply = fails(kernel, py("1"))
    assert reply["ename"] == "OSError" and "nowhere" in "\n".join(reply["traceback"])
    ok(kernel, "float x[2];")
