"""An exported program prints what the session printed and showed, on the same GPU."""
import importlib.util
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import gpus

ROOT = pathlib.Path(__file__).resolve().parents[2]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
spec = importlib.util.spec_from_file_location("export_cells", ROOT / "tests/export/test_export.py")
export_cells = importlib.util.module_from_spec(spec)
spec.loader.exec_module(export_cells)

pytestmark = [pytest.mark.skipif(not gpus(), reason="no GPU on this machine"), pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")]

CELLS = [ROOT / "notebooks" / f"{name}.ipynb" for name in ("saxpy", "tour", "heat", "reduction", "vectorize", "streams", "mandelbrot", "cuda_core", "pycuda_compare", "gallery")]
CELLS += [ROOT / "tests/export/language.cells", ROOT / "tests/export/order.cells", ROOT / "tests/export/nested.cells"]


def shown(message):
    """What an exported program prints of a message: streams, and the text of a value; no reports, pictures and charts."""
    content = message["content"]
    if message["msg_type"] == "stream":
        return content["text"] if content["name"] == "stdout" else ""
    if message["msg_type"] == "execute_result":
        return content["data"]["text/plain"] + "\n"
    return ""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", CELLS, ids=lambda path: path.stem)
def test_it_prints_what_the_session_shows(path, start, tmp_path):
    kernel = start()
    program = tmp_path / "program.cu"
    expected, by_commands = [], []
    for cell in [*export_cells.without_other_modules(export_cells.cells_of(path)), f"%export {program}"]:
        texts, problem = [], []

        def hook(message):
            texts.append(shown(message))
            problem.extend(message["content"].get("traceback", []))

        reply = kernel.client.execute_interactive(cell, timeout=300, output_hook=hook)
        assert reply["content"]["status"] == "ok", problem
        printed_by_shell = re.search(r"^!|^%%?(help|lsmagic|arrays|show|info|ptx|history|config|device|save|restart|python|who|time|timeit|cd|pwd|ls|env|pip|bash|sh|writefile|load|cuda_group_run)\b|\?$", cell, re.M)
        of_commands = re.search(r"\bmain\(", cell) or (printed_by_shell and not re.search(r"printf|<<<", cell))
        (by_commands if of_commands else expected).extend("".join(texts).splitlines())
    command = program.read_text().splitlines()[1].removeprefix("//").split()
    subprocess.run([NVCC, *command[1:]], cwd=tmp_path, check=True)
    ran = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # Shells, structs, streams and commands are comments in the program; all else is there, line by line.
    missing = [line for line in ran.stdout.splitlines() if line not in expected + by_commands]
    assert not missing, "printed by the program alone:\n" + "\n".join(missing)
    lost = [line for line in expected if line not in ran.stdout.splitlines()]
    structs = [line for line in lost if re.match(r"^(hi|dim3|\{|p: |bodies: |\[\(| \()", line)]
    assert lost == structs, "shown by the session alone:\n" + "\n".join(lost)
