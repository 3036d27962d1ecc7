"""The runs of a table, and the tables of a store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from byhistory.plain import plural, some_of, word
from byhistory.report.answers.decision import in_a_line
from byhistory.report.columns import table as as_table

if TYPE_CHECKING:
    from byhistory.history import RunLine, TableLine

_NAMED = 3
"""How many columns the line of a run names, by choice."""


def of_table(table: str, lines: Sequence[RunLine], learned: Collection[str], found: Mapping[str, Sequence[str]]) -> str:
    """One row per run; `learned` are the labels of those learned from, `found` the columns that were not as usual."""
    rows = [
        (
            line.run + ("" if line.run in learned else " *"),
            f"{line.rows:,}",
            line.columns,
            f"{line.outcome} ({line.note})" if line.note else line.outcome,
            some_of(found.get(line.run, ()), _NAMED),
            in_a_line(line),
        )
        for line in lines
    ]
    listed = as_table(["run", "rows", "columns", "outcome", "found in", "decision"], rows, right=["rows", "columns"])
    return f"{listed}\n{word(table)}: {plural(len(lines), 'run')}, {len(learned)} of them learned from"


def of_store(where: str, lines: Sequence[TableLine]) -> str:
    """One row per table."""
    head = ["table", "runs", "first", "last", "outcome of the last"]
    listed = as_table(head, [(t.table, t.runs, t.first, t.last, t.outcome) for t in lines], right=["runs"])
    return "\n".join([*([listed] if lines else []), f"{plural(len(lines), 'table')} in {word(where)}"])
