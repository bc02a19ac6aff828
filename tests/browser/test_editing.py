"""JupyterLab in a browser: what a person sees while typing."""
from lab_page import *  # noqa: F403

pytestmark = MARKS
WORDS = TYPED + """
#define LIMIT 5
float y[8] = {NAN, 1};  /* two */
printf("text");"""


def test_a_line_after_a_brace_is_indented(page, lab):
    open_notebook(page, lab, "endless.ipynb")
    editor = cell(page, 0).locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("__global__ void k(int* p) {\nif (p) {\n*p = 1;")
    lines = editor.evaluate("editor => [...editor.querySelectorAll('.cm-line')].map(line => line.textContent)")
    picture(page, "indentation")
    depths = [len(line) - len(line.lstrip()) for line in lines[:3]]
    assert 0 == depths[0] < depths[1] < depths[2], lines


def test_inspection_shows_signatures(page, lab):
    open_notebook(page, lab, "looks.ipynb")
    run_cell(page, 0, cell(page, 0).locator("td", has_text="float* x"))
    editor = cell(page, 4).locator(".cm-content")
    tooltip = page.locator(".jp-Tooltip")

    def ask():
        editor.click()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+Tab")

    until(page, ask, tooltip.filter(has_text="float sinf(float x)"))
    picture(page, "inspection")


def test_cells_have_the_colours_of_cuda(page, lab):
    open_notebook(page, lab, "typed.ipynb")
    editor = page.locator(".jp-CodeCell .cm-content").first
    editor.locator("span", has_text="threadIdx").first.wait_for()
    colours = dict(editor.evaluate("""content => [...content.querySelectorAll('span')].map(
        span => [span.innerText.trim(), getComputedStyle(span).color])"""))
    plain = page.locator(".jp-CodeCell .cm-line").first.evaluate("line => getComputedStyle(line).color")
    kinds = {"magic": "%%launch", "option": "--repeat", "comment": "// a comment", "keyword": "__global__", "type": "float4",
             "built-in": "threadIdx", "number": "2.5f", "launch": "<<<"}
    found = {kind: colours.get(text) for kind, text in kinds.items()}
    assert None not in found.values(), (found, colours)
    assert plain not in found.values(), (plain, found)
    assert colours["float4"] == colours["int"] and colours["<<<"] == colours[">>>"]
    assert len({colours["%%launch"], colours["--repeat"], colours["float4"], colours["__global__"]}) == 4
    picture(page, "typed")


def test_colours_of_lines_that_look_like_others(page, lab, lab_folder):
    lines = ["%launch --repeat 3 first<<<1, 2>>>(x, -y);", "int r = f(a", "   %b,", "   !c);",
             "box<box<box<double4_32a>>> all;", "%plot d --title \"e (f\" --x g", "for (int i = 0; i < 2; ++i) {", "  %image u --id h", "}", "!ls -l"]
    (lab_folder / "alike.ipynb").write_text(notebook("\n".join(lines)))
    open_notebook(page, lab, "alike.ipynb")
    rows = page.locator(".jp-CodeCell .cm-content").first.locator(".cm-line")
    rows.nth(0).locator("span", has_text="<<<").wait_for()
    found = rows.evaluate_all("""rows => rows.map(row => [...row.querySelectorAll('span')].map(
        span => [span.innerText.trim(), getComputedStyle(span).color]))""")
    colours = [dict(row) for row in found]
    meta, option, launch, type_ = (colours[0]["%launch"], colours[0]["--repeat"], colours[0]["<<<"], colours[1]["int"])
    assert len({meta, option, launch, type_}) == 4
    # Statements follow %launch: its launch, its numbers and its operators are those of code.
    assert colours[0][">>>"] == launch and "-y" not in colours[0]
    # Between parentheses % is a remainder and ! a negation.
    assert meta not in [*colours[2].values(), *colours[3].values()]
    # Three templates end here, and no launch.
    assert launch not in colours[4].values() and colours[4]["double4_32a"] == type_
    assert colours[5]["%plot"] == meta and colours[5]["--title"] == colours[5]["--x"] == option
    # A command in a loop, and a command of the shell, are commands.
    assert meta in colours[7].values() and colours[7]["--id"] == option and colours[9]["!ls -l"] == meta


def test_every_word_of_a_cell_can_be_read(page, lab, lab_folder):
    (lab_folder / "words.ipynb").write_text(notebook(WORDS))
    open_notebook(page, lab, "words.ipynb")
    spans = page.locator(".jp-CodeCell .cm-line span")
    spans.first.wait_for()
    for theme in ("Dark", "Light"):
        use_theme(page, theme)
        page.locator(".jp-CodeCell .cm-line span", has_text="NAN").first.wait_for()
        found = {span.inner_text().strip(): round(contrast(span), 1) for span in spans.all()}
        assert {"%%launch", "--repeat", "// a comment", "__global__", "float4", "NAN", '"text"', "<<<", "2.5f", "#define"} <= found.keys()
        assert {word: one for word, one in found.items() if one < 4.5} == {}, theme
        picture(page, f"words-{theme.lower()}")


def test_completion_begins_with_the_users_names_and_says_what_they_are(page, lab):
    open_notebook(page, lab, "completed.ipynb")
    run_cell(page, 0, page.locator(".jp-InputArea-prompt", has_text=re.compile(r"\[\d+\]")))
    editor = cell(page, 1).locator(".cm-content")
    items = page.locator(".jp-Completer-item")

    def ask():
        editor.click()
        page.keyboard.press("Control+End")
        page.keyboard.press("Tab")

    def offered():
        return [item.split("\n") for item in items.all_inner_texts()]

    until(page, ask, items.filter(has_text="scalbln"))
    names = [item[1] for item in offered()]
    assert names[:3] == ["scalar", "scale(float* x, float a)", "scales"], names
    details = {item[1]: item[2] for item in offered()}
    assert (details["scalar"], details["scales"]) == ("variable\u00a0float\u00a0=\u00a03.0", "array\u00a0float32\u00a064")
    assert details["scalbln(double x, long n)"] == "function\u00a0x\u00a0*\u00a02\u00a0to\u00a0the\u00a0n"
    # Each match is one line: nothing of it is drawn over the next one.
    boxes = [item.bounding_box() for item in items.all()]
    assert all(above["y"] + above["height"] <= below["y"] + 1 for above, below in zip(boxes, boxes[1:]))
    for text in page.locator(".jp-Completer-item code, .jp-Completer-item .jp-Completer-typeExtended").all():
        assert text.bounding_box()["height"] < 1.5 * boxes[0]["height"]
    picture(page, "completion-names")
    page.keyboard.type("le")  # a longer word does not change the order
    sync_api.expect(items).to_have_count(2)
    assert [item[1] for item in offered()] == ["scale(float* x, float a)", "scales"]
    page.keyboard.press("Enter")
    sync_api.expect(editor).to_have_text("scale")  # the name, without what the list says of it


def test_inspection_marks_the_parameter_that_is_being_written(page, lab):
    open_notebook(page, lab, "completed.ipynb")
    run_cell(page, 0, page.locator(".jp-InputArea-prompt", has_text=re.compile(r"\[\d+\]")))
    editor = cell(page, 2).locator(".cm-content")
    tooltip = page.locator(".jp-Tooltip")

    def ask(back):
        editor.click()
        page.keyboard.press("Control+End")
        for _ in range(back):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Shift+Tab")

    until(page, lambda: ask(0), tooltip.locator("mark", has_text="float a"))
    page.keyboard.press("Escape")
    # On a name: its parameter, and what it is.
    until(page, lambda: ask(3), tooltip.locator("mark", has_text="float* x"))
    assert "float scales[64]" in tooltip.inner_text()
    assert contrast(tooltip.locator("mark")) >= 4.5
    assert tooltip.locator("mark").evaluate("mark => getComputedStyle(mark).backgroundColor") not in ("transparent", "rgba(0, 0, 0, 0)")
    picture(page, "inspection-parameter")
