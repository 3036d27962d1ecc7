"""The distribution of a column as a line that can be laid beside another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from byhistory.profile import Quantiles
from byhistory.profile.arrays import Floats

SHARES = (0.01, 0.05, 0.5, 0.95, 0.99)
"""The quantiles that metrics ask for."""
_REMEMBERED = 256
"""Profiles whose curves are remembered, by choice: the columns of a wide table, now and before."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A distribution function: the distinct places where it bends or jumps, and its limits from both sides there.

    Between two places it is a straight line. For an exact profile it is the steps of the data.
    """

    x: Floats
    left: Floats
    right: Floats
    knots: tuple[Floats, Floats]
    """The same as one broken line, upright where it jumps."""
    mirrored: tuple[Floats, Floats]
    """The broken line from the right to the left, with the places negated."""

    def below(self, places: Floats) -> Floats:
        """Share of the values below each place."""
        # At a repeated place `interp` takes the last entry, which in the mirror is the limit from the left.
        return np.interp(-places, *self.mirrored, left=1.0, right=0.0)

    def up_to(self, places: Floats) -> Floats:
        """Share of the values at or below each place."""
        return np.interp(places, *self.knots, left=0.0, right=1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """How far one distribution function is above another: rising places, and the limits of the difference there.

    Several gaps can be stacked, one per row, so that a distance is computed for all of them at once.
    """

    x: Floats
    left: Floats
    right: Floats

    @staticmethod
    def stacked(gaps: Sequence[Gap]) -> Gap:
        """Many gaps as the rows of one, the shorter filled up with places where nothing happens."""
        x, left, right = np.zeros((3, len(gaps), max(len(g.x) for g in gaps)))
        for i, g in enumerate(gaps):
            n = len(g.x)
            x[i, :n], left[i, :n], right[i, :n] = g.x, g.left, g.right
            x[i, n:] = g.x[-1]
        return Gap(x, left, right)


def gap(now: Quantiles | None, before: Quantiles | None) -> Gap | None:
    """The difference of two distribution functions; None if either has no values."""
    if now is None or before is None or not len(now.values) or not len(before.values):
        return None
    f, g = curve(now), curve(before)
    x = np.concatenate([f.x, g.x])
    x.sort()
    right = f.up_to(x) - g.up_to(x)
    if now.is_exact and before.is_exact:  # only steps: the limit from the left is the value right of the place before
        return Gap(x, np.concatenate([[0.0], right[:-1]]), right)
    return Gap(x, f.below(x) - g.below(x), right)


class _Same:
    """A key for the cache: the same object, not an equal one (to compare states costs more than it saves)."""

    __slots__ = ("quantiles",)

    def __init__(self, quantiles: Quantiles) -> None:
        self.quantiles = quantiles

    def __hash__(self) -> int:
        return id(self.quantiles)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.quantiles is other.quantiles


def curve(quantiles: Quantiles) -> Curve:
    """The distribution function of one run; remembered, because a run is compared with the next and the last."""
    return _curve(_Same(quantiles))


@lru_cache(maxsize=_REMEMBERED)
def _curve(key: _Same) -> Curve:
    places, ranks = key.quantiles.knots()
    new = np.ones(len(places) + 1, np.bool_)
    np.not_equal(places[1:], places[:-1], out=new[1:-1])
    starts = np.flatnonzero(new)
    first, last = starts[:-1], starts[1:] - 1
    return Curve(places[first], ranks[first], ranks[last], (places, ranks), (-places[::-1], ranks[::-1].copy()))


def quantile(quantiles: Quantiles, share: float) -> float:
    """One of the quantiles in `SHARES`; all of them are found at once, and remembered."""
    return _quantiles(_Same(quantiles))[share]


@lru_cache(maxsize=_REMEMBERED)
def _quantiles(key: _Same) -> dict[float, float]:
    q = key.quantiles
    if q.is_exact or not len(q.values):
        at = np.asarray(q.at(np.array(SHARES)))
    else:  # what `at` does, with the knots that are there already
        places, ranks = curve(q).knots
        at = np.interp(SHARES, ranks, places)
    return dict(zip(SHARES, at.tolist(), strict=True))
