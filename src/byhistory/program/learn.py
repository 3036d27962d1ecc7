"""From the past runs of a table to a program for every column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from byhistory import inject
from byhistory.config import BUDGET
from byhistory.constraints import Candidates, candidates
from byhistory.errors import ByHistoryError
from byhistory.inject import Fault, Responses
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric, measure
from byhistory.prices import Prices
from byhistory.profile import NUMBER_LIKE, ColumnProfile, Kind, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.profile.past import column_over, in_order
from byhistory.program.budget import share
from byhistory.program.calibrated import calibrated
from byhistory.program.choice import choose
from byhistory.program.program import NEEDED_RUNS, Program
from byhistory.rows.field import Field, Options
from byhistory.series import make_stationary_many
from byhistory.series.cadence import UNKNOWN, cadence, laid_out

FEW_VALUES = 50
"""Whole numbers with at most this many values in every run are codes or grades, and are measured value by value too."""


def learn(
    past: Iterable[TableProfile],
    budget: float = BUDGET,
    learner: str = "calibrated",
    *,
    per: str = "column",
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    responses: Mapping[str, Responses] | None = None,
    max_clauses: int | None = None,
    prices: Prices | None = None,
    needed: int = NEEDED_RUNS,
    key: bytes = b"",
    seed: int = 0,
) -> dict[str, Program]:
    """A program for every column of the last run, from the runs up to it, in any order.

    `budget` is how often a good run may be stopped: `per` column, or per table, which then is split. The last
    run's sample of rows is where faults are injected; a column whose `responses` are given needs none. Without
    either, a program guards each metric against large moves in general. `key` is the one the profiles were made with.

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
    each = share(budget, per, len(last), learner)
    programs: dict[str, Program] = {}
    for name in last:
        known = (responses or {}).get(name)
        column = laid_out(column_over(runs, name), calendar.places)
        if known is None and last.sample is not None and runs_of(column) >= needed:
            known = respond(last, column, suited(column, metrics, learner), faults=faults, key=key, seed=seed)
        programs[name] = learn_column(
            column,
            each,
            learner,
            metrics=metrics,
            responses=known,
            max_clauses=max_clauses,
            prices=prices,
            needed=needed,
            carries_rows=not programs,
            seasons=calendar.seasons,
        )
    return programs


def learn_column(
    column: Sequence[ColumnProfile | None],
    budget: float = BUDGET,
    learner: str = "calibrated",
    *,
    metrics: Sequence[Metric] = ALL_METRICS,
    responses: Responses | None = None,
    max_clauses: int | None = None,
    prices: Prices | None = None,
    needed: int = NEEDED_RUNS,
    carries_rows: bool = False,
    seasons: Sequence[int] = UNKNOWN,
) -> Program:
    """The program of one column from its profiles, oldest first, None where a run did not have it.

    One column of a table carries the number of its rows, which then is judged once for all. `seasons` are the numbers
    of runs after which the calendar comes round.
    """
    present = [p for p in column if p is not None]
    if not present:
        raise ByHistoryError("learn a program", "a column without a single profile", "give at least one past run")
    last = present[-1]
    past = [p if p is not None and p.kind is last.kind else None for p in column]  # another kind says nothing about it
    wanted = suited(past, metrics, learner)
    series = measure(past, wanted) if runs_of(past) >= needed else np.zeros((len(wanted), 0))
    head = Program(last.name, last.kind, (), learner, budget, runs_of(past), needed, carries_rows=carries_rows)
    return learn_series(head, wanted, series, responses, max_clauses, prices=prices, seasons=seasons)


def learn_series(
    head: Program,
    metrics: Sequence[Metric],
    series: Floats,
    responses: Responses | None = None,
    max_clauses: int | None = None,
    *,
    prices: Prices | None = None,
    seasons: Sequence[int] = UNKNOWN,
) -> Program:
    """The clauses of a program from its metrics over the past runs (a row a metric, oldest first).

    `head` is the program without clauses: the column, the budget, the learner, how many runs there are. `prices` and
    `seasons` are for `calibrated`; the prices that come with the package, if none are given.
    """
    if head.learner not in LEARNERS:
        raise ByHistoryError("learn a program", f"the learner {head.learner!r}", f"name one of {', '.join(LEARNERS)}")
    if not 0.0 < head.budget <= 1.0:
        raise ByHistoryError("learn a program", f"a budget of {head.budget}", "give a share above 0, such as 0.01")
    if not head.is_ready:
        return head
    return LEARNERS[head.learner](head, tuple(metrics), series, responses, max_clauses, prices=prices, seasons=seasons)


def respond(
    last: TableProfile,
    column: Sequence[ColumnProfile | None],
    metrics: Sequence[Metric],
    *,
    faults: Sequence[Fault] = inject.ALL,
    key: bytes = b"",
    seed: int = 0,
) -> Responses:
    """What every fault would do to a column of the last run, judged on its sample of rows; `column` ends with it."""
    *earlier, now = (p for p in column if p is not None)
    before = earlier[-1] if earlier else None
    field = Field(now.name, now.kind, now.type, now.nullable, now.position)
    options = Options(key)
    return inject.responses(
        last.sample, now.name, now, before, metrics, field=field, options=options, seed=seed, faults=faults
    )


def runs_of(column: Sequence[ColumnProfile | None]) -> int:
    """Runs that had the column."""
    return sum(p is not None for p in column)


def suited(column: Sequence[ColumnProfile | None], metrics: Sequence[Metric], learner: str) -> tuple[Metric, ...]:
    """The metrics that make sense for a column, by its kind and by whether its numbers are few."""
    present = [p for p in column if p is not None]
    discrete = all(p.numbers is not None and p.numbers.integers == p.numbers.count for p in present)
    discrete = discrete and all(0 < p.distinct <= FEW_VALUES for p in present)
    return metrics_for(present[-1].kind, discrete, metrics, learner)


def metrics_for(kind: Kind, discrete: bool, metrics: Sequence[Metric], learner: str) -> tuple[Metric, ...]:
    """The metrics for a kind of column; numbers that are `discrete` are measured value by value, too.

    The paper's learner takes the paper's metrics, and what the user added.
    """
    ours = {m.name for m in ALL_METRICS if not m.in_paper} if learner == "paper" and kind in _IN_PAPER else frozenset()
    return tuple(
        m
        for m in metrics
        if kind in m.kinds and m.name not in ours and (discrete or not m.discrete_only or kind not in NUMBER_LIKE)
    )


_IN_PAPER = frozenset({Kind.NUMERIC, Kind.CATEGORICAL})


def _paper(
    head: Program,
    metrics: tuple[Metric, ...],
    series: Floats,
    responses: Responses | None,
    max_clauses: int | None,
    **_: object,
) -> Program:
    """The method as the paper describes it: stationary forms, bounds on plug-in moments, greedy choice.

    Paper: Algorithms 1 and 3.
    """
    forms = make_stationary_many(series)
    offered = candidates(metrics, forms, series, head.budget)
    names, reads = _reads(responses, metrics, series)
    caught = offered.catches(reads)
    choice = choose(offered.price, caught, head.budget, max_clauses)
    clauses, covered = [], np.zeros(len(names), np.bool_)
    for i in _narrowest(offered, choice.indices):
        new = caught[i] & ~covered
        covered |= caught[i]
        clauses.append(offered.constraint(i, tuple(names[f] for f in np.flatnonzero(new))))
    notes = tuple(f"{m.name}: {f.reason}" for m, f in zip(metrics, forms, strict=True) if f.transform is None)
    return replace(head, clauses=tuple(clauses), notes=notes, responses=responses)


def _narrowest(offered: Candidates, chosen: Sequence[int]) -> list[int]:
    """The chosen candidates less those that another of the same metric implies: the same program, at a lower price."""
    best: dict[int, int] = {}
    for i in chosen:
        m = int(offered.metric[i])
        if m not in best or offered.width[i] < offered.width[best[m]]:
            best[m] = i
    return list(best.values())


def _reads(responses: Responses | None, metrics: tuple[Metric, ...], series: Floats) -> tuple[tuple[str, ...], Floats]:
    """What every metric reads after every fault, a row a fault.

    Without responses, one imagined fault a metric: it doubles and moves by a hundred spreads, and nothing else moves.
    """
    if responses is not None:
        return responses.faults, responses.of([m.name for m in metrics])
    now = series[:, -1]
    size = np.where(np.isfinite(series), np.abs(series), 0.0).max(axis=1)
    with np.errstate(over="ignore"):  # beyond all numbers is a large move, too
        moved = np.where(np.eye(len(metrics), dtype=bool), now + 2 * size + 1.0, now)
    return tuple(f"{m.name} moved" for m in metrics), moved


LEARNERS: dict[str, Callable[..., Program]] = {"paper": _paper, "calibrated": calibrated}
