"""Which rows are missing, or came twice? Segments whose share of the rows changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from byhistory.profile.arrays import Floats
from byhistory.why.features import Feature, laid_over
from byhistory.why.locate import (
    Located,
    cost_of,
    distinct,
    growth_of,
    located,
    of_same_rows,
    searched,
)
from byhistory.why.named import MOST, SURE, is_where
from byhistory.why.parts import comparable
from byhistory.why.scan import Tally, evidence
from byhistory.why.search import Found, Runs, Score
from byhistory.why.sides import Sides

Direction = Literal["missing", "extra"]
LOST = 0.3
"""A segment lost rows if it has this share fewer than follows from the rest of the run (a choice)."""
GREW = 1.4
"""A segment came twice, or partly so, if it has this many times the rows that follow from the rest of the run (a
choice)."""


@dataclass(frozen=True, slots=True)
class Shifted:
    """Segments with rows missing or too many, best first, and what is known about the whole run."""

    direction: Direction
    segments: tuple[Located, ...]
    rest: float
    """Rows of this run per row of the run before, outside the best segment."""


def by_rows(sides: Sides, features: Sequence[Feature], ratio: float) -> Shifted | None:
    """The segments that lost or gained rows; None if the run is composed like the one before.

    `ratio` is how many rows this run has per row of the run before. If "these are missing" and "the others came twice"
    mean the same, the one reported leaves the rest of the run as large as it was. Where rows stay from run to run, the
    rows that are gone or new are known.
    """
    if sides.pairs is not None:
        by_pairs = [s for s in (_by_pairs(sides, features, d) for d in _DIRECTIONS) if s is not None]
        return max(by_pairs, key=lambda s: s.segments[0].evidence, default=None)
    usable = [known for f in features if (known := f if f.has_past else _laid_over(sides, f)) is not None]
    if not usable:
        return None
    found = [s for s in (_by_direction(sides, usable, d, ratio) for d in _DIRECTIONS) if s is not None]
    return min(found, key=lambda s: abs(np.log(max(1e-6, s.rest))), default=None)


def _laid_over(sides: Sides, feature: Feature) -> Feature | None:
    if feature.part != "value" or feature.edges is None or not sides.has_past:
        return None
    here, there = (feature.numbers(a) for a in comparable(*sides.column(".".join(feature.path))))
    return laid_over(feature, here, there)


_DIRECTIONS: tuple[Direction, ...] = ("missing", "extra")


def _by_direction(sides: Sides, features: Sequence[Feature], direction: Direction, ratio: float) -> Shifted | None:
    none_now, none_before = (np.zeros(t.num_rows, np.bool_) for t in (sides.now, sides.before))
    runs = Runs(tuple(features), sides.weights, np.ones(len(none_before)), none_now, none_before, borrows=False)
    start = Found((), sides.everything, runs.tally(sides.everything))
    cost = cost_of(features)
    pool = searched(sides, runs, start, _score(direction), cost)
    # In the sample both runs may have as many rows; in truth this one has `ratio` times as many.
    scale = ratio * float(start.tally.before) / max(1e-12, float(start.tally.now))
    segments = [_located(f, start.tally, cost, scale) for f in pool if f.sure > SURE]
    clear = distinct([s for s in segments if _is_clear(s, direction)], side=1 if direction == "missing" else 0)
    clear = [s for i, s in enumerate(clear) if not i or s.share <= MOST]
    if not clear:
        return None
    outside = start.tally - runs.tally(clear[0].rows)
    return Shifted(direction, tuple(clear), float(outside.now * scale / max(1e-12, float(outside.before))))


def _by_pairs(sides: Sides, features: Sequence[Feature], direction: Direction) -> Shifted | None:
    """The segments that the new rows, or those that are gone, are in: being so is a trait like any other."""
    assert sides.pairs is not None  # noqa: S101 - asked before
    is_new = sides.pairs < 0
    is_gone = np.ones(sides.before.num_rows, np.bool_)
    is_gone[sides.pairs[~is_new]] = False
    side = 0
    if direction == "missing":
        side, back = 1, np.full(sides.before.num_rows, -1, np.int64)
        back[sides.pairs[~is_new]] = np.flatnonzero(~is_new)
        sides = Sides(sides.before, sides.now, np.ones(len(back)), sides.random, back)
        features = [replace(f, now=f.before, before=f.now) for f in features]
        is_new, is_gone = is_gone, is_new
    usable = [of_same_rows(f, sides.pairs) for f in features]
    runs = Runs(tuple(usable), sides.weights, np.ones(len(is_gone)), is_new, is_gone, is_paired=True)
    start = Found((), sides.everything, runs.tally(sides.everything).settled())
    cost = cost_of(usable)
    pool = searched(sides, runs, start, growth_of, cost)
    named = [located(f, runs, start, cost) for f in pool if is_where(f, runs, start)]
    clear = distinct([s for s in (_of_rows(s, sides, direction) for s in named) if _is_clear(s, direction)])
    if not clear:
        return None
    rest = [n - len(rows) for n, rows in zip((sides.now.num_rows, sides.before.num_rows), clear[0].rows, strict=True)]
    outside = rest[0] / max(1, rest[1])
    turned = [replace(s, rows=(s.rows[side], s.rows[1 - side])) for s in clear]
    return Shifted(direction, tuple(turned), 1 / max(1e-9, outside) if side else outside)


def _of_rows(segment: Located, sides: Sides, direction: Direction) -> Located:
    """The segment with its share of the rows, and with how many of its rows there are now per row that there was."""
    here, there = (len(rows) for rows in segment.rows)
    if direction == "missing":
        return replace(segment, share=here / max(1, sides.now.num_rows), rate_before=1.0, rate_now=there / max(1, here))
    return replace(
        segment, share=there / max(1, sides.before.num_rows), rate_before=1.0, rate_now=here / max(0.5, there)
    )


def _score(direction: Direction) -> Score:
    def score(segments: Tally, whole: Tally) -> Floats:
        now, before = (np.full(np.shape(segments.now), float(x)) for x in (whole.now, whole.before))
        if direction == "missing":
            return evidence(Tally(before, segments.before, now, segments.now))
        return evidence(Tally(now, segments.now, before, segments.before))

    return score


def _located(f: Found, whole: Tally, cost: float, scale: float) -> Located:
    outside = whole - f.tally
    rest = float(outside.now) / max(1e-12, float(outside.before))
    inside = float(f.tally.now) / max(1e-12, float(f.tally.before))
    total = abs(float(whole.now) * scale - float(whole.before))
    moved = abs(float(f.tally.now) * scale - float(f.tally.before))
    return Located(
        f.conditions,
        f.rows,
        float(f.tally.before / whole.before),
        1.0,
        inside / max(1e-12, rest),  # rows for each that the rest leads to expect
        min(1.0, moved / max(1e-12, total)),
        f.score + cost * len(f.steps),
        f.past,
    )


def _is_clear(segment: Located, direction: Direction) -> bool:
    return segment.rate_now <= 1 - LOST if direction == "missing" else segment.rate_now >= GREW
