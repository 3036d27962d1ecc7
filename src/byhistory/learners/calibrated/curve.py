"""How surprising is it that a metric is so far off to one side? Measured on good runs of many columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Floats

NOTHING = 1e-9
"""A distance below this, in spreads, counts as none (a choice): it is rounding, as in `forecast`."""


@dataclass(frozen=True, slots=True)
class PriceCurve:
    """The surprise at each distance to one side: straight between rising knots, and a power law beyond the last one.

    >>> curve = PriceCurve((1.0, 2.0), (0.5, 1.5), 0.5)
    >>> curve.surprise(np.array([0.0, 1.5, 20.0])).tolist(), curve.distance(1.0), curve.distance(3.5)
    ([0.0, 1.0, 3.5], 1.5, 20.0)
    """

    distance_at: tuple[float, ...]
    surprise_at: tuple[float, ...]
    slowness: float
    """Beyond the last knot: by how many powers of ten the distance grows while the surprise grows by one."""
    cases: int = 0
    doubt: float = 0.0
    """How far the surprise at the last knot may be off (95 %), as other sources might have been measured."""

    def surprise(self, distances: Floats) -> Floats:
        """The surprises of distances; 0 for a distance of 0."""
        last, top = self.distance_at[-1], self.surprise_at[-1]
        inner = np.interp(distances, self.distance_at, self.surprise_at)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            outer = top + np.log10(distances / last) / self.slowness
        return np.where(distances > NOTHING, np.where(distances > last, outer, inner), 0.0)

    def distance(self, surprise: float) -> float:
        """The smallest distance with this surprise."""
        if surprise <= self.surprise_at[0]:
            return 0.0 if surprise < self.surprise_at[0] else self.distance_at[0]
        if surprise > self.surprise_at[-1]:
            power = (surprise - self.surprise_at[-1]) * self.slowness
            return self.distance_at[-1] * 10.0**power if power < 300 else math.inf
        return float(np.interp(surprise, self.surprise_at, self.distance_at))
