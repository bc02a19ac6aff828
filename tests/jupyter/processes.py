"""The processes of a kernel, as /proc has them."""
import os
import pathlib
import time


def fields(pid):
    """Of /proc/PID/stat, from the state on; nothing when the process is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def runs(pid):
    found = fields(pid)
    return found is not None and found[0] not in "ZX"


def descendants(pid):
    """All that a process has started, directly or not."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and (found := fields(entry.name)) and found[0] not in "ZX":
            parents.setdefault(int(found[1]), []).append(int(entry.name))
    found, left = [], [pid]
    while left:
        children = parents.get(left.pop(), [])
        found += children
        left += children
    return found


def command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_until_gone(pids):
    while any(runs(pid) for pid in pids):  # the test's time limit is what fails it
        time.sleep(0.01)


def workers(kernel):
    """The processes that the kernel itself has started."""
    children = pathlib.Path(f"/proc/{kernel.process.pid}/task")
    return [int(pid) for task in children.iterdir() for pid in (task / "children").read_text().split()]


def device_processes(kernel):
    """Their names."""
    names = []
    for pid in workers(kernel):
        try:
            names.append(pathlib.Path(f"/proc/{pid}/comm").read_text().strip())
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has left meanwhile
    return [name for name in names if name in ("xcuda-cpu", "xcuda-gpu")]


def strike(kernel, how):
    """Sends a signal to each of its workers."""
    pids = workers(kernel)
    assert pids
    for pid in pids:
        os.kill(pid, how)
