"""The test programs run from a moved copy of the tree, where the folder that built them is gone: as on a GPU machine."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"

# What each program reads of the tree or starts, in a few of its tests. All of a program whose tests are skipped here.
TESTS = {
    "test_base": "Worker.Answers:Worker.AWorkerStartedByHand*:Worker.EndsWithItsSession",
    "test_cell": "*Golden*:Kernels.*",
    "test_cells": "*Scripts*/saxpy:*Scripts*/ptx",
    "test_command": "*Document*",
    "test_compiler": "*Diagnostics*:*Cubin*:*TextureUses*:ClientTest.CompilesInAnotherProcess",
    "test_contract_cpu": "*SaysWhatItIs*:*LaunchesDoWhatTheySay*",
    "test_contract_cuda": "*SaysWhatItIs*",
    "test_contract_fake": "*SaysWhatItIs*:Supervision.TheSceneItself",
    "test_device_cpu": "*Desugar*:*Saxpy*:*Process*",
    "test_device_cuda": "*",
    "test_display": "*Golden*:*Number*",
    "test_kernels_cuda": "*",
    "test_opcodes_cpu": "*video*:*Video*",
    "test_opcodes_cuda": "*",
    "test_ptx": "*Golden*",
}

pytestmark = pytest.mark.skipif(not (BUILD / "bin/xcuda").exists(), reason="build/release is not built")


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    tree = tmp_path_factory.mktemp("moved & renamed") / "a tree"
    for folder in ("tests", "share", "docs"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "bin").mkdir()
    for program in [*(BUILD / "tests").rglob("test_*"), *(BUILD / "tests").rglob("*_worker"), *(BUILD / "tests").rglob("*_sample.so"),
                    *(BUILD / "bin").iterdir()]:
        if program.is_file() and os.access(program, os.X_OK):
            shutil.copy(program, tree / "bin")
    shutil.copytree(BUILD / "lib", tree / "lib")  # the CPU device, which workers find beside bin/
    (tree / "venv").mkdir()
    return tree


def without_the_clone(tree, *command, **environment):
    """Runs a command where an empty folder hides the clone; only .venv, with NVIDIA's wheels, is seen elsewhere."""
    hide = 'mount --bind "$1/.venv" "$2/venv" && mount -t tmpfs none "$1" && cd / && shift 2 && exec "$@"'
    return subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c", hide, "sh", str(ROOT), str(tree), *map(str, command)],
                          capture_output=True, text=True, env={**os.environ, "VIRTUAL_ENV": f"{tree}/venv", "CONDA_PREFIX": "", **environment})


@pytest.fixture(scope="module", autouse=True)
def hidden(moved):
    if not shutil.which("unshare") or without_the_clone(moved, "true").returncode != 0:
        pytest.skip("this machine gives no mount namespace")
    assert without_the_clone(moved, "ls", ROOT).stdout == ""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", TESTS)
def test_a_program_passes_or_skips(moved, program):
    if not (moved / "bin" / program).exists():
        pytest.skip("not built")
    done = without_the_clone(moved, moved / "bin" / program, f"--gtest_filter={TESTS[program]}", XCUDA_SOURCE_DIR=str(moved),
                             XCUDA_PROGRAMS=f"{moved}/bin", XCUDA_SHARE=f"{moved}/share")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "PASSED" in done.stdout or done.stdout.startswith("skipped, all: "), done.stdout
    assert "[==========] 0 tests" not in done.stdout, f"no test of {program} is called {TESTS[program]}"


@pytest.mark.parametrize("program", ["test_cells", "test_cell", "test_ptx", "test_display"])
def test_a_missing_tree_is_named(moved, program):
    if not (moved / "bin" / program).exists():
        pytest.skip("not built")
    done = without_the_clone(moved, moved / "bin" / program, XCUDA_SOURCE_DIR="/nowhere/at/all")
    assert done.returncode == 2
    assert "/nowhere/at/all" in done.stderr and "XCUDA_SOURCE_DIR" in done.stderr


def test_every_program_of_the_bundle_is_tried():
    """scripts/test-gpu runs these; each has its row above."""
    text = (ROOT / "scripts/test-gpu").read_text()
    assert {word.rsplit("/", 1)[1] for word in text.split() if word.startswith("gpu-bundle/bin/")} <= {name + end for name in TESTS for end in ("", ";")}
