"""The past of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

if TYPE_CHECKING:
    from byhistory.history import RunLine

EXAMPLES = """
byhistory runs orders
byhistory runs orders --json
"""


_NAMED = 3
"""Columns named in the line of a run."""


def run(ctx: typer.Context, table: o.Table, json: o.Json = False) -> None:
    """List the runs of a table: rows, what each was judged to be and where, and what was decided by whom and why.

    A run that is marked with * is not learned from.
    """
    from byhistory.cli._say import document, say, word
    from byhistory.cli._say import table as as_table
    from byhistory.plain import as_json, plural, some_of
    from byhistory.validator.as_json import run_as_json

    with opened(ctx) as guard:
        must_know(guard, table, f"list the runs of {table!r}")
        lines, found = guard.records.runs(table), guard.records.found_in(table)
    if json:
        bodies = [run_as_json(r) | {"found_in": list(found.get(r.run, ()))} for r in lines]
        document(as_json({"byhistory_runs": 1, "table": table, "runs": bodies}))
        return
    rows = [
        (
            r.run + ("" if is_learned_from(r) else " *"),
            f"{r.rows:,}",
            r.columns,
            _outcome(r),
            some_of(found.get(r.run, ()), _NAMED),
            decision_in_words(r),
        )
        for r in lines
    ]
    say(as_table(["run", "rows", "columns", "outcome", "found in", "decision"], rows, right=["rows", "columns"]))
    good = sum(map(is_learned_from, lines))
    say(f"{word(table)}: {plural(len(lines), 'run')}, {good} of them learned from")


def is_learned_from(line: RunLine) -> bool:
    """Whether the next programs are learned from the whole of this run, as far as it was as usual or accepted."""
    from byhistory.validator import memory

    return memory.is_learned_from(line)


def _outcome(line: RunLine) -> str:
    return f"{line.outcome} ({line.note})" if line.note else line.outcome


def decision_in_words(line: RunLine) -> str:
    """What a person decided, by whom, when and why; empty if nobody did."""
    d = line.decision
    if d is None:
        return ""
    about = f" for {', '.join(d.columns)}" if d.columns else ""
    why = f": {d.why}" if d.why else ""
    return f"{d.what}{about} by {d.who}, {d.at:%Y-%m-%d %H:%M} UTC{why}"
