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


_NAMED = 6
"""Columns named in one line; of more, how many there are."""


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
    from byhistory.cli._say import document, say, word
    from byhistory.learners.budget import of_table, warned_of_table
    from byhistory.plain import plural

    with opened(ctx) as guard:
        must_know(guard, table, f"explain {table!r}")
        programs, roles = guard.learning.programs(table), guard.learning.roles(table)
        if column:
            programs = {column: one_of(programs, table, column)}
        if json:
            document(_as_json(guard, table, programs, roles))
            return
        if full or column:
            for name, program in programs.items():
                say(_in_words(guard, program, roles[name]))
        else:
            _say_in_short(guard, programs, roles)
        for muted in _muted(guard, table, column):
            say(f"muted: {muted}")
        for said in _by_role(guard, table, programs):
            say(said)
        for waiting in _not_pinned_yet(guard, table, column):
            say(f"not pinned yet, because there is no constraint on it: {waiting}")
    clauses = sum(len(p.clauses) for p in programs.values())
    price, warned = (of(programs.values(), guard.learners) for of in (of_table, warned_of_table))
    warns = f", and stop or warn about at most {100 * warned:.2g} %" if warned else ""
    say(
        f"{word(table)}: {plural(clauses, 'constraint')} on {plural(len(programs), 'column')}; "
        f"together they stop at most {100 * price:.2g} % of good runs{warns}"
    )


def _say_in_short(guard: Validator, programs: dict[str, Program], roles: dict[str, str]) -> None:
    """One line for the rows and one per column; columns of which the very same must hold share a line."""
    from dataclasses import replace

    from byhistory.cli._say import say, word
    from byhistory.plain import some_of
    from byhistory.report.explain import in_short, rows_in_short

    if rows := rows_in_short(programs.values(), guard.metrics):
        say(rows)
    alike: dict[str, list[str]] = {}
    for name, program in programs.items():
        alike.setdefault(in_short(replace(program, column=""), guard.metrics, roles[name]), []).append(word(name))
    for text, names in alike.items():
        say(f"{some_of(names, _NAMED)}{text}")


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


def _in_words(guard: Validator, program: Program, role: str) -> str:
    from dataclasses import replace

    from byhistory.cli._say import word
    from byhistory.report.explain import explain

    shown = replace(program, column=word(program.column))
    return explain(shown, guard.metrics, guard.faults, guard.learners, role)


def _as_json(guard: Validator, table: str, programs: dict[str, Program], roles: dict[str, str]) -> str:
    import json as codec

    from byhistory.learners import to_json
    from byhistory.plain import as_json

    bodies = {name: codec.loads(to_json(p, learners=guard.learners)) for name, p in programs.items()}
    own = {name: roles[name] for name in programs}
    return as_json({"byhistory_programs": 1, "table": table, "columns": bodies, "roles": own})


def _not_pinned_yet(guard: Validator, table: str, column: str) -> list[str]:
    from byhistory.cli._say import word

    pinned = {(c, o.metric) for o in guard.overrides.of(table) if o.pin is not None for c in ("*", o.column)}
    named = [(c, m) for c, entries in guard.config.table(table).columns.items() for m in entries.pin]
    return [f"{word(c)}.{word(m)}" for c, m in named if (c, m) not in pinned and (not column or c in ("*", column))]


def _by_role(guard: Validator, table: str, programs: dict[str, Program]) -> list[str]:
    """What is not judged because of the role that the user gave a column."""
    from byhistory.cli._say import word
    from byhistory.series.role import meaningless

    metrics = {m.name: m for m in guard.metrics}
    found = []
    for name, program in programs.items():
        entries = guard.config.table(table).columns.get(name)
        role = entries.role if entries is not None else None
        left_out = [m for m in meaningless(role) if m in metrics and program.kind in metrics[m].kinds]
        if left_out:
            found.append(f"not judged, as {word(name)} is called {word(role or '')}: {', '.join(left_out)}")
    return found


def _muted(guard: Validator, table: str, column: str) -> list[str]:
    from byhistory.cli._say import word

    last = {(o.column, o.metric): o for o in guard.overrides.of(table)}
    return [f"{word(c)}.{word(m)}" for (c, m), o in last.items() if o.mute and (not column or c in ("*", column))]
