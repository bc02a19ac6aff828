"""Small displays in JupyterLab: what %history --times, %%timeline, %animate and %occupancy draw, by places and pixels."""
import json

from lab_page import *  # noqa: F403

pytestmark = MARKS
SETUP = """__global__ void wait(float* x, int rounds) {
    float y = x[0];
    for (int i = 0; i < rounds; ++i) y = y * 0.5f + 1;
    if (threadIdx.x == 0) x[0] = y;
}
float x[1 << 16] = 1, y[1 << 16];"""
TIMES = [SETUP, "wait<<<1, 32>>>(x, 1 << 14);", "wait<<<1, 32>>>(x, 1 << 24);", "missing + 1", "wait<<<1, 32>>>(x, 1 << 14);", "%history --times"]
TIMELINE = """%%timeline
stream s, t;
wait<<<1, 32, 0, s>>>(x, 1 << 18);
wait<<<1, 32, 0, t>>>(y, 1 << 20);
auto kept = x;"""
FRAMES = """float u[24][32];
for (int i = 0; i < 8; ++i) {
    u = 0;
    u[:, 4 * i:4 * i + 4] = 1;
    %image u --id stripe --vmin 0 --vmax 1
}"""
# Of the bars of a chart, from left to right: their boxes and colours. Vega draws each mark as a path.
BARS = """svg => [...svg.querySelectorAll('.mark-rect.role-mark path')].map(path => {
    const {x, y, width, height} = path.getBoundingClientRect();
    return {x, y, width, height, colour: getComputedStyle(path).fill};
}).filter(bar => bar.width > 0 && bar.height > 0).sort((a, b) => a.x - b.x)"""


def golden(name):
    """What a session on a GPU shows, from the golden files: all forms of it."""
    text = (ROOT / f"tests/golden/display/{name}.txt").read_text(encoding="utf-8")
    forms = dict(re.findall(r"^=== (\S+)\n(.*?)(?=^=== |\Z)", text, re.S | re.M))
    return {mime: json.loads(form) if mime.endswith("json") else form.rstrip("\n") for mime, form in forms.items() if mime != "application/pdf"}


def in_both_themes(page, name, words):
    """Its words can be read in both themes; pictures of both are for docs/looks.md."""
    for theme in ("Dark", "Light"):
        use_theme(page, theme)
        words.first.wait_for()
        shown = [word for word in words.all() if word.is_visible() and word.text_content().strip()]
        assert len(shown) > 1
        assert {word.text_content(): round(contrast(word), 1) for word in shown if contrast(word) < 4.5} == {}, theme
        picture(page, f"{name}-{theme.lower()}")


def small_page(browser, lab, lab_folder, name, *sources, outputs=None):
    page = browser.new_page(viewport={"width": 900, "height": 560 if outputs is None else 900})
    page.set_default_timeout(LONG)
    book = json.loads(notebook(*sources))
    for each in book["cells"]:
        each["metadata"]["tags"] = ["raises-exception"]
        each["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": data} for data in outputs or []]
    (lab_folder / f"{name}.ipynb").write_text(json.dumps(book))
    open_notebook(page, lab, f"{name}.ipynb")
    return page


def show_last(page):
    page.locator(".jp-Notebook .jp-CodeCell").last.evaluate("cell => cell.scrollIntoView({block: 'end'})")


def test_the_history_of_times_has_bars_and_compares(browser, lab, lab_folder):
    page = small_page(browser, lab, lab_folder, "times", *TIMES)
    run_all(page)
    table = cell(page, 5).locator(".xcuda table")
    table.wait_for()
    rows = [row.inner_text().split("\t") for row in table.locator("tbody tr").all()]
    assert len(rows) == 6
    again = rows[4]
    assert rows[2][-1].startswith("wait<<<1, 32>>>(x, 1 << 24)") and "failed" in rows[3][1] and "running" in rows[5][1]
    # The second run of a cell is compared with the first one, the others with nothing.
    assert re.fullmatch(r"(as fast as|[\d.,]+ (% (slower|faster) than|times as (long|fast) as)) " + re.escape(rows[1][0]), again[3]), again
    assert [row[3] for row in rows[:4]] == [""] * 4
    # A bar for each, as long as its time says: the longest fills its meter.
    widths = table.locator(".xc-meter > i").evaluate_all(
        "bars => bars.map(bar => bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width)")
    units = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
    times = [float(found[1].replace(",", "")) * units[found[2]] if (found := re.match(r"([\d.,]+) (\w+)", row[1])) else 0 for row in rows]
    assert widths == pytest.approx([time / max(times) for time in times], abs=0.02) and max(times) > 0
    show_last(page)
    in_both_themes(page, "looks-times", table.locator("td, th"))
    page.close()


def test_a_timeline_has_a_row_for_each_stream(browser, lab, lab_folder):
    page = small_page(browser, lab, lab_folder, "timeline", SETUP, TIMELINE)
    run_all(page)
    drawn = cell(page, 1).locator(".vega-embed svg.marks")
    drawn.locator("text", has_text="3 operations in").wait_for()
    bars = drawn.evaluate(BARS)
    assert len(bars) == 3
    assert len({round(bar["y"]) for bar in bars}) == 3  # of s, t and the default stream
    kernels = [bar for bar in bars if bar["colour"] == bars[0]["colour"]]
    assert len(kernels) == 2
    # The CPU device runs one after the other.
    assert all(before["x"] + before["width"] <= after["x"] + 1 for before, after in zip(bars, bars[1:]))
    show_last(page)
    in_both_themes(page, "looks-timeline", drawn.locator("text"))
    page.close()


def test_an_animation_moves(browser, lab, lab_folder):
    page = small_page(browser, lab, lab_folder, "moves", FRAMES, "%animate stripe --fps 4")
    run_all(page)
    image = cell(page, 1).locator("img")
    image.wait_for()
    sync_api.expect(image).to_have_attribute("alt", re.compile("^animation of stripe: 8 frames"))
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=image.element_handle())
    show_last(page)
    # Each frame has its stripe of the brightest colour at another place.
    seen = set()
    for _ in range(LONG // 100):
        seen.add(image.screenshot())
        if len(seen) >= 4:
            break
        page.wait_for_timeout(100)
    assert len(seen) >= 4
    in_both_themes(page, "looks-animation", page.locator(".xcuda .xc-fact, .xcuda .xc-name, .xcuda .xc-scale"))
    page.close()


def test_the_occupancy_of_a_gpu_says_what_limits_it(browser, lab, lab_folder):
    outputs = [golden("occupancy"), golden("occupancy_chart")]
    page = small_page(browser, lab, lab_folder, "occupancy", "%occupancy scale", outputs=outputs)
    drawn = cell(page, 0).locator(".vega-embed svg.marks")
    drawn.locator(".role-legend-label text", has_text="limited by registers").wait_for()
    bars = drawn.evaluate(BARS)
    blocks = outputs[0]["application/vnd.xcuda.occupancy+json"]["blocks"]
    assert len(bars) == len(blocks) == 32
    # As high as the occupancy, in the colour of what limits it.
    full = max(bar["height"] for bar in bars)
    assert all(abs(bar["height"] / full - block["fraction"]) < 0.02 for bar, block in zip(bars, blocks))
    colours = {}
    for bar, block in zip(bars, blocks):
        colours.setdefault("full" if block["fraction"] == 1 else block["limiter"], set()).add(bar["colour"])
    assert colours.keys() == {"full", "blocks", "registers"} and len(set().union(*colours.values())) == 3
    assert all(len(found) == 1 for found in colours.values())
    # The legend is above the chart: all of it is in a window of 900 pixels.
    for word in drawn.locator(".role-legend-label text").all():
        box = word.bounding_box()
        assert box["x"] + box["width"] < drawn.bounding_box()["x"] + 640 and box["y"] < bars[0]["y"]
    table = cell(page, 0).locator(".xcuda table")
    assert "1,024" in table.inner_text() and "registers" in table.inner_text()
    in_both_themes(page, "looks-occupancy", cell(page, 0).locator(".vega-embed svg.marks text, .xcuda td, .xcuda th, .xcuda .xc-note"))
    page.close()
