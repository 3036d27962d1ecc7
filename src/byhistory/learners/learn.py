"""From the past runs of a table to a program for every column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from byhistory import inject
from byhistory.config import BUDGET
from byhistory.errors import ByHistoryError
from byhistory.inject import Fault, Responses
from byhistory.learners.base import Learner, LearnsColumns
from byhistory.learners.budget import Split, split
from byhistory.learners.every import by_name
from byhistory.learners.program import NEEDED_RUNS, Program
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric, measure
from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.profile.past import column_over, in_order
from byhistory.rows.field import Field, Options
from byhistory.series.cadence import UNKNOWN, cadence, laid_out

FEW_VALUES = 50
"""Whole numbers with at most this many values in every run (a choice) are taken for codes or grades, and are measured
value by value, too."""


def learn(
    past: Iterable[TableProfile],
    budget: float = BUDGET,
    learner: str | Learner = "calibrated",
    *,
    per: str = "column",
    warn_budget: float = 0.0,
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    responses: Mapping[str, Responses] | None = None,
    max_clauses: int | None = None,
    needed: int = NEEDED_RUNS,
    key: bytes = b"",
    seed: int = 0,
) -> dict[str, Program]:
    """Learn a program for every column of the last run, from the profiles of that run and the ones before, in any
    order.

    `budget` is the share of good runs that may be stopped, and `warn_budget` the share that may be stopped or warned
    about (0: no warnings). Both are `per` "column", or per "table" and then split over its columns. `learner` is a name
    ("calibrated", "paper") or a learner with ingredients of your own.

    Faults are injected into the sample of rows that the last run carries; a column whose `responses` are given needs no
    sample. Without either, a program guards each metric against large moves in general. `max_clauses` limits the
    clauses of a program, and `needed` is the number of past runs below which none are learned. `key` is the secret that
    the profiles were made with, and `seed` fixes the random choices of the injection.

    >>> from byhistory.rows.local import profile_table
    >>> runs = [profile_table({"state": ["WA", "OR", "CA"] * 5}, run=f"{day:02}") for day in range(8)]
    >>> program = learn(runs)["state"]
    >>> program.is_ready, program.price <= 0.01
    (True, True)
    """
    runs = in_order(past)
    if not runs:
        return {}
    last, calendar = runs[-1], cadence([run.run for run in runs])
    learner = named(learner)
    each = split(budget, warn_budget, per, len(last), learner)
    programs: dict[str, Program] = {}
    for name in last:
        known = (responses or {}).get(name)
        column = laid_out(column_over(runs, name), calendar.places)
        if known is None and last.samples(name) and runs_of(column) >= needed:
            known = respond(last, column, suited(column, metrics, learner), faults=faults, key=key, seed=seed)
        programs[name] = learn_column(
            column,
            each,
            learner,
            metrics=metrics,
            responses=known,
            max_clauses=max_clauses,
            needed=needed,
            carries_rows=not programs,
            seasons=calendar.seasons,
        )
    return programs


def learn_column(
    column: Sequence[ColumnProfile | None],
    budget: float | Split = BUDGET,
    learner: str | Learner = "calibrated",
    *,
    metrics: Sequence[Metric] = ALL_METRICS,
    responses: Responses | None = None,
    max_clauses: int | None = None,
    needed: int = NEEDED_RUNS,
    carries_rows: bool = False,
    seasons: Sequence[int] = UNKNOWN,
) -> Program:
    """The program of one column from its profiles, oldest first, None where a run did not have it.

    With `carries_rows`, the table's number of rows is judged with this column, once for all of them. `seasons` are the
    periods of the calendar, in runs.
    """
    present = [p for p in column if p is not None]
    if not present:
        raise ByHistoryError("learn a program", "a column without a single profile", "give at least one past run")
    last = present[-1]
    past = [p if p is not None and p.kind is last.kind else None for p in column]  # another kind tells nothing about it
    learner = named(learner)
    wanted = suited(past, metrics, learner)
    series = measure(past, wanted) if runs_of(past) >= needed else np.zeros((len(wanted), 0))
    each = budget if isinstance(budget, Split) else Split(budget, 0.0)
    head = each.given_to(
        Program(
            last.name,
            last.kind,
            learner=learner.name,
            runs=runs_of(past),
            needed=needed,
            carries_rows=carries_rows,
        )
    )
    return learn_series(head, wanted, series, responses, max_clauses, learner=learner, seasons=seasons)


def learn_series(
    head: Program,
    metrics: Sequence[Metric],
    series: Floats,
    responses: Responses | None = None,
    max_clauses: int | None = None,
    *,
    learner: Learner | None = None,
    seasons: Sequence[int] = UNKNOWN,
) -> Program:
    """The program `head` with clauses, learned from its metrics (rows) over the past runs (columns), oldest first.

    `head` has everything but the clauses: the column, the budget, the learner's name, how many runs there are. A
    `learner` with other ingredients than the one of that name may be given instead.
    """
    learner = learner or by_name(head.learner)
    if not 0.0 < head.budget <= 1.0:
        raise ByHistoryError("learn a program", f"a budget of {head.budget}", "give a share above 0, such as 0.01")
    if not head.is_ready:
        return head
    return learner.learn(head, tuple(metrics), series, responses=responses, max_clauses=max_clauses, seasons=seasons)


def learn_columns(
    heads: Sequence[Program],
    metrics: Sequence[Metric],
    series: Floats,
    max_clauses: int | None = None,
    *,
    learner: Learner | None = None,
    seasons: Sequence[int] = UNKNOWN,
) -> list[Program]:
    """`learn_series` for many columns that have the same metrics, and values in the same runs.

    `series` is column × metric × run. The learner is the one that is given, or else that of the first head; each head
    has its responses.
    """
    learner = learner or by_name(heads[0].learner)
    if not isinstance(learner, LearnsColumns) or not all(head.is_ready and 0.0 < head.budget <= 1.0 for head in heads):
        return [
            learn_series(head, metrics, one, head.responses, max_clauses, learner=learner, seasons=seasons)
            for head, one in zip(heads, series, strict=True)
        ]
    answers = [head.responses for head in heads]
    return learner.learn_columns(
        heads, tuple(metrics), series, responses=answers, max_clauses=max_clauses, seasons=seasons
    )


def named(learner: str | Learner) -> Learner:
    """The learner itself, whether it is given as a value or by its name."""
    return by_name(learner) if isinstance(learner, str) else learner


def respond(
    last: TableProfile,
    column: Sequence[ColumnProfile | None],
    metrics: Sequence[Metric],
    *,
    faults: Sequence[Fault] = inject.ALL,
    key: bytes = b"",
    seed: int = 0,
) -> Responses:
    """What the metrics of a column would read after each fault, injected into the sample of rows of the `last` run.

    `column` has the profiles of the column, oldest first, up to that of the last run.
    """
    *earlier, now = (p for p in column if p is not None)
    before = earlier[-1] if earlier else None
    field = Field(now.name, now.kind, now.type, now.nullable, now.position)
    options = Options(key)
    return inject.responses(
        last.sample, now.name, now, before, metrics, field=field, options=options, seed=seed, faults=faults
    )


def runs_of(column: Sequence[ColumnProfile | None]) -> int:
    """How many runs had the column."""
    return sum(p is not None for p in column)


def suited(column: Sequence[ColumnProfile | None], metrics: Sequence[Metric], learner: Learner) -> tuple[Metric, ...]:
    """The metrics that make sense for a column, given its kind and whether its numbers take few values."""
    present = [p for p in column if p is not None]
    discrete = all(p.numbers is not None and p.numbers.integers == p.numbers.count for p in present)
    discrete = discrete and all(0 < p.distinct <= FEW_VALUES for p in present)
    return learner.metrics(present[-1].kind, discrete, metrics)
