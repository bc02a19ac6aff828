"""%device mpi:N: devices that are the ranks of an MPI job, here on this host and in a network namespace."""
import os
import pathlib
import shutil
import signal
import subprocess

import pytest
from processes import command, descendants, wait_until_gone
from raw_client import text_of

pytestmark = pytest.mark.installed

# Open MPI starts no ranks for root unless it is told to.
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SAXPY = """\
__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
const int n = 1000;
"""


def error_of(reply):
    assert reply["status"] == "error", reply
    return "\n".join([reply["evalue"], *reply["traceback"]])


def is_rank(pid, rank):
    environment = pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0")
    return "xcuda-mpi rank" in command(pid) and f"OMPI_COMM_WORLD_RANK={rank}" in environment


@pytest.fixture
def run(real, start, request):
    """Runs cells in one session; what fails, fails the test."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed (Debian: openmpi-bin)")
    programs = pathlib.Path(os.environ.get("XCUDA_PROGRAMS") or pathlib.Path(real[0]).parent)
    if not (programs / "xcuda-mpi").exists():
        pytest.skip("xcuda-mpi is not installed: MPI was not found when it was built (Debian: libopenmpi-dev)")
    kernel = start(real, env={**ROOT, **getattr(request, "param", {})})

    def cell(code, error=None):
        reply, outputs = kernel.execute(code)
        if error is not None:
            assert error in error_of(reply), error_of(reply)
        else:
            assert reply["status"] == "ok", error_of(reply)
        cell.shown = "".join(each["content"]["data"]["text/plain"] for each in outputs if "data" in each["content"])
        return text_of(outputs)

    cell.kernel = kernel
    cell.process_of = lambda rank: next(pid for pid in descendants(kernel.process.pid) if is_rank(pid, rank))
    return cell


def test_each_rank_works_on_its_own_memory(run):
    run("%device mpi:2\n")
    run(SAXPY)
    run("""\
float x[n] = replicated(), y[n] = replicated();
assert(device_count() == 2);
x = 2;
for (int d = 0; d < 2; ++d) on (d) { y = d; saxpy<<<cover(n)>>>(3.0f, x, y, n); }
assert(y.device(0)[0] == 6 && y.device(1)[0] == 7 && y.device(1)[n - 1] == 7);
float u[5][3] = shard(0);
for (int i = 0; i < 5; ++i) u[i] = i;
assert(sum(u) == 30 && y.device(1)[n - 1] == 7);
float m[2][2] = 1, p[2][2] = matmul(m, m);  // a library of device 0
assert(p[1][1] == 2);
u = 2 * u + 1;
assert(u[2][0] == 5 && u[3][2] == 7);  // on the two sides of the border
""")
    # What lives elsewhere is named, with what to do.
    run("float p[n] = 1;\non (1) { saxpy<<<cover(n)>>>(3.0f, p, x, n); }",
        error="device 1 does not reach p, which lives on device 0")
    run("float q[15] = sort(reshape(u, 15));", error="device 0 does not reach all of u: it is split over devices 0 to 1")
    run("saxpy<<<1, 15>>>(1.0f, u, u, 15);", error="device 0 does not reach all of u")
    run("%%launch --split x\nsaxpy<<<1, 15>>>(1.0f, x, y, 15);",
        error="cannot split the grid of saxpy: the devices share no memory")
    run("float c[4][4] = shard(1);", error="cannot split c along axis 1: its parts would not be in one piece")
    run("on (1) { saxpy<<<1, 6>>>(1.0f, local(u), local(u), 6); }\nassert(u[3][0] == 14 && u[2][0] == 5);")
    # A fault ends the device's process of its rank alone; all arrays stay.
    run("__global__ void fault(float* x) { x[5000] = 1; }\non (1) { fault<<<1, 1>>>(x); }", error="device 1")
    run("assert(x.device(1)[0] == 2 && y.device(0)[0] == 6);")


def test_an_interrupt_stops_what_runs_on_a_rank(run):
    run("%device mpi:2\n")
    run("__global__ void forever(volatile int* x) { *x = 1; while (*x) { } }\nint x[1] = replicated(), kept[4] = shard(0);\nkept = 5;")
    stopped = ""
    while "device 1: the launch was stopped" not in stopped:  # an interrupt before the launch stops the cell as well
        cell = run.kernel.begin('printf("go\\n");\non (1) { forever<<<1, 1>>>(x); }')
        run.kernel.ask("interrupt_request", {}, "control")
        stopped = error_of(run.kernel.reply(cell)["content"])
        run.kernel.outputs(cell)
        assert "KeyboardInterrupt" in stopped, stopped
    run("assert(kept[0] == 5 && kept[3] == 5);")


def test_collectives_give_the_bits_of_one_host(run):
    cells = """\
const int n = 2051;
float w[n] = replicated(), s[n] = shard(0), g[n] = replicated();
half h[n] = replicated();
for (int d = 0; d < 3; ++d) on (d) { w = sin(arange(2051) * (d + 1)); h = w; }
reduce_scatter(s, w);
all_reduce(w);
all_reduce(h, "prod");
all_gather(g, s);
int a[18] = shard(0), b[18] = shard(0);
a = arange();
all_to_all(b, a);
broadcast(g, 2);
"""
    show = "%config precision 9\n" + "\n".join(f"printf(\"%.9g %.9g %.9g %d\\n\", w.device({d})[{i}], g.device({d})[{i}], "
                                               f"float(h.device({d})[{i}]), b[{i % 18}]);"
                                               for d in range(3) for i in (0, 700, 2050))
    results = []
    for device in ("mpi:3", "cpu:3"):
        run(f"%reset\n%device {device}\n")
        run(cells)
        results.append(run(show))
    assert results[0] == results[1] and len(results[0].splitlines()) == 9


def test_a_lost_rank_is_named_and_the_arrays_of_the_others_stay(run):
    run("%device mpi:3\n")
    run("float u[6] = shard(0), w[4] = replicated();\nu = arange(); w = 7;")
    victim = run.process_of(2)
    os.kill(victim, signal.SIGKILL)
    wait_until_gone([victim])
    run("int i = 1;", error="its process has ended")
    run("assert(u[0] == 0 && u[3] == 3 && w.device(1)[2] == 7);")
    run("u[5]", error="rank 2 on ")
    run("float v[3] = shard(0);", error="rank 2 on ")
    run("on (2) { w = 1; }", error="rank 2 on ")
    run("u[1] = 9;\nassert(u[1] == 9);")
    run("%restart\n")
    assert "2 arrays made anew" in run.shown
    run("assert(u[5] == 0);\nu = 8;\nassert(sum(u) == 48);")


def test_when_the_launcher_ends_nothing_is_said_to_be_left(run):
    run("%device mpi:2\n")
    run("float w[4] = replicated();\nw = 7;")
    ranks = [run.process_of(0), run.process_of(1)]
    launcher = next(pid for pid in descendants(run.kernel.process.pid) if command(pid).startswith("mpirun"))
    os.kill(launcher, signal.SIGKILL)
    wait_until_gone([launcher, *ranks])
    run("w", error="The arrays went with them.")
    run("all_reduce(w);", error="started have ended")
    run("%restart\n")
    assert "1 array made anew" in run.shown
    run("w = 1;\nall_reduce(w);\nassert(w[0] == 2);")


@pytest.fixture
def other_host(tmp_path):
    """A network namespace beside this one; the launcher that starts the second rank there, and the link to it."""
    space, here, there = f"xcuda{os.getpid()}", f"xch{os.getpid()}", f"xct{os.getpid()}"
    commands = [f"ip netns add {space}", f"ip link add {here} type veth peer name {there}",
                f"ip link set {there} netns {space}", f"ip addr add 10.213.77.1/24 dev {here}", f"ip link set {here} up",
                f"ip netns exec {space} ip addr add 10.213.77.2/24 dev {there}",
                f"ip netns exec {space} ip link set {there} up", f"ip netns exec {space} ip link set lo up"]
    try:
        for command_line in commands:
            if subprocess.run(command_line.split(), capture_output=True, check=False).returncode != 0:
                pytest.skip(f"no rights for network namespaces: {command_line}")
        agent = tmp_path / "agent"  # in place of ssh: its first word is the host
        agent.write_text(f"#!/bin/sh\nshift\nexec ip netns exec {space} unshare --uts sh -c \"hostname {space}; exec $*\"\n")
        agent.chmod(0o755)
        network = "--mca btl tcp,self --mca btl_tcp_if_include 10.213.77.0/24 --mca oob_tcp_if_include 10.213.77.0/24"
        yield (f"mpirun --enable-recovery --bind-to none --mca plm_rsh_agent {agent} {network} "
               "--host 10.213.77.1:1,10.213.77.2:1 -n {n}"), here, space
    except FileNotFoundError as missing:
        pytest.skip(f"no network namespaces: {missing}")
    finally:
        if shutil.which("ip"):
            for command_line in (f"ip link del {here}", f"ip netns del {space}"):
                subprocess.run(command_line.split(), capture_output=True, check=False)


@pytest.mark.parametrize("run", [{"XCUDA_MPI_PATIENCE": "5"}], indirect=True)
def test_a_rank_on_another_host(other_host, run):
    launcher, link, space = other_host
    run(f'%config launcher "{launcher}"\n%device mpi:2\n')
    run(SAXPY)
    run("""\
float x[n] = 2, y[n] = 1, u[1000] = shard(0), w[1 << 20] = replicated();
on (1) { float a[n] = 2, b[n] = 1; saxpy<<<cover(n)>>>(2.0f, a, b, n); y = b; }
assert(y[999] == 5);
for (int d = 0; d < 2; ++d) on (d) { local(u) = d + 1; w = d + 1; }
all_reduce(w);
assert(sum(u) == 1500 && w.device(0)[1 << 19] == 3 && w.device(1)[(1 << 20) - 1] == 3);
""")
    subprocess.run(["ip", "link", "set", link, "down"], check=True)
    run("u[999]", error=f"rank 1 on {space} was lost: nothing was heard of it for 5 s")
    run("assert(u[0] == 1 && w.device(0)[7] == 3);")
