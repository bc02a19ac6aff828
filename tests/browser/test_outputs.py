"""Errors and values in JupyterLab, as they are seen: places, colours and sizes in the page."""
from lab_page import *  # noqa: F403

pytestmark = MARKS
BEYOND = """__global__ void beyond(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] *= 2;
}
float x[100] = 1;
beyond<<<4, 32>>>(x, 100);"""
ODD = """__global__ void odd() { assert(threadIdx.x < 5); }
odd<<<1, 40>>>();"""
RACE = """%%launch --race
__global__ void shifted(float* out) {
    __shared__ float part[64];
    part[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = part[63 - threadIdx.x];
}
float out[64];
shifted<<<1, 64>>>(out);"""
VALUES = "float many[1000] = uniform(seed = 1);\nmany"
STRUCTS = "struct Particle { float3 at; float mass; int id; };\nParticle swarm[40];\nswarm"
CODE = """__global__ void scale(float* v, float a) {
    v[threadIdx.x] *= a;
}
%sass scale"""
BARS = "float e[20] = 0.1f, v[20] = linspace(0, 1);\n%plot v --error e"
HIDDEN = "float gaps[20] = linspace(0, 1);\ngaps[5] = NAN;\n%plot gaps"
SCALE = "__global__ void scale(float* v, float a) { v[threadIdx.x] *= a; }\nfloat v[256] = 1;"
STREAMS = "%%timeline\nstream s;\nscale<<<1, 256, 0, s>>>(v, 2);\nauto kept = v;"
SAME = "%%launch --race\n__global__ void count(int* n) { *n += 1; }\nint n[1];\ncount<<<1, 64>>>(n);"
# Where the n-th of a text's occurrences is in the page, in pixels.
PLACE = """(node, [text, n]) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    let before = 0, at = -1;
    for (let i = 0; i <= n; ++i) at = node.textContent.indexOf(text, at + 1);
    for (let leaf; (leaf = walker.nextNode()); before += leaf.length)
        if (at < before + leaf.length) {
            const range = document.createRange();
            range.setStart(leaf, at - before);
            range.setEnd(leaf, at - before + 1);
            const {x, y, width, height} = range.getBoundingClientRect();
            return {x, y, width, height};
        }
}"""


def cells_that_may_fail(folder, name, *sources):
    book = json.loads(notebook(*sources))
    for each in book["cells"]:
        each["metadata"]["tags"] = ["raises-exception"]
    (folder / name).write_text(json.dumps(book))


def place(node, text, n=0):
    node.locator("text=" + text.split("\n")[0]).first.wait_for()
    return node.evaluate(PLACE, [text, n])


def test_errors_point_at_what_failed(page, lab, lab_folder):
    cells_that_may_fail(lab_folder, "errors.ipynb", BEYOND, ODD, RACE)
    open_notebook(page, lab, "errors.ipynb")
    run_all(page)
    beyond, odd, race = (cell(page, i).locator(ERRORS) for i in range(3))
    access, caret = place(beyond, "x[i] *="), place(beyond, "^~")
    assert abs(access["x"] - caret["x"]) < 1, "the caret is not under the access"
    assert 0 < caret["y"] - access["y"] < 2 * access["height"]
    race.locator("text=read").first.wait_for()
    shown = race.inner_text()
    assert "part[threadIdx.x] = threadIdx.x;" in shown and "part[63 - threadIdx.x]" in shown, shown
    # 27 of 40 threads are red, and only those.
    failed = odd.locator("span", has_text=re.compile("^█+$"))
    assert failed.inner_text() == "█" * 27
    assert "27 of 32 threads" in odd.inner_text()  # of the warp that failed; of the other one nothing is known
    for theme in ("Dark", "Light"):
        use_theme(page, theme)
        red, green, blue = failed.evaluate("node => getComputedStyle(node).color.match(/\\d+/g).slice(0, 3).map(Number)")
        assert red > 2 * max(green, blue), f"{(red, green, blue)} in {theme}"
        picture(page, f"errors-{theme.lower()}")


def test_charts_say_what_they_leave_out_and_who_is_who(page, lab, lab_folder):
    (lab_folder / "said.ipynb").write_text(notebook(HIDDEN, SCALE, STREAMS))
    open_notebook(page, lab, "said.ipynb")
    run_all(page)
    gaps, timeline = (cell(page, i).locator(".vega-embed svg.marks") for i in (0, 2))
    said = {"a note": gaps.locator("text", has_text="1 point is not drawn: NaN or infinite"),
            "a total": timeline.locator("text", has_text="2 operations in"),
            "a kernel": timeline.locator(".role-legend-label text", has_text="scale"),
            "a copy": timeline.locator(".role-legend-label text", has_text="copy on the device")}
    for theme in ("Dark", "Light"):
        use_theme(page, theme)
        for what, text in said.items():
            text.first.wait_for()
            assert contrast(text.first) >= 4.5, f"{what} in {theme}"
        picture(page, f"said-{theme.lower()}")


def test_advice_for_a_race_on_one_element_is_no_barrier(page, lab, lab_folder):
    cells_that_may_fail(lab_folder, "same.ipynb", SAME)
    open_notebook(page, lab, "same.ipynb")
    run_all(page)
    error = cell(page, 0).locator(ERRORS)
    access, caret = place(error, "*n += 1"), place(error, "^~")
    assert abs(access["x"] - caret["x"]) < 1
    assert "atomicAdd()" in error.inner_text() and "Put a __syncthreads()" not in error.inner_text()


def test_cells_after_an_error_have_no_number(page, lab, lab_folder):
    (lab_folder / "stops.ipynb").write_text(notebook("int a = 1;", "missing + 1", "int b = 2;", "int c = 3;"))
    open_notebook(page, lab, "stops.ipynb")
    run_all(page)
    cell(page, 1).locator(ERRORS).wait_for()
    page.wait_for_function("() => ![...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')].some(e => e.innerText.includes('*'))")
    assert prompts(page) == ["[1]:", "[2]:", "[ ]:", "[ ]:"]


def test_values_are_no_wall(page, lab, lab_folder):
    (lab_folder / "values.ipynb").write_text(notebook(VALUES, STRUCTS, CODE, BARS))
    open_notebook(page, lab, "values.ipynb")
    run_all(page)
    bars = cell(page, 3).locator(".vega-embed svg.marks line[aria-roledescription=errorbar]")
    bars.first.wait_for(state="attached")  # a line without a width counts as hidden
    assert bars.count() == 20
    line = cell(page, 0).locator(".cm-line").first.bounding_box()["height"]
    for index, lines in ((0, 8), (1, 14)):
        assert cell(page, index).locator(".jp-OutputArea-output").first.bounding_box()["height"] < lines * line, index
    # Folded, a line of the source each; open, with its instructions.
    code = cell(page, 2).locator(".jp-OutputArea-output details", has_text="v[threadIdx.x] *= a;").first
    closed = code.bounding_box()["height"]
    code.locator("summary").click()
    page.wait_for_function("([node, closed]) => node.getBoundingClientRect().height > 2 * closed", arg=[code.element_handle(), closed])
