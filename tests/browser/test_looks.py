"""What docs/looks.md shows: typing, numbers, values and displays, in JupyterLab's light and dark theme."""
from lab_page import *  # noqa: F403

pytestmark = MARKS
SETUP = """%%kernel
__global__ void scale(float a, const float* x, float* out, size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = a * x[i];
}
"""
NUMBERS = ["const size_t n = 1 << 16;\nfloat x[n] = 1, out[n];",
           "%%launch --repeat 20\nscale<<<n / 256, 256>>>(2, x, out, n);",
           "%%bench --repeat 20\nscale<<<n / 64, 64>>>(2, x, out, n);\nscale<<<n / 256, 256>>>(2, x, out, n);"]
VALUES = ["float many[1000] = uniform(seed = 1);\nmany", "struct Particle { float3 at; float mass; int id; };\nParticle swarm[40];\nswarm",
          "%sass scale"]
DISPLAYS = ["float x[4096] = 1, y[4096] = 1;\ny[100:120] += 1e-4f;\n%diff x y", "%history --times"]
PAGES = {"typing": [TYPED], "numbers": [SETUP, *NUMBERS], "values": [SETUP, *VALUES], "displays": [SETUP, *DISPLAYS]}


@pytest.mark.parametrize("name", PAGES)
def test_words_can_be_read_in_both_themes(browser, lab, lab_folder, name):
    page = browser.new_page(viewport={"width": 900, "height": 720})
    page.set_default_timeout(LONG)
    (lab_folder / f"{name}.ipynb").write_text(notebook(*PAGES[name]))
    open_notebook(page, lab, f"{name}.ipynb")
    seen = ".jp-CodeCell .cm-line span"
    if name != "typing":
        seen = ".xcuda td, .xcuda th, .xcuda summary"
        run_all(page)
        cell(page, len(PAGES[name]) - 1).locator(".jp-OutputArea-output").first.wait_for()
        assert page.locator(ERRORS).count() == 0
    for theme in ("Dark", "Light"):
        use_theme(page, theme)
        words = page.locator(seen)
        assert words.count() > 3
        for word in [words.nth(i) for i in range(min(words.count(), 40))]:
            if word.inner_text().strip() and word.is_visible():
                assert contrast(word) >= 4.5, (theme, word.inner_text())
        for bar in page.locator(".xcuda .xc-bar").all():  # none is cut where the page is narrow
            room = bar.evaluate("bar => bar.closest('.xc-scroll').getBoundingClientRect().right - bar.getBoundingClientRect().right")
            assert room >= 0, (theme, room)
        cell(page, 0).evaluate("cell => cell.scrollIntoView({block: 'start'})")
        if name != "typing":
            cell(page, 1).evaluate("cell => cell.scrollIntoView({block: 'start'})")
        picture(page, f"looks-{name}-{theme.lower()}")
    page.close()
