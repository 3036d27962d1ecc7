"""In which rows did values change? From a change of a column to the segments that it lives in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.change import Change, change, distance, unlike
from byhistory.why.condition import Condition
from byhistory.why.features import Feature, Type, cut, ranged, separator
from byhistory.why.pairs import laid, same
from byhistory.why.parts import comparable, numbers_of, plain
from byhistory.why.scan import Tally, growth
from byhistory.why.search import NEARLY_ALL, Found, Rows, Runs, Score, best_range, replayed, search
from byhistory.why.views import CASING, CHANGED, PRESENCE, View, of_changed, views

CHANCE = 0.01
"""How often a segment may be named where there is none."""
REST = 0.25
"""What may be left of the change outside a segment, per row and relative to inside, for the segment to be named."""
MOST = 0.75
"""What has more of the rows than this is no segment: that is everywhere."""
UNCLEAR = 0.25
"""Without the rows of the run before, a trait that it had this often, relative to now, is located nowhere."""
ALIKE = 0.5
"""Rows changed as much as others if they are so far, relative to those, from what they were."""
SEARCHED = 12_000
"""Rows of each run, with the trait and without it, that the search looks at; what it finds is counted on all rows."""
REFINED = 8
"""Segments that are counted on all rows of the sample, and whose ranges are sought more finely."""
FINE = 256
"""Ranges that the numbers within a segment are cut into for that."""
LIKE = 0.95
"""Segments that share more of their rows than this are one."""
CLEAR = 4.0
"""Evidence from which a column of an alarm has changed: once in fifty by chance. That it is not as usual is known."""
SELDOM, USUALLY_KEPT = 0.05, 0.3
"""Where rows stay, that a row has another value than before tells something if no more than this share of rows has; the
larger share is for columns in which nothing else is found. How often a column changes in good runs is not known."""
MOVES = 0.8
"""Where more of the rows that stay have another value in a column (a rank, a price), what each had says nothing."""
NAMED = 3
"""Segments that are told, the best first."""


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The rows that are searched: Arrow tables with the same columns, and the weight of each row of this run.

    `random` decides which rows a search looks at where there are more than it needs.
    """

    now: Any
    before: Any
    weights: Floats
    random: np.random.Generator
    pairs: Ints | None = None
    """The place of the same row in the run before, for each row of this run, where rows stay from run to run."""

    def column(self, name: str) -> tuple[Any, Any]:
        """One column of both runs."""
        return plain(self.now.column(name)), plain(self.before.column(name))

    def views(self, name: str) -> list[View]:
        """The views of a column, of the same rows where these are known."""
        found = list(views(*self.column(name)))
        if self.pairs is None or not found:
            return found
        is_same = self._is_same(name)
        moves = (self.pairs[~is_same] >= 0).sum() > MOVES * (self.pairs >= 0).sum()
        return [v if moves and v.name != PRESENCE else v.paired(self.pairs, is_same) for v in found]

    def changed(self, name: str, most: float) -> View | None:
        """Which of the rows that stay have another value in a column; None if none, or a larger share than `most`."""
        if self.pairs is None:
            return None
        changed = (self.pairs >= 0) & ~self._is_same(name)
        now, before = (np.asarray(a.is_null().to_numpy(zero_copy_only=False)) for a in self.column(name))
        return of_changed(changed, (now, before), self.pairs) if 0 < changed.mean() <= most else None

    def _is_same(self, name: str) -> Bools:
        assert self.pairs is not None  # noqa: S101 - asked before
        now, before = comparable(*self.column(name))
        mine = np.flatnonzero(self.pairs >= 0)
        is_same = np.zeros(len(self.pairs), np.bool_)
        if now.type.equals(before.type):
            is_same[mine] = same(now.take(mine), before.take(self.pairs[mine]))
        return is_same

    @property
    def everything(self) -> Rows:
        """All rows of both."""
        return np.arange(self.now.num_rows), np.arange(self.before.num_rows)

    @property
    def has_past(self) -> bool:
        """Whether there are rows of the run before; else only what its profile tells of the column that changed."""
        return bool(self.before.num_rows)


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A segment, and how well it explains a change."""

    conditions: tuple[Condition, ...]
    rows: Rows
    share: float
    """Of the rows of this run; of rows that are missing, of the run before."""
    rate_before: float
    rate_now: float
    explained: float
    """Share of the change that is in it."""
    evidence: float
    past: tuple[Condition, ...] = ()
    """The conditions that the same rows of the run before keep, where these are other ones."""


def changes(sides: Sides, column: str) -> list[Change]:
    """What changed in a column, by every view of it, the clearest first."""
    found = [change(column, view, sides.weights) for view in sides.views(column)]
    is_clear = max((c.evidence for c in found), default=0.0) > CLEAR
    if sides.pairs is not None:
        view = sides.changed(column, SELDOM if is_clear else USUALLY_KEPT)
        if view is not None:
            found.append(change(column, view, sides.weights))
        elif not is_clear and (sides.pairs < 0).mean() > SELDOM:  # what is odd may be rows that are new
            found = [change(column, view, sides.weights) for view in views(*sides.column(column))]
    # That a row changed says less than how it did.
    return sorted(found, key=lambda c: (c.view.name == CHANGED and is_clear, -c.evidence))


def cost_of(features: Sequence[Feature]) -> float:
    """What a condition must add to the evidence: the logarithm of how many conditions are tried."""
    tried = sum(f.size * (f.size + 1) / 2 if f.edges is not None else 2 * f.size for f in features)
    return float(np.log(max(2.0, tried)))


def by_value(sides: Sides, found: Change, features: Sequence[Feature], of_column: Sequence[View]) -> list[Located]:
    """The segments whose rows changed their values, at most three and the best first; none if it is everywhere.

    The trait is sought in all rows first; then, in the best segment, where it shows more clearly, and once more in all.
    """
    cost = cost_of(features)
    told, best = _segments(sides, found, features, cost, of_column)
    if best is None:
        return told
    within = [change(found.column, view, sides.weights, best.rows) for view in of_column]
    clearer = max(within, key=lambda c: c.evidence)
    if (clearer.now == found.now).all() or clearer.evidence < best.score:
        return told
    again, other = _segments(sides, clearer, features, cost, of_column)
    return again if other is not None and other.score > best.score else told


def _segments(
    sides: Sides, found: Change, features: Sequence[Feature], cost: float, of_column: Sequence[View]
) -> tuple[list[Located], Found | None]:
    weights, is_paired = np.ones(len(found.before)), found.view.is_paired
    runs = Runs(tuple(features), sides.weights, weights, found.now, found.before, is_paired=is_paired)
    rows = found.possible
    start = Found((), rows, runs.tally(rows).settled())
    pool = searched(sides, runs, start, growth_of, cost)
    simpler = [_simplified(f, runs, start, sides, of_column) for f in pool]
    told = [located(f, runs, start, cost) for f in simpler if _is_named(f, runs, start, sides, of_column)]
    return distinct([s for s in told if s.share <= MOST]), pool[0] if pool else None


def growth_of(segments: Tally, whole: Tally) -> Floats:
    """How well segments explain that a trait became more frequent."""
    del whole
    return growth(segments)


def _is_clear(found: Found, start: Found) -> bool:
    """Whether it is not chance, explains more than "everywhere" does, and is no more than part of the rows."""
    enough = found.score >= -np.log(CHANCE) and found.score > float(growth(start.tally))
    return enough and float(found.tally.now) <= MOST * float(start.tally.now)


def _is_named(found: Found, runs: Runs, start: Found, sides: Sides, of_column: Sequence[View]) -> bool:
    """Whether a segment is clear, and the rows outside are as usual, in whatever way the column is looked at.

    A unit that changed everywhere shows in the decimal places of small numbers and in the range of large ones: the
    first alone would be said to be in the rows with small numbers.
    """
    if not is_where(found, runs, start):
        return False
    rest, inside = _outside(found, start), _gain(found.tally)
    if not sides.has_past:  # rows that always were like this cannot be told from rows that changed
        return float(start.tally.rate_before) <= UNCLEAR * float(start.tally.rate_now)
    if not all(feature.has_past for feature, _ in found.steps) or not len(rest[1]):
        return True
    # Texts that were shifted by some rows are all there, and in other rows. Numbers may move by themselves.
    is_text = any(view.name == CASING for view in of_column)
    moved = [view for view in of_column if is_text and view.same is not None]
    if any(_moved(view, rest) > ALIKE * max(_moved(v, found.rows) for v in moved) for view in moved):
        return False
    left = max(distance(view, sides.weights, *rest) for view in of_column)
    if left > 2 * REST * max(inside, *(distance(view, sides.weights, *found.rows) for view in of_column)):
        return False
    # A column that depends on another one may lose that everywhere, and its values be as frequent as they were in part
    # of the rows; for each value of the other column they are not.
    plain = [view for view in of_column if view.name == "value" and not view.is_paired]
    told_by = {feature.path for feature, _ in found.steps}
    by = [feature for feature in runs.features if feature.path in told_by and feature.part == "value"]
    return not any(
        unlike(view, feature, sides.weights, rest) > REST * unlike(view, feature, sides.weights, found.rows)
        for view in plain
        for feature in by
    )


def _moved(view: View, rows: Rows) -> float:
    """The share of some rows that are in another cell than they were."""
    assert view.stays is not None  # noqa: S101 - asked before
    mine = rows[0][view.stays[0][rows[0]]]
    return float((view.now[mine] != view.same).mean()) if len(mine) else 0.0


def _simplified(found: Found, runs: Runs, start: Found, sides: Sides, of_column: Sequence[View]) -> Found:
    """A segment without the conditions that leave out hardly any rows, or rows which changed as much in some way."""
    if len(found.steps) < 2:
        return found
    is_known = sides.has_past and all(feature.has_past for feature, _ in found.steps)
    inside = max(distance(view, sides.weights, *found.rows) for view in of_column) if is_known else 1.0
    for place in range(len(found.steps)):
        wider = replayed(runs, start, [*found.steps[:place], *found.steps[place + 1 :]])
        more = _outside(found, wider)
        is_moot = float(found.tally.now) > NEARLY_ALL * float(wider.tally.now)
        can_tell = is_known and min(map(len, more)) > 0
        if is_moot or (can_tell and max(distance(v, sides.weights, *more) for v in of_column) > ALIKE * inside):
            score = max(found.score, float(growth(wider.tally)))
            return _simplified(replace(wider, score=score), runs, start, sides, of_column)
    return found


def is_where(found: Found, runs: Runs, start: Found) -> bool:
    """Whether a segment is clear, and the rows outside have hardly more of the trait than they had."""
    if not _is_clear(found, start):
        return False
    rest = _outside(found, start)
    if not len(rest[0]) or _gain_outside(runs, start, rest) > REST * _gain(found.tally):
        return False
    return not len(rest[1]) or runs.tally(rest).caught <= ALIKE * found.tally.caught


def of_same_rows(feature: Feature, pairs: Ints | None) -> Feature:
    """Where rows stay, a segment of the run before is the same rows, whatever else of them has moved on."""
    if pairs is None:
        return feature
    return replace(feature, before=laid(pairs, feature.now, feature.before), has_past=True)


def _outside(found: Found, start: Found) -> Rows:
    """The rows that are not in a segment; where the past cannot be told apart, all of it."""
    rest = [np.setdiff1d(a, b, True) for a, b in zip(start.rows, found.rows, strict=True)]
    return rest[0], rest[1]


def _gain(tally: Tally) -> float:
    return float(tally.rate_now - tally.rate_before)


def _gain_outside(runs: Runs, start: Found, rest: Rows) -> float:
    outside = runs.tally(rest)
    usual = outside.rate_before if len(rest[1]) else start.tally.rate_before
    return float(outside.rate_now - usual)


def located(found: Found, runs: Runs, start: Found, cost: float) -> Located:
    """A found segment with its numbers."""
    inside, outside = _gain(found.tally), _gain_outside(runs, start, _outside(found, start))
    here, there = inside * float(found.tally.now), max(0.0, outside) * float(start.tally.now - found.tally.now)
    # Of all rows that keep the conditions, also of those that could not have the trait.
    everything = np.arange(len(runs.weights_now)), np.arange(len(runs.weights_before))
    rows = replayed(runs, Found((), everything, start.tally), found.steps).rows
    return Located(
        found.conditions,
        rows,
        float(runs.weights_now[rows[0]].sum() / runs.weights_now.sum()),
        float(found.tally.rate_before),
        float(found.tally.rate_now),
        here / max(1e-12, here + there),
        found.score + cost * len(found.steps),
    )


# --------------------------------------------------------------------------------- a quick search, then all rows


def searched(sides: Sides, runs: Runs, start: Found, score: Score, cost: float) -> list[Found]:
    """Search on part of the rows, then count the best on all and seek the ends of their ranges more finely."""
    few, some = _thinned(sides, runs, start.rows)
    whole = few.tally(some).settled() if runs.borrows else few.tally(some)
    pool = search(few, Found((), some, whole), score, cost)
    exact = []
    for rough in pool[:REFINED]:
        found = replayed(runs, start, rough.steps)
        penalty = float(score(rough.tally, whole)) - rough.score
        found = Found(found.steps, found.rows, found.tally, float(score(found.tally, start.tally)) - penalty)
        exact.append(_refined(sides, runs, start, found, score))
    return sorted(exact, key=lambda f: -f.score)


def _thinned(sides: Sides, runs: Runs, rows: Rows) -> tuple[Runs, Rows]:
    """Fewer of the rows with the trait and of those without, each standing for more of them.

    Weights are such that the rarer sort counts as often as it is looked at, so that no evidence is made by weighing.
    """
    kept, weights, rarer = [], [], []
    of_both = (runs.trait_now, runs.weights_now), (runs.trait_before, runs.weights_before)
    for (trait, weight), here in zip(of_both, rows, strict=True):
        heavier, some, heavy = weight.copy(), [], []
        for places in (here[trait[here]], here[~trait[here]]):
            chosen = places
            if len(places) > SEARCHED:
                chosen = sides.random.choice(places, SEARCHED, replace=False, shuffle=False)
                heavier[chosen] *= weight[places].sum() / weight[chosen].sum()
            some.append(chosen)
            if len(chosen):
                heavy.append(len(places) / len(chosen))
        kept.append(np.sort(np.concatenate(some)))
        weights.append(heavier)
        rarer.append(min(heavy, default=1.0))
    now, before = (w / max(rarer) for w in weights)
    return replace(runs, weights_now=now, weights_before=before), (kept[0], kept[1])


def _refined(sides: Sides, runs: Runs, start: Found, found: Found, score: Score) -> Found:
    """The same with better ends of its ranges: among even steps first, then among all values around each end."""
    for place, (feature, _) in enumerate(found.steps):
        if feature.edges is None or feature.part != "value":
            continue
        parent = replayed(runs, start, [*found.steps[:place], *found.steps[place + 1 :]])
        here, there = (numbers_of(a) for a in comparable(*sides.column(".".join(feature.path))))
        there = laid(sides.pairs, here, there + feature.shift)
        inside = here[parent.rows[0]]
        inside = np.sort(inside[np.isfinite(inside)])
        for finer in (_even_steps, _around_ends):
            current, codes = found.steps[place]
            ends = current.condition(codes).ends
            edges = np.union1d(finer(inside, ends, feature.type), ends)
            edges = np.union1d(edges, [-np.inf, np.inf])
            if len(edges) < 3:
                continue
            fine = replace(feature, now=ranged(edges, here), before=ranged(edges, there), edges=edges)
            step = best_range(runs, parent, fine, start.tally, score)
            if step is None:
                continue
            better = replayed(runs, start, [*found.steps[:place], step, *found.steps[place + 1 :]])
            gain = float(score(better.tally, start.tally) - score(found.tally, start.tally))
            if gain > 0:
                found = Found(better.steps, better.rows, better.tally, found.score + gain)
    return found


def _even_steps(ordered: Floats, _: tuple[float, ...], type_: Type) -> Floats:
    return cut(ordered, FINE, type_)


def _around_ends(ordered: Floats, ends: tuple[float, ...], type_: Type) -> Floats:
    """Between every two values near the ends of a range."""
    reach = max(8, len(ordered) // FINE + 1)
    near: list[float] = []
    for end in ends:
        if np.isfinite(end):
            at = int(np.searchsorted(ordered, end))
            some = np.unique(ordered[max(0, at - reach) : at + reach])
            near += [separator(a, b, type_) for a, b in pairwise(some.tolist())]
    return np.unique(near)


def distinct(segments: Sequence[Located], side: int = 0) -> list[Located]:
    """The first segments that are not nearly the same rows (of one side) as a better one."""
    kept: list[Located] = []
    for segment in segments:
        if len(kept) == NAMED:
            break
        if not any(alike(segment.rows[side], other.rows[side]) for other in kept):
            kept.append(segment)
    return kept


def alike(a: Ints, b: Ints) -> bool:
    """Whether two sets of rows are nearly the same."""
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared > LIKE * max(1, len(a) + len(b) - shared)
