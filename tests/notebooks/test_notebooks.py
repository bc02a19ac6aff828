"""Each notebook runs whole, its own asserts hold, and its page shows what it printed.

XCUDA_NOTEBOOK_TEXTS    a folder for the cells and their outputs as text, to read what a notebook says beside what a machine shows
"""
import base64
import os
import pathlib
import re
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

NEEDED = {"python": ("matplotlib",), "pytorch_extension": ("torch", "ipykernel")}
# A Python notebook finds the package and the programs of the tree under test.
os.environ.setdefault("XCUDA_PROGRAMS", os.path.join(os.environ.get("XCUDA_PREFIX", sys.prefix), "bin"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT / "share/xcuda/python"), os.environ.get("PYTHONPATH"))))


def execute(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    kernel = notebook.metadata.kernelspec.name
    try:
        NotebookClient(notebook, timeout=600, kernel_name=kernel, resources={"metadata": {"path": str(tmp_path)}}).execute()
    finally:
        if "XCUDA_NOTEBOOK_TEXTS" in os.environ:
            folder = pathlib.Path(os.environ["XCUDA_NOTEBOOK_TEXTS"])
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{path.stem}.txt").write_text("\n".join(map(text_of, notebook.cells)), encoding="utf-8")
    return notebook


def text_of(cell):
    """A cell and what it shows; of what is long, both ends."""
    parts = [f"===== {cell.cell_type}\n{cell.source}"]
    for output in cell.get("outputs", []):
        text = output.get("text") or "\n".join(output.get("traceback", [])) or output.get("data", {}).get("text/plain", "")
        lines = re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip().split("\n")
        parts.append("\n".join(["-----", *(lines if len(lines) <= 40 else [*lines[:25], "...", *lines[-10:]])]))
    return "\n".join(parts) + "\n"


def texts(notebook):
    return [[output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
            for cell in notebook.cells if cell.cell_type == "code"]


def styles_of(notebook):
    """How many outputs have the style sheet; those that a loop replaces in place, %image --id, have rules of their own."""
    htmls = [output.get("data", {}).get("text/html", "") for cell in notebook.cells if "--id" not in cell.source for output in cell.get("outputs", [])]
    return sum(html.startswith("<style>\n.xcuda") for html in htmls)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_page_shows_every_output(path, tmp_path):
    for module in NEEDED.get(path.stem, ()):
        pytest.importorskip(module)
    notebook = execute(path, tmp_path)
    if notebook.metadata.kernelspec.name != "xcuda":
        return  # its asserts hold
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert styles_of(notebook) <= 1
    if path.stem == "gallery":
        assert len(nbformat.writes(notebook).encode()) <= 400 << 10
    for cell in notebook.cells:
        if cell.source.startswith(("%%python", "%%html", "%%svg")):
            continue  # what Python and the user write has forms of its own
        for output in cell.get("outputs", []):
            assert output.output_type != "stream" or output.name != "stderr"
            if output.output_type in ("display_data", "execute_result"):
                assert "text/plain" in output.data
                html = output.data.get("text/html")
                assert html is None or 'class="xcuda' in html and re.sub(r"^<style>.*?</style>", "", html, flags=re.S)[:200].replace("&nbsp;", "\xa0") in page
                assert html is None or not re.search(r"<script", html, re.I)
                # LaTeX takes the PDF, and what is drawn is described for those who do not see it.
                if "image/svg+xml" in output.data:
                    assert base64.b64decode(output.data["application/pdf"]).startswith(b"%PDF-")
                    assert 'aria-label="' in output.data["image/svg+xml"]
                if "image/png" in output.data:
                    assert output.metadata["image/png"]["alt"].startswith(("image of ", "animation of "))
                assert all(data["schema"] == 1 for mime, data in output.data.items() if mime.startswith("application/vnd.xcuda."))


@pytest.mark.timeout(600)
def test_a_live_image_is_saved_as_its_last_state(tmp_path):
    heat = execute(next(path for path in NOTEBOOKS if path.stem == "heat"), tmp_path)
    loop = next(cell for cell in heat.cells if "--id heat" in cell.source)
    images = [output for output in loop.outputs if "image/png" in output.get("data", {})]
    assert len(images) == 1
    assert images[0].data["application/vnd.xcuda.image+json"]["low"] == 0
    # One scale of colours, too, and what printf says.
    assert [output.output_type for output in loop.outputs].count("display_data") == 2


@pytest.mark.timeout(600)
def test_saxpy_prints_its_check_and_times(tmp_path):
    outputs = texts(execute(next(path for path in NOTEBOOKS if path.stem == "saxpy"), tmp_path))
    printed = "".join(text for cell in outputs for text in cell)
    assert "16777216 elements, 0 wrong" in printed
    launch = outputs[2][0]
    assert "saxpy" in launch and "32,768" in launch and "512" in launch
    assert re.search(r"\d (µs|ms)", launch)
