"""Where a kernel is seldom tried: other users, few processes, file systems without locks, clocks that jump, a machine that sleeps."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
from processes import descendants
from raw_client import Kernel, ok, text_of

pytestmark = pytest.mark.timeout(120)
NOBODY = 65534
AS_NOBODY = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
CELL = "%device cpu\n__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\nfloat x[100] = arange();\ntwice<<<1, 100>>>(x);\nx[7]"


def shown(kernel, code):
    return ok(kernel, code)[-1]["content"]["data"]["text/plain"]


@pytest.fixture
def odd_libc(fake_argv):
    """In front of libc: locks that are not supported, a clock that a test sets."""
    path = os.path.join(os.path.dirname(fake_argv[0]), "odd_libc.so")
    if not os.path.exists(path):
        pytest.skip("odd_libc.so is not built beside the scripted kernel")
    return path


@pytest.fixture
def place():
    """A folder that every user can go to, unlike pytest's."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="xcuda-place-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")


# --- File systems -----------------------------------------------------------------------------------------------------


def test_a_home_without_locks(start, real, odd_libc, tmp_path):
    """Also for two kernels at once, which share caches and history."""
    environment = {"LD_PRELOAD": odd_libc, "XCUDA_ODD_LOCKS": "1", "XCUDA_CACHE_DIR": str(tmp_path / "cache")}
    kernels = [start(real, env=environment) for _ in range(2)]
    for kernel in kernels:
        assert shown(kernel, CELL) == "14.0"
        ok(kernel, f'%save x "{tmp_path}/x.npy"')
        assert shown(kernel, f'auto y = load("{tmp_path}/x.npy");\ny[9]') == "18.0"
    history = kernels[0].ask("history_request", {"hist_access_type": "tail", "n": 10, "output": False, "raw": True})["history"]
    assert any("twice<<<" in entry[2] for entry in history)
    assert [path.name for path in tmp_path.glob("*.part")] == []


@needs_root
@pytest.mark.parametrize("full", ["/dev/shm", "/tmp"])
def test_a_small_file_system_is_full(start, real, full):
    """Arrays need no /dev/shm, and no temporary files."""
    mount = f"mount -t tmpfs -o size=64k none {full} && head -c 1000000 /dev/zero >{full}/full 2>/dev/null; exec \"$0\" \"$@\""
    if subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="xcuda-place-", dir="/var/tmp"))
    try:
        kernel = Kernel(["unshare", "-m", "sh", "-c", mount, *real], folder, env={"XDG_DATA_HOME": str(folder / "data")})
        try:
            assert shown(kernel, CELL) == "14.0"
            assert shown(kernel, "float large[5000000] = 2;\nsum(large)") == "10000000.0"
            ok(kernel, "%%python\nassert x[7] == 14")
            if full == "/tmp":
                reply, _ = kernel.execute("%save large /tmp/large.npy")
                assert reply["ename"] == "OSError" and "ENOSPC" in "\n".join(reply["traceback"])
                left = text_of(ok(kernel, "!ls -A /tmp"))
                assert "full" in left and "large" not in left and ".part" not in left
        finally:
            kernel.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@needs_root
def test_no_room_for_precompiled_headers(start, real, place):
    """NVRTC would die of SIGBUS: the cell is compiled without one, and a note says so."""
    mount = f"mkdir -m 700 {place}/run && mount -t tmpfs -o size=8m,mode=700 none {place}/run; exec \"$0\" \"$@\""
    if subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    kernel = Kernel(["unshare", "-m", "sh", "-c", mount, *real], place, env={"XDG_RUNTIME_DIR": f"{place}/run"})
    try:
        cell = "%%kernel --pch\n#include <cuda/std/complex>\n__global__ void plain(float* x) { x[0] = 1; }"
        notes = [each["content"].get("data", {}).get("text/plain", "") for each in ok(kernel, cell)]
        assert any("--pch needs 256.0 MiB of free space" in note for note in notes), notes
        assert shown(kernel, "float x[1];\nplain<<<1, 1>>>(x);\nx[0]") == "1.0"
    finally:
        kernel.close()


# --- One connection file ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transport", ["tcp", "ipc"])
def test_two_kernels_with_one_connection_file(start, real, place, transport):
    """The second one says so and goes; the first one serves on."""
    first = start(real, **({"transport": "ipc", "ip": str(place / "socket")} if transport == "ipc" else {}))
    assert shown(first, "int kept = 42;\nkept") == "42"
    second = subprocess.run([*real, "-f", str(first.file)], capture_output=True, text=True, timeout=60)
    assert second.returncode == 2, second.stderr
    assert "Address already in use" in second.stderr
    assert shown(first, "kept") == "42"


# --- Clocks -----------------------------------------------------------------------------------------------------------


def test_clocks_that_jump(start, real, odd_libc, tmp_path):
    clock = tmp_path / "ahead"
    clock.write_text("0")
    kernel = start(real, env={"LD_PRELOAD": odd_libc, "XCUDA_ODD_CLOCK": str(clock), "XCUDA_CACHE_DIR": str(tmp_path / "cache")})
    assert shown(kernel, CELL) == "14.0"
    year = 365 * 86400
    for number, ahead in enumerate((10 * year, -20 * year, 3600, -3600, 0)):
        begun = kernel.execute_async(f"!echo {ahead} >{clock}\nfor (int i = 0; i < 1000000; ++i) {{}}")
        assert kernel.reply(begun)["content"]["status"] == "ok"
        assert text_of(ok(kernel, "!date +%s")).strip().isdigit()
        assert shown(kernel, "twice<<<1, 100>>>(x);\nx[7]") == f"{14.0 * 2 ** (number + 1)}"
        # Compiled anew, and taken from a cache whose entries are of another time.
        assert shown(kernel, f"__global__ void jump{number}(int* p) {{ *p = {number}; }}\nint p[1];\njump{number}<<<1, 1>>>(p);\np[0]") == str(number)
        ok(kernel, f'%save x "{tmp_path}/x.npy"\n%timeit -n 3 twice<<<1, 1>>>(x);')
        kernel.execute("x = x / 2;")
        ok(kernel, "x = x * 2;\n%config duration 1")
        reply, _ = kernel.execute("for (int i = 0; i >= 0; i = (i + 1) % 7) {}")
        assert reply["ename"] == "KeyboardInterrupt"
        ok(kernel, "%config duration 0")
        ok(kernel, "%%python\nassert x[1] == x[7] / 7")


# --- A machine that sleeps --------------------------------------------------------------------------------------------


def test_suspend_and_resume(start, real):
    """All processes stop, in the middle of a kernel, and go on in any order."""
    kernel = start(real)
    ok(kernel, """%device cpu
__global__ void spin(int* x, unsigned long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
  x[0] += 1;
}
int x[4] = {7, 8, 9, 10};""")
    ok(kernel, "%%python\n1")
    ok(kernel, "!true")
    for turn in range(2):
        msg_id = kernel.begin('printf("begun\\n");\nspin<<<1, 1>>>(x, 300000000ull);')
        pids = [kernel.process.pid, *descendants(kernel.process.pid)]
        random.Random(turn).shuffle(pids)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(1.5)  # longer than a process may stand still by itself
        random.Random(turn + 10).shuffle(pids)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        reply = kernel.reply(msg_id)
        assert reply["content"]["status"] == "ok", "\n".join(reply["content"]["traceback"])
        kernel.outputs(msg_id)
        assert shown(kernel, "x[0]") == str(8 + turn)
        assert shown(kernel, "x[3]") == "10"


# --- Other users ------------------------------------------------------------------------------------------------------


@needs_root
def test_a_home_that_is_full(real, place):
    """Nothing needs it: not IPython either, which makes folders there."""
    home = place / "home"
    home.mkdir()
    mount = f"mount -t tmpfs -o size=64k none {home} && head -c 1000000 /dev/zero >{home}/full 2>/dev/null; exec \"$0\" \"$@\""
    if subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    kernel = Kernel(["unshare", "-m", "sh", "-c", mount, *real], place, env={"HOME": str(home), "IPYTHONDIR": str(home / "ipython")})
    try:
        assert shown(kernel, CELL) == "14.0"
        outputs = ok(kernel, "%%python\nfloat(x[7]) + 1")
        assert outputs[-1]["content"]["data"]["text/plain"] == "15.0"
        assert shown(kernel, "x[8]") == "16.0"
    finally:
        kernel.close()


def found_by_nobody(folder, *test):
    found = subprocess.run(["find", folder, *test], capture_output=True, text=True, check=False, **AS_NOBODY)
    return sorted(found.stdout.split())


@needs_root
@pytest.mark.parametrize("transport", ["tcp", "ipc"])
def test_another_user_reads_and_reaches_nothing(start, real, place, transport):
    """Whatever the user's umask leaves: caches, history, temporary folders, sockets, the processes' memory and descriptors."""
    public = place / "public"
    public.write_text("to see that the search finds what others may read")
    public.chmod(0o644)
    temporary = place / "tmp"
    temporary.mkdir()
    temporary.chmod(0o777)
    names = {"HOME": place / "home", "XDG_DATA_HOME": place / "data", "XDG_CACHE_HOME": place / "cache"}
    for folder in names.values():
        folder.mkdir()
        folder.chmod(0o755)
    argv = ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', *real]
    more = {"transport": "ipc", "ip": str(place / "socket")} if transport == "ipc" else {}
    kernel = start(argv, env={**{name: str(path) for name, path in names.items()}, "TMPDIR": str(temporary), "XCUDA_CACHE_DIR": ""}, **more)
    assert shown(kernel, CELL) == "14.0"
    ok(kernel, "%%python\nassert x[7] == 14")
    ok(kernel, "!true")
    made = [path for path in place.rglob("*") if path.is_file()]
    assert len(made) > 1, "nothing was written, so nothing is shown"
    assert found_by_nobody(place, "-type", "f", "-readable") == [str(public)]
    assert found_by_nobody(place, "-type", "s", "-writable") == []
    # What a user's own folders hold is as private as they are; nobody else may put something there.
    others = [folder for folder in found_by_nobody(place, "-type", "d", "-writable") if folder != str(temporary)]
    assert others == []
    for pid in [kernel.process.pid, *descendants(kernel.process.pid)]:
        for name in ("mem", "environ", "maps", "fd"):
            look = subprocess.run(["head", "-c", "1", f"/proc/{pid}/{name}"] if name != "fd" else ["ls", f"/proc/{pid}/fd"],
                                  capture_output=True, text=True, check=False, **AS_NOBODY)
            assert look.returncode != 0 and "Permission denied" in look.stderr, (pid, name, look)


@needs_root
@pytest.mark.parametrize("most", [10, 25, 40])
def test_few_processes_are_said_where_they_are_missing(place, real, most):
    """RLIMIT_NPROC does not count for root. Too few to start, some to compute with, enough to run kernels."""
    if subprocess.run([*real, "--version"], capture_output=True, check=False, **AS_NOBODY).returncode != 0:
        pytest.skip("other users cannot reach the installed kernel")
    os.chown(place, NOBODY, NOBODY)
    limits = ["/bin/bash", "-c", f'ulimit -u {most}; exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups "$0" "$@"', *real]
    environment = {"HOME": str(place), "XDG_DATA_HOME": str(place / "data"), "XDG_CACHE_HOME": str(place / "cache"), "TMPDIR": str(place)}
    connection = place / "connection.json"
    if most == 10:
        connection.write_text("{}")
        done = subprocess.run([*limits, "-f", str(connection)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and "threads" in done.stderr and "ulimit -u" in done.stderr, done.stderr
        return
    before = os.umask(0o022)
    try:
        kernel = Kernel(limits, place, env=environment)
    finally:
        os.umask(before)
    try:
        assert shown(kernel, "6 * 7") == "42"
        reply, _ = kernel.execute(CELL)
        if reply["status"] != "ok":
            assert "ulimit -u" in "\n".join(reply["traceback"]), reply
        assert shown(kernel, "6 * 7") == "42"
    finally:
        kernel.close()
