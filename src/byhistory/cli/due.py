"""Runs that should be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from byhistory.validator.due import DueLine

EXAMPLES = """
byhistory due
byhistory due orders --budget 0.05
byhistory due --json
"""

UNUSUAL = 1
"""The exit code if something is late or missing."""


def run(
    ctx: typer.Context,
    tables: Annotated[list[str] | None, typer.Argument(metavar="TABLE", help="Default: all tables.")] = None,
    budget: Annotated[
        float, typer.Option(metavar="SHARE", min=1e-6, max=0.5, help="How often a good run may be called late.")
    ] = 0.01,
    back: Annotated[
        int, typer.Option(metavar="N", min=0, help="Look for runs that never came among the last N places.")
    ] = 7,
    json: o.Json = False,
) -> None:
    """List runs that are late or never came, over all tables, and exit with 1 if there are any.

    When a run is due is learned from when earlier ones arrived and from what their labels say: days, weekdays, hours,
    weeks, months. Runs that were backfilled say nothing about arrival. Nothing is read but the history.
    """
    from byhistory.cli._say import document, say
    from byhistory.report.answers import due as answer

    with opened(ctx) as guard:
        for name in tables or ():
            must_know(guard, name, f"say when {name!r} is due")
        now = guard.now()
        lines = guard.due(tables or None, budget, back)
    if json:
        document(_as_json(lines, now))
    else:
        say(answer.in_words(lines, now))
    if any(line.needs_a_look for line in lines):
        raise typer.Exit(UNUSUAL)


def _as_json(lines: Sequence[DueLine], now: datetime) -> str:
    from byhistory.plain import as_json
    from byhistory.validator.as_json import due_as_json

    runs = [
        {"table": line.table, **due_as_json(line), "price": line.price if line.state == "late" else None}
        for line in lines
    ]
    return as_json({"byhistory_due": 1, "now": now.isoformat(), "runs": runs})
