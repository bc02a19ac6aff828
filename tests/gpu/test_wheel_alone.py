"""The wheel from its file alone, without a network, on a machine with a GPU: a fresh environment, a user who is not root."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import gpus

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "gpu-bundle/prefix"
SITE = ROOT / "gpu-bundle/site"  # Jupyter's clients
NOBODY = 65534

pytestmark = [pytest.mark.skipif(not gpus(), reason="no GPU on this machine"), pytest.mark.timeout(300),
              pytest.mark.skipif(not TREE.is_dir(), reason="gpu-bundle/ is not unpacked here: make gpu-bundle, . scripts/gpu-environment")]

# What the two cells of docs/colab.md do, and one of Python.
CLIENT = """
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="xcuda", startup_timeout=60)

def run(code):
    texts = []
    def hook(message):
        content = message["content"]
        texts.append(content.get("text") or chr(10).join(content.get("traceback", [])) or content.get("data", {}).get("text/plain", ""))
    reply = client.execute_interactive(code, timeout=120, output_hook=hook)["content"]
    assert reply["status"] == "ok", texts
    return "".join(texts)

try:
    run(r'''SAXPY''')
    run("assert(y[1000] == 2001 && y[n - 1] == 2.0f * (n - 1) + 1);")
    print("device:", run("%device"))
    print("python:", run("%%python\\nimport sys, xeus_cuda\\nprint(sys.prefix)"))
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
"""


@pytest.fixture(scope="module")
def home():
    """A folder of a plain user, with an environment that holds the wheel and nothing else."""
    folder = pathlib.Path(f"/tmp/xcuda-wheel-alone-{os.getpid()}")
    folder.mkdir(mode=0o755)
    try:
        subprocess.run([sys.executable, ROOT / "scripts/wheel", folder, TREE], check=True)
        (wheel,) = folder.glob("*.whl")
        assert wheel.stat().st_size <= 60 << 20
        shutil.copytree(SITE, folder / "site", symlinks=True, ignore=shutil.ignore_patterns("xcuda-*"))
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", folder / "env"], check=True)
        pip(folder, "install", "--no-index", "--no-deps", wheel)
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder], check=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def pip(home, command, *arguments):
    """That of the tests' own Python: the environment has none, and a plain user may not reach it."""
    subprocess.run([sys.executable, "-m", "pip", "--python", home / "env/bin/python", command, "-q", *arguments], check=True)


def as_user(home, *command, **more):
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    kept = {name: value for name, value in os.environ.items() if name.startswith(("CUDA_", "NVIDIA_")) or name in ("PATH", "LD_LIBRARY_PATH")}
    done = subprocess.run([*user, *map(str, command)], capture_output=True, text=True, cwd=home, env={**kept, "HOME": str(home), **more})
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def test_the_doctor_runs_a_kernel_on_the_gpu(home):
    said = as_user(home, "env/bin/xcuda", "--doctor")
    assert "A kernel, compiled and run: right" in said and "*  gpu:0" in said, said
    assert subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True).stdout.splitlines()[0] in said


def test_the_two_cells_of_colab(home):
    saxpy = (ROOT / "docs/colab.md").read_text().split("```cuda\n")[1].split("```")[0]
    said = as_user(home, "env/bin/python", "-c", CLIENT.replace("SAXPY", saxpy), PYTHONPATH=str(home / "site"), JUPYTER_PATH=str(home / "env/share/jupyter"))
    assert "gpu:0" in said.split("python:")[0] and str(home / "env") in said.split("python:")[1], said


def test_uninstalling_leaves_the_caches_and_nothing_else(home):
    pip(home, "uninstall", "-y", "xeus-cuda")
    left = [path for path in (home / "env").rglob("*") if "xcuda" in path.name or "xeus" in path.name]
    assert not [path for path in left if path.is_file()]
    assert (home / ".cache/xeus-cuda").is_dir()
