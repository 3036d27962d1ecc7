"""Forget old runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory prune orders --keep 400
byhistory prune orders --days 730
"""

_LONGEST = 100_000
"""The most days, by choice: more than two centuries, and still within the calendar of a `datetime`."""


def run(
    ctx: typer.Context,
    table: o.Table,
    keep: Annotated[
        int | None,
        typer.Option(metavar="RUNS", min=1, help="How many to keep. Default: `keep` in byhistory.toml."),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=_LONGEST, help="Keep what was recorded in the last N days."),
    ] = None,
) -> None:
    """Delete the oldest runs of a table for good, with the decisions on them, and say how many.

    The runs that the next one is judged by are never deleted.
    """
    from byhistory.cli._say import say
    from byhistory.report.answers.store import pruned

    with opened(ctx) as guard:
        must_know(guard, table, f"prune {table!r}")
        config = guard.config.table(table)
        wanted = keep or (0 if days else config.keep or 0)
        if not wanted and not days:
            todo = "say --keep RUNS or --days DAYS, or write keep = RUNS for the table"
            raise ByHistoryError(f"prune {table!r}", "nothing that says how much to keep", todo)
        lines = guard.records.runs(table)
        old = lines[: len(lines) - wanted] if wanted else []
        old += [r for r in lines if days and r.at < guard.now() - timedelta(days=days) and r not in old]
        needed = {r.run for r in guard.records.learned_runs(table)}
        gone = [r for r in old if r.run not in needed]
        for line in gone:
            guard.records.forget(table, line.run)
    say(pruned(table, gone, len(lines) - len(gone), len(old) - len(gone)))
