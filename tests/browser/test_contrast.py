"""Words of outputs have a contrast of at least 4.5 with what is behind them, in JupyterLab's light and dark theme.

The outputs are the golden ones of tests/golden/display with the style sheet of outputs, on pages with the
variables of nbconvert's themes, which are JupyterLab's. Chromium lays them out, and a script in the page looks at each word.
"""
import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Of each element with words of its own: the colours of the words and of what is behind them, which may let through what is
# behind that, and their contrast by WCAG 2.
LOOK = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const rgba = colour => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat([1]);
const behind = element => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
  return layers.reduceRight((below, top) => over(top, below), [255, 255, 255, 1]);
};
const luminance = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
  return .2126 * r + .7152 * g + .0722 * b; };
const found = [];
for (const details of document.querySelectorAll("details")) details.open = true;
for (const element of document.querySelectorAll(".xcuda, .xcuda *")) {
  const words = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent.trim()).join(" ").trim();
  if (!words || getComputedStyle(element).display === "none" || element.classList.contains("xc-spark")) continue;
  const below = behind(element), words_colour = over(rgba(getComputedStyle(element).color), below);
  const [low, high] = [luminance(below), luminance(words_colour)].sort((a, b) => a - b);
  found.push({words: words.slice(0, 60), style: element.className, contrast: (high + .05) / (low + .05)});
}
document.body.innerHTML = "<pre id=found>" + JSON.stringify(found).replace(/&/g, "&amp;").replace(/</g, "&lt;") + "</pre>";
"""


def outputs():
    """The HTML of every golden display, with the whole style sheet."""
    style = (ROOT / "share/jupyter/labextensions/xeus-cuda/static/outputs.css").read_text(encoding="utf-8")
    bodies = []
    for path in sorted((ROOT / "tests/golden/display").glob("*.txt")):
        html = re.search(r"^=== text/html\n(.*?)(?=^=== |\Z)", path.read_text(encoding="utf-8"), re.S | re.M)
        if html:
            bodies.append(html[1])
    assert len(bodies) > 15
    return f"<style>{style}</style>" + "\n".join(bodies)


def theme(name):
    nbconvert = pytest.importorskip("nbconvert")
    for folder in [pathlib.Path(nbconvert.__file__).parents[4] / "share/jupyter", *pathlib.Path(nbconvert.__file__).parents]:
        found = folder / f"nbconvert/templates/lab/static/theme-{name}.css"
        if found.is_file():
            return found.read_text(encoding="utf-8") + (found.parent / "index.css").read_text(encoding="utf-8")
    pytest.skip("nbconvert's themes are not installed")


def looked_at(tmp_path, name):
    page = tmp_path / f"{name}.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><style>{theme(name)}</style><body class='jp-Notebook' "
                    f"style='background:var(--jp-layout-color0)'>{outputs()}<script>{LOOK}</script></body>", encoding="utf-8")
    dom = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()], check=True,
                         capture_output=True, text=True, timeout=100).stdout
    text = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)[1]
    return json.loads(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: scripts/setup browser installs it")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_word_can_be_read(tmp_path, name):
    found = looked_at(tmp_path, name)
    assert len(found) > 300  # a page without outputs would be fine, too
    assert {one["style"] for one in found} >= {"xc-note", "xc-warn", "xc-fact", "xc-mark", "xc-bad"}
    assert [one for one in found if one["contrast"] < 4.5] == []
