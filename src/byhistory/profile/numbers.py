"""Totals of the numbers in a column: counts, extremes, moments."""

from __future__ import annotations

import math
from dataclasses import dataclass

from byhistory.profile.arrays import UNDEFINED


@dataclass(frozen=True, slots=True)
class Numbers:
    """What the finite numbers of a column add up to; NaN and infinities are counted and never poison a sum.

    `spread` is the square root of the sum of squared deviations from the mean: kept as a root so that values
    near 1e308 do not overflow. `exact_sum` is the sum in units of 10**-scale for integers and decimals, whose
    sums are exact; None for floats.

    >>> a, b = Numbers(1, low=2.0, high=2.0, mean=2.0), Numbers(1, low=4.0, high=4.0, mean=4.0)
    >>> (a + b).mean, round((a + b).std, 6)
    (3.0, 1.414214)
    """

    count: int = 0
    nans: int = 0
    pos_infs: int = 0
    neg_infs: int = 0
    zeros: int = 0
    negatives: int = 0
    integers: int = 0
    low: float = math.inf
    high: float = -math.inf
    mean: float = 0.0
    spread: float = 0.0
    exact_sum: int | None = None
    scale: int = 0
    written: float = 0.0
    """How many values the two totals below stand for (an estimate when there are many distinct values)."""
    digits: float = 0.0
    """Digits needed to write those values down."""
    decimals: float = 0.0
    """How many of those digits stand behind the decimal point."""

    @property
    def sum(self) -> float:
        """Sum of the finite values, exact for integers and decimals; undefined beyond the range of a float."""
        try:
            if self.exact_sum is None:
                total = self.mean * self.count
            else:
                total = self.exact_sum / 10**self.scale if self.scale >= 0 else float(self.exact_sum * 10**-self.scale)
        except OverflowError:
            return UNDEFINED
        return total if math.isfinite(total) else UNDEFINED

    @property
    def std(self) -> float:
        """Standard deviation (n - 1); undefined below two values and beyond the range of a float."""
        return self.spread / math.sqrt(self.count - 1) if self.count > 1 and math.isfinite(self.spread) else UNDEFINED

    def __add__(self, other: Numbers) -> Numbers:
        n = self.count + other.count
        mean, spread = _merge_moments(self, other) if n else (0.0, 0.0)
        exact_sum, scale = _merge_sums(self, other)
        return Numbers(
            count=n,
            nans=self.nans + other.nans,
            pos_infs=self.pos_infs + other.pos_infs,
            neg_infs=self.neg_infs + other.neg_infs,
            zeros=self.zeros + other.zeros,
            negatives=self.negatives + other.negatives,
            integers=self.integers + other.integers,
            low=min(self.low, other.low),
            high=max(self.high, other.high),
            mean=mean,
            spread=spread,
            exact_sum=exact_sum,
            scale=scale,
            written=self.written + other.written,
            digits=self.digits + other.digits,
            decimals=self.decimals + other.decimals,
        )


def _merge_moments(a: Numbers, b: Numbers) -> tuple[float, float]:
    """Chan's pairwise update, in a form that does not overflow for values near the end of the range."""
    n = a.count + b.count
    if a.count == 0 or b.count == 0:
        return (a.mean, a.spread) if b.count == 0 else (b.mean, b.spread)
    share = b.count / n
    mean = a.mean * (1 - share) + b.mean * share if a.mean != b.mean else a.mean
    gap = b.mean / 2 - a.mean / 2  # halves: the difference of two values near ±1e308 is out of range
    between = 2 * gap * math.sqrt(a.count * share) if gap else 0.0
    return mean, math.hypot(a.spread, b.spread, between)


def _merge_sums(a: Numbers, b: Numbers) -> tuple[int | None, int]:
    if a.exact_sum is None or b.exact_sum is None:
        only = b if a.count == 0 else a if b.count == 0 else None  # an empty part does not make a sum inexact
        return (only.exact_sum, only.scale) if only is not None else (None, 0)
    scale = max(a.scale, b.scale)
    return a.exact_sum * 10 ** (scale - a.scale) + b.exact_sum * 10 ** (scale - b.scale), scale
