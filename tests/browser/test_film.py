"""A short session as a person has it, from a wrong index to a chart: the moving picture of the README."""
import itertools

from lab_page import *  # noqa: F403

pytestmark = MARKS

WRONG = """__global__ void damp(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] *= expf(-0.002f * i);
}"""
FILMED = [WRONG, "const int n = 1000;\nfloat t[n] = linspace(0, 60), x[n] = sin(t);\ndamp<<<4, 256>>>(x, n);",
          "%%launch --repeat 20\ndamp<<<4, 256>>>(x, n);", "%plot x --x t --title \"A damped wave\""]


def test_a_session_is_filmed(browser, lab, lab_folder):
    page = browser.new_page(viewport={"width": 860, "height": 640})
    page.set_default_timeout(LONG)
    (lab_folder / "film.ipynb").write_text(notebook(*FILMED))
    open_notebook(page, lab, "film.ipynb")
    frames = itertools.count()

    def frame(milliseconds, index=0):
        cell(page, index).evaluate("cell => cell.scrollIntoView({block: 'nearest'})")
        page.mouse.move(5, 635)
        picture(page, f"film-{next(frames):02}-{milliseconds}")

    frame(1500)
    # A function that is defined is not shown, but its cell has a number.
    run_cell(page, 0, cell(page, 0).locator(".jp-InputArea-prompt", has_text="[1]"))
    frame(700)
    run_cell(page, 1, cell(page, 1).locator(ERRORS))
    assert "x[1000]" in cell(page, 1).locator(ERRORS).inner_text()
    frame(4500, 1)
    line = cell(page, 0).locator(".cm-line").nth(2)
    line.click()
    page.keyboard.press("Home")
    for _ in range(len("    if (i <=") - 4):  # Home goes to the first word
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Backspace")
    sync_api.expect(line).to_have_text("    if (i < n) x[i] *= expf(-0.002f * i);")
    frame(1500)
    page.keyboard.press("Shift+Enter")
    cell(page, 0).locator(".jp-InputArea-prompt", has_text="[3]").wait_for()
    run_cell(page, 1, cell(page, 1).locator(".jp-InputArea-prompt", has_text="[4]"))
    sync_api.expect(cell(page, 1).locator(ERRORS)).to_have_count(0)
    frame(1200, 1)
    run_cell(page, 2, cell(page, 2).locator(".xcuda td", has_text="damp"))
    frame(3000, 2)
    run_cell(page, 3, cell(page, 3).locator(".vega-embed svg.marks"))
    page.wait_for_function("() => document.querySelectorAll('.vega-embed svg.marks path').length > 3")
    cell(page, 3).evaluate("cell => cell.scrollIntoView({block: 'end'})")
    frame(4000, 3)
    page.close()
