"""How many distinct values all rows have, estimated from a sample of them.

The lower bound by the values seen once and twice is that of A. Chao, "Nonparametric estimation of the number of classes
in a population", Scandinavian Journal of Statistics 11 (1984), 265-270.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from byhistory.inject.scale import distinct_left
from byhistory.profile import Frequencies
from byhistory.profile.arrays import Bools, Hashes, weight_of_runs

PARTLY = 0.25
"""A fault changes a part of the column if at least this share of the values stays, else the whole (a choice)."""
_MUCH = 1.2
"""Chao's estimate is a lower bound: a run with up to this many times as many values is limited, too (a choice)."""
_NEARLY = 0.85
"""Changed values are old ones if they occur in the sample this nearly as often as old values would (a choice)."""


@dataclass(frozen=True, slots=True, eq=False)
class After:
    """The distinct values of all rows after a fault."""

    distinct: float
    """How many there are."""
    fresh: Bools
    """Which of the changed values of the sample the run never had."""
    stands_for: float
    """How many different values of all rows each of those stands for."""


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """The distinct values of the sample as it is, and what is known of those of the whole run.

    A sample of n rows has u distinct values, its first half u'. If the number grows like a power of the rows, its
    exponent is log2(u / u'), between 0 (all values seen) and 1 (every row a new value). The whole run tells the true
    exponent between n and all rows, and so by how much the growth slows down on the way. Where the run has no more
    values than Chao's estimate from the sample (by the values seen once and twice), that estimate limits the growth.

    >>> hashes = np.arange(4, dtype=np.uint64)
    >>> everything_new = Growth.of(hashes, Frequencies.of(np.arange(40, dtype=np.uint64), np.ones(40, np.int64)), 40)
    >>> everything_new.grown(hashes, hashes[:2], 1.0), everything_new.grown(hashes[:2], hashes[:2], 1.0)
    (40.0, 2.0)
    """

    known: Hashes
    """Distinct hashes of the sample, rising."""
    early: Bools
    """Which of them are in the first half of the rows."""
    ratio: float
    """Values of all rows over values of the sample."""
    table: Frequencies
    """The values of all rows."""
    bend: float
    """True exponent of the growth over the one that the halves of the sample show."""
    is_limited: bool
    """Whether the run has no more values than Chao's estimate."""

    @staticmethod
    def of(hashes: Hashes, table: Frequencies, present: int) -> Growth:
        """From the hashes of the values in the sample, and the table and number of values of the whole run."""
        known = np.unique(hashes)
        early = np.zeros(len(known), np.bool_)
        early[np.searchsorted(known, hashes[: len(hashes) // 2])] = True
        ratio = max(1.0, present / max(1, len(hashes)))
        shown = _exponent(len(known), int(early.sum()))
        true = math.log(max(1.0, table.distinct / max(1, len(known)))) / math.log(ratio) if ratio > 1.0 else 0.0
        limited = table.distinct <= _MUCH * _distinct(hashes)[1]
        return Growth(known, early, ratio, table, min(1.0, true / shown) if shown else 1.0, limited)

    def grown(self, hashes: Hashes, early: Hashes, bend: float) -> float:
        """How many distinct values like these all rows have, if the sample has `hashes` and its first half `early`."""
        seen, most = _distinct(hashes)
        power = seen * self.ratio ** (_exponent(seen, _distinct(early)[0]) * bend) if seen else 0.0
        return min(power, most) if self.is_limited else power

    def after(self, hashes: Hashes, changed: Bools, each: bool, unchanged: float) -> After:
        """From the hashes of the values in the sample after a fault.

        `changed` says which of them the fault made, and `unchanged` which share of the old ones stayed. Where most
        stayed, the old ones are counted as if rows had been lost at random, and new ones are added: these grow by a
        power law of their own, less those that only look new because the sample does not contain every old value.
        `each` is a trait of the fault, see `Fault`.
        """
        nothing = np.zeros(int(np.count_nonzero(changed)), np.bool_)
        if not len(hashes) or not len(self.known):
            return After(float(_distinct(hashes)[0]), nothing, 1.0)
        if each and _distinct(hashes)[0] == len(self.known):  # one to one
            return After(self.table.distinct, nothing, 1.0)
        half = len(hashes) // 2
        places = np.flatnonzero(changed)
        made = hashes[places]
        at = np.minimum(np.searchsorted(self.known, made), len(self.known) - 1)
        is_new = self.known[at] != made
        if unchanged < PARTLY and (each or is_new.any()):
            return After(self.grown(hashes, hashes[:half], self.bend), nothing, 1.0)
        if unchanged < PARTLY:  # a selection of the old values: how soon do they occur in the unchanged sample?
            seen = np.zeros(len(self.known), np.bool_)
            seen[at] = True
            grown = self.grown(self.known[seen], self.known[seen & self.early], self.bend)
            return After(min(self.table.distinct, grown), nothing, 1.0)
        met = 1.0 - float(is_new.mean()) if len(made) else 1.0
        usual = min(1.0, len(self.known) / max(1.0, self.table.distinct))
        truly = 0.0 if met >= _NEARLY * usual else (1.0 - met / usual) / (1.0 - met)
        split = int(np.searchsorted(places, half))
        fresh = made[is_new]
        grown = self.grown(fresh, made[:split][is_new[:split]], 1.0)
        return After(
            distinct_left(self.table, unchanged) + truly * grown,
            is_new if truly > 0.5 else nothing,
            max(1.0, min(self.ratio, grown / max(1, _distinct(fresh)[0]))),
        )


def _exponent(seen: int, early: int) -> float:
    return min(1.0, math.log2(seen / early)) if early else float(seen > 0)


def _distinct(hashes: Hashes) -> tuple[int, float]:
    """Distinct values of the sample, and Chao's estimate of those of everything it was drawn from."""
    counts = weight_of_runs(np.sort(hashes))[1]
    once, twice = int(np.count_nonzero(counts == 1)), int(np.count_nonzero(counts == 2))
    return len(counts), len(counts) + once * (once - 1) / (2 * (twice + 1))
