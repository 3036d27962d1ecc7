"""What two runs of a column have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Generic, TypeVar

import numpy as np

from byhistory.metrics._curve import Gap, curve, gap
from byhistory.profile import NUMBER_LIKE, UNDEFINED, ColumnProfile, Frequencies, Quantiles
from byhistory.profile.arrays import Bools, Bytes, Floats
from byhistory.profile.frequencies import UNSAMPLED

BINS = 16
"""Bins that numbers are put into for JS and KL, each with the same number of values of the run before."""
_LEVELS = np.arange(BINS + 1) / BINS
_AFTER = np.tile([False, True], BINS + 1)
_CLEARLY = 2.0
"""A value is clearly new or gone if the other run has more of it than this many times what a table can miss."""
_JUST_MISSED = 0.9
"""The share of a value that a table has just missed, as a part of the largest share it can miss."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """How two runs divide their rows among the same cells (values, patterns, formats or bins).

    `weights` says how many values each cell stands for: 1, or more where only a sample of the values is known.
    In both runs the weighted shares add up to 1. `balance` is the part of the rows of both runs that is in `now`.
    Several can be stacked, one per row, so that a distance is computed for all of them at once: distances add up
    along the last axis.
    """

    now: Floats
    before: Floats
    weights: Floats
    balance: Floats

    @staticmethod
    def stacked(many: Sequence[Shares]) -> Shares:
        """Many pairs of runs as the rows of one value; the shorter ones are filled up with cells of no weight."""
        now, before, weights = np.zeros((3, len(many), max(len(s.now) for s in many)))
        for i, s in enumerate(many):
            n = len(s.now)
            now[i, :n], before[i, :n], weights[i, :n] = s.now, s.before, s.weights
        return Shares(now, before, weights, np.array([s.balance for s in many]).reshape(-1, 1))


class Match:
    """Two profiles of one column, and what distances need to know about them, each part computed when first needed.

    It is a class with a memory because a dozen distances share the same alignment, and most of the time of a
    distance is spent there.
    """

    def __init__(self, now: ColumnProfile, before: ColumnProfile) -> None:
        self.now, self.before = now, before

    @cached_property
    def values(self) -> Shares | None:
        """Shares of the values in the present rows; None where one run has none."""
        return shares(self.now.values, self.before.values)

    @cached_property
    def patterns(self) -> Shares | None:
        """Shares of the patterns in the present rows; None where one run has none."""
        return shares(self.now.patterns, self.before.patterns)

    @cached_property
    def formats(self) -> Shares | None:
        """Shares of the formats in the present rows; None where one run has none, or was profiled before there were."""
        return shares(self.now.formats, self.before.formats)

    @cached_property
    def numbers(self) -> Gap | None:
        """Difference of the distribution functions of the finite numbers; None where one run has none."""
        return gap(self.now.quantiles, self.before.quantiles)

    @cached_property
    def lengths(self) -> Gap | None:
        """Difference of the distribution functions of the lengths; None where one run has none."""
        return gap(self.now.lengths, self.before.lengths)

    @cached_property
    def bins(self) -> Shares | None:
        """Shares of all rows in bins of the run before; None where one run has no rows."""
        return binned(self.now, self.before)

    @property
    def distribution(self) -> Shares | None:
        """The distribution as a whole: in bins for numbers, by value for everything else."""
        return self.bins if self.now.kind in NUMBER_LIKE else self.values


T = TypeVar("T", Shares, Gap)


@dataclass(frozen=True, slots=True)
class On(Generic[T]):
    """A distance, and the part of a match that it compares.

    `distance` takes one such part and gives a number, or several stacked ones and gives a number for each.
    """

    part: Callable[[Match], T | None]
    distance: Callable[[T], Floats]

    def __call__(self, match: Match) -> float:
        """The distance for one match; undefined where one run has nothing to compare."""
        part = self.part(match)
        return UNDEFINED if part is None else float(self.distance(part))


def on_values(distance: Callable[[Shares], Floats]) -> On[Shares]:
    """A distance between shares, taken between the values of two runs."""
    return On(_VALUES, distance)


def on_patterns(distance: Callable[[Shares], Floats]) -> On[Shares]:
    """A distance between shares, taken between the patterns of two runs."""
    return On(_PATTERNS, distance)


def on_formats(distance: Callable[[Shares], Floats]) -> On[Shares]:
    """A distance between shares, taken between the formats of two runs."""
    return On(_FORMATS, distance)


def on_distribution(distance: Callable[[Shares], Floats]) -> On[Shares]:
    """A distance between shares, taken between two runs: by bin for numbers, by value for everything else."""
    return On(_DISTRIBUTION, distance)


def on_numbers(distance: Callable[[Gap], Floats]) -> On[Gap]:
    """A distance between distribution functions, taken between the numbers of two runs."""
    return On(_NUMBERS, distance)


def on_lengths(distance: Callable[[Gap], Floats]) -> On[Gap]:
    """A distance between distribution functions, taken between the lengths of two runs."""
    return On(_LENGTHS, distance)


_VALUES, _PATTERNS, _DISTRIBUTION = attrgetter("values"), attrgetter("patterns"), attrgetter("distribution")
_FORMATS, _NUMBERS, _LENGTHS = attrgetter("formats"), attrgetter("numbers"), attrgetter("lengths")


def shares(now: Frequencies | None, before: Frequencies | None) -> Shares | None:
    """Two tables side by side: exact where both are complete; None where nothing is known of one.

    Otherwise a value counts by itself if it is more frequent, in either run, than anything that the table of that run
    can have missed. All other values are represented by those that both tables list because of their hash,
    one of 2**level, scaled to the rows that are left. With about 200 of them a distance is off by up to 5 % of its
    range, and much less where most rows have frequent values; it is worst, up to 15 %, where several hundred equally
    frequent values stand among many thousand rare ones. Where one table lists no rare values at all (those of numbers
    are not kept), all of them are one cell. (Weighting by why an entry was kept would give a frequent
    value whose hash happens to end in zeros the weight of thousands.)
    """
    if now is None or before is None or not now.total or not before.total:
        return None
    size = len(now.ids)
    at = np.searchsorted(now.ids, before.ids)
    same = now.ids[np.minimum(at, size - 1)] == before.ids if size else np.zeros(len(at), np.bool_)
    other = np.flatnonzero(~same)
    p = np.zeros(size + len(other))
    q = np.zeros(size + len(other))
    p[:size] = now.counts
    q[at[same]] = before.counts[same]
    q[size:] = before.counts[other]
    p /= now.total
    q /= before.total
    if now.is_complete and before.is_complete:
        return Shares(p, q, np.ones(len(p)), _balance(now.total, before.total))
    zeros = np.concatenate([now.zeros, before.zeros[other]])
    return _sampled(p, q, zeros, now, before)


def _sampled(p: Floats, q: Floats, zeros: Bytes, now: Frequencies, before: Frequencies) -> Shares | None:
    """The frequent values, and the sample that both tables have of the others."""
    level = max(now.level, before.level)
    listed = (p > now.missed / now.total) | (q > before.missed / before.total)
    drawn = (zeros >= level) & ~listed
    p, q = (
        _filled(_estimated(x, y, listed & (zeros < table.level), table), listed, drawn, level)
        for x, y, table in ((p, q, now), (q, p, before))
    )
    kept = listed | drawn
    p, q, weights = p[kept], q[kept], np.where(drawn[kept], 2.0**level, 1.0)
    if level == UNSAMPLED:
        p, q, weights = _with_rest(p), _with_rest(q), np.append(weights, 1.0)
    return Shares(p, q, weights, _balance(now.total, before.total)) if p.any() and q.any() else None


def _with_rest(x: Floats) -> Floats:
    """The shares of listed values, and in one more cell what is left: rare values that nothing else is known of."""
    return np.append(x, max(0.0, 1.0 - float(x.sum())))


def _balance(now: int, before: int) -> Floats:
    return np.asarray(now / (now + before))


def _estimated(x: Floats, other: Floats, could_miss: Bools, table: Frequencies) -> Floats:
    """The shares of one table. A value that it does not list counts 0, unless the other run has so little of it that
    the table may just have missed it.

    Then no change is assumed: half of the values near the limit of a table are on the other side in the next run.
    """
    most = table.missed / table.total
    unknown = could_miss & (x == 0.0) & (other <= _CLEARLY * most)
    return np.where(unknown, np.minimum(other, _JUST_MISSED * most), x)


def _filled(x: Floats, listed: Bools, drawn: Bools, level: int) -> Floats:
    """The sample, scaled to stand for all rows without a listed value."""
    found = float(x[drawn].sum()) * 2.0**level
    left = max(0.0, 1.0 - float(x[listed].sum()))
    return np.where(drawn, x * (left / found), x) if found > 0.0 else x


def binned(now: ColumnProfile, before: ColumnProfile) -> Shares | None:
    """Two runs of numbers in the same bins, which are those of the run before.

    There are about 16 bins with the same number of values before. A value with a bin's worth of rows is a bin by
    itself. There is one more bin below the smallest and above the largest value of before (with the infinities), and
    one for nulls and NaN: so what lies outside of everything before is never mixed with it.
    """
    if now.numbers is None or before.numbers is None or not now.rows or not before.rows:
        return None
    ends = _ends(before.quantiles)
    p, q = _in_bins(now, *ends), _in_bins(before, *ends)
    return Shares(p, q, np.ones(len(p)), _balance(now.rows, before.rows))


def _ends(before: Quantiles | None) -> tuple[Floats, Bools]:
    """Where bins end, and whether the end itself belongs to the bin on its left."""
    if before is None or not len(before.values):
        return np.zeros(0), np.zeros(0, np.bool_)
    line = curve(before)
    at = np.searchsorted(line.right, _LEVELS)
    new = np.ones(len(at), np.bool_)
    np.not_equal(at[1:], at[:-1], out=new[1:])
    at = at[new]
    share, once = line.right[at] - line.left[at], 1.0 / before.count
    alone = (share > 1.5 * once) & (share >= 0.999 / BINS)  # once is no habit: few rows of a continuous column
    ends = np.repeat(line.x[at], 2)
    after = _AFTER[: len(ends)]
    kept = np.ones(len(ends), np.bool_)
    kept[1::2] = alone
    kept[-1] = True
    kept[-2] = alone[-1] or len(at) == 1
    return ends[kept], after[kept]


def _in_bins(profile: ColumnProfile, ends: Floats, after: Bools) -> Floats:
    """Shares of the rows below the first end, between the ends, above the last, and without a number."""
    cells = np.zeros(len(ends) + 2)
    n = profile.numbers
    if n is None:
        return cells
    if n.count and profile.quantiles is not None:
        line = curve(profile.quantiles)
        below = np.where(after, line.up_to(ends), line.below(ends)) * n.count
        cells[: len(ends)] = below
        cells[len(ends)] = n.count
        cells[1:-1] -= below
    cells[0] += n.neg_infs
    cells[-2] += n.pos_infs
    cells[-1] = profile.nulls + n.nans
    return cells / profile.rows
