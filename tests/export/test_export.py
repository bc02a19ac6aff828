"""What %export writes is a program that nvcc builds, and that prints what the session shows: here with the host in the place of
a GPU (host_cuda.hpp), in tests/gpu/test_exported_programs.py on a real one."""
import os
import pathlib
import random
import re
import shutil
import subprocess

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def cells_of(path):
    if path.suffix == ".cells":
        return path.read_text().split("\n---\n")
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def without_other_modules(cells):
    """Those of a tour that nvcc has a counterpart for; %reset would leave nothing."""
    return [cell for cell in cells if not re.search(r"^%%ptx|^%load_module|^!rm|\bsevens\b|^%reset|^nothing<<<", cell, re.M)]


def printed(message):
    """What an exported program prints of a message: streams, and the text of a value; no reports, pictures and charts."""
    content = message["content"]
    if message["msg_type"] == "stream" and content["name"] == "stdout":
        return content["text"]
    return content["data"]["text/plain"] + "\n" if message["msg_type"] == "execute_result" else ""


def export(cells, target):
    """Runs the cells; gives the exported program and what it has to print."""
    manager, client = start_new_kernel(kernel_name="xcuda", startup_timeout=60, cwd=str(target.parent))
    texts, problem = [], []

    def hook(message):
        texts.append(printed(message))
        problem.extend(message["content"].get("traceback", []))

    try:
        for cell in [*cells, f"%export {target}"]:
            reply = client.execute_interactive(cell, timeout=300, output_hook=hook)
            assert reply["content"]["status"] == "ok", f"{cell}\n{problem}"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return target.read_text(), "".join(texts)


def for_the_host(program):
    """The program as C++: a launch is a call, and what only nvcc knows is host_cuda.hpp's."""
    program = re.sub(r"#include <cuda[^>]*>\n", "", program).replace("cuda::std::", "std::")
    text, at = '#include "host_cuda.hpp"\n', 0
    for launch in re.finditer(r"([A-Za-z_][\w:]*(?:<[^<>;()]*>)?)<<<", program):
        configuration_end = program.index(">>>", launch.end())
        end, depth = configuration_end + 3, 0
        while end == configuration_end + 3 or depth > 0:
            depth += {"(": 1, ")": -1}.get(program[end], 0)
            end += 1
        arguments = program[configuration_end + 3:end]
        text += program[at:launch.start()] + f"host_cuda::launch([&] {{ {launch[1]}{arguments}; }}, {program[launch.end():configuration_end]})"
        at = end
    return text + program[at:]


def run_on_the_host(program, expected, folder):
    """The lines that it prints, as if the host were the session's device."""
    (folder / "program.cpp").write_text(for_the_host(program))
    built = subprocess.run(["g++", "-std=c++20", "-O0", "-ffp-contract=off", "-w", f"-I{ROOT}/tests/export", "-o", "program", "program.cpp"], cwd=folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[:10000]
    ran = subprocess.run([folder / "program"], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr
    device = re.search(r"B, (.+)$", expected, re.M)
    return ran.stdout.replace("the host", device[1] if device else "").splitlines()


@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize("name", ["language", "order"])
def test_it_prints_what_the_session_shows(name, tmp_path):
    # Of half the host has no arithmetic; a struct and a stream are comments in the program; the shell is no part of it.
    cells = [re.sub(r"^half .*\n?", "", cell, flags=re.M) for cell in cells_of(ROOT / f"tests/export/{name}.cells") if not re.search(r"\bg = g|^(h|g|sum\(g\)|%free.*)$", cell, re.M)]
    program, expected = export(cells, tmp_path / "program.cu")
    ours, theirs = run_on_the_host(program, expected, tmp_path), expected.splitlines()
    # What kernels print may come before or behind what the cell prints.
    by_kernels = re.compile("^hello ")
    assert [line for line in ours if not by_kernels.match(line)] == [line for line in theirs if not by_kernels.match(line)]
    assert sorted(filter(by_kernels.match, ours)) == sorted(filter(by_kernels.match, theirs))


@pytest.mark.timeout(600)
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize("name", ["language", "nested"])
def test_nvcc_builds_it(name, tmp_path):
    program, _ = export(cells_of(ROOT / f"tests/export/{name}.cells"), tmp_path / "program.cu")
    lines = program.splitlines()
    assert int(re.search(r"main\(\) from line (\d+)", lines[0])[1]) == lines.index("int main() {") + 1
    # As the program says, for the least that it takes; without optimising, which is most of the time.
    command = lines[1].removeprefix("//").split()
    assert command[0] == "nvcc"
    quick = ["-arch=sm_80" if word == "-arch=native" else word for word in command[1:]] + ["-O0", "-Xcicc", "-O0", "-Xptxas", "-O0"]
    built = subprocess.run([NVCC, *quick], cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "warning" not in built.stdout + built.stderr
    assert (tmp_path / "program").exists()


# Other forms of calls than those of the examples.
FORMS = ["auto [xs, ys, zs] = meshgrid(x, y, x[:2]);", "zs * xs + ys", 'percentile(x, 40, method = "lower")', 'quantile(x, {0.3, 0.5}, method = "nearest")']
# Functions whose value is another one in each run, or that need what only a session or a GPU has.
NOT_TWICE = re.compile(r"\b(clock|time|rand|srand|uniform|normal|lognormal|poisson|randint|permutation|choice|cuda[A-Z]\w*|elapsed|record|wait|load|like|half)\b")


def functions():
    """Examples of functions that %export writes, as the golden list has them: a drawn few, or all of them."""
    listed = (ROOT / "tests/golden/export/functions.txt").read_text().splitlines()
    examples = [line.split(": ", 1)[1].removesuffix("  // exported") for line in listed if line.endswith("  // exported")]
    examples = [one for one in examples if not NOT_TWICE.search(one)]
    return examples if os.environ.get("XCUDA_ALL_TYPES") else random.Random(os.environ.get("XCUDA_SEED", "6")).sample(examples, 12)


@pytest.mark.timeout(1800)
def test_functions_print_what_the_session_shows_and_compile(tmp_path):
    cells = ["float x[6] = {3, 1, 2, 6, 5, 4}, y[6] = 1;", *functions(), *FORMS]
    program, expected = export(cells, tmp_path / "program.cu")
    ours, theirs = run_on_the_host(program, expected, tmp_path), expected.splitlines()
    assert "\n".join(ours) == "\n".join(theirs)
    if NVCC is not None:  # device code alone, which the host's compiler has not seen
        built = subprocess.run([NVCC, "-std=c++20", "-arch=sm_80", "-Xcicc", "-O0", "-ptx", "-o", "program.ptx", "program.cu"], cwd=tmp_path, capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr


@pytest.mark.timeout(300)
def test_a_statement_keeps_its_text(tmp_path):
    program, _ = export(cells_of(ROOT / "notebooks/saxpy.ipynb"), tmp_path / "program.cu")
    for line in ["const size_t n = size_t(block) * grid;",
                 "xcuda::Array<float> x(n);",
                 "xcuda::uniform(x, 0, 1, 1);",
                 "saxpy<<<grid, block>>>(a, x, y, out, n);",
                 'std::printf("%zu elements, %d wrong\\n", n, bad.part(0).get());',
                 'xcuda::show("out", out);']:
        assert line in program
    assert "--fmad=false" in program.splitlines()[1]
    assert "--repeat" not in program and "#pragma once" not in program
