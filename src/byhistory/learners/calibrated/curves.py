"""The price curves of all metrics of a column, above and below the forecast, as arrays that are evaluated at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from byhistory.learners.calibrated.curve import NOTHING, PriceCurve
from byhistory.profile.arrays import Bools, Floats

KNOTS = 12
"""The most knots of a curve: those that `fit` makes, and room for two; shorter curves are padded with nan."""
_ROW = 2 * KNOTS + 2
"""Numbers per curve in the table: the knots, their surprises, the slowness and the number of cases."""
ABOVE, BELOW = 0, 1
"""The two sides of a forecast, as places in an array."""
_LARGEST = np.finfo(np.float64).max
"""The largest number, so that no distance reaches the padding, which is infinite."""
_AT_ONCE = 2048
"""Runs that are priced at once (a choice: each takes a dozen numbers per metric in memory)."""


@dataclass(frozen=True, eq=False)  # without slots, because the properties are cached
class Curves:
    """One curve per metric and side: `table[metric, side]` has its knots, their surprises, its slowness and its cases.

    A check evaluates dozens of curves per column. One by one, that would take longer than everything else in it.

    >>> one = PriceCurve((1.0, 2.0), (0.5, 1.5), 0.5)
    >>> Curves.of([(one, one)]).surprise(np.array([[0.0], [1.5], [-20.0]])).ravel().tolist()
    [0.0, 1.0, 3.5]
    """

    table: Floats

    @staticmethod
    def of(pairs: Sequence[tuple[PriceCurve, PriceCurve]]) -> Curves:
        """From pairs of curves, one pair per metric: above the forecast and below it."""
        return Curves.of_table(np.array([[_row(above), _row(below)] for above, below in pairs]))

    @staticmethod
    def of_table(table: Floats) -> Curves:
        """From the numbers of a `table`, in any shape."""
        return Curves(table.reshape(-1, 2, _ROW))

    @staticmethod
    def joined(many: Sequence[Curves]) -> Curves:
        """The curves of many columns, as if all their metrics were of one column."""
        return Curves(np.concatenate([curves.table for curves in many]))

    @cached_property
    def at(self) -> Floats:
        """The distances of the knots by metric and side; padding is infinitely far."""
        at = self.table[..., :KNOTS]
        return np.where(np.isnan(at), np.inf, at)

    @cached_property
    def slope(self) -> Floats:
        """The slope from each knot to the next; 0 where there is no next one."""
        at, surprise = self.table[..., :KNOTS], self.table[..., KNOTS : 2 * KNOTS]
        slope = np.zeros(at.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope[..., :-1] = np.diff(surprise, axis=-1) / np.diff(at, axis=-1)
        return np.where(np.isfinite(slope), slope, 0.0)

    def chosen(self, others: Curves, is_other: Bools) -> Curves:
        """These curves, but those of `others` for the metrics where `is_other` is true."""
        return Curves(np.where(is_other[:, None, None], others.table, self.table))

    def without(self, i: int) -> Curves:
        """The curves of all metrics but one."""
        return Curves(np.delete(self.table, i, axis=0))

    def one(self, i: int, side: int) -> PriceCurve:
        """The curve of one metric on one side."""
        row = self.table[i, side]
        known = np.isfinite(row[:KNOTS])
        at, surprise = row[:KNOTS][known].tolist(), row[KNOTS : 2 * KNOTS][known].tolist()
        return PriceCurve(tuple(at), tuple(surprise), float(row[-2]), int(row[-1]))

    def surprise(self, distances: Floats) -> Floats:
        """The surprises of signed distances, one per metric along the last axis; 0 where a distance is undefined."""
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
