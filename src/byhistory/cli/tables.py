"""The tables that a store holds."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import opened

EXAMPLES = """
byhistory tables
byhistory tables --store postgresql://ann@db/quality --json
"""


def run(ctx: typer.Context, json: o.Json = False) -> None:
    """List the tables that the store has a history of."""
    from byhistory.cli._say import document, say
    from byhistory.plain import as_json
    from byhistory.report.answers.runs import of_store

    with opened(ctx) as guard:
        past = guard.records.overview()
        where = guard.records.where
    if json:
        tables = [
            {"table": t.table, "runs": t.runs, "first": t.first, "last": t.last, "outcome": t.outcome} for t in past
        ]
        document(as_json({"byhistory_tables": 1, "tables": tables}))
        return
    say(of_store(where, past))
