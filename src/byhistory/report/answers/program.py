"""What was learned about a table, and what of it is not judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from byhistory import inject
from byhistory.inject import Fault
from byhistory.learners import ALL as ALL_LEARNERS
from byhistory.learners import Learner, Program
from byhistory.learners.budget import of_table, warned_of_table
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.plain import plural, some_of, word
from byhistory.report.explain import explain, in_short, rows_in_short

_NAMED = 6
"""How many columns one line names, by choice; of the rest it gives the number."""


def in_full(
    programs: Mapping[str, Program],
    roles: Mapping[str, str],
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    learners: Sequence[Learner] = ALL_LEARNERS,
) -> str:
    """One line per constraint of every column."""
    return "\n".join(
        explain(replace(program, column=word(program.column)), metrics, faults, learners, roles[name])
        for name, program in programs.items()
    )


def shortened(
    programs: Mapping[str, Program], roles: Mapping[str, str], metrics: Sequence[Metric] = ALL_METRICS
) -> str:
    """One line for the rows and one per column; columns with exactly the same constraints share a line."""
    rows = rows_in_short(programs.values(), metrics)
    alike: dict[str, list[str]] = {}
    for name, program in programs.items():
        alike.setdefault(in_short(replace(program, column=""), metrics, roles[name]), []).append(word(name))
    columns = [f"{some_of(names, _NAMED)}{text}" for text, names in alike.items()]
    return "\n".join([*([rows] if rows else []), *columns])


def not_judged(
    muted: Iterable[tuple[str, str]],
    by_role: Mapping[str, tuple[str, Sequence[str]]],
    unpinned: Iterable[tuple[str, str]],
) -> list[str]:
    """What a user's overrides leave out: what is muted, what a role makes meaningless, and pins without a constraint.

    `by_role` has for a column the role that it was given, and the metrics that mean nothing for it.
    """
    lines = [f"muted: {word(column)}.{word(metric)}" for column, metric in muted]
    lines += [
        f"not judged, as {word(column)} is called {word(role)}: {', '.join(names)}"
        for column, (role, names) in by_role.items()
    ]
    why = "not pinned yet, because there is no constraint on it"
    return [*lines, *(f"{why}: {word(column)}.{word(metric)}" for column, metric in unpinned)]


def last_line(table: str, programs: Sequence[Program], learners: Sequence[Learner]) -> str:
    """The last line: how many constraints there are, and how often a good run of the table breaks one of them."""
    clauses = sum(len(p.clauses) for p in programs)
    price, warned = (of(programs, learners) for of in (of_table, warned_of_table))
    warns = f", and stop or warn about at most {100 * warned:.2g} %" if warned else ""
    return (
        f"{word(table)}: {plural(clauses, 'constraint')} on {plural(len(programs), 'column')}; "
        f"together they stop at most {100 * price:.2g} % of good runs{warns}"
    )
