"""The reference page, from the commands themselves: `python -m scripts.cli_page > docs/reference/cli.md`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from byhistory import cli

_INTRO = """# The command line

Written by `python -m scripts.cli_page`; a test holds it to the code.

`byhistory COMMAND --help` says the same in a terminal. Answers go to stdout, and their last line is the verdict;
everything else goes to stderr. With `--json`, `--output json`, `junit` or `markdown`, stdout is that document and
nothing else.

| exit code | meaning |
|---|---|
| 0 | as usual, or the command did what it was asked |
| 1 | stop (with `--fail-on warn` a warning, too); nothing else of `check` exits with 1 |
| 2 | could not run: wrong arguments, no data, no Spark, no store |
| 3 | not all was judged: too little history, or what the verdict names as not judged; only with `check --strict` |

`check --all` exits with the worst of its tables, in the order 2, 1, 3, 0.
"""

_ANYWHERE = "They may stand before or after the command. What is in brackets further below may be left out."


def page() -> str:
    """The page as Markdown."""
    parts = [
        _INTRO,
        "## Options of every command",
        "",
        _ANYWHERE,
        "",
    ]
    parts += [*_table(cli.options), ""]
    for name in cli.COMMANDS:
        module = importlib.import_module(f"byhistory.cli.{name}")
        parts += [f"## {name}", "", inspect.cleandoc(module.run.__doc__ or ""), "", "```sh"]
        parts += [*module.EXAMPLES.strip().splitlines(), "```", ""]
        table = _table(module.run)
        parts += [*table, ""] if table else []
    return "\n".join(parts)


def _table(run: Callable[..., Any]) -> list[str]:
    hints = get_type_hints(run, include_extras=True)
    rows = [
        _row(name, hints[name], parameter.default)
        for name, parameter in inspect.signature(run).parameters.items()
        if hints[name] is not typer.Context
    ]
    return ["| | |", "|---|---|", *rows] if rows else []


def _row(name: str, hint: Any, default: object) -> str:
    kind, info = get_args(hint)[0], hint.__metadata__[0]
    if isinstance(info, ArgumentInfo):
        shown = f"`{info.metavar}`" if default is inspect.Parameter.empty else f"`[{info.metavar}]`"
    else:
        shown = _option(name, kind, info)
    variable = f" Environment: `{info.envvar}`." if info.envvar else ""
    return f"| {shown} | {_cell(info.help or '')}{variable} |"


def _option(name: str, kind: Any, info: OptionInfo) -> str:
    # Inside `Annotated`, typer keeps the first name where a default would be.
    written = [n for n in (info.default, *(info.param_decls or ())) if isinstance(n, str) and n.startswith("-")]
    names = written or [f"--{name.replace('_', '-')}"]
    if kind is bool:
        return ", ".join(f"`{n}`" for n in names)
    choices = next((a for a in (kind, *get_args(kind)) if hasattr(a, "__members__")), None)
    value = "|".join(m.value for m in choices) if choices is not None else info.metavar or _value(kind)
    value = _cell(value)
    return ", ".join(f"`{n} {value}`" for n in names)


def _value(kind: Any) -> str:
    kinds = get_args(kind) if get_origin(kind) is not None or get_args(kind) else (kind,)
    return {float: "NUMBER", int: "NUMBER", Path: "FILE"}.get(kinds[0], "TEXT")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
