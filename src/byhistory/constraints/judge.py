"""Is a clause broken? Decided here and nowhere else, for many clauses and many runs at once.

A check, a backtest, the catching of faults, the fitting of prices and the benchmark all ask these functions, so that
each of them measures what the product does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from byhistory.bounds import Bound
from byhistory.constraints.constraint import CONSTANT, Constraint, Level, Outcome, Status
from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.series.transform import Transform, interval, value_before  # noqa: F401 - the examples use Transform

Codes = NDArray[np.int8]
"""For each clause and run, one of the three values below."""
HOLDS, BROKEN, NOT_EVALUABLE = 0, 1, 2
"""Whether a run keeps a clause, as a number in an array."""
_STATUS: tuple[Status, ...] = ("holds", "broken", "not evaluable")


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Clauses as arrays, one entry per clause: both ends, and what they are compared with."""

    low: Floats
    high: Floats
    lag: Ints
    log: Bools

    @staticmethod
    def of(clauses: Sequence[Constraint]) -> Intervals:
        """The intervals of some clauses."""
        return Intervals(
            np.array([c.low for c in clauses], np.float64),
            np.array([c.high for c in clauses], np.float64),
            np.array([c.transform.lag for c in clauses], np.int64),
            np.array([c.transform.log for c in clauses], np.bool_),
        )


def judge_runs(clauses: Intervals, now: Floats, before: Floats) -> Codes:
    """Which of these clauses (rows) are broken by which of these runs (columns).

    `now[c, r]` is what the metric of clause c reads in run r, and `before[c]` (or `before[c, r]`) what it read in the
    run that it is compared with; nan where there is none, or where the clause compares with no other run.

    >>> clauses = Intervals.of([Constraint("mean", 0, 9), Constraint("row_count", -10, 10, Transform(lag=1))])
    >>> judge_runs(clauses, np.array([[5.0, 12.0, np.nan], [108.0, 120.0, 90.0]]), np.array([np.nan, 100.0])).tolist()
    [[0, 1, 2], [0, 1, 0]]
    """
    return decide(clauses.low[:, None], clauses.high[:, None], compared(clauses.lag, clauses.log, now, before))


def decide(low: ArrayLike, high: ArrayLike, here: Floats) -> Codes:
    """Whether values in units of their intervals lie within them; what is nan cannot be judged."""
    within = (np.asarray(low) <= here) & (here <= np.asarray(high))
    return np.where(np.isnan(here), NOT_EVALUABLE, np.where(within, HOLDS, BROKEN)).astype(np.int8)


def compared(lag: Ints, log: Bools, now: Floats, before: Floats) -> Floats:
    """Values (columns) as their intervals (rows) see them: as they are, or as the change or growth since `before`.

    What cannot be compared is nan: a value that is missing, a logarithm of 0 or less, a change that is beyond all
    numbers. An infinite value that is judged as it is stays: an infinite distance is as far as can be.
    """
    before = np.broadcast_to(before[:, None] if np.ndim(before) == 1 else before, now.shape)
    is_log, is_change = log[:, None], lag[:, None] > 0
    with np.errstate(all="ignore"):
        here, there = (_finite(np.where(is_log, np.log(x), x)) for x in (now, before))
        moved = np.where(is_change, _finite(here - there), here)
    return np.where(np.isinf(now) & ~is_log & ~is_change, now, moved)


def outcomes(
    clauses: Sequence[Constraint], now: Sequence[float], before: Sequence[float], bounds: Sequence[Bound | None] = ()
) -> list[Outcome]:
    """Whether one run keeps each of some clauses, in the units of their metrics, and why those that cannot be judged
    cannot.

    The bounds, if given, say how rare it is to be so far off.
    """
    if not clauses:
        return []
    intervals, reads, earlier = Intervals.of(clauses), np.array(now, np.float64), np.array(before, np.float64)
    here = compared(intervals.lag, intervals.log, reads[:, None], earlier)
    codes = decide(intervals.low[:, None], intervals.high[:, None], here)[:, 0]
    inner = [(c.warn_low, c.warn_high) for c in clauses]
    warned = decide([[low] for low, _ in inner], [[high] for _, high in inner], here)[:, 0] == BROKEN
    found = []
    status: Status
    level: Level
    for i, clause in enumerate(clauses):
        value, then = float(reads[i]), float(earlier[i])
        is_warned = codes[i] == HOLDS and bool(warned[i])
        ends = inner[i] if is_warned else (clause.low, clause.high)
        low, high = (float(end) for end in interval(clause.transform, *ends, then))
        if codes[i] == NOT_EVALUABLE:
            found.append(Outcome(clause, "not evaluable", value, low, high, reason=_why_not(clause, value, then)))
            continue
        sigmas = _sigmas(clause, float(here[i, 0]))
        rarity = _rarity(clause, sigmas, bounds[i] if bounds else None)
        status, level = ("broken", "warn") if is_warned else (_STATUS[codes[i]], "stop")
        found.append(Outcome(clause, status, value, low, high, rarity, sigmas, level=level))
    return found


def judge(constraint: Constraint, now: float, past: ArrayLike, bound: Bound | None = None) -> Outcome:
    """Whether a value of the metric keeps a constraint, given its values in the runs before, oldest first.

    >>> rows = Constraint("row_count", -10, 10, Transform(lag=1))
    >>> judge(rows, 108.0, [90.0, 100.0]).status, judge(rows, 120.0, [90.0, 100.0]).status
    ('holds', 'broken')
    >>> judge(rows, 120.0, []).reason
    'the run it is compared with (1 before) has no value'
    >>> judge(Constraint("mean", 0, 9, warn_high=7), 8.0, []).level
    'warn'
    """
    return outcomes([constraint], [now], [value_before(constraint.transform, past)], [bound])[0]


def _finite(x: Floats) -> Floats:
    return np.where(np.isfinite(x), x, np.nan)


def _why_not(constraint: Constraint, now: float, before: float) -> str:
    if math.isnan(now):
        return "the metric is undefined on this run"
    if constraint.transform.lag and math.isnan(before):
        return f"the run it is compared with ({constraint.transform.lag} before) has no value"
    if constraint.transform.log:
        return "a logarithm needs values above 0"
    return "the metric is out of the range of numbers"


def _sigmas(constraint: Constraint, here: float) -> float:
    evidence = constraint.evidence
    if evidence is None or not evidence.std > 0:
        return math.nan
    return abs(here - evidence.mean) / evidence.std


def _rarity(constraint: Constraint, sigmas: float, bound: Bound | None) -> float:
    if math.isnan(sigmas) or bound is None:
        return constraint.price if constraint.bound == CONSTANT else math.nan
    return float(bound.fpr(sigmas))
