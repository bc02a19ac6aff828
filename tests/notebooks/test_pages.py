"""Every example of README.md and docs/ runs when its page is read from top to bottom.

A fenced block tagged `cuda` is a cell; one tagged `cuda gpu` is a cell that only a GPU can run.
"""
import pathlib
import re

import pytest
from jupyter_client.manager import start_new_kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TAGS = {"cuda", "cuda gpu", "python", "sh", "text", "json", "dockerfile"}


def blocks(page):
    """(line, tag, text) of each fenced block."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start()) + 1, match[1], match[2]) for match in re.finditer(r"^```(.*)\n((?s:.*?))^```$", text, re.M)]


def cells(page):
    return [block for block in blocks(page) if block[1].startswith("cuda")]


FOR_A_GPU = [(page, line) for page in PAGES for line, tag, _ in cells(page) if tag == "cuda gpu"]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    manager, found = start_new_kernel(kernel_name="xcuda", cwd=str(tmp_path_factory.mktemp("pages")))
    yield found
    found.stop_channels()
    manager.shutdown_kernel()


def run(client, code):
    """The text of its error, if there is one."""
    errors = []

    def keep(message):
        if message["msg_type"] == "error":
            errors.append(re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(message["content"]["traceback"])))

    reply = client.execute_interactive(code, timeout=100, output_hook=keep)["content"]
    return "" if reply["status"] == "ok" else "\n".join(errors) or str(reply)


def read(client, page, tags):
    """Runs the cells of a page in a session of their own; what went wrong, by line."""
    assert run(client, "%reset") == ""
    return {f"{page.name}:{line}": error for line, tag, text in cells(page) if tag in tags and (error := run(client, text))}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("page", [page for page in PAGES if cells(page)], ids=lambda page: page.name)
def test_the_examples_of_a_page_run(client, page):
    assert run(client, "%device cpu") == ""
    assert read(client, page, {"cuda"}) == {}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("page, line", FOR_A_GPU, ids=[f"{page.name}:{line}" for page, line in FOR_A_GPU])
def test_an_example_that_needs_a_gpu_runs(client, page, line):
    if not pathlib.Path("/dev/nvidiactl").exists():
        pytest.skip(f"{page.name}:{line} needs a GPU")
    assert run(client, "%device gpu:0") == ""
    assert f"{page.name}:{line}" not in read(client, page, {"cuda", "cuda gpu"})


def test_a_wrong_example_is_found(client):
    assert "wrong_name" in run(client, "wrong_name")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    found = blocks(page)
    assert {tag for _, tag, _ in found} <= TAGS
    rest = re.sub(r"^```.*\n(?s:.*?)^```$", "", page.read_text(encoding="utf-8"), flags=re.M)
    assert "```" not in rest
    assert re.findall(r"\n\n(    .*)", rest) == []  # a block without a tag
