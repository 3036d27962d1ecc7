"""How surprising is what a segment's rows have, compared with the run before? The statistic that everything rests on.

It is the likelihood ratio of a scan statistic (Kulldorff 1997): how much better "these rows changed" explains what is
seen than "nothing changed", in natural logarithms. Rows that did not change dilute it and changed rows left out lower
it, so that among all segments it is largest for the one that the change lives in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Floats, Ints

LENT = 20.0
"""Rows of the past that a segment may borrow, for each row of its own, from the segment that it is part of."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows of two runs and how many of them have a trait, for one or many segments at once; sums of parts add up."""

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
        """The same done to each of the four."""
        return Tally(work(self.now), work(self.traits_now), work(self.before), work(self.traits_before))

    def at(self, places: Ints) -> Tally:
        """Some of the segments."""
        return self.mapped(lambda x: np.asarray(x[places]))

    @property
    def rate_now(self) -> Floats:
        """Share of rows with the trait in this run."""
        return np.asarray(self.traits_now / np.maximum(self.now, 1e-12))

    @property
    def rate_before(self) -> Floats:
        """Share of rows with the trait in the run before."""
        return np.asarray(self.traits_before / np.maximum(self.before, 1e-12))

    @property
    def caught(self) -> float:
        """Of one segment, the share of the rows without the trait that got it: rows that had it could not get it.

        Two standard errors are taken off, because of a few rows nothing is known.
        """
        now, before = float(self.rate_now), float(self.rate_before)
        rows = max(1.0, float(self.now)), max(1.0, float(self.before))
        error = np.sqrt(now * (1 - now) / rows[0] + before * (1 - before) / rows[1])
        return float(max(0.0, now - before - 2 * error) / max(1e-9, 1 - before))

    def completed(self, lender: Tally) -> Tally:
        """The same with a longer past, lent by the larger segment as far as both had the same rate before.

        A small segment knows little of its own past, and a new one (an app's new version) nothing. What it borrows
        falls with the evidence that it always was different.
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
        """All rows, with a past as long as any segment may borrow, and a rate before that is never quite 0 or 1."""
        rate = (self.traits_before + 0.5) / (self.before + 1.0)
        long = LENT * self.now
        return Tally(self.now, self.traits_now, long, long * rate)

    def swapped(self) -> Tally:
        """Each run taken for the other."""
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
    """How much better "it happened to as many of the rows outside" explains two tallies than "to none of them".

    What happened is that a share of the rows without the trait got it. Where nearly all had it already (a value lives
    in one country), hardly any row outside could get it, and that few of them did says little: what counts is how
    many did of those that could. Negative if the rows outside speak for a segment.
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
    """How much better the rows of this run fit their own rate than the one before; 0 if it did not grow.

    Unlike `evidence` it has the same meaning for a segment and for all rows, so that these can be compared: both are
    gains over "nothing changed". It is less where the rate before is known from few rows.
    """
    usual, seen = tally.rate_before, tally.traits_now
    gain = _part(seen, tally.now * usual) + _part(tally.now - seen, tally.now * (1 - usual))
    known = tally.before / np.maximum(tally.before + tally.now, 1e-12)
    return np.asarray(np.where(tally.rate_now > usual, np.maximum(gain, 0.0) * known, 0.0))


def _part(seen: Floats, expected: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(seen > 0, seen * np.log(seen / np.maximum(expected, 1e-300)), 0.0))
