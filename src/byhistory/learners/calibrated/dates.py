"""Days written as numbers: 20231231 and 20240101 are one day apart, and not 8,870."""

from __future__ import annotations

from functools import cache

import numpy as np

from byhistory.profile.arrays import Bools, Floats

_FIRST, _END = "1900-01-01", "2101-01-01"
"""Numbers between these are days if all values of a metric are (a choice: two centuries)."""
_LEAST = 3
"""Values that are needed to tell that a metric has days (a choice: as many as a forecast needs)."""
AMOUNTS = ("mean", "median", "p1", "p5", "p95", "p99", "sum", "std", "range", "emd", "cohen_d")
"""Metrics that are meaningless on days written as numbers, unless their values are such days themselves."""


def are_days(series: Floats) -> Bools:
    """Which metrics (rows) have only days as values, and more than one.

    >>> are_days(np.array([[20231230.0, 20231231, 20240101], [20231230, 20231231, 20231232]])).tolist()
    [True, False]
    """
    known = np.isfinite(series)
    low, high = (np.where(known, series, end).T for end in (np.inf, -np.inf))
    days = _days()
    lowest, highest = low.min(axis=0), high.max(axis=0)
    is_within = (days[0] <= lowest) & (lowest < highest) & (highest <= days[-1])
    may_be = np.asarray(is_within & (known.sum(axis=1) >= _LEAST))
    if not may_be.any():  # nearly always
        return may_be
    may_be[may_be] = (~known[may_be] | np.isin(series[may_be], days)).all(axis=1)
    return may_be


def to_days(numbers: Floats) -> Floats:
    """Days since the first one. A number that is no day is placed after the nearest day below it, by their difference.

    >>> (to_days(np.array([20240101.0, 20231300.0])) - to_days(np.array([20231231.0]))).tolist()
    [1.0, 69.0]
    """
    days = _days()
    before = np.clip(np.searchsorted(days, numbers, "right") - 1, 0, len(days) - 1)
    return np.asarray(before + (numbers - days[before]))


def from_days(days: Floats) -> Floats:
    """The reverse of `to_days`, for numbers that are days.

    >>> from_days(to_days(np.array([20231231.0])) + 1.0).tolist()
    [20240101.0]
    """
    known = np.where(np.isfinite(days), days, 0.0)
    place = np.clip(np.floor(known), 0, len(_days()) - 1)
    return np.asarray(np.where(np.isfinite(days), _days()[place.astype(np.int64)] + (known - place), days))


@cache
def _days() -> Floats:
    """All days as numbers, rising."""
    every = np.arange(_FIRST, _END, dtype="datetime64[D]")
    month = every.astype("datetime64[M]")
    year = month.astype("datetime64[Y]")
    in_year, in_month = (month - year).astype(np.int64), (every - month).astype(np.int64)
    return np.asarray((year.astype(np.int64) + 1970) * 10_000 + (in_year + 1) * 100 + in_month + 1, np.float64)
