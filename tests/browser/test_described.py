"""Images and charts have descriptions for those who do not see them, on the pages of nbconvert's template xcuda.

The page is made of a notebook with outputs as the kernel sends them: a PNG with its metadata, and an SVG. On the pages of nbconvert's
own template nothing is cut off, either.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "share/jupyter/nbconvert/templates"
STYLES = ROOT / "share/jupyter/labextensions/xeus-cuda/static/outputs.css"  # the first HTML of a session has it
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# What a screen reader is told of each picture, and whether it is as wide as it may be.
LOOK = """
const found = [...document.querySelectorAll("img, svg[role=img]")].map(e =>
  ({kind: e.localName, name: e.getAttribute("alt") ?? e.getAttribute("aria-label"), drawn: e.getBoundingClientRect().width > 100,
    cut: e.getBoundingClientRect().right > innerWidth}));
document.body.innerHTML = "<pre id=found>" + JSON.stringify(found).replace(/&/g, "&amp;").replace(/</g, "&lt;") + "</pre>";
"""


def golden(name, mime):
    """One form of a golden display."""
    text = (ROOT / f"tests/golden/display/{name}.txt").read_text(encoding="utf-8")
    return re.search(rf"^=== {re.escape(mime)}\n(.*?)(?=^=== |\Z)", text, re.S | re.M)[1]


def page_of(template):
    nbformat = pytest.importorskip("nbformat")
    exporters = pytest.importorskip("nbconvert.exporters")
    svg = golden("chart_lines", "image/svg+xml").strip()
    png = golden("image", "image/png").strip()
    assert base64.b64decode(png)[1:4] == b"PNG"
    outputs = [nbformat.v4.new_output("display_data", {"image/svg+xml": svg, "text/plain": "chart"}),
               nbformat.v4.new_output("display_data", {"image/png": png, "text/plain": "image"},
                                      metadata={"image/png": {"alt": 'image of "u"', "width": 320, "height": 160}})]
    cell = nbformat.v4.new_code_cell("%plot a", outputs=outputs)
    exporter = exporters.HTMLExporter(template_name=template, extra_template_basedirs=[str(TEMPLATES)])
    return exporter.from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))[0]


def seen(tmp_path, template):
    page = tmp_path / "page.html"
    added = f"<style>{STYLES.read_text(encoding='utf-8')}</style><script>{LOOK}</script></body>"
    page.write_text(page_of(template).replace("</body>", added), encoding="utf-8")
    dom = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=600,900", "--dump-dom", page.as_uri()],
                         check=True, capture_output=True, text=True, timeout=100).stdout
    text = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)[1]
    return json.loads(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: scripts/setup browser installs it")


@NEEDS_CHROMIUM
@pytest.mark.timeout(120)
def test_pictures_of_a_page_have_their_descriptions(tmp_path):
    chart, image = seen(tmp_path, "xcuda")
    assert chart["kind"] == "svg" and chart["name"].startswith("line chart")
    assert (image["kind"], image["name"]) == ("img", 'image of "u"')
    assert chart["drawn"] and image["drawn"] and not chart["cut"] and not image["cut"]


@NEEDS_CHROMIUM
@pytest.mark.timeout(120)
def test_nbconverts_own_pages_cut_no_picture_off(tmp_path):
    chart, image = seen(tmp_path, "lab")
    assert chart["kind"] == image["kind"] == "img"
    assert chart["drawn"] and image["drawn"] and not chart["cut"] and not image["cut"]
