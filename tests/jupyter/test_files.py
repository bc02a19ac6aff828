"""Files and folders of the installed kernel: the process that decodes, and the folders that others may have taken."""
import os
import pathlib
import re
import signal
import time
import xml.dom.minidom
import zipfile

import pytest
from processes import runs, workers
from raw_client import PATIENCE, fails, ok

pytestmark = pytest.mark.installed


def file_processes(kernel):
    found = []
    for pid in workers(kernel):
        try:
            if pathlib.Path(f"/proc/{pid}/exe").resolve().name == "xcuda-files":
                found.append(pid)
        except OSError:
            pass
    return found


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def test_the_process_that_decodes_may_die(kernel, tmp_path):
    path = tmp_path / "x.npy"
    ok(kernel, f'float x[4] = {{1, 2, 3, 4}};\n%save x "{path}"')
    assert file_processes(kernel) == []  # nothing was loaded yet
    ok(kernel, f'auto a = load("{path}");')
    [first] = file_processes(kernel)
    ok(kernel, f'auto b = load("{path}");')
    assert file_processes(kernel) == [first]
    os.kill(first, signal.SIGKILL)  # while nothing was asked of it
    ok(kernel, f'auto c = load("{path}");\nassert(c[3] == 4 && a[3] == 4);')
    [second] = file_processes(kernel)
    assert second != first
    os.kill(second, signal.SIGSTOP)  # it hangs
    reply = fails(kernel, f'c = load("{path}");')
    assert reply["ename"] == "OSError" and "x.npy" in reply["evalue"]
    ok(kernel, f'assert(c[3] == 4);\nc = load("{path}");\nassert(c[0] == 1);')
    [third] = file_processes(kernel)
    kernel.process.kill()
    wait_until(lambda: not runs(third))  # it goes with the session


def test_what_a_file_holds_does_not_reach_the_terminal(kernel, tmp_path):
    """Its control characters are shown, not obeyed: in errors, and in what lists the text of cells and files."""
    evil = "\x1b]0;title\x07\x1b[2J"
    (tmp_path / "a.csv").write_text(f"1,2\n3,{evil}\n")
    header = f"{{'descr': '{evil}', 'fortran_order': False, 'shape': (3,), }}".ljust(117) + "\n"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr(f"{evil}.npy", b"x")
        archive.writestr("b.npy", b"x")
    (tmp_path / "a.cuh").write_text(f"#error {evil}\n")
    for code in ('auto a = load("a.csv");', 'auto a = load("a.npy");', 'auto a = load("a.npz");', 'auto a = load("a.npz", "c");',
                 '#include "a.cuh"\n__global__ void k() {}'):
        reply = fails(kernel, code.replace('"a.', f'"{tmp_path}/a.'))
        said = "\n".join([*reply["traceback"], reply["evalue"]])
        assert "␛]0;title␇␛[2J" in said
        assert not re.search(r"\x07|\x1b(?!\[[0-9;]*m)", said), code
    ok(kernel, f"__global__ void k(int* p) {{ *p = 1; }} // {evil}\nint p[1];\nk<<<1, 1>>>(p);")
    for code in ("%history", "%ptx k"):
        for form in ("text/plain", "text/html"):
            assert not re.search("[\x1b\x07]", ok(kernel, code)[-1]["content"]["data"][form]), code
    chart = ok(kernel, f'float x[9] = arange();\n%plot x --title "{evil}"')[-1]
    xml.dom.minidom.parseString(chart["content"]["data"]["image/svg+xml"])


def test_a_fifo_holds_nobody(kernel, tmp_path):
    for name in ("f.npy", "f.png", "f.raw", "f.ptx", "f.cuh"):
        os.mkfifo(tmp_path / name)
    for code in ('auto a = load("f.npy");', 'auto a = load("f.png");', 'float a[2] = load("f.raw");',
                 "%load_module f.ptx m", '#include "f.cuh"\n__global__ void k() {}'):
        reply = fails(kernel, code.replace("f.", f"{tmp_path}/f."))
        assert reply["ename"] == "OSError"
        assert "it is a FIFO, not a file" in "\n".join(reply["traceback"])
    ok(kernel, "1 + 1")


@pytest.mark.parametrize("taken_by", ["a link", "a file", "another user", "a folder for all"])
def test_a_runtime_folder_that_is_taken(start, real, tmp_path, taken_by):
    """Nobody keeps a kernel from starting by a name in the folder for temporary files."""
    target = tmp_path / "target"
    target.mkdir()
    target.chmod(0o755)
    name = tmp_path / f"xeus-cuda-{os.geteuid()}"
    if taken_by == "a link":
        name.symlink_to(target)
    elif taken_by == "a file":
        name.write_text("taken")
    else:
        name.mkdir()
        name.chmod(0o777)
        if taken_by == "another user":
            if os.geteuid() != 0:
                pytest.skip("only root may give a folder to another user")
            os.chown(name, 65534, 65534)
    before = name.lstat()
    kernel = start(real, env={"TMPDIR": str(tmp_path), "XDG_RUNTIME_DIR": "", "XCUDA_CACHE_DIR": str(tmp_path / "cache")})
    ok(kernel, "__global__ void k(int* x) { *x = 42; }\nint x[1];\nk<<<1, 1>>>(x);\nassert(x[0] == 42);")
    after = name.lstat()
    assert (after.st_mode, after.st_uid, after.st_ino) == (before.st_mode, before.st_uid, before.st_ino)
    assert target.stat().st_mode & 0o777 == 0o755
    assert not any(target.iterdir())


def test_caches_that_others_may_write_are_not_used(start, real, tmp_path):
    for part in ("compile", "cpu"):
        (tmp_path / part).mkdir()
        (tmp_path / part).chmod(0o777)
    kernel = start(real, env={"XCUDA_CACHE_DIR": str(tmp_path)})
    ok(kernel, "__global__ void k(int* x) { *x = 42; }\nint x[1];\nk<<<1, 1>>>(x);\nassert(x[0] == 42);")
    assert not any((tmp_path / "compile").iterdir())
    assert not any((tmp_path / "cpu").iterdir())
