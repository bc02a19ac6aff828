"""Cells and outputs outside JupyterLab: Notebook 7, notebooks that nobody trusts, and paper."""
import base64
import importlib.util

from lab_page import *  # noqa: F403

pytestmark = MARKS
NAMES = "__global__ void scale(float* x, float a, int n) { if (threadIdx.x < n) x[threadIdx.x] *= a; }\nfloat x[40] = linspace(0, 1);"
SHOWN = [NAMES, "x", "%%launch\nscale<<<1, 64>>>(x, 2, 40);", "%plot x x*2 --title Lines", "float u[20][30] = uniform(seed = 1);\n%image u",
         "scale<<<1, 64>>>(x, 2, 41);", "int wide[60] = arange(100000);\nwide"]


def executed(*sources):
    """The cells with their outputs, as a saved notebook."""
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient
    book = nbformat.reads(notebook(*sources), as_version=4)
    kernel = pytest.importorskip("jupyter_client.kernelspec").find_kernel_specs()
    if "xcuda" not in kernel:
        pytest.skip("xcuda is not installed: set XCUDA_PREFIX, or install its kernelspec")
    client(book, timeout=600, kernel_name="xcuda", allow_errors=True).execute()
    return book


@pytest.fixture(scope="module")
def saved(lab):
    return executed(*SHOWN)


@pytest.mark.skipif(importlib.util.find_spec("notebook") is None, reason="Notebook 7 is not installed: tests/browser/requirements.txt")
def test_notebook_7_has_the_colours_the_completion_and_the_outputs(page, lab, lab_folder):
    (lab_folder / "seven.ipynb").write_text(notebook(TYPED, NAMED, "sca", "scales"))
    page.goto(f"{lab}/notebooks/seven.ipynb")
    editor = page.locator(".jp-CodeCell .cm-content").first
    editor.locator("span", has_text="threadIdx").first.wait_for()
    colours = dict(editor.evaluate("content => [...content.querySelectorAll('span')].map(span => [span.innerText.trim(), getComputedStyle(span).color])"))
    plain = page.locator(".jp-CodeCell .cm-line").first.evaluate("line => getComputedStyle(line).color")
    assert plain not in (colours["%%launch"], colours["--repeat"], colours["<<<"], colours["float4"], colours["__global__"])
    page.wait_for_function("() => document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'")
    run_cell(page, 1, page.locator(".jp-InputArea-prompt", has_text=re.compile(r"\[\d+\]")))
    run_cell(page, 3, cell(page, 3).locator(".xcuda .xc-name", has_text="scales"))
    assert contrast(cell(page, 3).locator(".xc-fact").first) >= 4.5
    items = page.locator(".jp-Completer-item")

    def ask():
        cell(page, 2).locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.press("Tab")

    until(page, ask, items.filter(has_text="scalbln"))
    assert [item.split("\n")[1] for item in items.all_inner_texts()][:3] == ["scalar", "scale(float* x, float a)", "scales"]
    page.keyboard.press("Escape")
    # A line after a brace is indented, here too.
    cell(page, 2).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("__global__ void k(int* p) {\nif (p) {\n*p = 1;")
    lines = cell(page, 2).locator(".cm-content").evaluate("editor => [...editor.querySelectorAll('.cm-line')].map(line => line.textContent)")
    depths = [len(line) - len(line.lstrip()) for line in lines[:3]]
    assert 0 == depths[0] < depths[1] < depths[2], lines
    picture(page, "notebook-7")


def test_a_notebook_that_nobody_trusts_shows_its_outputs(page, lab, lab_folder, saved):
    nbformat = pytest.importorskip("nbformat")
    nbformat.write(saved, lab_folder / "stranger.ipynb")
    open_notebook(page, lab, "stranger.ipynb")
    picture(page, "untrusted")
    # JupyterLab takes styles and scripts out of its HTML. It needs no scripts, and the extension has the styles.
    fact = cell(page, 1).locator(".xc-fact", has_text="float32")
    fact.wait_for()
    assert fact.evaluate("fact => getComputedStyle(fact).backgroundColor") not in ("transparent", "rgba(0, 0, 0, 0)")
    strip = cell(page, 1).locator(".xc-strip i").evaluate_all("cells => cells.map(e => getComputedStyle(e).backgroundColor)")
    assert len(set(strip)) == 40
    assert "0.02564103" in cell(page, 1).locator(".jp-OutputArea-output pre").inner_text()
    assert cell(page, 2).locator("td", has_text="1 × 64").count() == 1
    assert cell(page, 3).locator(".vega-embed svg.marks .mark-line.role-mark path").count() == 2
    png = base64.b64decode(next(output.data["image/png"] for output in saved.cells[4].outputs if "image/png" in output.data))
    wait_for_image(page, int.from_bytes(png[16:20], "big"))
    assert "x[40]" in cell(page, 5).locator(ERRORS).inner_text()


def test_print_cuts_nothing_off_and_keeps_words_on_paper(page, lab_folder, saved):
    exporters = pytest.importorskip("nbconvert.exporters")
    for theme in ("light", "dark"):
        sheet = lab_folder / f"paper-{theme}.html"
        sheet.write_text(exporters.HTMLExporter(theme=theme).from_notebook_node(saved)[0], encoding="utf-8")
        page.set_viewport_size({"width": 700, "height": 900})  # A4 with its margins
        page.goto(sheet.as_uri())
        page.emulate_media(media="print")
        picture(page, f"print-{theme}")
        # Nothing is wider than the page, and nothing than what is around it: paper has no scroll bars.
        wide = page.evaluate("""() => [...document.querySelectorAll('.jp-Cell :is(table, img, svg, pre, .xcuda)')]
            .filter(node => node.getBoundingClientRect().right > innerWidth + 1 || node.scrollWidth > node.clientWidth + 1)
            .map(node => node.outerHTML.slice(0, 120))""")
        assert wide == []
        # Lines of 120 columns are not broken.
        for array in page.locator(".xcuda pre").all():
            lines, widest, drawn = array.evaluate("""pre => {
                const lines = pre.textContent.trimEnd().split("\\n");
                return [lines.length, Math.max(...lines.map(line => line.length)),
                        pre.getBoundingClientRect().height / parseFloat(getComputedStyle(pre).lineHeight)];
            }""")
            assert drawn < lines + 0.9 or widest > 120, array.inner_text()
        assert max(len(line) for line in array.inner_text().split("\n")) >= 119
        words = page.locator(".xcuda .xc-fact, .xcuda th, .xcuda td, .xcuda .xc-note")
        assert words.count() > 10
        for i in range(words.count()):
            assert contrast(words.nth(i)) >= 4.5, (theme, words.nth(i).inner_text())
