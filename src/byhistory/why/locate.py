"""In which rows did values change? From the change of a column to the segments that it is in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from byhistory.profile.arrays import Floats, Ints
from byhistory.why.change import Change, change, distance
from byhistory.why.condition import Condition
from byhistory.why.copied import copied
from byhistory.why.features import Feature, Type, cut, ranged, separator
from byhistory.why.fits import GOES, contains, fits, of_ranges
from byhistory.why.had import balance, expected, weighed
from byhistory.why.named import MOST, Whole, gain, gain_outside, names, outside, simplified
from byhistory.why.pairs import laid
from byhistory.why.parts import comparable
from byhistory.why.scan import Tally, growth
from byhistory.why.search import Found, Rows, Runs, Score, best_range, replayed, search
from byhistory.why.sides import MOVES, Sides
from byhistory.why.view import CHANGED, FIT, NEWNESS, View
from byhistory.why.views import moves_on, views

ONLY_THERE = 0.9
"""A segment must hold this share of the values that no longer agree with another column (a choice)."""
FIT_COUNTS = 0.5
"""The part by which evidence that values no longer agree with others counts beside that of the values themselves (a
choice): it tells less."""
SEARCHED = 12_000
"""Rows of each run that are searched, with the trait and without it (a choice); what is found is counted on all
rows."""
REFINED = 8
"""Segments that are counted on all rows of the sample, and whose ranges are refined (a choice)."""
FINE = 256
"""Ranges that the numbers within a segment are cut into to refine it (a choice)."""
LIKE = 0.95
"""Segments that share more of their rows than this are the same (a choice)."""
CLEAR = 4.0
"""The evidence that a column of an alarm has changed, by choice: once in fifty by chance. It is known to be not as
usual."""
SELDOM, USUALLY_KEPT = 0.05, 0.3
"""Where rows stay, different values tell something if at most this share of the rows has them (a choice); the larger
share is for columns in which nothing else is found. How often a column changes in good runs is not known."""
NAMED = 3
"""The most segments that are named, best first (a choice)."""


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A segment, and how well it explains a change."""

    conditions: tuple[Condition, ...]
    rows: Rows
    share: float
    """The segment's share of the rows of this run; for missing rows, of the run before."""
    rate_before: float
    rate_now: float
    explained: float
    """The share of the change that is in the segment."""
    evidence: float
    past: tuple[Condition, ...] = ()
    """The conditions that the same rows of the run before meet, if these are others."""
    beyond: float = 0.0
    """How much better "it is here" explains the trait than "it is everywhere"."""


def changes(sides: Sides, column: str, others: Sequence[Feature] = (), among: Sequence[str] = ()) -> list[Change]:
    """What changed in a column, in every view of it and in whether it agrees with others, clearest first.

    `others` are the features, and `among` the names, of columns that the alarm is not about.
    """
    known = sides.views(column)
    found = [change(column, view, sides.weights) for view in known]
    values = of_ranges(*sides.column(column)) or next((view for view in known if view.name == "value"), None)
    together = [
        None if values is None else fits(values, others),
        contains(column, sides.now, sides.before, among),
    ]
    asked = (change(column, view, sides.weights) for view in together if view is not None)
    most = MOVES if moves_on(*sides.column(column)) else 1.0  # else dates were laid over one another in another way
    found += [c for c in asked if not c.cells[GOES] and c.now.mean() <= most]
    copy = copied(column, sides.now, sides.before, sides.weights)
    found += [] if copy is None else [copy]
    is_clear = max((c.evidence for c in found), default=0.0) > CLEAR
    if sides.pairs is not None:
        kept = 1.0 if sides.keeps(column) else USUALLY_KEPT
        view = sides.changed(column, SELDOM if is_clear else kept)
        if view is not None:
            found.append(change(column, view, sides.weights))
        elif not is_clear and (sides.pairs < 0).mean() > SELDOM:  # what is odd may be rows that are new
            found = [change(column, view, sides.weights) for view in views(*sides.column(column))]

    def clearness(c: Change) -> tuple[bool, float]:  # that a row changed says less than how it did
        return c.view.name != CHANGED or not is_clear, telling(c)

    weighed = [_beyond_usual(sides, c) for c in found]
    if max((c.evidence for c in weighed), default=0.0) > CLEAR:  # else what is usual is all there is
        found = weighed
    ranked = sorted(found, key=clearness, reverse=True)
    if copy is not None and copy.evidence > CLEAR:
        new = [c for c in ranked if c is ranked[0] or (c.view.name == NEWNESS and c.evidence > CLEAR)]
        if any((copy.now & c.now).sum() >= LIKE * c.now.sum() for c in new):
            ranked.sort(key=lambda c: c is not copy)  # it says the same, and where the values come from
    return ranked


def telling(found: Change) -> float:
    """The evidence of a change, as far as it counts beside that of others."""
    return found.evidence * (FIT_COUNTS if found.view.name.startswith(FIT) else 1.0)


def _beyond_usual(sides: Sides, found: Change) -> Change:
    """A change with the evidence that is left beside what changes by itself from one good run to the next."""
    far, usual = distance(found.view, sides.weights, *sides.everything), sides.usually(found.column, found.view)
    return replace(found, evidence=max(0.0, 1 - usual / far) * found.evidence) if far and usual else found


def cost_of(features: Sequence[Feature]) -> float:
    """The evidence that a further condition must add: the logarithm of how many conditions are tried."""
    tried = sum(f.size * (f.size + 1) / 2 if f.edges is not None else 2 * f.size for f in features)
    return float(np.log(max(2.0, tried)))


def by_value(sides: Sides, found: Change, features: Sequence[Feature], of_column: Sequence[View]) -> list[Located]:
    """The segments whose rows changed their values, best first, at most three; none if the change is everywhere.

    The trait is found in all rows first, then in the best segment, where it shows more clearly, and then sought in all
    rows.
    """
    cost = cost_of(features)
    segments, best = _segments(sides, found, features, cost, of_column)
    if best is None:
        return segments
    asked = [v for v in of_column if v is found.view or not v.name.startswith(FIT)]
    within = [change(found.column, view, sides.weights, best.rows) for view in asked]
    clearer = max(within, key=lambda c: c.evidence)
    if (clearer.now == found.now).all() or clearer.evidence < best.score:
        return segments
    again, other = _segments(sides, clearer, features, cost, of_column)
    return again if other is not None and other.score > best.score else segments


def _segments(
    sides: Sides, found: Change, features: Sequence[Feature], cost: float, of_column: Sequence[View]
) -> tuple[list[Located], Found | None]:
    weights, is_paired = np.ones(len(found.before)), found.view.is_paired
    runs = Runs(tuple(features), sides.weights, weights, found.now, found.before, is_paired=is_paired)
    rows = found.possible
    start = Found((), rows, runs.tally(rows).settled())
    pool = searched(sides, runs, start, growth_of, cost)
    rates = expected(features, found.before, rows, len(found.now)) if pool and not is_paired else None
    if rates is not None:
        of_rows = weighed(runs, rates, pool[0].tally.caught)
        best = searched(sides, of_rows, Found((), rows, of_rows.tally(rows)), balance, cost)
        pool = [replace(replayed(runs, start, f.steps), score=f.score, sure=f.sure) for f in best] or pool
    odd = [view for view in of_column if view is found.view or _is_odd(sides, found.column, view)]
    # Whether a column fits another one is seen in some rows more clearly than in others.
    other_views = [v for v in odd if v is not found.view and not v.name.startswith(FIT)]
    others = (change(found.column, view, sides.weights) for view in other_views)
    whole = Whole(sides, runs, start, odd, [found, *others], sides.witness(found.column))
    simpler = [simplified(f, whole) for f in pool]
    segments = [located(f, runs, start, cost) for f in simpler if names(f, whole)]
    if found.view.name.startswith(FIT):  # in some rows it is seen more clearly than in others
        segments = [s for s in segments if s.explained >= ONLY_THERE]
    return distinct([s for s in segments if s.share <= MOST]), pool[0] if pool else None


def _is_odd(sides: Sides, column: str, view: View) -> bool:
    """Whether all rows are farther apart from what they were than good runs are."""
    usual = sides.usually(column, view)
    return not usual or distance(view, sides.weights, *sides.everything) > usual


def growth_of(segments: Tally, whole: Tally) -> Floats:
    """A score for segments: how well they explain that a trait became more frequent."""
    del whole
    return growth(segments)


def of_same_rows(feature: Feature, pairs: Ints | None) -> Feature:
    """The segment for a run whose rows stay: in the run before it is the same rows, whatever else about them moved
    on.
    """
    if pairs is None:
        return feature
    return replace(feature, before=laid(pairs, feature.now, feature.before), has_past=True)


def located(found: Found, runs: Runs, start: Found, cost: float) -> Located:
    """A found segment with its numbers."""
    inside, beyond = gain(found.tally), gain_outside(runs, start, outside(found, start))
    here, there = inside * float(found.tally.now), max(0.0, beyond) * float(start.tally.now - found.tally.now)
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
        beyond=found.score - float(growth(start.tally)),
    )


# --------------------------------------------------------------------------------- a quick search, then all rows


def searched(sides: Sides, runs: Runs, start: Found, score: Score, cost: float) -> list[Found]:
    """Search part of the rows, then count the best segments on all rows and refine the ends of their ranges."""
    few, some = _thinned(sides, runs, start.rows)
    whole = few.tally(some).settled() if runs.borrows else few.tally(some)
    pool = search(few, Found((), some, whole), score, cost)
    exact = []
    for rough in pool[:REFINED]:
        found = replayed(runs, start, rough.steps)
        penalty = float(score(rough.tally, whole)) - rough.score
        found = Found(found.steps, found.rows, found.tally, float(score(found.tally, start.tally)) - penalty)
        exact.append(_refined(sides, runs, start, replace(found, sure=found.score), score))
    return sorted(exact, key=lambda f: -f.score)


def _thinned(sides: Sides, runs: Runs, rows: Rows) -> tuple[Runs, Rows]:
    """Some of the rows with the trait and some of those without, each standing for several.

    Weights keep the rarer sort at its own number of rows, so that weighting creates no evidence.
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
    """The segment with better ends of its ranges: first among evenly spaced ones, then among all values near each
    end.
    """
    for place, (feature, _) in enumerate(found.steps):
        if feature.edges is None or feature.part != "value":
            continue
        parent = replayed(runs, start, [*found.steps[:place], *found.steps[place + 1 :]])
        here, there = (feature.numbers(a) for a in comparable(*sides.column(".".join(feature.path))))
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
            more = float(score(better.tally, start.tally) - score(found.tally, start.tally))
            if more > 0:
                found = Found(better.steps, better.rows, better.tally, found.score + more, found.sure)
    return found


def _even_steps(ordered: Floats, _: tuple[float, ...], type_: Type) -> Floats:
    return cut(ordered, FINE, type_)


def _around_ends(ordered: Floats, ends: tuple[float, ...], type_: Type) -> Floats:
    """All places between two values near the ends of a range."""
    reach = max(8, len(ordered) // FINE + 1)
    near: list[float] = []
    for end in ends:
        if np.isfinite(end):
            at = int(np.searchsorted(ordered, end))
            some = np.unique(ordered[max(0, at - reach) : at + reach])
            near += [separator(a, b, type_) for a, b in pairwise(some.tolist())]
    return np.unique(near)


def distinct(segments: Sequence[Located], side: int = 0) -> list[Located]:
    """The first segments, without those that have nearly the same rows of one run as a better one."""
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
