"""The shape of a numeric distribution in a few hundred numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from byhistory.profile.arrays import UNDEFINED, Bools, Floats, Ints, lengths_of_runs, weight_of_runs

IN_FLIGHT = 1024
"""Buckets kept while a run is being read; each sum of many parts adds at most about 0.11 % of rank error."""
SEALED = 320
"""Buckets kept of a finished run: about 3 KB, and about 0.45 % of rank error more, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Quantiles:  # noqa: PLW1641 - compared, never looked up by
    """Sorted buckets of values: where they lie (their mean), how many values, and whether all are the same value.

    Exact (`error == 0`) while there are no more distinct values than buckets: then every bucket is one value.
    Beyond, `error` bounds how far a rank can be off, as a share of the count. The smallest and the largest value
    and every value that is frequent by itself keep a bucket of their own.

    >>> q = Quantiles.of(np.array([1.0, 2.0, 2.0, 9.0]))
    >>> q.at(0.5), q.error
    (2.0, 0.0)
    """

    values: Floats
    weights: Ints
    atoms: Bools
    error: float = 0.0

    @staticmethod
    def of(values: Floats) -> Quantiles:
        """From raw finite values, in any order."""
        ordered = np.sort(values)
        starts, weights = weight_of_runs(ordered)
        return Quantiles.of_counts(ordered[starts], weights)

    @staticmethod
    def of_counts(distinct: Floats, weights: Ints) -> Quantiles:
        """From sorted distinct values and how often each occurs."""
        return Quantiles(distinct, weights, np.ones(len(distinct), np.bool_))

    @property
    def count(self) -> int:
        """How many values."""
        return int(self.weights.sum())

    @property
    def is_exact(self) -> bool:
        """Whether every bucket is one value."""
        return self.error == 0.0

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Quantiles)
            and self.error == other.error
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.weights, other.weights)
            and np.array_equal(self.atoms, other.atoms)
        )

    def __add__(self, other: Quantiles) -> Quantiles:
        return Quantiles.sum_of([self, other])

    @staticmethod
    def sum_of(parts: Sequence[Quantiles]) -> Quantiles:
        """The sum of one or more; more accurate all at once than one after another."""
        parts = [p for p in parts if len(p.values)] or parts[:1]
        if len(parts) == 1:
            return parts[0]
        values = np.concatenate([p.values for p in parts])
        order = np.argsort(values, kind="stable")
        values = values[order]
        weights = np.concatenate([p.weights for p in parts])[order]
        atoms = np.concatenate([p.atoms for p in parts])[order]
        new = np.ones(len(values), np.bool_)
        new[1:] = (values[1:] != values[:-1]) | ~atoms[1:] | ~atoms[:-1]
        starts = np.flatnonzero(new)
        error = sum(p.error * p.count for p in parts) / int(weights.sum())
        return Quantiles(values[starts], np.add.reduceat(weights, starts), atoms[starts], error).limited(IN_FLIGHT)

    def limited(self, buckets: int) -> Quantiles:
        """At most this many buckets; the values between are averaged and the rank error this costs is added."""
        if len(self.values) <= buckets:
            return self
        total = self.count
        alone = np.flatnonzero(self._kept_alone(buckets))
        room = buckets - 2 * len(alone) - 1
        light = self.weights.copy()
        light[alone] = 0
        ends = np.cumsum(light)
        new = np.zeros(len(self.values) + 1, np.bool_)
        new[np.searchsorted(ends - light / 2, _boundaries(room) * ends[-1])] = True
        new[alone] = new[alone + 1] = new[0] = True
        starts = np.flatnonzero(new[:-1])
        sizes = lengths_of_runs(starts, len(self.values))
        weights = np.add.reduceat(self.weights, starts)
        share = self.weights / total  # before the product, which could be too large for a float
        means = np.add.reduceat(self.values * share, starts) / (weights / total)
        # Rounding must not carry a mean past its neighbours, nor a single value past itself.
        values = np.clip(means, self.values[starts], self.values[starts + sizes - 1])
        atoms = (sizes == 1) & self.atoms[starts]
        # Within a bucket nothing is known but the mean, and one distant value can pull that away from all others.
        widest = float(weights[~atoms].max(initial=0)) / total
        return Quantiles(values, weights, atoms, self.error + widest)

    def _kept_alone(self, buckets: int) -> Bools:
        """The ends, and the values so frequent that averaging them with others would blur a step."""
        alone = self.atoms & (self.weights > self.count / buckets)
        if np.count_nonzero(alone) > buckets // 3:
            floor = np.partition(self.weights[alone], -(buckets // 3))[-(buckets // 3)]
            alone &= self.weights > floor
        alone[0] = alone[-1] = True
        return alone

    def at(self, share: float | Floats) -> float | Floats:
        """The value below which that share of the values lies; undefined on an empty column.

        Exact data follow numpy's default: linear between the two neighbouring order statistics.
        """
        q = np.asarray(share, dtype=np.float64)
        if len(self.values) == 0:
            result = np.full(q.shape, UNDEFINED)
        elif self.is_exact:
            ends = np.cumsum(self.weights)
            position = q * (ends[-1] - 1)
            below = np.floor(position).astype(np.int64)
            left = self.values[np.searchsorted(ends, below, side="right")]
            right = self.values[np.searchsorted(ends, np.minimum(below + 1, ends[-1] - 1), side="right")]
            part = position - below
            # Equal neighbours as they are: 0.1 * 0.3 + 0.1 * 0.7 is not 0.1, and a constant must stay constant.
            result = np.where(left == right, left, left * (1 - part) + right * part)
        else:
            at, ranks = self.knots()
            result = np.interp(q, ranks, at)
        return result if q.ndim else float(result)

    def knots(self) -> tuple[Floats, Floats]:
        """The distribution function as a broken line with jumps: where it bends, and its height there (0 to 1).

        A bucket reaches half-way to its neighbours. It bends at its mean, so that the line has that mean too: the
        bucket before the largest value of a heavy tail reaches far beyond nearly all of its values.
        """
        values, atoms = self.values, self.atoms
        heights = np.zeros(len(values) + 1)
        np.cumsum(self.weights, out=heights[1:])
        heights /= max(1.0, heights[-1])
        if self.is_exact:
            return np.repeat(values, 2), np.repeat(heights, 2)[1:-1]
        middle = values[:-1] / 2 + values[1:] / 2
        places, ranks = np.empty((2, len(values), 3))
        left, places[:, 1], right = places[:, 0], values, places[:, 2]
        left[0], right[-1] = values[0], values[-1]
        left[1:] = np.where(atoms[1:], values[1:], np.where(atoms[:-1], values[:-1], middle))
        right[:-1] = np.where(atoms[:-1], values[:-1], np.where(atoms[1:], values[1:], middle))
        width = right / 2 - left / 2
        below = np.divide(right / 2 - values / 2, width, out=np.zeros(len(values)), where=width > 0)
        ranks[:, 0], ranks[:, 2] = heights[:-1], heights[1:]
        ranks[:, 1] = heights[:-1] + below * np.diff(heights)
        return places.ravel(), ranks.ravel()


@cache
def _boundaries(buckets: int) -> Floats:
    """Ranks between this many buckets: mostly of one size, finer towards both ends, where quantiles are asked for."""
    rank = (1 - np.cos(np.linspace(0, np.pi, 8 * buckets + 1))) / 2
    scale = 0.8 * rank + 0.2 * (np.arcsin(2 * rank - 1) / np.pi + 0.5)
    return np.asarray(np.interp(np.arange(1, buckets) / buckets, scale, rank))


def heights(knots: tuple[Floats, Floats], at: Floats) -> tuple[Floats, Floats]:
    """Limits from the left and from the right of a distribution function (see `Quantiles.knots`) at given places."""
    xs, ranks = knots
    return _height(xs, ranks, at, np.searchsorted(xs, at, "left")), _height(
        xs, ranks, at, np.searchsorted(xs, at, "right")
    )


def _height(xs: Floats, ranks: Floats, at: Floats, right: Ints) -> Floats:
    inside = (right > 0) & (right < len(xs))
    b = np.clip(right, 1, len(xs) - 1)
    a = b - 1
    gap = xs[b] / 2 - xs[a] / 2
    part = np.divide(at / 2 - xs[a] / 2, gap, out=np.zeros_like(at), where=gap > 0)
    between = ranks[a] + (ranks[b] - ranks[a]) * np.clip(part, 0.0, 1.0)
    return np.asarray(np.where(inside, between, np.where(right == 0, 0.0, 1.0)))
