"""JupyterLab in a browser: its server, its pages, and what a person does there.

XCUDA_PREFIX        where xcuda is installed; otherwise the kernelspec named xcuda
XCUDA_SCREENSHOTS   a folder for pictures of what was seen: scripts/pictures makes those of the README of them

Nothing here waits for a time: what a slow machine is given is LONG, and a click is repeated only where it had no effect.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: tests/browser/requirements.txt")
CHROMIUM = os.environ.get("XCUDA_CHROMIUM") or shutil.which("chromium")
MARKS = [pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed: scripts/setup browser"), pytest.mark.timeout(1800)]

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What JupyterLab draws an error as; older and newer ones.
ERRORS = '[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]'
LONG = 300_000  # milliseconds that a slow machine may take for one step
WORKSPACES = (f"test-{i}" for i in itertools.count())
TRY = 15_000    # until a click that seems to be lost is repeated
ENDLESS = """__global__ void endless(volatile int* flag) { while (*flag == 0) {} }
int flag[1], kept[3] = {4, 5, 6};
endless<<<1, 1>>>(flag);"""


KERNEL = """%%kernel
struct Body { float x, y; int id; };
__global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }"""
LOOKS = """float t[200] = linspace(0, 6.28), grid[20][30] = uniform(seed = 1);
Body bodies[3] = {{1, 2.5f, 3}, {-10, 0.125f, 4}, {0, 0, 5}};
"""

NAMED = """__global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }
float scales[64] = 1.0f, scalar = 3;"""

TYPED = """%%launch --repeat 3
// a comment
__global__ void scale(float4* x, float a) {
    int i = threadIdx.x;
    if (i < 5) x[i].x *= 2.5f;
}
scale<<<1, 32>>>(x, 3);"""


def notebook(*sources):
    metadata = json.loads((ROOT / "notebooks/saxpy.ipynb").read_text())["metadata"]
    cells = [{"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
             for i, source in enumerate(sources)]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})


@pytest.fixture(scope="module")
def lab_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def lab(lab_folder):
    """A server of its own, with the user's settings out of the way."""
    folder = lab_folder
    shutil.copy(ROOT / "notebooks/mandelbrot.ipynb", folder)
    shutil.copy(ROOT / "notebooks/gallery.ipynb", folder)
    shutil.copy(ROOT / "notebooks/heat.ipynb", folder)
    (folder / "looks.ipynb").write_text(notebook(KERNEL, LOOKS + "%plot sin(t) cos(t)\n%heatmap grid", "bodies", "missing + 1", "sinf(0.5f)"))
    (folder / "long.ipynb").write_text(notebook("int kept[3];\nkept + something_that_nobody_has_ever_written_in_a_cell * 2 + kept * 3"))
    (folder / "completed.ipynb").write_text(notebook(NAMED, "sca", "scale<<<1, 64>>>(scales, 2"))
    (folder / "typed.ipynb").write_text(notebook(TYPED))
    (folder / "endless.ipynb").write_text(notebook(ENDLESS, "kept", "%%la"))
    quiet = folder / ".settings/@jupyterlab/apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    tracker = folder / ".settings/@jupyterlab/notebook-extension"  # cells out of view stay in the page
    tracker.mkdir(parents=True)
    (tracker / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = dict(os.environ, JUPYTER_CONFIG_DIR=str(folder / ".config"), JUPYTER_RUNTIME_DIR=str(folder / ".runtime"),
                       JUPYTERLAB_SETTINGS_DIR=str(folder / ".settings"), JUPYTERLAB_WORKSPACES_DIR=str(folder / ".workspaces"),
                       XDG_DATA_HOME=str(folder / ".data"))
    if "XCUDA_PREFIX" in os.environ:
        environment["JUPYTER_PATH"] = os.path.join(os.environ["XCUDA_PREFIX"], "share/jupyter")
    log = open(folder / "server.log", "wb")
    server = subprocess.Popen([sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token=",
                               "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={folder}"],
                              env=environment, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/api", timeout=5).close()
            break
        except OSError:
            assert server.poll() is None, (folder / "server.log").read_text()
            time.sleep(0.5)
    specs = json.load(urllib.request.urlopen(f"{url}/api/kernelspecs", timeout=60))["kernelspecs"]
    if "xcuda" not in specs:
        server.terminate()
        pytest.skip("xcuda is not installed: set XCUDA_PREFIX, or install its kernelspec")
    yield url
    server.terminate()
    server.wait(60)
    log.close()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.set_default_timeout(LONG)
    yield page
    page.close()


def open_notebook(page, lab, name):
    sync_api.expect.set_options(timeout=LONG)
    # A workspace of its own: ?reset loads the page twice, and what is run in between loses its kernel.
    page.goto(f"{lab}/doc/workspaces/{next(WORKSPACES)}/tree/{name}")
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    # "Idle" here is said of a session's kernel; the indicator in the toolbar begins with it.
    page.locator("#jp-main-statusbar .jp-StatusBar-TextItem", has_text=re.compile(r"\| Idle$")).wait_for()
    page.wait_for_function("() => document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'")


def until(page, act, seen):
    """Acts until something is seen: a page that is still being built loses what is clicked."""
    for _ in range(LONG // TRY):
        try:
            act()
            seen.first.wait_for(timeout=TRY)
            return
        except sync_api.TimeoutError:
            page.keyboard.press("Escape")
    seen.first.wait_for()


def until_gone(page, act, seen):
    """Acts until something is seen no more: a dialog that is still being built loses the click."""
    for _ in range(LONG // TRY):
        if seen.count() == 0:
            return
        try:
            act()
            seen.first.wait_for(state="detached", timeout=TRY)
            return
        except sync_api.TimeoutError:
            pass
    sync_api.expect(seen).to_have_count(0)


def prompts(page):
    return [prompt.strip() for prompt in page.locator(".jp-CodeCell .jp-InputArea-prompt").all_inner_texts()]


def until_it_runs(page, act):
    """Acts until the prompts change: to [*] where cells wait or run, to a number where they have run."""
    before = prompts(page)
    asked = page.locator(".jp-Dialog .jp-mod-accept")  # for a kernel, of a session that is still being made
    for _ in range(LONG // TRY):
        try:
            asked.first.click(timeout=TRY) if asked.count() > 0 else act()
            page.wait_for_function("""before => [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')].some((prompt, i) => {
                const text = prompt.innerText.trim();
                return /[*\\d]/.test(text) && text !== before[i];
            })""", arg=before, timeout=TRY)
            return
        except sync_api.TimeoutError:
            page.keyboard.press("Escape")
    raise AssertionError(f"nothing runs; the prompts are {before}")


def run_all(page):
    until_it_runs(page, lambda: menu(page, "Run", "Run All Cells"))


def run_cell(page, index, seen):
    def click():
        cell(page, index).locator(".cm-content").click(timeout=TRY)
        page.keyboard.press("Shift+Enter")

    until_it_runs(page, click)
    seen.first.wait_for()


def menu(page, *words):
    """An item of the menu bar, through its submenus."""
    page.locator(".lm-MenuBar-item", has_text=words[0]).first.click(timeout=TRY)
    for word in words[1:-1]:
        page.locator(".lm-Menu-item", has_text=re.compile(f"^{word}")).first.hover(timeout=TRY)
    page.locator(".lm-Menu-item", has_text=re.compile(f"^{words[-1]}")).first.click(timeout=TRY)


def use_theme(page, name):
    until(page, lambda: menu(page, "Settings", "Theme", f"JupyterLab {name}"), page.locator(f"body[data-jp-theme-name='JupyterLab {name}'] .jp-Notebook"))
    page.locator("#jupyterlab-splash").wait_for(state="detached")  # while the style sheets are loaded


def contrast(locator):
    """Of a text with what is behind it, as WCAG counts it: 1 to 21."""
    return locator.evaluate("""node => {
        const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        const numbers = colour => {  // in whatever way it is written
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
            return [r, g, b, a / 255];
        };
        const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        let behind = node;
        const solid = n => { return numbers(getComputedStyle(n).backgroundColor)[3] > 0.5; };
        while (behind.parentElement && !solid(behind)) behind = behind.parentElement;
        const ink = node instanceof SVGElement ? getComputedStyle(node).fill : getComputedStyle(node).color;
        const [a, b] = [light(numbers(ink)), light(numbers(getComputedStyle(behind).backgroundColor))];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }""")


def picture(page, name):
    if "XCUDA_SCREENSHOTS" in os.environ:
        folder = pathlib.Path(os.environ["XCUDA_SCREENSHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(folder / f"{name}.png"))


def cell(page, index):
    return page.locator(".jp-Notebook .jp-CodeCell").nth(index)


def wait_for_image(page, width):
    """An image of this many pixels is drawn, and is not of one colour."""
    page.wait_for_function("""width => [...document.querySelectorAll('.jp-OutputArea-output img')].some(image => {
        if (!image.complete || image.naturalWidth !== width) return false;
        const canvas = document.createElement('canvas');
        canvas.width = 64; canvas.height = 64;
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0, 64, 64);
        const colours = new Set();
        const data = context.getImageData(0, 0, 64, 64).data;
        for (let i = 0; i < data.length; i += 4) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
        return colours.size > 8;
    })""", arg=width)
