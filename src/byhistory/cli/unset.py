"""Undo mute, pin and threshold."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import opened
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory unset orders amount max
"""


def run(ctx: typer.Context, table: o.Table, column: o.Column, metric: o.Metric, who: o.Who = "") -> None:
    """Undo what `byhistory mute`, `pin` or `threshold` said about a metric of a column."""
    from byhistory.cli._overriding import named
    from byhistory.cli._say import say
    from byhistory.report.answers.settings import done

    with opened(ctx) as guard:
        named(guard, table, column, metric, "unset")
        before = guard.overrides.of(table)
        guard.overrides.clear(table, column, metric, who=who)
        if guard.overrides.of(table) == before:
            there = ", ".join(f"{o.column}.{o.metric}" for o in before)
            raise ByHistoryError(
                f"unset {column}.{metric} of {table!r}",
                f"nothing set by command there ({f'set are {there}' if there else 'nothing is set'})",
                "name one of these; what byhistory.toml says is undone there",
            )
    say(done("unset", table, column, metric))
