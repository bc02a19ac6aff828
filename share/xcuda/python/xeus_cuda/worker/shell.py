"""Runs cells: in IPython's shell where IPython is installed, else as Python runs a file."""
from __future__ import annotations

import ast
import builtins
import os
import sys
import traceback
from typing import Any, Callable, Optional

Ask = Callable[[dict[str, Any]], dict[str, Any]]


def plain(value: Any) -> Any:
    """Without what MessagePack has no word for: pictures are base64 text for clients."""
    import base64
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


class PlainShell:
    """Without IPython: the last expression is shown as its repr, a traceback is Python's own."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.space: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}

    def run(self, code: str, count: int) -> Optional[dict[str, Any]]:
        """The error that ended the cell, if one did."""
        name = f"In[{count}]"
        try:
            tree = ast.parse(code, name)
            last = tree.body[-1] if tree.body else None
            if isinstance(last, ast.Expr):
                tree.body.pop()
            self._keep_lines(name, code)
            exec(compile(tree, name, "exec"), self.space)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval"), self.space)
                if value is not None:
                    self.space["_"] = value
                    self.ask({"event": "result", "data": {"text/plain": repr(value)}, "metadata": {}})
        except BaseException as error:  # SystemExit of a cell, too, ends the cell and not the worker
            # The frames of this file say nothing about the cell.
            lines = traceback.format_exception(type(error), error, error.__traceback__.tb_next if error.__traceback__ else None)
            return {"ename": type(error).__name__, "evalue": str(error), "traceback": "".join(lines).rstrip("\n").split("\n")}
        return None

    @staticmethod
    def _keep_lines(name: str, code: str) -> None:
        import linecache
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)

    def complete(self, code: str, cursor: int) -> dict[str, Any]:
        import rlcompleter
        word = cursor
        while word > 0 and (code[word - 1].isalnum() or code[word - 1] in "_."):
            word -= 1
        text, completer = code[word:cursor], rlcompleter.Completer(self.space)
        found: list[str] = []
        while text and (match := completer.complete(text, len(found))) is not None and len(found) < 1000:
            found.append(match)
        return {"begin": word, "end": cursor, "matches": [{"text": match.rstrip("("), "type": "", "signature": ""} for match in found]}

    def inspect(self, code: str, cursor: int, detail: int) -> Optional[dict[str, Any]]:
        import inspect
        begin, end = cursor, cursor
        while begin > 0 and (code[begin - 1].isalnum() or code[begin - 1] in "_."):
            begin -= 1
        while end < len(code) and (code[end].isalnum() or code[end] == "_"):
            end += 1
        try:
            value = eval(code[begin:end], self.space)
        except Exception:
            return None
        try:
            text = f"{code[begin:end]}{inspect.signature(value)}"
        except (TypeError, ValueError):
            text = f"{code[begin:end]}: {type(value).__name__}\n{value!r}"
        return {"text/plain": f"{text}\n{inspect.getdoc(value) or ''}".rstrip()}


def make_shell(ask: Ask) -> Any:
    try:
        from IPython.core.interactiveshell import InteractiveShell
    except ImportError:
        return PlainShell(ask)
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from traitlets.config import Config

    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # as in every notebook of Python

    class Hook(DisplayHook):
        shown: Optional[dict[str, Any]] = None

        def start_displayhook(self) -> None:
            self.shown = None

        def write_output_prompt(self) -> None:
            pass

        def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
            self.shown = {"event": "result", "data": plain(format_dict), "metadata": plain(md_dict or {})}

        def finish_displayhook(self) -> None:
            flush()
            if self.shown is not None:
                ask(self.shown)

    class Publisher(DisplayPublisher):
        def publish(self, data: Any, metadata: Any = None, source: Any = None, *, transient: Any = None, update: bool = False, **more: Any) -> None:
            flush()
            ask({"event": "display", "data": plain(data), "metadata": plain(metadata or {}), "id": (transient or {}).get("display_id", ""),
                 "update": update})

        def clear_output(self, wait: bool = False) -> None:
            flush()
            ask({"event": "clear", "wait": wait})

    class Shell(InteractiveShell):
        failure: Optional[dict[str, Any]] = None

        def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
            self.failure = {"ename": getattr(etype, "__name__", str(etype)), "evalue": str(evalue), "traceback": [str(line) for line in stb]}

        def enable_gui(self, gui: Any = None) -> None:
            pass  # figures are shown when a cell ends; there is no window

        def ask_exit(self) -> None:
            print("exit() does nothing in a %%python cell: Python ends with the session.")

        @property
        def space(self) -> Any:
            return self.user_ns

        def run(self, code: str, count: int) -> Optional[dict[str, Any]]:
            self.failure = None
            self.execution_count = count
            result = self.run_cell(code, store_history=True)
            self.show_pages()
            if self.failure is None and not result.success:
                error = result.error_before_exec or result.error_in_exec
                self.failure = {"ename": type(error).__name__, "evalue": str(error), "traceback": [f"{type(error).__name__}: {error}"]}
            return self.failure

        def show_pages(self) -> None:
            pages: Any = self.payload_manager
            for payload in pages.read_payload():
                if payload.get("source") == "page":
                    ask({"event": "page", "data": plain(payload["data"])})
            pages.clear_payload()

        def complete_at(self, code: str, cursor: int) -> dict[str, Any]:
            from IPython.core.completer import provisionalcompleter, rectify_completions
            with provisionalcompleter():
                found = list(rectify_completions(code, self.Completer.completions(code, cursor)))[:1000]
            return {"begin": found[0].start if found else cursor, "end": found[0].end if found else cursor,
                    "matches": [{"text": each.text, "type": each.type or "", "signature": each.signature or ""} for each in found]}

        def inspect_at(self, code: str, cursor: int, detail: int) -> Optional[dict[str, Any]]:
            from IPython.utils.tokenutil import token_at_cursor
            try:
                return dict(plain(self.object_inspect_mime(token_at_cursor(code, cursor), detail_level=detail)))
            except KeyError:
                return None

    config = Config()
    config.HistoryAccessor.enabled = False
    config.HistoryManager.enabled = False
    try:
        shell = Shell.instance(config=config, displayhook_class=Hook, display_pub_class=Publisher)
    except OSError as problem:  # IPython makes folders in the home, which may be full
        print(f"IPython cannot start, so cells run in a plain Python shell: {problem}", file=sys.stderr)
        return PlainShell(ask)
    from IPython.core import page
    from IPython.core.payloadpage import page as payload_page
    shell.set_hook("show_in_pager", page.as_hook(payload_page), 99)
    shell.user_ns.setdefault("__name__", "__main__")
    return Adapter(shell)


class Adapter:
    """IPython's shell with the verbs of PlainShell; its own `complete` and `inspect` mean other things."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.space: dict[str, Any] = shell.user_ns
        self.run = shell.run
        self.complete = shell.complete_at
        self.inspect = shell.inspect_at


def flush() -> None:
    """What was printed comes before what is shown next."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
