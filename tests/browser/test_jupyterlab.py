"""JupyterLab in a browser: what a person sees and clicks."""
from lab_page import *  # noqa: F403

pytestmark = MARKS


def test_mandelbrot_is_drawn(page, lab):
    open_notebook(page, lab, "mandelbrot.ipynb")
    run_all(page)
    wait_for_image(page, 1536)
    page.locator(".jp-RenderedHTMLCommon .xcuda td", has_text="mandelbrot").first.wait_for()
    wait_for_image(page, 480)
    assert all(alt.startswith("image of ") for alt in page.locator(".jp-OutputArea-output img").evaluate_all("all => all.map(e => e.alt)"))
    assert page.locator(ERRORS).count() == 0
    cell(page, 2).evaluate("cell => cell.scrollIntoView({block: 'start'})")
    picture(page, "jupyterlab")


def test_charts_are_drawn_with_zoom(page, lab):
    open_notebook(page, lab, "gallery.ipynb")
    run_all(page)
    # The last cells have run, and Vega has drawn what is in view.
    page.locator(".jp-OutputArea-output", has_text="PTX of scale").first.wait_for()
    chart = page.locator(".vega-embed").nth(1)
    chart.scroll_into_view_if_needed()
    chart.locator("canvas, svg.marks").first.wait_for()
    picture(page, "charts")
    assert page.locator(ERRORS).count() == 0


def test_everything_reads_in_both_themes(page, lab):
    open_notebook(page, lab, "looks.ipynb")
    run_all(page)
    error = cell(page, 3).locator(ERRORS)
    error.wait_for()
    chart = cell(page, 1).locator(".vega-embed svg.marks")
    chart.nth(1).wait_for()
    texts = {"the name of an error": error.locator("span", has_text="NameError"), "its caret": error.locator("span", has_text="^"),
             "a number of an axis": chart.first.locator(".mark-text.role-axis-label text"), "a legend": chart.first.locator(".role-legend-label text"),
             "a scale of colours": chart.nth(1).locator(".role-legend-label text"),
             "a fact": cell(page, 2).locator(".xc-fact").first, "a title": cell(page, 2).locator("th", has_text="id"),
             "a number": cell(page, 2).locator("td", has_text="0.125"), "a signature": cell(page, 0).locator("td", has_text="float* x")}
    for theme in ("Dark", "Light"):
        use_theme(page, theme)
        for what, text in texts.items():
            assert contrast(text.first) > (3 if what == "its caret" else 4.5), f"{what} in {theme}"
        # What a legend shows is as dark or light as the line.
        looks = "node => [getComputedStyle(node).stroke, getComputedStyle(node).opacity, getComputedStyle(node).strokeOpacity].join()"
        assert chart.first.locator(".role-legend-symbol path").first.evaluate(looks) == chart.first.locator(".mark-line.role-mark path").first.evaluate(looks)
        cell(page, 0).evaluate("cell => cell.scrollIntoView({block: 'start'})")
        picture(page, theme.lower())
    # The numbers of a column end in the same place: blanks are kept.
    assert len({row.bounding_box()["width"] for row in cell(page, 2).locator("tbody tr").all()}) == 1
    assert [text.strip() for text in cell(page, 2).locator("tbody td:nth-child(3)").all_inner_texts()] == ["2.5", "0.125", "0."]


def test_a_chart_tells_its_values_under_the_pointer(page, lab):
    open_notebook(page, lab, "looks.ipynb")
    run_all(page)
    map_of_cells = cell(page, 1).locator(".vega-embed").nth(1).locator("canvas, svg.marks").first
    map_of_cells.wait_for()

    def point():
        map_of_cells.scroll_into_view_if_needed()
        box = map_of_cells.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2 - 5, box["y"] + box["height"] / 2)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    until(page, point, page.locator("#vg-tooltip-element.visible", has_text="value"))


def test_a_chart_is_zoomed_by_the_wheel(page, lab):
    open_notebook(page, lab, "looks.ipynb")
    run_all(page)
    chart = cell(page, 1).locator(".vega-embed svg.marks").first
    chart.wait_for()
    drawn = "chart => chart.querySelector('.mark-line.role-mark path').getAttribute('d')"
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()

    def move():
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    move()
    whole = chart.evaluate(drawn)
    element = chart.element_handle()

    def changes(act, condition, from_what):
        for _ in range(LONG // TRY):
            act()
            try:
                page.wait_for_function(f"([chart, other]) => ({drawn})(chart) {condition} other", arg=[element, from_what], timeout=TRY)
                return
            except sync_api.TimeoutError:
                move()
        raise AssertionError("the chart stays as it was")

    changes(lambda: page.mouse.wheel(0, -300), "!==", whole)
    changes(lambda: page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), "===", whole)


def test_a_table_is_copied_as_text(page, lab):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_notebook(page, lab, "looks.ipynb")
    run_all(page)
    table = cell(page, 2).locator(".xcuda table")
    table.wait_for()

    def copy():
        table.locator("th").first.click()
        table.evaluate("""table => {
            const range = document.createRange();
            range.selectNode(table);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            document.execCommand('copy');
        }""")
        return page.evaluate("navigator.clipboard.readText()")

    rows = [[field.strip() for field in line.split("\t")] for line in copy().strip("\n").split("\n")]
    assert rows == [["", "x", "y", "id"], ["0", "1.", "2.5", "3"], ["1", "-10.", "0.125", "4"], ["2", "0.", "0.", "5"]]


def test_the_page_keeps_its_styles_without_the_output_that_brought_them(page, lab):
    open_notebook(page, lab, "looks.ipynb")
    run_all(page)
    fact = cell(page, 2).locator(".xc-fact").first
    fact.wait_for()
    assert page.locator(".jp-OutputArea-output style").count() == 1
    assert cell(page, 0).locator(".jp-OutputArea-output style").count() == 1
    looks = "node => [getComputedStyle(node).backgroundColor, getComputedStyle(node).borderRadius].join()"
    before = fact.evaluate(looks)
    cell(page, 0).locator(".cm-content").click()
    until_gone(page, lambda: menu(page, "Edit", "Clear Cell Output"), cell(page, 0).locator(".xcuda"))
    assert page.locator(".jp-OutputArea-output style").count() == 0
    assert fact.evaluate(looks) == before
    # The cell brings them again.
    run_cell(page, 0, cell(page, 0).locator(".xcuda"))
    assert cell(page, 0).locator(".jp-OutputArea-output style").count() == 1


def test_lines_of_errors_break_between_words(page, lab):
    page.set_viewport_size({"width": 560, "height": 900})
    open_notebook(page, lab, "long.ipynb")
    run_all(page)
    error = cell(page, 0).locator(ERRORS)
    error.wait_for()
    lines, broken = error.locator("pre").evaluate("""pre => {
        const walk = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), broken = [], tops = new Set();
        while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/[A-Za-z]+/g)) {
            const range = document.createRange();
            range.setStart(walk.currentNode, word.index);
            range.setEnd(walk.currentNode, word.index + word[0].length);
            const rows = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
            if (rows.size > 1) broken.push(word[0]);
            rows.forEach(row => tops.add(row));
        }
        return [tops.size, broken];
    }""")
    picture(page, "long-error")
    assert lines > len(error.inner_text().strip().split("\n"))  # one of them is broken
    assert broken == []


def test_a_narrow_window_cuts_nothing_off(page, lab):
    page.set_viewport_size({"width": 600, "height": 900})
    open_notebook(page, lab, "mandelbrot.ipynb")
    run_all(page)
    wait_for_image(page, 1536)
    page.locator(".jp-RenderedHTMLCommon .xcuda td", has_text="mandelbrot").first.wait_for()
    image = page.locator(".jp-OutputArea-output img").first
    box = image.bounding_box()
    assert abs(box["width"] / box["height"] - 1.5) < 0.02  # that of the array
    # What is wider than the window can be scrolled to.
    lost = page.evaluate("""() => [...document.querySelectorAll('.jp-OutputArea-output .xcuda *')].filter(node => {
        if (node.getBoundingClientRect().right <= innerWidth) return false;
        for (let around = node; around; around = around.parentElement)
            if (['auto', 'scroll'].includes(getComputedStyle(around).overflowX)) return false;
        return true;
    }).map(node => node.outerHTML.slice(0, 120))""")
    assert lost == []


def test_the_live_image_is_one_image(page, lab):
    open_notebook(page, lab, "heat.ipynb")
    run_all(page)
    cell(page, 1).locator(".jp-OutputArea-output", has_text="steps, the last one changed").wait_for()
    wait_for_image(page, 320)
    assert cell(page, 1).locator(".jp-OutputArea-output img").count() == 1
    assert cell(page, 1).locator(".xc-scale").count() == 1
    assert page.locator(ERRORS).count() == 0


def test_an_endless_kernel_is_interrupted_by_the_button(page, lab):
    open_notebook(page, lab, "endless.ipynb")
    waiting = cell(page, 0).locator(".jp-OutputArea-output", has_text="waiting for the device")
    run_cell(page, 0, waiting)
    page.locator('jp-button[data-command="notebook:interrupt-kernel"], [data-jp-item-name="interrupt"] button, [data-jp-item-name="interrupt"]').first.click()
    error = cell(page, 0).locator(".jp-OutputArea-output", has_text="KeyboardInterrupt")
    error.wait_for()
    sync_api.expect(waiting).to_have_count(0)
    picture(page, "interrupt")
    # The session is alive, and so are its arrays.
    run_cell(page, 1, cell(page, 1).locator(".jp-OutputArea-output", has_text="[4 5 6]"))

    # Tab offers what can follow.
    editor = cell(page, 2).locator(".cm-content")
    editor.click()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.locator(".jp-Completer-item, .jp-Completer .jp-Completer-match", has_text="launch").first.wait_for()
    picture(page, "completion")
    page.keyboard.press("Escape")

    # After a restart the names are gone.
    dialog = page.locator(".jp-Dialog")
    until(page, page.locator('[data-jp-item-name="restart"]').first.click, dialog)
    until_gone(page, lambda: dialog.locator(".jp-mod-accept").first.click(timeout=TRY), dialog)
    page.wait_for_function("() => document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'")
    run_cell(page, 1, cell(page, 1).locator(".jp-OutputArea-output", has_text="NameError"))
