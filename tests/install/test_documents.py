"""What the documents promise: files that they name are there, and every variable of the environment is listed."""
import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`]*`|(?m:^    .*$)", "", path.read_text(encoding="utf-8"), flags=re.S)  # a lambda is no link
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert target.startswith("http") or (path.parent / target).exists(), target


def test_every_variable_of_the_environment_is_documented():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.cpp"))
    read = set(re.findall(r'(?:getenv|from_environment|variable|variable_root)\("([A-Z_]+)"\)', text))
    assert "XCUDA_CACHE_DIR" in read and "CUDA_HOME" in read
    listed = (ROOT / "docs/installing.md").read_text(encoding="utf-8")
    known = {"HOME", "USER", "JPY_PARENT_PID", "N"}  # everybody's, and the example of getenv
    assert [name for name in sorted(read - known) if f"`{name}`" not in listed and f"`${name}" not in listed and f"${name}" not in listed] == []


def test_the_tour_has_every_command():
    commands = re.findall(r"^### (.+)$", (ROOT / "docs/commands.md").read_text(encoding="utf-8").split("## Commands one by one")[1].split("\n## ")[0], re.M)
    cells = json.loads((ROOT / "notebooks/tour.ipynb").read_text(encoding="utf-8"))["cells"]
    tour = "\n".join("".join(cell["source"]) for cell in cells)
    assert len(commands) > 20
    for command in commands:
        name = command.split(",")[0].strip()
        assert {"name?": "scale?", "!command": "!rm"}.get(name, name) in tour, f"{name} is not in notebooks/tour.ipynb"


def test_the_makefiles_targets_are_those_of_its_help():
    rules = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    helped = set(re.findall(r"^  make ([a-z-]+)", subprocess.run(["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout, re.M))
    assert rules - helped <= {"build"}
    named = set(re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert named <= rules


def test_the_order_of_looking_for_cuda_is_the_one_that_is_documented():
    header = (ROOT / "src/compiler/toolkit.hpp").read_text(encoding="utf-8")
    listed = (ROOT / "docs/installing.md").read_text(encoding="utf-8")
    order = ["CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "/usr/local/cuda", "/opt/cuda", "LD_LIBRARY_PATH"]
    for text in (header, listed[listed.index("## CUDA"):]):
        places = [text.index(name) for name in order]
        assert places == sorted(places)
