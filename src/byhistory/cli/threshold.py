"""Hold a metric within ends of your own."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import opened
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory threshold orders amount complete_ratio --low 0.99
byhistory threshold orders '*' row_count --low 1000 --high 5000
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    column: o.Column,
    metric: o.Metric,
    low: Annotated[float | None, typer.Option(help="The least that is usual.")] = None,
    high: Annotated[float | None, typer.Option(help="The most that is usual.")] = None,
    who: o.Who = "",
) -> None:
    """Hold a metric within ends of your own, whatever is learned; `byhistory unset` undoes it."""
    from byhistory.cli._overriding import named
    from byhistory.cli._say import say
    from byhistory.report.answers import settings as answer

    asked = f"set a threshold for {column}.{metric} of {table!r}"
    if low is None and high is None:
        raise ByHistoryError(asked, "neither --low nor --high", "give one of them, or both")
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    if not all(math.isfinite(end) for end in (low, high) if end is not None):
        raise ByHistoryError(asked, f"--low {low} and --high {high}", "give numbers, or leave out the end that is open")
    if not least <= most:
        raise ByHistoryError(asked, f"--low {low} and --high {high}", "give a low end that is not above the high one")
    with opened(ctx) as guard:
        named(guard, table, column, metric, "set a threshold for")
        guard.overrides.set_threshold(table, column, metric, least, most, who=who)
    say(answer.threshold(table, column, metric, low, high))
