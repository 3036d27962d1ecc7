"""The price curves of all metrics of a column, above and below, as arrays: how surprising is it to be so far off?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from byhistory.learners.calibrated.curve import NOTHING, PriceCurve
from byhistory.profile.arrays import Bools, Floats

KNOTS = 12
"""Knots of a curve at most: those that `fit` makes, with room for two; shorter ones are filled up with nan."""
_ROW = 2 * KNOTS + 2
"""Numbers of a curve in the array: its knots, their values, and two more."""
ABOVE, BELOW = 0, 1
"""The two sides of a forecast, as places of an array."""
_LARGEST = np.finfo(np.float64).max
"""No distance, however large, is as far as what is filled up."""
_AT_ONCE = 2048
"""Runs that are priced at once: each has a dozen knots for every metric in memory."""


@dataclass(frozen=True, eq=False)  # no slots: what follows from the table is remembered
class Curves:
    """One entry per metric and side: `table[metric, side]` is where the knots are, their surprises, slowness and cases.

    A column has dozens of curves, and a check asks all of them about one run: one by one, that takes longer than
    everything else in it.

    >>> one = PriceCurve((1.0, 2.0), (0.5, 1.5), 0.5)
    >>> Curves.of([(one, one)]).surprise(np.array([[0.0], [1.5], [-20.0]])).ravel().tolist()
    [0.0, 1.0, 3.5]
    """

    table: Floats

    @staticmethod
    def of(pairs: Sequence[tuple[PriceCurve, PriceCurve]]) -> Curves:
        """From the curve above and the curve below of every metric."""
        return Curves.of_table(np.array([[_row(above), _row(below)] for above, below in pairs]))

    @staticmethod
    def of_table(table: Floats) -> Curves:
        """From what `table` was."""
        return Curves(table.reshape(-1, 2, _ROW))

    @staticmethod
    def joined(many: Sequence[Curves]) -> Curves:
        """Those of many columns as if they were the metrics of one."""
        return Curves(np.concatenate([curves.table for curves in many]))

    @cached_property
    def at(self) -> Floats:
        """Knots by (metric, side); what is filled up is infinitely far."""
        at = self.table[..., :KNOTS]
        return np.where(np.isnan(at), np.inf, at)

    @cached_property
    def slope(self) -> Floats:
        """From each knot to the next."""
        at, surprise = self.table[..., :KNOTS], self.table[..., KNOTS : 2 * KNOTS]
        slope = np.zeros(at.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope[..., :-1] = np.diff(surprise, axis=-1) / np.diff(at, axis=-1)
        return np.where(np.isfinite(slope), slope, 0.0)

    def chosen(self, others: Curves, is_other: Bools) -> Curves:
        """The same with those of `others` for some of the metrics."""
        return Curves(np.where(is_other[:, None, None], others.table, self.table))

    def without(self, i: int) -> Curves:
        """All but those of one metric."""
        return Curves(np.delete(self.table, i, axis=0))

    def one(self, i: int, side: int) -> PriceCurve:
        """The curve of one metric on one side."""
        row = self.table[i, side]
        known = np.isfinite(row[:KNOTS])
        at, surprise = row[:KNOTS][known].tolist(), row[KNOTS : 2 * KNOTS][known].tolist()
        return PriceCurve(tuple(at), tuple(surprise), float(row[-2]), int(row[-1]))

    def surprise(self, distances: Floats) -> Floats:
        """Of every metric (the last axis) in every run that is so far off, with sign; 0 where it is undefined."""
        if distances.ndim > 1 and len(distances) > _AT_ONCE:
            return np.concatenate(
                [self.surprise(distances[i : i + _AT_ONCE]) for i in range(0, len(distances), _AT_ONCE)]
            )
        x, metric, side = np.abs(distances), np.arange(len(self.table)), (distances < 0).astype(np.intp)
        at = self.at[metric, side]
        knot = np.maximum((at <= np.minimum(x, _LARGEST)[..., None]).sum(axis=-1) - 1, 0)
        start = np.take_along_axis(at, knot[..., None], axis=-1)[..., 0]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            inner = self.slope[metric, side, knot] * np.maximum(x - start, 0.0) + self.table[metric, side, KNOTS + knot]
            is_last = ~np.isfinite(np.take_along_axis(at, np.minimum(knot + 1, KNOTS - 1)[..., None], axis=-1)[..., 0])
            is_outer = (is_last | (knot == KNOTS - 1)) & (x > start)
            outer = self.table[metric, side, KNOTS + knot] + np.log10(x / start) / self.table[metric, side, -2]
        return np.where(x > NOTHING, np.where(is_outer, outer, inner), 0.0)


def _row(curve: PriceCurve) -> list[float]:
    fill = [np.nan] * (KNOTS - len(curve.distance_at))
    return [*curve.distance_at, *fill, *curve.surprise_at, *fill, curve.slowness, float(curve.cases)]
