"""What a cell is made of, as Pygments sees it."""
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "share/xcuda/python"))

pytest.importorskip("pygments")
from pygments.token import Comment, Error, Keyword, Name, Operator, String, Text  # noqa: E402
from xeus_cuda.pygments_lexer import CudaCellLexer  # noqa: E402


def tokens(cell):
    """Each piece of text that is not blank with its kind; the whole text is kept."""
    found = list(CudaCellLexer(ensurenl=False, stripnl=False).get_tokens(cell))
    assert "".join(text for _, text in found) == cell
    return [(kind, text) for kind, text in found if text.strip()]


def kind_of(cell, piece):
    kinds = {kind for kind, text in tokens(cell) if text == piece}
    assert len(kinds) == 1, (piece, tokens(cell))
    return kinds.pop()


def test_a_magic_and_its_options():
    cell = "%%launch --repeat 20 --no-restore\nscale<<<4, 256>>>(x, 2.0f, n);\n"
    assert kind_of(cell, "%%launch") is Keyword.Pseudo
    assert kind_of(cell, "--repeat") is Name.Attribute
    assert kind_of(cell, "--no-restore") is Name.Attribute
    assert kind_of(cell, "<<<") is Operator.Word and kind_of(cell, ">>>") is Operator.Word
    assert kind_of(cell, "x") in Name


def test_code_of_the_device():
    cell = "__global__ void f(float4* p, half h) { p[threadIdx.x].x = 1; }  // done\n"
    assert kind_of(cell, "float4") is Keyword.Type
    assert kind_of(cell, "half") is Keyword.Type
    assert kind_of(cell, "__global__") in Keyword
    assert [text.strip() for kind, text in tokens(cell) if kind in Comment] == ["// done"]


def test_a_magic_in_a_line_keeps_its_statement():
    cell = "float x[4] = 1;\n%time scale<<<1, 4>>>(x);\nx\n"
    assert kind_of(cell, "%time") is Keyword.Pseudo
    assert kind_of(cell, "<<<") is Operator.Word
    assert [text for kind, text in tokens(cell) if kind is Keyword.Type] == ["float"]


def test_a_remainder_is_not_a_magic():
    cell = "int r = a\n    % b;\n"
    assert kind_of(cell, "%") is Operator
    assert not [text for kind, text in tokens(cell) if kind is Keyword.Pseudo]


def test_a_line_between_parentheses_goes_on():
    cell = "int r = f(a\n    %b,\n    !c);\n%time r\n!ls\n"
    assert [text for kind, text in tokens(cell) if kind is Keyword.Pseudo] == ["%time"]
    assert [kind for kind, text in tokens(cell) if text == "c"] == [Name]


def test_three_templates_that_end_are_not_a_launch():
    cell = "box<box<box<int>>> all;\nscale<box<float>><<<1, dim3(4, 2)>>>(x);\n"
    assert [text for kind, text in tokens(cell) if kind is Operator.Word] == ["<<<", ">>>"]


def test_wide_vectors_are_types():
    for name in ("double4_32a", "ulonglong4_16a", "uchar3", "cudaGraphExec_t"):
        assert kind_of(f"{name} a;\n", name) is Keyword.Type


def test_cells_in_other_languages():
    cell = "%%python\nimport numpy as np\nx = 'text'\n"
    assert kind_of(cell, "import") in Keyword
    assert any(kind in String for kind, _ in tokens(cell))
    assert tokens("%%writefile a.txt\n__global__ void\n")[-1][0] in Text


def test_the_shell_and_questions():
    assert kind_of("!ls -l\n", "!") is Operator
    assert tokens("scale??\n") == [(Name, "scale"), (Operator, "??")]


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_cells_of_the_notebooks_have_no_errors(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    if notebook["metadata"]["kernelspec"]["name"] != "xcuda":
        pytest.skip("a notebook of another kernel")
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or source.startswith(("%%latex", "%%html", "%%svg", "%%markdown")):
            continue
        assert not [text for kind, text in tokens(source) if kind is Error], source
