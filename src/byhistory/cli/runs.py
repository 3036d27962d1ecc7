"""The past of a table."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory runs orders
byhistory runs orders --json
"""


def run(ctx: typer.Context, table: o.Table, json: o.Json = False) -> None:
    """List the runs of a table: rows, what each was judged to be and where, and what was decided by whom and why.

    A run that is marked with * is not learned from, or only as far as it was as usual.
    """
    from byhistory.cli._say import document, say
    from byhistory.plain import as_json
    from byhistory.report.answers.runs import of_table
    from byhistory.validator.as_json import run_as_json
    from byhistory.validator.learnable import is_learned_from

    with opened(ctx) as guard:
        must_know(guard, table, f"list the runs of {table!r}")
        lines, found = guard.records.runs(table), guard.records.found_in(table)
    if json:
        bodies = [run_as_json(r) | {"found_in": list(found.get(r.run, ()))} for r in lines]
        document(as_json({"byhistory_runs": 1, "table": table, "runs": bodies}))
        return
    learned = {line.run for line in lines if is_learned_from(line)}
    say(of_table(table, lines, learned, found))
