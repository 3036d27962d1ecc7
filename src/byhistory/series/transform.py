"""What is compared with what: the value itself, its change since an earlier run, or its growth since then.

A run is compared by position: the run `lag` runs before. What that run cannot give (it is missing, undefined, or not
positive where a logarithm is asked for) is nan: not evaluable, never a guess.

Paper: Algorithm "Time-series differencing for stationary (Details)".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from byhistory.errors import ByHistoryError
from byhistory.profile.arrays import Floats


@dataclass(frozen=True, slots=True)
class Transform:
    """Difference to the run `lag` runs before (0: no difference), of logarithms if `log`."""

    lag: int = 0
    log: bool = False

    def __post_init__(self) -> None:
        if self.lag < 0:
            raise ByHistoryError("a comparison with an earlier run", f"a lag of {self.lag}", "give a lag of 0 or more")


LEVEL = Transform()


def apply(transform: Transform, x: ArrayLike) -> Floats:
    """The transformed series, oldest first: `lag` values fewer, the last one for the last run; nan where not evaluable.

    A matrix is taken as one series per row.

    >>> apply(Transform(lag=1), [100.0, 103.0, float("nan"), 106.0, 110.0]).tolist()
    [3.0, nan, nan, 4.0]
    >>> apply(Transform(lag=1, log=True), [1.0, 10.0, 0.0]).round(3).tolist()
    [2.303, nan]
    """
    values = _logarithm(x) if transform.log else _finite(x)
    return difference(values, transform.lag)


def apply_to(transform: Transform, now: float, past: ArrayLike) -> float:
    """The transformed value of a new run, given the runs before it, oldest first; nan if they do not reach back.

    >>> apply_to(Transform(lag=2), 107.0, [100.0, 103.0, 105.0])
    4.0
    >>> apply_to(Transform(lag=7), 107.0, [100.0, 103.0, 105.0])
    nan
    """
    if transform.lag == 0:
        return float(apply(transform, [now])[0])
    pair = [value_before(transform, past), now]
    return float(apply(Transform(lag=1, log=transform.log), pair)[0])


def value_before(transform: Transform, past: ArrayLike) -> float:
    """The past value that the next run is compared with; nan if the past does not reach back, or none is needed.

    >>> value_before(Transform(lag=2), [100.0, 103.0, 105.0])
    103.0
    """
    values = np.asarray(past, dtype=float)
    return float(values[-transform.lag]) if 0 < transform.lag <= len(values) else math.nan


def interval(transform: Transform, low: ArrayLike, high: ArrayLike, before: float = math.nan) -> tuple[Floats, Floats]:
    """An interval of the transformed value, in units of the metric: what a new run may be, given the value `before` it.

    Both ends are nan when the run it is compared with has no usable value. Infinite ends stay open.

    >>> [end.tolist() for end in interval(Transform(lag=1), -2.0, 5.0, before=100.0)]
    [98.0, 105.0]
    >>> [end.round(1).tolist() for end in interval(Transform(lag=7, log=True), -0.1, 0.1, before=200.0)]
    [181.0, 221.0]
    """
    start = 0.0
    if transform.lag:
        start = float(apply(Transform(log=transform.log), [before])[0])
    ends = start + np.asarray(low, dtype=float), start + np.asarray(high, dtype=float)
    if not transform.log:
        return ends
    with np.errstate(over="ignore"):
        return np.exp(ends[0]), np.exp(ends[1])


def words(transform: Transform) -> str:
    """What is compared with what, for a person.

    >>> words(Transform()), words(Transform(lag=1)), words(Transform(lag=7, log=True))
    ('the value', 'the change since the run before', 'the growth since the run 7 runs before')
    """
    if transform.lag == 0:
        return "the logarithm" if transform.log else "the value"
    what = "growth" if transform.log else "change"
    since = "the run before" if transform.lag == 1 else f"the run {transform.lag} runs before"
    return f"the {what} since {since}"


def difference(values: Floats, lag: int) -> Floats:
    """Each value less the one `lag` places before, along the last axis; nan where one is missing, or it overflows."""
    if lag == 0:
        return values
    with np.errstate(over="ignore"):
        return _finite(values[..., lag:] - values[..., :-lag])


def _finite(x: ArrayLike) -> Floats:
    values = np.asarray(x, dtype=float)
    return np.where(np.isfinite(values), values, np.nan)


def _logarithm(x: ArrayLike) -> Floats:
    values = np.asarray(x, dtype=float)
    usable = np.isfinite(values) & (values > 0)
    logs = np.full(values.shape, np.nan)
    np.log(values, out=logs, where=usable)
    return logs
