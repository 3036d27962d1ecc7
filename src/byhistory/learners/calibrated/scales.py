"""On which scale does a metric vary equally at every level, and what is it there?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from byhistory.learners.calibrated.dates import are_days, from_days, to_days
from byhistory.profile.arrays import Floats, Ints

_SMALL = 1e-3
"""The part of a metric's usual size below which its logarithm is bent or cut off, as it may be zero (a choice)."""
DAYS = "days"
"""The scale of a metric whose values were all days written as numbers, such as 20231231."""


def stabilise(x: Floats, scales: Sequence[str], size: Floats) -> Floats:
    """Values (one metric per place of the last axis) on scales on which their variance is stable."""
    out = np.array(x, dtype=np.float64)
    for scale, at in _places_of(tuple(scales)).items():
        v, s = out[..., at], size[at]
        if scale == "count":
            out[..., at] = np.log(np.maximum(v, s))
        elif scale == "signed":
            out[..., at] = np.arcsinh(v / s)
        elif scale == "ratio":
            part = np.clip(v, 0.0, 1.0) * s
            out[..., at] = np.log((part + 0.5) / (s - part + 0.5))
        elif scale == "distance":
            out[..., at] = np.sqrt(np.maximum(v, 0.0))
        elif scale == DAYS:
            out[..., at] = to_days(v)
    return np.where(np.isfinite(x), out, np.nan)


def unstabilise(y: Floats, scales: Sequence[str], size: Floats) -> Floats:
    """The reverse of `stabilise`; what lies beyond the end of a scale becomes that end."""
    out = np.array(y, dtype=np.float64)
    for scale, at in _places_of(tuple(scales)).items():
        v, s = out[..., at], size[at]
        if scale == "count":
            out[..., at] = np.where(v <= np.log(s), -np.inf, np.exp(v))
        elif scale == "signed":
            out[..., at] = s * np.sinh(v)
        elif scale == "ratio":
            odds = np.exp(-np.abs(v))
            share = np.where(v < 0, odds, 1.0) / (1.0 + odds)
            out[..., at] = (share * (s + 1.0) - 0.5) / s
        elif scale == "distance":
            out[..., at] = np.where(v < 0, -np.inf, v * v)
        elif scale == DAYS:
            out[..., at] = from_days(v)
    return out


@lru_cache(maxsize=256)
def _places_of(scales: tuple[str, ...]) -> Mapping[str, Ints]:
    """The places of the metrics on each scale, which are computed at once."""
    return {scale: np.flatnonzero([s == scale for s in scales]) for scale in dict.fromkeys(scales)}


def scales_for(series: Floats, scales: Sequence[str]) -> tuple[str, ...]:
    """The scales that fit these values: logarithms only if all values are positive, days if all are days."""
    with np.errstate(all="ignore"):
        below = ends(series)[0] <= 0
    days, found = are_days(series), list(scales)
    for i in np.flatnonzero(below | days).tolist():
        if found[i] == "count" and below[i]:
            found[i] = "signed"
        elif found[i] == "level" and days[i]:
            found[i] = DAYS
    return tuple(found)


def sizes(series: Floats, scales: Sequence[str], rows: Floats) -> Floats:
    """The parameter of the scale of each metric: the rows of a run for shares, a small value for all others."""
    is_share = np.array([s == "ratio" for s in scales], np.bool_)
    found = np.empty(len(series))
    usual = medians(np.abs(series[~is_share]))
    found[~is_share] = _SMALL * np.where(usual > 0, usual, 1.0)
    some = medians(np.atleast_2d(rows if rows.ndim == 1 else rows[is_share]))
    found[is_share] = np.where(np.isfinite(some), np.maximum(1.0, some), 1.0)
    return found


def ends(series: Floats) -> tuple[Floats, Floats]:
    """The smallest and the largest value of every row, over defined values."""
    known = np.isfinite(series)
    return np.where(known, series, np.inf).min(axis=1), np.where(known, series, -np.inf).max(axis=1)


def medians(x: Floats) -> Floats:
    """The median of every row, over defined values; nan if there are none."""
    known = np.isfinite(x)
    if known.all() and x.shape[1]:
        ordered, half = np.sort(x, axis=1), x.shape[1] // 2
        return np.asarray((ordered[:, (x.shape[1] - 1) // 2] + ordered[:, half]) / 2.0)
    ordered = np.sort(np.where(known, x, np.nan), axis=1)  # nan comes last
    count = known.sum(axis=1)
    rows = np.arange(len(x))
    low, high = ordered[rows, np.maximum(0, (count - 1) // 2)], ordered[rows, np.maximum(0, count // 2 - (count == 0))]
    return np.where(count > 0, (low + high) / 2.0, np.nan)
