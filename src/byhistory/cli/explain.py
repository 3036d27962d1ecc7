"""What was learned, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.learners import Program
    from byhistory.validator import Validator

EXAMPLES = """
byhistory explain orders
byhistory explain orders amount
byhistory explain orders --json > orders.program.json
"""


_NAMED = 8
"""How many columns an error names, by choice: the misspelled one is likely to be like one of them."""


def run(
    ctx: typer.Context,
    table: o.Table,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="Only this column.")] = "",
    full: Annotated[bool, typer.Option("--full", help="One line per constraint, for all columns.")] = False,
    json: o.Json = False,
) -> None:
    """Show what the next run of a table will be judged by: the program of every column, in words.

    One line per column: what must hold. With COLUMN or --full, one line per constraint: also what the past runs were,
    how often a good run breaks it, and what it catches.
    """
    from byhistory.cli._say import document, say
    from byhistory.report.answers import program as answer

    with opened(ctx) as guard:
        must_know(guard, table, f"explain {table!r}")
        programs, roles = guard.learning.programs(table), guard.learning.roles(table)
        if column:
            programs = {column: one_of(programs, table, column)}
        if json:
            document(_as_json(guard, table, programs, roles))
            return
        if full or column:
            lines = [answer.in_full(programs, roles, guard.metrics, guard.faults, guard.learners)]
        else:
            lines = [answer.shortened(programs, roles, guard.metrics)]
        muted, unpinned = _muted(guard, table, column), _not_pinned_yet(guard, table, column)
        lines += answer.not_judged(muted, guard.learning.left_out(table, programs), unpinned)
    say("\n".join(filter(None, [*lines, answer.last_line(table, list(programs.values()), guard.learners)])))


def one_of(programs: dict[str, Program], table: str, column: str) -> Program:
    """The program of a column; an error that lists the columns if there is none."""
    from byhistory.plain import some_of

    if column in programs:
        return programs[column]
    raise ByHistoryError(
        f"explain the column {column!r} of {table!r}",
        f"no such column (there are {some_of([repr(name) for name in programs], _NAMED)})",
        "name one of them",
    )


def _as_json(guard: Validator, table: str, programs: dict[str, Program], roles: dict[str, str]) -> str:
    from byhistory.plain import as_json
    from byhistory.validator.as_json import program_as_json

    bodies = {name: program_as_json(p, guard.learners) for name, p in programs.items()}
    own = {name: roles[name] for name in programs}
    return as_json({"byhistory_programs": 1, "table": table, "columns": bodies, "roles": own})


def _not_pinned_yet(guard: Validator, table: str, column: str) -> list[tuple[str, str]]:
    """Columns and metrics that byhistory.toml pins, on which there is no constraint yet."""
    pinned = {(c, o.metric) for o in guard.overrides.of(table) if o.pin is not None for c in ("*", o.column)}
    named = [(c, m) for c, entries in guard.config.table(table).columns.items() for m in entries.pin]
    return [(c, m) for c, m in named if (c, m) not in pinned and (not column or c in ("*", column))]


def _muted(guard: Validator, table: str, column: str) -> list[tuple[str, str]]:
    last = {(o.column, o.metric): o for o in guard.overrides.of(table)}
    return [(c, m) for (c, m), o in last.items() if o.mute and (not column or c in ("*", column))]
