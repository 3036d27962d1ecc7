"""What was learned, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.program import Program
    from byhistory.validator import Validator

EXAMPLES = """
byhistory explain orders
byhistory explain orders amount
byhistory explain orders --json > orders.program.json
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="Only this column.")] = "",
    json: o.Json = False,
) -> None:
    """Show what the next run of a table will be judged by: the program of every column, in words.

    One line a constraint: what must hold, what the past runs were, how often a good run breaks it, what it catches.
    """
    from byhistory.cli._say import document, plural, say, word
    from byhistory.program.budget import of_table

    with opened(ctx) as guard:
        must_know(guard.store, table, f"explain {table!r}")
        programs = guard.programs(table)
        if column:
            programs = {column: one_of(programs, table, column)}
        if json:
            document(_as_json(table, programs))
            return
        for program in programs.values():
            say(_in_words(program))
        for muted in _muted(guard, table, column):
            say(f"muted: {muted}")
        for waiting in _not_pinned_yet(guard, table, column):
            say(f"not pinned yet, because there is no constraint on it: {waiting}")
    clauses = sum(len(p.clauses) for p in programs.values())
    price = of_table([p.price for p in programs.values()], {p.learner for p in programs.values()})
    say(
        f"{word(table)}: {plural(clauses, 'constraint')} on {plural(len(programs), 'column')}; "
        f"together they stop at most {100 * price:.2g} % of good runs"
    )


def one_of(programs: dict[str, Program], table: str, column: str) -> Program:
    """The program of a column; an error that names the columns there are."""
    from byhistory.rows.local import listed

    if column in programs:
        return programs[column]
    raise ByHistoryError(
        f"explain the column {column!r} of {table!r}",
        f"no such column (there are {listed(list(programs))})",
        "name one of them",
    )


def _in_words(program: Program) -> str:
    from dataclasses import replace

    from byhistory.cli._say import word
    from byhistory.program import explain

    return str(explain(replace(program, column=word(program.column))))


def _as_json(table: str, programs: dict[str, Program]) -> str:
    import json as codec

    from byhistory.program import to_json

    bodies = {name: codec.loads(to_json(p)) for name, p in programs.items()}
    return codec.dumps({"byhistory_programs": 1, "table": table, "columns": bodies}, indent=2, ensure_ascii=True)


def _not_pinned_yet(guard: Validator, table: str, column: str) -> list[str]:
    from byhistory.cli._say import word

    pinned = {(c, o.metric) for o in guard.overrides(table) if o.pin is not None for c in ("*", o.column)}
    named = [(c, m) for c, entries in guard.config.table(table).columns.items() for m in entries.pin]
    return [f"{word(c)}.{word(m)}" for c, m in named if (c, m) not in pinned and (not column or c in ("*", column))]


def _muted(guard: Validator, table: str, column: str) -> list[str]:
    from byhistory.cli._say import word

    last = {(o.column, o.metric): o for o in guard.overrides(table)}
    return [f"{word(c)}.{word(m)}" for (c, m), o in last.items() if o.mute and (not column or c in ("*", column))]
