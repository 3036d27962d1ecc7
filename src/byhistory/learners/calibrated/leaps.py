"""Which values of a metric would leave everything behind that it ever was?

A distance in spreads tells how unusual a move is, and not whether it is large: the largest value of a steady column is
eight spreads off after a fifth more, and after a thousandfold. A leap is a move beyond all past runs that is also large
on the metric's own terms. Hardly any good run has one (ADR 0025), so it adds a fixed amount to the total of the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Bools, Floats

NEEDED = 21
"""Past values that are needed to know what a metric never did: three weeks of days, as for the rules on formats."""
_FEW = 20
"""A run of fewer values than this may be several times as wide as all others by chance (a choice)."""
_HUGE = 700.0
"""The largest logarithm of a 64-bit number, nearly."""
Ends = Callable[[float, float, float], tuple[float, float]]
"""From the least and the most of the past runs, and the fewest values in one of them, the interval without a leap."""
_NONE = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Leap:
    """What counts as a leap of one metric."""

    metric: str
    ends: Ends


def times(factor: float, ranges: float) -> Ends:
    """So many times the most so far, and so many times as far beyond it, as a ratio, as it ever ranged.

    >>> ends = times(4.0, 2.0)
    >>> [round(ends(low, high, 1_000.0)[1]) for low, high in [(10.0, 11.0), (1.0, 10.0)]], ends(0.0, 1.0, 1_000.0)[1]
    ([44, 1000], inf)
    """

    def ends(low: float, high: float, values: float) -> tuple[float, float]:
        if not low > 0.0 or values < _FEW:
            return _NONE
        return -math.inf, high * max(factor, math.exp(min(ranges * (math.log(high) - math.log(low)), _HUGE)))

    return ends


def more_by(amount: float, ranges: float) -> Ends:
    """So much above the most so far, and so many times as far above it as it ever ranged.

    >>> more_by(1.0, 2.0)(2.0, 2.0, 1_000.0), more_by(1.0, 2.0)(1.0, 2.0, 1_000.0)
    ((-inf, 3.0), (-inf, 4.0))
    """
    return lambda low, high, _: (-math.inf, high + max(amount, ranges * (high - low)))


def first(share: float, at_most: float = 0.0) -> Ends:
    """A share that was never more than `at_most`, and is more than this now.

    >>> first(0.05)(0.0, 0.0, 1_000.0), first(0.05)(0.0, 0.0, 10.0), first(0.05)(0.0, 0.01, 1_000.0)
    ((-inf, 0.05), (-inf, inf), (-inf, inf))
    """
    return lambda _, high, values: (-math.inf, share) if high <= at_most and values * share > 1.0 else _NONE


def no_longer_all(share: float, at_most: float = 0.0) -> Ends:
    """The same for what is left: of what was true of all values, so large a part is not any more."""
    rest = first(share, at_most)
    return lambda low, high, values: (1.0 - rest(1.0 - high, 1.0 - low, values)[1], math.inf)


LEAPS = (
    Leap("complete_ratio", no_longer_all(0.05)),
    Leap("unique_ratio", no_longer_all(0.05, 0.01)),
    Leap("std", times(4.0, 2.0)),
    Leap("decimals", more_by(1.0, 2.0)),
    Leap("integer_ratio", no_longer_all(0.05)),
    Leap("negative_ratio", first(0.05, 0.001)),
    Leap("edge_space_ratio", first(0.02, 0.001)),
    Leap("empty_ratio", first(0.02)),
    Leap("top_pattern_ratio", no_longer_all(0.05)),
)
"""All leaps, by metric. The numbers were chosen by what good runs do on the first corpus, and counted on the second."""
_BY_METRIC = {leap.metric: leap for leap in LEAPS}


def leap_ends(metrics: Sequence[str], series: Floats) -> Floats:
    """The interval of each metric (rows: low and high) outside of which a run leaps, from the past (metric × run).

    >>> leap_ends(["complete_ratio", "mean"], np.ones((2, 30))).tolist()
    [[-inf, inf], [-inf, inf]]
    >>> leap_ends(["row_count", "complete_ratio"], np.array([[100.0] * 30, [1.0] * 30])).tolist()
    [[-inf, inf], [0.95, inf]]
    """
    ends = np.tile(np.array(_NONE), (len(metrics), 1))
    values = _fewest_values(metrics, series)
    asked = [(i, _BY_METRIC[name]) for i, name in enumerate(metrics) if name in _BY_METRIC] if values > 0.0 else []
    if not asked:
        return ends
    past = series[[i for i, _ in asked]]
    known = np.isfinite(past)
    lows, highs = np.where(known, past, np.inf).min(axis=1), np.where(known, past, -np.inf).max(axis=1)
    enough = known.sum(axis=1) >= NEEDED
    for (i, leap), low, high in zip(
        [a for a, is_one in zip(asked, enough, strict=True) if is_one], lows[enough], highs[enough], strict=True
    ):
        ends[i] = leap.ends(float(low), float(high), values)
    return ends


def _fewest_values(metrics: Sequence[str], series: Floats) -> float:
    """The fewest values that a past run had; 0 where that is unknown."""
    if "row_count" not in metrics or "complete_ratio" not in metrics:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        values = series[metrics.index("row_count")] * series[metrics.index("complete_ratio")]
    known = values[np.isfinite(values)]
    return float(known.min()) if len(known) else 0.0


def leaping(ends: Floats, values: Floats) -> Bools:
    """Which metrics (the last axis of `values`) leap; what is undefined does not."""
    return np.asarray((values < ends[:, 0]) | (values > ends[:, 1]))


def added_by_leaps(is_leap: Bools, leap: float) -> Floats:
    """What leaps add to the contributions of metrics (the last axis): `leap` once, however many metrics leap.

    >>> added_by_leaps(np.array([[True, False, True], [False, False, False]]), 6.0).tolist()
    [[3.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
    """
    return np.asarray(leap * is_leap / np.maximum(1, is_leap.sum(axis=-1, keepdims=True)))
