"""What a store holds."""

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
    import json as codec

    from byhistory.cli._say import document, plural, say, word
    from byhistory.cli._say import table as as_table

    with opened(ctx) as guard:
        past = {name: guard.store.runs(name) for name in guard.store.tables()}
        where = repr(guard.store)
    if json:
        tables = [
            {"table": name, "runs": len(runs), "first": runs[0].run, "last": runs[-1].run, "outcome": runs[-1].outcome}
            for name, runs in past.items()
        ]
        document(codec.dumps({"byhistory_tables": 1, "tables": tables}, indent=2))
        return
    rows = [(n, len(r), r[0].run, r[-1].run, r[-1].outcome) for n, r in past.items()]
    if rows:
        say(as_table(["table", "runs", "first", "last", "outcome of the last"], rows, right=["runs"]))
    say(f"{plural(len(rows), 'table')} in {word(where)}")
