"""The site of `make docs`: its pages, the outputs of a notebook, and what its search finds."""
import html
import json
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("mkdocs", reason="MkDocs is not installed: scripts/setup docs")
pytest.importorskip("material", reason="MkDocs' theme is not installed: scripts/setup docs")
ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    # Strict: a link to a page or a heading that is not there ends it.
    built = subprocess.run([sys.executable, ROOT / "scripts/docs", "--into", folder, "saxpy"], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


def test_each_page_of_the_documentation_is_in_the_menu(site):
    menu = (site / "index.html").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT).with_suffix("") for path in sorted((ROOT / "docs").rglob("*.md"))]
    assert len(pages) > 40
    assert [str(page) for page in pages if f'href="{page}/"' not in menu] == []


def test_a_notebook_has_its_outputs_and_the_page_its_colours(site):
    page = (site / "notebooks/saxpy/index.html").read_text(encoding="utf-8")
    assert "16777216 elements, 0 wrong" in html.unescape(re.sub(r"<[^>]*>", "", page))
    assert '<div class="xcuda' in page and "site.css" in page
    assert "<span class=\"k" in page  # the cells are coloured as CUDA C++


def test_the_search_finds_commands_names_and_cells(site):
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    found = {word: {entry["location"].split("#")[0] for entry in index["docs"] if word in entry["text"] or word in entry["title"]}
             for word in ("%%launch", "cub::BlockReduce", "saxpy", "__syncthreads")}
    assert "docs/commands/" in found["%%launch"]
    assert "reference/cub/" in found["cub::BlockReduce"]
    assert "notebooks/saxpy/" in found["saxpy"]
    assert any(page.startswith("reference/") for page in found["__syncthreads"])


def test_a_page_asks_no_other_server_for_anything(site):
    for page in ("index.html", "notebooks/saxpy/index.html"):
        text = (site / page).read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|img)[^>]*src="https?:[^"]*"|<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href="https?:[^"]*"', text) == []
