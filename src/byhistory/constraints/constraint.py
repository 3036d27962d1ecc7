"""An interval with a price, and what a run says to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from byhistory.bounds import Bound
from byhistory.series.transform import LEVEL, Transform, apply_to, interval, value_before

CONSTANT = "constant"
"""The bound of a metric that has always been the same; any other value breaks it."""
USER = "user"
"""The bound of a threshold that the user set; it has no price."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers a constraint came from: how many past values, their mean and spread, and where they lay.

    `mean` and `std` are in units of the transform, `width` in standard deviations; `usual_low` and `usual_high` are
    the lowest and the highest value of the metric itself in those runs.
    """

    runs: int
    mean: float
    std: float
    width: float
    usual_low: float
    usual_high: float


@dataclass(frozen=True, slots=True)
class Constraint:
    """`low ≤ M ≤ high` for one metric of one column, where M is the metric or its change since an earlier run.

    An infinite end is open. `price` is how often a good run breaks it, at most, by the bound named; `faults` are the
    injected faults that it was chosen to catch.

    Paper: Definitions 1 and 2.
    """

    metric: str
    low: float
    high: float
    transform: Transform = LEVEL
    bound: str = USER
    price: float = 0.0
    evidence: Evidence | None = None
    faults: tuple[str, ...] = ()
    is_pinned: bool = False


Status = Literal["holds", "broken", "not evaluable"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run says to a constraint.

    `value`, `low` and `high` are in the units of the metric, whatever the constraint compares; `rarity` is how often
    a good run is at least this far from the mean, at most (nan if that cannot be said), and `sigmas` how far it is.
    """

    constraint: Constraint
    status: Status
    value: float
    low: float
    high: float
    rarity: float = math.nan
    sigmas: float = math.nan
    reason: str = ""


def judge(constraint: Constraint, now: float, past: ArrayLike, bound: Bound | None = None) -> Outcome:
    """Whether a value of the metric keeps a constraint, given its values in the runs before, oldest first.

    >>> rows = Constraint("row_count", -10, 10, Transform(lag=1))
    >>> judge(rows, 108.0, [90.0, 100.0]).status, judge(rows, 120.0, [90.0, 100.0]).status
    ('holds', 'broken')
    >>> judge(rows, 120.0, []).reason
    'the run it is compared with (1 before) has no value'
    """
    before = value_before(constraint.transform, past)
    low, high = (float(end) for end in interval(constraint.transform, constraint.low, constraint.high, before))
    is_endless = math.isinf(now) and constraint.transform == LEVEL  # an infinite distance: as far as can be
    here = now if is_endless else apply_to(constraint.transform, now, past)
    if math.isnan(here):
        return Outcome(constraint, "not evaluable", now, low, high, reason=_why_not(constraint, now, before))
    status: Status = "holds" if constraint.low <= here <= constraint.high else "broken"
    sigmas = _sigmas(constraint, here)
    return Outcome(constraint, status, now, low, high, _rarity(constraint, sigmas, bound), sigmas)


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
