"""Which combination of conditions does a change live in? A beam search over what rows have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.condition import Condition
from byhistory.why.features import Feature
from byhistory.why.scan import LENT, Tally

CONDITIONS = 3
"""The most conditions of a segment (a choice): nobody reads a fourth one."""
BEAM = 16
"""Segments that are refined at each step (a choice)."""
PER_COLUMNS = 2
"""Segments that are refined per set of columns, so that a column with many values does not crowd out others (a
choice)."""
TRIED = 64
"""Candidates of one round (a choice): with these, the search takes less than a second."""
LONGEST_LIST = 8
"""The most values of one column that a condition may list (a choice)."""
NEARLY_ALL = 0.95
"""A condition that more than this share of the rows meets tells nothing (a choice)."""

Score = Callable[[Tally, Tally], Floats]
"""How well segments explain a change: from their tallies and the tally of all rows to evidence."""
Rows = tuple[Ints, Ints]
"""Places of rows in this run, and of rows in the run before."""


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The sampled rows of two runs: their features, the weight of each row, and which rows have the trait.

    With `borrows`, a segment whose own past is short uses the rate of the segment that it is part of. With `is_paired`,
    rows are compared with what they were: rows of the run before that "have the trait" are those that lost it, which
    tells how often rows change by themselves. With `is_weighed`, weights are evidence and not rows.
    """

    features: tuple[Feature, ...]
    weights_now: Floats
    weights_before: Floats
    trait_now: Bools
    trait_before: Bools
    borrows: bool = True
    is_paired: bool = False
    is_weighed: bool = False

    def tally(self, rows: Rows) -> Tally:
        """The tally of some rows."""
        mine, theirs = rows
        now, before = self.weights_now[mine], self.weights_before[theirs]
        return Tally(
            np.asarray(now.sum()),
            np.asarray(now[self.trait_now[mine]].sum()),
            np.asarray(before.sum()),
            np.asarray(before[self.trait_before[theirs]].sum()),
        )


Step = tuple[Feature, Ints]
"""One condition: a feature, and which of its numbers are allowed."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A segment: its steps, its rows in both samples, its tally, and its evidence minus the cost of its length.

    If a condition cannot tell the rows of the run before apart (it is about dates that move on), all of them stay.
    """

    steps: tuple[Step, ...]
    rows: Rows
    tally: Tally
    score: float = 0.0
    sure: float = 0.0
    """The same before the ends of ranges were refined: what chance brings is known for the ranges of the search."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions, in the order in which they were found."""
        return tuple(feature.condition(codes) for feature, codes in self.steps)

    @property
    def past(self) -> tuple[Condition, ...]:
        """The conditions that the same rows of the run before meet."""
        return tuple(feature.condition_before(codes) for feature, codes in self.steps)


def search(runs: Runs, start: Found, score: Score, cost: float, beam: int = BEAM) -> list[Found]:
    """The segments with the highest score, best first; `cost` is the evidence that each condition must add."""
    pool: list[Found] = []
    level = [start]
    for depth in range(1, CONDITIONS + 1):
        candidates = [c for parent in level for c in _refinements(runs, parent, start.tally, score, cost * depth)]
        candidates.sort(key=lambda c: -c.score)
        level = _distinct(runs, _spread(candidates), beam)
        pool += level
        if not level:
            break
    return sorted(pool, key=lambda f: -f.score)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    score: float
    parent: Found
    step: Step


def _refinements(runs: Runs, parent: Found, whole: Tally, score: Score, cost: float) -> Iterator[_Candidate]:
    used = {feature.path for feature, _ in parent.steps}
    for feature in runs.features:
        if feature.path in used:
            continue
        tally = tallies(runs, feature, parent)
        for option in _options(feature, tally):
            some = _completed(runs, feature, option.tally, parent)
            values = score(some, whole) - cost - option.extra
            if not runs.is_weighed:
                values[some.now > NEARLY_ALL * parent.tally.now] = -np.inf
            for i in np.argsort(-values, kind="stable")[:PER_COLUMNS].tolist():
                if values[i] > parent.score:
                    yield _Candidate(float(values[i]), parent, (feature, option.codes(i)))


def tallies(runs: Runs, feature: Feature, parent: Found) -> Tally:
    """The tally of each number of a feature, among the rows of a segment."""
    mine, theirs = parent.rows
    # One place more at the front, for rows that have none of the numbers.
    places = 2 * (feature.size + 1)
    now = 2 * (feature.now[mine] + 1) + runs.trait_now[mine]
    both: Floats = np.bincount(now, runs.weights_now[mine], places).astype(np.float64).reshape(-1, 2)[1:]
    rows = both.sum(axis=1)
    if not feature.has_past:
        share = rows / max(1e-12, float(parent.tally.now))
        return Tally(rows, both[:, 1], share * parent.tally.before, share * parent.tally.traits_before)
    before = 2 * (feature.before[theirs] + 1) + runs.trait_before[theirs]
    past: Floats = np.bincount(before, runs.weights_before[theirs], places).astype(np.float64).reshape(-1, 2)[1:]
    return Tally(rows, both[:, 1], past.sum(axis=1), past[:, 1])


def _completed(runs: Runs, feature: Feature, tally: Tally, parent: Found) -> Tally:
    """The tallies with what they borrow, unless the past cannot be told apart: then they have a part of the larger
    segment's.
    """
    if runs.is_paired:
        long = LENT * tally.now
        return Tally(tally.now, tally.traits_now, long, long * parent.tally.rate_before)
    return tally.completed(parent.tally) if runs.borrows and feature.has_past else tally


@dataclass(frozen=True, slots=True, eq=False)
class _Options:
    """Sets of numbers of one feature that are tried at once; `extra` is what each costs beyond a plain condition."""

    tally: Tally
    codes: Callable[[int], Ints]
    extra: Floats


def _options(feature: Feature, tally: Tally) -> Iterator[_Options]:
    if feature.edges is not None:
        yield _ranges(tally)
        return
    k = len(tally.now)
    yield _Options(tally, lambda i: np.array([i]), np.zeros(k))
    if k >= 3:
        yield _lists(tally)


def _ranges(tally: Tally) -> _Options:
    """All ranges between two edges; one with two ends costs a little more than one with an open end."""
    k = len(tally.now)
    ends = tally.mapped(lambda x: np.concatenate([np.zeros(1), np.cumsum(x)]))
    first, last = np.triu_indices(k)
    inside = ~((first == 0) & (last == k - 1))  # the whole range is no condition
    first, last = first[inside], last[inside]
    extra = np.where((first > 0) & (last < k - 1), np.log(max(2, k)) / 2, 0.0)
    return _Options(ends.at(last + 1) - ends.at(first), lambda i: np.arange(first[i], last[i] + 1), extra)


def _lists(tally: Tally) -> _Options:
    """The values whose rate grew most, as sets of two, three, and so on."""
    k = len(tally.now)
    grew = np.where(tally.now > 0, tally.rate_now - tally.rate_before, -np.inf)
    order = np.argsort(-grew, kind="stable")[: min(k - 1, LONGEST_LIST)]
    cumulated = tally.mapped(lambda x: np.cumsum(x[order]))
    return _Options(cumulated, lambda i: np.sort(order[: i + 1]), np.log(k) * np.arange(len(order)))


def _spread(candidates: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """The best candidates, but only a few for each set of columns."""
    seen: dict[frozenset[tuple[str, ...]], int] = {}
    for candidate in candidates:
        columns = frozenset(f.path for f, _ in (*candidate.parent.steps, candidate.step))
        seen[columns] = seen.get(columns, 0) + 1
        if seen[columns] <= PER_COLUMNS:
            yield candidate


def _distinct(runs: Runs, candidates: Iterator[_Candidate], beam: int) -> list[Found]:
    """The first candidates as segments, without those that have the same rows as a better one."""
    kept: list[Found] = []
    for tried, candidate in enumerate(candidates):
        if len(kept) == beam or tried == TRIED:
            break
        found = extended(runs, candidate.parent, candidate.step, candidate.score)
        if not any(np.array_equal(found.rows[0], other.rows[0]) for other in kept):
            kept.append(found)
    return kept


def extended(runs: Runs, parent: Found, step: Step, score: float = 0.0) -> Found:
    """A segment with one more condition."""
    feature, codes = step
    wanted = np.zeros(feature.size + 1, np.bool_)
    wanted[codes] = True  # the last place is for -1
    mine, theirs = parent.rows
    mine = mine[wanted[feature.now[mine]]]
    if feature.has_past:
        theirs = theirs[wanted[feature.before[theirs]]]
        tally = runs.tally((mine, theirs))
    else:
        here = runs.tally((mine, theirs[:0]))
        share = here.now / max(1e-12, float(parent.tally.now))
        tally = Tally(here.now, here.traits_now, share * parent.tally.before, share * parent.tally.traits_before)
    return Found((*parent.steps, step), (mine, theirs), _completed(runs, feature, tally, parent), score)


def replayed(runs: Runs, start: Found, steps: Sequence[Step]) -> Found:
    """The segment that the same conditions make of other rows."""
    found = start
    for step in steps:
        found = extended(runs, found, step)
    return found


def best_range(runs: Runs, parent: Found, feature: Feature, whole: Tally, score: Score) -> Step | None:
    """The range of one feature that scores highest within a segment."""
    option = _ranges(tallies(runs, feature, parent))
    if not len(option.extra):
        return None
    values = score(_completed(runs, feature, option.tally, parent), whole) - option.extra
    return feature, option.codes(int(np.argmax(values)))
