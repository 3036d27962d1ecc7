"""How surprising are the rows of a segment, compared with the run before? All answers rest on this statistic.

It is the likelihood ratio of a scan statistic (Kulldorff 1997), as a natural logarithm: how much better "these rows
changed" explains the data than "nothing changed". Unchanged rows inside dilute it and changed rows outside lower it, so
that it is largest for the segment that the change is in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Floats, Ints

LENT = 20.0
"""How many rows of the past a segment may borrow from the segment that it is part of, per row of its own (a choice)."""


@dataclass(frozen=True, slots=True)
class Tally:
    """For one segment or many, the rows of two runs and how many of them have a trait. Tallies of parts add up."""

    now: Floats
    traits_now: Floats
    before: Floats
    traits_before: Floats

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.now + other.now,
            self.traits_now + other.traits_now,
            self.before + other.before,
            self.traits_before + other.traits_before,
        )

    def __sub__(self, other: Tally) -> Tally:
        return Tally(
            self.now - other.now,
            self.traits_now - other.traits_now,
            self.before - other.before,
            self.traits_before - other.traits_before,
        )

    def mapped(self, work: Callable[[Floats], Floats]) -> Tally:
        """The same function applied to each of the four numbers."""
        return Tally(work(self.now), work(self.traits_now), work(self.before), work(self.traits_before))

    def at(self, places: Ints) -> Tally:
        """The tallies of some of the segments."""
        return self.mapped(lambda x: np.asarray(x[places]))

    @property
    def rate_now(self) -> Floats:
        """The share of rows with the trait in this run."""
        return np.asarray(self.traits_now / np.maximum(self.now, 1e-12))

    @property
    def rate_before(self) -> Floats:
        """The share of rows with the trait in the run before."""
        return np.asarray(self.traits_before / np.maximum(self.before, 1e-12))

    @property
    def caught(self) -> float:
        """For one segment, the share that got the trait among the rows without it: those that had it could not get it.

        Two standard errors are subtracted, because a few rows tell nothing.
        """
        now, before = float(self.rate_now), float(self.rate_before)
        rows = max(1.0, float(self.now)), max(1.0, float(self.before))
        error = np.sqrt(now * (1 - now) / rows[0] + before * (1 - before) / rows[1])
        return float(max(0.0, now - before - 2 * error) / max(1e-9, 1 - before))

    def completed(self, lender: Tally) -> Tally:
        """The same with a longer past, lent by the larger segment as far as both had the same rate before.

        A small segment tells little about its own past, and a new one (a new version of an app) nothing. It borrows the
        less, the more evidence there is that it was always different.
        """
        others = Tally(self.before, self.traits_before, lender.before, lender.traits_before)
        apart = evidence(others) + evidence(others.swapped())
        alike = np.exp(-np.maximum(0.0, apart - 1.0))
        own = (self.traits_before + 0.5) / (self.before + 1.0)  # never quite 0 or 1
        rate = alike * float(lender.rate_before) + (1 - alike) * own
        # No longer than the lender's own, or every further condition would seem to know more of the past.
        wanted = np.minimum(LENT * self.now, np.maximum(self.before, lender.before))
        long = self.before + alike * np.maximum(0.0, wanted - self.before)
        return Tally(self.now, self.traits_now, long, long * rate)

    def settled(self) -> Tally:
        """All rows, with the longest past that a segment may borrow, and a rate before that is never quite 0 or 1."""
        rate = (self.traits_before + 0.5) / (self.before + 1.0)
        long = LENT * self.now
        return Tally(self.now, self.traits_now, long, long * rate)

    def swapped(self) -> Tally:
        """The tally with both runs exchanged."""
        return Tally(self.before, self.traits_before, self.now, self.traits_now)


def evidence(tally: Tally) -> Floats:
    """Log-likelihood ratio that the trait became more frequent; 0 where it did not.

    >>> round(float(evidence(Tally(*map(np.float64, (100, 30, 100, 1))))), 1)
    19.6
    """
    total = tally.now + tally.before
    pooled = (tally.traits_now + tally.traits_before) / np.maximum(total, 1e-12)
    ratio = (
        _part(tally.traits_now, tally.now * pooled)
        + _part(tally.now - tally.traits_now, tally.now * (1 - pooled))
        + _part(tally.traits_before, tally.before * pooled)
        + _part(tally.before - tally.traits_before, tally.before * (1 - pooled))
    )
    grew = tally.traits_now * tally.before > tally.traits_before * tally.now
    return np.asarray(np.where(grew, np.maximum(ratio, 0.0), 0.0))


def spread(inside: Tally, outside: Tally) -> float:
    """How much better "equally many of the rows outside changed" explains two tallies than "none of them did".

    A change means that a share of the rows without the trait got it. If nearly all rows outside had it already (a value
    lives in one country), hardly any could get it, and that few did says little: what counts is the share among those
    that could. The result is negative if the rows outside speak for the segment.
    """
    there = (float(inside.before), float(outside.before))
    usual = [(float(t.traits_before) + 0.5) / (n + 1.0) for t, n in zip((inside, outside), there, strict=True)]
    shares = np.linspace(0.01, 0.999, 100)
    gains = []
    for tally, before in zip((inside, outside), usual, strict=True):
        rate = before + shares * (1 - before)
        seen, rows = float(tally.traits_now), float(tally.now)
        gains.append(seen * np.log(rate / before) + (rows - seen) * np.log((1 - rate) / (1 - before)))
    return float((gains[0] + gains[1]).max() - gains[0].max())


def growth(tally: Tally) -> Floats:
    """How much better the rows of this run fit their own rate than the rate before; 0 if the rate did not grow.

    Unlike `evidence`, it is a gain over "nothing changed" both for a segment and for all rows, so that these can be
    compared. It is smaller if the rate before is known from few rows.
    """
    usual, seen = tally.rate_before, tally.traits_now
    gain = _part(seen, tally.now * usual) + _part(tally.now - seen, tally.now * (1 - usual))
    known = tally.before / np.maximum(tally.before + tally.now, 1e-12)
    return np.asarray(np.where(tally.rate_now > usual, np.maximum(gain, 0.0) * known, 0.0))


def _part(seen: Floats, expected: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(seen > 0, seen * np.log(seen / np.maximum(expected, 1e-300)), 0.0))
