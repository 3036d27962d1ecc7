"""One page about a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory report orders -o orders.html
byhistory report orders 2026-11-15 -o orders.html --show-values
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    run: Annotated[str, typer.Argument(metavar="RUN", help="The label of a run. Default: the last one.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The file to write. Default: TABLE.html.")
    ] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Show example values, where the history keeps them (keep_values).")
    ] = False,
) -> None:
    """Write one self-contained page about a run: what was found, and every column before and now, with pictures."""
    from byhistory import report
    from byhistory.cli._progress import working
    from byhistory.cli._say import say
    from byhistory.cli._show import write
    from byhistory.report.answers.files import page

    with opened(ctx) as guard, working("drawing"):
        must_know(guard, table, f"report on {table!r}")
        label = run or guard.records.runs(table)[-1].run
        story = guard.records.story(table, label, show_values)
        path = out if out is not None else Path(_file_name(table))
        write(path, report.to_html(story))
    say(page(table, label, path, path.stat().st_size))


def _file_name(table: str) -> str:
    """A file name for the page; whatever the table is called, it stays in this directory."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in table).lstrip(".") + ".html"
