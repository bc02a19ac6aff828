"""Cells of CUDA C++ for Pygments: what nbconvert, Sphinx and a console colour code with.

    from xeus_cuda.pygments_lexer import CudaCellLexer
    pygments.highlight(cell, CudaCellLexer(), HtmlFormatter())

Pygments' own lexer for CUDA, which notebooks name, knows neither magics and their options nor `<<<`, `>>>`, vector types, the
types of statements and what another language's magic makes of a cell.
"""
import re
from typing import ClassVar

from pygments.lexer import Lexer, inherit, words
from pygments.lexers import BashLexer, CudaLexer, HtmlLexer, MarkdownLexer, PythonLexer, TexLexer, TextLexer
from pygments.token import Keyword, Name, Operator, Punctuation, Text

__all__ = ["CudaCellLexer"]

# What the rest of a cell is below these magics.
OTHER_LANGUAGES = {"python": PythonLexer, "bash": BashLexer, "sh": BashLexer, "html": HtmlLexer, "svg": HtmlLexer,
                   "markdown": MarkdownLexer, "latex": TexLexer, "writefile": TextLexer}

VECTORS = r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4](?:_16a|_32a)?\b"
TYPES = ("half", "half2", "bfloat16", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162", "dim3", "stream", "event", "texture",
         "surface", "complex", "cudaStream_t", "cudaEvent_t", "cudaGraph_t", "cudaGraphExec_t", "cudaError_t", "cudaDeviceProp",
         "cudaTextureObject_t", "cudaSurfaceObject_t")
QUALIFIERS = ("__managed__", "__grid_constant__", "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__restrict__")


class _Code(CudaLexer):
    """Device code and statements."""

    tokens = {
        "statements": [
            (r"<<<|>>>(?=\s*\()", Operator.Word),  # elsewhere three templates end
            (VECTORS, Keyword.Type),
            (words(TYPES, suffix=r"\b"), Keyword.Type),
            (words(QUALIFIERS, suffix=r"\b"), Keyword),
            inherit,
        ],
    }


# A line that is no C++: a magic, a command of the shell, a question.
SPECIAL = re.compile(r"^[ \t]*(?:(?P<magic>%%?[A-Za-z_]\w*)(?P<rest>.*)|(?P<shell>!)(?P<command>.*)|(?P<help>[\w:%]+\?\??)[ \t]*)$", re.M)
OPTION = re.compile(r"(?<=\s)--?[A-Za-z][\w-]*")


class CudaCellLexer(Lexer):
    """A cell of xeus-cuda."""

    name = "CUDA C++ cell"
    aliases = ["xcuda", "cuda-cell"]
    filenames: ClassVar[list[str]] = []
    mimetypes = ["text/x-cuda-cell"]

    def get_tokens_unprocessed(self, text):
        at = 0
        for line in SPECIAL.finditer(text):
            if line.start() < at:
                continue
            before = list(self._part(_Code(**self.options), text, at, line.start()))
            signs = [value for _, token, value in before if token in Punctuation]
            # Between parentheses a line goes on: % is a remainder there, and ! a negation.
            if signs.count("(") > signs.count(")") or signs.count("[") > signs.count("]"):
                continue
            yield from before
            yield from self._special(text, line)
            at = line.end()
            name = (line["magic"] or "").lstrip("%")
            if (line["magic"] or "").startswith("%%") and name in OTHER_LANGUAGES and not text[:line.start()].strip():
                yield from self._part(OTHER_LANGUAGES[name](**self.options), text, at, len(text))
                return
        yield from self._part(_Code(**self.options), text, at, len(text))

    def _part(self, lexer, text, begin, end):
        for index, token, value in lexer.get_tokens_unprocessed(text[begin:end]):
            yield begin + index, token, value

    def _special(self, text, line):
        begin = line.start()
        if line["help"]:
            yield begin, Text.Whitespace, text[begin:line.start("help")]
            mark = len(line["help"].rstrip("?"))
            yield line.start("help"), Name, line["help"][:mark]
            yield line.start("help") + mark, Operator, line["help"][mark:]
            yield line.end("help"), Text.Whitespace, text[line.end("help"):line.end()]
        elif line["shell"]:
            yield begin, Text.Whitespace, text[begin:line.start("shell")]
            yield line.start("shell"), Operator, "!"
            yield from self._part(BashLexer(**self.options), text, line.start("command"), line.end())
        else:
            yield begin, Text.Whitespace, text[begin:line.start("magic")]
            yield line.start("magic"), Keyword.Pseudo, line["magic"]
            at = line.start("rest")
            for option in OPTION.finditer(text, at, line.end()):
                yield from self._part(_Code(**self.options), text, at, option.start())
                yield option.start(), Name.Attribute, option[0]
                at = option.end()
            yield from self._part(_Code(**self.options), text, at, line.end())
