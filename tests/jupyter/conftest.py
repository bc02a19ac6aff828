"""Which kernels the tests run: the server behind a scripted engine (`fake`), and the installed xcuda (`real`).

XCUDA_FAKE_KERNEL   the scripted kernel's program; otherwise that of a build folder
XCUDA_PREFIX        where xcuda is installed; otherwise the kernelspec named xcuda
"""
import json
import os
import pathlib
import shutil
import tempfile

import pytest
from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

from raw_client import Kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fake_program():
    if "XCUDA_FAKE_KERNEL" in os.environ:
        return os.environ["XCUDA_FAKE_KERNEL"]
    built = [ROOT / "build" / preset / "tests/jupyter/xcuda_fake_kernel" for preset in ("release", "dev")]
    found = [path for path in built if path.exists()]
    return str(max(found, key=lambda path: path.stat().st_mtime)) if found else None


def real_argv():
    """Without the connection file; None when xcuda is not installed."""
    if "XCUDA_PREFIX" in os.environ:
        return [os.path.join(os.environ["XCUDA_PREFIX"], "bin", "xcuda")]
    try:
        return KernelSpecManager().get_kernel_spec("xcuda").argv[:1]
    except NoSuchKernel:
        return None


def write_spec(folder, name, argv):
    spec = folder / "kernels" / name
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({"argv": [*argv, "-f", "{connection_file}"], "display_name": name,
                                                  "language": "cuda", "interrupt_mode": "message",
                                                  "metadata": {"supported_encryption": "curve"}}))


def pytest_configure(config):
    """Kernelspecs for the clients that want a name, and a data folder that is not the user's."""
    config.addinivalue_line("markers", "installed: the kernel is the installed xcuda, not the scripted one")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="xcuda-tests-"))
    config.xcuda_folder = folder
    real = real_argv()
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["IPYTHONDIR"] = str(folder / "ipython")
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("JUPYTER_PATH")]))
    os.environ["JUPYTER_RUNTIME_DIR"] = str(folder / "runtime")
    if fake_program():
        write_spec(folder, "xcuda-fake", [fake_program()])
    if real and "XCUDA_PREFIX" in os.environ:
        write_spec(folder, "xcuda", real)
    config.xcuda_real = real


def pytest_unconfigure(config):
    shutil.rmtree(config.xcuda_folder, ignore_errors=True)


def pytest_collection_modifyitems(items):
    """A kernel that hangs fails its test and does not hold up the others."""
    for item in items:
        if pathlib.Path(__file__).parent in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(120))


@pytest.fixture(scope="session")
def fake_argv():
    program = fake_program()
    assert program, "build the target xcuda_fake_kernel first"
    return [program]


@pytest.fixture(scope="session")
def real(request):
    if not request.config.xcuda_real:
        pytest.skip("xcuda is not installed: set XCUDA_PREFIX, or install its kernelspec")
    return request.config.xcuda_real


@pytest.fixture
def start(tmp_path):
    """Starts kernels that do not outlive the test. The history is the test's own."""
    started = []

    def begin(argv, env=None, **more):
        kernel = Kernel(argv, tmp_path, env={"XDG_DATA_HOME": str(tmp_path / "data"), **(env or {})}, **more)
        started.append(kernel)
        return kernel

    yield begin
    for kernel in started:
        kernel.close()


@pytest.fixture
def kernel(request, start):
    return start(request.getfixturevalue("real" if request.node.get_closest_marker("installed") else "fake_argv"))
