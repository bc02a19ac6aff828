"""Limits that batch systems set, and folders that are missing: the kernel starts and says what is limited, or says why not."""
import pathlib
import resource
import signal
import subprocess

import pytest
from processes import command, descendants, runs, strike, wait_until_gone, workers
from raw_client import ok, text_of

pytestmark = [pytest.mark.timeout(180), pytest.mark.alone]
TWICE = "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\nfloat x[100] = arange();\ntwice<<<1, 100>>>(x);\nx[7]"


def limited(real, *limits):
    """The kernel's argv, under the limits of the shell's ulimit."""
    return ["/bin/sh", "-c", "".join(f"ulimit {limit} && " for limit in limits) + 'exec "$0" "$@"', *real]


def failure(kernel, code):
    """The kind and the text of its error; a shell command may have written about the limit to stderr, too."""
    reply, _ = kernel.execute(code)
    assert reply["status"] == "error"
    return reply["ename"], "\n".join(reply["traceback"])


def shown(outputs):
    return text_of(outputs) + "\n".join(each["content"]["data"].get("text/plain", "") for each in outputs if "data" in each["content"])


def runs_kernels(kernel):
    outputs = ok(kernel, "%device cpu\n" + TWICE)
    assert outputs[-1]["content"]["data"]["text/plain"] == "14.0"
    assert text_of(ok(kernel, "!echo hello")) == "hello\n"
    return shown(outputs)


@pytest.mark.parametrize("limits", [["-s 256"], ["-s 1024"], ["-s unlimited"], ["-m 1000"], ["-c 0"], ["-c unlimited"], ["-l 16"], ["-l 0"], ["-n 128"],
                                    ["-S -n 32"], ["-S -n 8"], ["-f 40000"], ["-v 8388608"], ["-v 4194304"], ["-v 8388608", "-s 256", "-n 128", "-f 40000"]],
                         ids=str)
def test_a_kernel_runs_under_limits(start, real, limits):
    kernel = start(limited(real, *limits))
    runs_kernels(kernel)
    assert shown(ok(kernel, "1 + " * 200 + "1")) == "201"
    failure(kernel, "(" * 100_000 + "1")
    assert shown(ok(kernel, "x[8]")) == "16.0"


def test_a_limit_on_address_space_is_said_where_it_matters(start, real):
    kernel = start(limited(real, "-v 8388608"))
    assert "The limit on address space (ulimit -v) leaves 4.0 GiB of addresses for arrays" in runs_kernels(kernel)
    kind, text = failure(kernel, "char big[5ull << 30];")
    assert kind == "MemoryError" and "ulimit -v" in text
    assert "ulimit" not in shown(ok(kernel, "char small[1 << 20];\nsmall[5]"))
    for pid in descendants(kernel.process.pid):  # the next process has the same addresses
        if "xcuda-cpu" in command(pid):
            subprocess.run(["kill", "-9", str(pid)], check=True)
    assert shown(ok(kernel, "x[7]")) == "14.0"


def test_without_a_limit_nothing_is_said(start, real):
    assert "ulimit" not in runs_kernels(start(real))


def test_too_few_addresses_are_an_error_with_the_limit(start, real):
    kernel = start(limited(real, "-v 180000"))
    assert shown(ok(kernel, "6 * 7")) == "42"
    kind, text = failure(kernel, "%device cpu\nfloat x[10];")
    assert kind == "MemoryError" and "ulimit -v" in text, text
    assert shown(ok(kernel, "6 * 7")) == "42"


def test_a_limit_on_file_sizes_is_the_error_of_the_write(start, real, tmp_path):
    kernel = start(limited(real, "-f 8192"))  # 4 MiB in sh's blocks of 512 bytes
    ok(kernel, "%device cpu\nfloat a[1048576] = arange();")  # 4 MiB, and the file has a header
    kind, text = failure(kernel, f'%save a "{tmp_path}/a.npy"')
    assert kind == "OSError" and "EFBIG" in text
    assert list(tmp_path.glob("a.npy*")) == []
    kind, text = failure(kernel, "float big[2000000];")
    assert "ulimit -f" in text and "EFBIG" in text
    kind, text = failure(kernel, f"!head -c 5000000 /dev/zero > {tmp_path}/zero")
    assert kind == "OSError"  # a program of the shell has the signal as it is used to
    ok(kernel, f'float c[1000000] = arange();\n%save c "{tmp_path}/c.npy"')
    assert shown(ok(kernel, "a[7]")) == "7.0"


def test_a_limit_on_file_sizes_below_what_a_device_needs(start, real):
    kernel = start(limited(real, "-f 100"))
    assert shown(ok(kernel, "6 * 7")) == "42"
    kind, text = failure(kernel, "%device cpu\nfloat x[10];")
    assert "ulimit -f" in text
    assert shown(ok(kernel, "6 * 7")) == "42"


def test_too_few_open_files_are_refused(real, tmp_path):
    connection = tmp_path / "connection.json"
    connection.write_text("{}")
    done = subprocess.run([*limited(real, "-n 32"), "-f", str(connection)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("xcuda: a session needs ") and "the limit is 32" in done.stderr and "ulimit -n" in done.stderr


def test_descriptors_that_run_out_cost_the_cells_that_need_one(start, real, tmp_path):
    """Also the next process of a device: it is tried again with the next cell, without %restart."""
    kernel = start(real)
    runs_kernels(kernel)
    before = resource.prlimit(kernel.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(kernel.process.pid, resource.RLIMIT_NOFILE, (5, before[1]))
    kind, text = failure(kernel, f'%save x "{tmp_path}/x.npy"')
    assert kind == "OSError" and "raise it, or free arrays" in text
    doomed = workers(kernel)
    strike(kernel, signal.SIGKILL)
    wait_until_gone(doomed)
    for code in ("twice<<<1, 100>>>(x);", "%restart", "twice<<<1, 100>>>(x);"):
        kind, text = failure(kernel, code)
        assert "EMFILE" in text and "raise it, or free arrays" in text, text
    assert shown(ok(kernel, "6 * 7")) == "42"
    resource.prlimit(kernel.process.pid, resource.RLIMIT_NOFILE, before)
    assert shown(ok(kernel, "twice<<<1, 100>>>(x);\nx[8]")) == "32.0"
    runs_kernels(kernel)


def test_the_limit_on_processor_time_ends_the_kernel_with_a_word(start, real):
    kernel = start(limited(real, "-t 3"))
    kernel.begin('printf("begun\\n");\nwhile (true) {}')
    assert kernel.wait() == 0
    assert b"processor time (ulimit -t)" in kernel.process.stderr.read()


def test_the_limit_on_processor_time_of_a_worker_costs_the_cell(start, real):
    kernel = start(limited(real, "-t 4"))
    ok(kernel, "%device cpu\n__global__ void endless(volatile int* p) { while (*p == 0) {} }\nint a[1], b[5] = arange();")
    kind, text = failure(kernel, "endless<<<1, 1>>>(a);")
    assert "SIGXCPU" in text, text
    assert shown(ok(kernel, "b[3]")) == "3"


FOLDERS = {
    "home that is not there": {"HOME": "/proc/nowhere/at/all"},
    "home that cannot be written": {"HOME": "/proc"},
    "empty home": {"HOME": ""},
    "home that is a file": {"HOME": "/dev/null"},
    "temporary folder that is not there": {"TMPDIR": "/proc/nowhere/at/all"},
    "nothing at all": {"HOME": "/proc", "TMPDIR": "/proc/nowhere", "XDG_RUNTIME_DIR": "/proc/nowhere"},
}


@pytest.mark.parametrize("environment", FOLDERS.values(), ids=FOLDERS)
def test_a_kernel_runs_without_its_folders(start, real, environment):
    kernel = start(real, env={"XDG_DATA_HOME": "", "XDG_CACHE_HOME": "", "XCUDA_CACHE_DIR": "", **environment})
    runs_kernels(kernel)
    kernel.ask("shutdown_request", {"restart": False}, "control")
    assert kernel.wait() == 0


def data_limits(kernel):
    """Of the private memory of each of its workers, by name; in bytes, or "unlimited"."""
    lines = {pid: pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines() for pid in workers(kernel) if runs(pid)}
    return {command(pid).split()[0].rsplit("/", 1)[1]: next(line.split()[3] for line in lines[pid] if line.startswith("Max data size")) for pid in lines}


def test_a_limit_on_memory_is_that_of_each_worker(start, real):
    """Those that run and those that start later; what a worker has set for itself may be lower."""
    kernel = start(real)
    runs_kernels(kernel)
    own = data_limits(kernel)
    ok(kernel, "%config memory 2GiB")
    ok(kernel, "%%python\n1")
    limits = data_limits(kernel)
    assert {"xcuda-cpu", "xcuda-compile", "xcuda-shell"} < limits.keys() and len(limits) == len(own) + 1
    assert all(int(limit) <= 2 << 30 for limit in limits.values()) and limits["xcuda-cpu"] == str(2 << 30)
    kind, _ = failure(kernel, "%%python\nbytearray(3 << 30)")
    assert kind == "MemoryError"
    assert text_of(ok(kernel, "!ulimit -d")).strip() == str(2 << 20)  # KiB
    strike(kernel, signal.SIGKILL)
    assert shown(ok(kernel, "x[8]")) == "16.0"
    assert data_limits(kernel)["xcuda-cpu"] == str(2 << 30)
    ok(kernel, "%config memory 100MiB")
    assert data_limits(kernel)["xcuda-cpu"] == str(1 << 30)  # below it no compiler has room
    ok(kernel, "%config memory off")
    runs_kernels(kernel)
    limits = data_limits(kernel)
    assert {name: limit for name, limit in limits.items() if name in own} == {name: limit for name, limit in own.items() if name in limits}
