"""Judge without a metric."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import opened

EXAMPLES = """
byhistory mute orders amount max
byhistory mute orders '*' row_count --who ann
"""


def run(ctx: typer.Context, table: o.Table, column: o.Column, metric: o.Metric, who: o.Who = "") -> None:
    """Judge a column without a metric from now on; `byhistory unset` undoes it."""
    from byhistory.cli._overriding import named
    from byhistory.cli._say import say
    from byhistory.report.answers.settings import done

    with opened(ctx) as guard:
        named(guard, table, column, metric, "mute")
        guard.overrides.mute(table, column, metric, who=who)
    say(done("muted", table, column, metric))
