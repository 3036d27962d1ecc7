"""Keep a constraint as it is."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import opened

EXAMPLES = """
byhistory pin orders amount mean
"""


def run(ctx: typer.Context, table: o.Table, column: o.Column, metric: o.Metric, who: o.Who = "") -> None:
    """Keep the constraint on a metric as it is today, whatever is learned later; `byhistory unset` undoes it."""
    from byhistory.cli._overriding import named
    from byhistory.cli._say import say
    from byhistory.report.answers.settings import done

    with opened(ctx) as guard:
        named(guard, table, column, metric, "pin")
        guard.overrides.pin(table, column, metric, who=who)
    say(done("pinned", table, column, metric))
