"""Which of the found segments are named? Those that the change is in, while the rest of the run is as usual."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from byhistory.profile.arrays import Ints
from byhistory.why.change import FELL, Change, change, distance
from byhistory.why.scan import Tally, growth, spread
from byhistory.why.search import CONDITIONS, NEARLY_ALL, Found, Rows, Runs, Step, replayed
from byhistory.why.sides import MOVES, Sides
from byhistory.why.view import CASING, CHANGED, View
from byhistory.why.views import NO_LETTERS

CHANCE = 0.01
"""How often a segment may be named where there is none (a choice)."""
TRAITS = 10
"""Traits that are looked for in one column at most: the clearest, two that are new, two others, and for each of these
the clearest one in what was found."""
SURE = float(np.log(TRAITS * CONDITIONS / CHANCE))
"""The evidence from which on it is known that something changed.

The score of a segment is the logarithm of a likelihood ratio, less that of the number of segments with as many
conditions. By chance a segment has a ratio of x or more in at most one of x cases (Chernoff's bound), and so any of all
segments with up to three conditions, for any trait, in at most `CHANCE` of them."""
SURE_IT_IS_HERE = float(np.log(2 * TRAITS * CONDITIONS / CHANCE))
"""The evidence by which "it is here" must be ahead of "it is everywhere", fitted as well as can be.

It is the same bound: were it everywhere, the ratio inside would be x or more in at most 2 of x cases, because the rate
there may be higher or lower, and the ratio outside is 1 on average."""
REST = 0.25
"""A segment is named if at most this part of the change per row, relative to inside, is left outside of it (a
choice)."""
MOST = 0.75
"""With more than this share of the rows, a segment is not named: that is everywhere (a choice)."""
UNCLEAR = 0.25
"""Without the rows of the run before, a trait is located only if before it was at most this part as frequent as now (a
choice)."""
SPREAD = 2.0
"""The evidence that a change is in the rest as well from which on no segment is named (a choice: seven to one)."""
AS_MUCH = 0.2
"""New and lost values are of the same rows if their numbers of rows differ by at most this part (a choice)."""
BY_ITSELF = 1.5
"""Some of the rows may be so many times as far from what they were as all rows of good runs (a choice)."""
AS_MUCH_CHANGED = 0.75
"""Rows that a condition leaves out changed as much as those inside if they are at least this part as far from what they
were (a choice)."""
ALIKE = 0.5
"""Rows changed as much as others if they are at least this part as far from what they were (a choice)."""


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """What a found segment is compared with: all rows, and how the column changed in each view that is not as usual.

    `start` has all rows that could change; `moved` says which of the rows that stay have another value, if that is
    known.
    """

    sides: Sides
    runs: Runs
    start: Found
    views: Sequence[View]
    changes: Sequence[Change]
    """The changes that may be named, beginning with the trait that was looked for."""
    moved: View | None

    def apart(self, rows: Rows) -> float:
        """How far some rows are from what they were, in the view in which they are farthest."""
        return max(self.distances(rows))

    def is_clear(self, view: View, rows: Rows) -> bool:
        """Whether some rows changed in a view, more than by chance."""
        return change(self.changes[0].column, view, self.sides.weights, rows).evidence > FELL

    def usual(self, view: View) -> float:
        """How far some of the rows of a good run may be from what they were."""
        return BY_ITSELF * self.sides.usually(self.changes[0].column, view)

    def distances(self, rows: Rows) -> list[float]:
        """How far some rows are from what they were, in every view."""
        return [distance(view, self.sides.weights, *rows) for view in self.views]


def names(found: Found, whole: Whole) -> bool:
    """Whether the change is in a segment, and the other rows are neither odd nor changed as often."""
    return _is_named(found, whole) and not _is_spread(found, whole)


def _is_clear(found: Found, start: Found) -> bool:
    """Whether a segment is not chance, explains more than "everywhere" does, and is only a part of the rows."""
    enough = found.sure >= SURE and found.sure >= float(growth(start.tally)) + SURE_IT_IS_HERE
    could = [float(t.now * (1 - t.rate_before)) for t in (found.tally, start.tally)]  # had not got it yet
    return enough and float(found.tally.now) <= MOST * float(start.tally.now) and could[0] <= MOST * could[1]


def _is_named(found: Found, whole: Whole) -> bool:
    """Whether a segment is clear, and the rows outside are as usual in every view of the column.

    A unit that changed everywhere shows in the decimal places of small numbers and in the range of large ones. By the
    first view alone, it would seem to be only in the rows with small numbers.
    """
    start = whole.start
    if not is_where(found, whole.runs, start):
        return False
    rest = outside(found, start)
    if not whole.sides.has_past:  # rows that always were like this look like rows that changed
        return float(start.tally.rate_before) <= UNCLEAR * float(start.tally.rate_now)
    if not _can_tell(found, rest):  # then the rest is compared with all rows of before
        rest = rest[0], start.rows[1]
        return len(rest[0]) == 0 or whole.apart(rest) <= ALIKE * max(gain(found.tally), whole.apart(found.rows))
    # Texts that were shifted by some rows are all there, and in other rows. Numbers and dates may move by themselves.
    is_text, moved = any(_has_letters(view) for view in whole.views), whole.moved
    if is_text and moved is not None and _moved(moved, rest) > ALIKE * _moved(moved, found.rows):
        return False
    inside, beyond = whole.distances(found.rows), whole.distances(rest)
    most = max(gain(found.tally), *inside)
    for view, x, y in zip(whole.views, inside, beyond, strict=True):
        least = REST * most if view.name == CHANGED else max(REST * x, REST * most / 2)
        if y > max(2 * least, whole.usual(view)) and whole.is_clear(view, rest):
            return False
    return True


def _has_letters(view: View) -> bool:
    """Whether a view is of texts, and not of numbers or dates that are written as text."""
    return view.name == CASING and float(((view.unpaired or view).before == NO_LETTERS).mean()) < ALIKE


def _can_tell(found: Found, rest: Rows) -> bool:
    """Whether the same rows of the run before are known, and there are others."""
    return all(feature.has_past for feature, _ in found.steps) and len(rest[1]) > 0


def _is_spread(found: Found, whole: Whole) -> bool:
    """Whether equally many of the rows outside changed, among those that could: gained what is new, or lost what is
    gone.

    What is gone may show in another view than what is new; the two belong together if, inside, they are equally many
    rows.
    """
    runs, rest = whole.runs, outside(found, whole.start)
    if not _can_tell(found, rest):
        return False
    if spread(runs.tally(found.rows), runs.tally(rest)) > SPREAD:
        return True
    gained = gain(runs.tally(found.rows))
    for place, known in enumerate(whole.changes):
        # What is gone is read off the segment: read off all rows, it would be what is rarer outside by chance.
        lost = change(known.column, known.view, whole.sides.weights, found.rows)
        if known.kept is None or lost.kept is None:
            continue
        of_loss = replace(runs, trait_now=lost.kept[0], trait_before=lost.kept[1])
        inside = of_loss.tally(found.rows)
        is_it = not place or abs(gain(inside) - gained) <= AS_MUCH * gained
        is_clear = float(growth(inside.settled())) > -np.log(CHANCE)
        if is_it and is_clear and spread(inside, of_loss.tally(rest)) > SPREAD:
            return True
    return False


def _moved(changed: View, rows: Rows) -> float:
    """The share of some rows, among those that stay, that have another value than before."""
    assert changed.stays is not None  # noqa: S101 - it is about rows that stay
    mine = rows[0][changed.stays[0][rows[0]]]
    return float((changed.now[mine] == 1).mean()) if len(mine) else 0.0


def simplified(found: Found, whole: Whole) -> Found:
    """A segment without conditions, or ends of ranges, that only leave out few rows or rows that changed as well."""
    is_known = whole.sides.has_past and all(feature.has_past for feature, _ in found.steps)
    inside = whole.apart(found.rows) if is_known else 0.0
    for steps in _wider(found.steps):
        wider = replayed(whole.runs, whole.start, steps)
        more = outside(found, wider)
        is_moot = len(steps) < len(found.steps) and float(found.tally.now) > NEARLY_ALL * float(wider.tally.now)
        if is_moot or (is_known and min(map(len, more)) > 0 and _changed_too(found, wider, inside, whole)):
            score = max(found.score, float(growth(wider.tally)))
            return simplified(replace(wider, score=score, sure=found.sure), whole)
    return found


def _wider(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """The segments with one condition less, or with one end of a range left open."""
    for place in range(len(steps) if len(steps) > 1 else 0):
        yield [*steps[:place], *steps[place + 1 :]]
    for place, (feature, codes) in enumerate(steps):
        first, last = int(codes[0]), int(codes[-1])
        if feature.edges is not None and first > 0 and last < feature.size - 1:
            for open_ in (np.arange(first, feature.size), np.arange(last + 1)):
                yield [*steps[:place], (feature, open_), *steps[place + 1 :]]


def _changed_too(found: Found, wider: Found, inside: float, whole: Whole) -> bool:
    """Whether the rows that a wider segment adds changed about as much, and more than all others.

    Where rows stay, it is whether nearly as many of them have another value, and hardly any elsewhere.
    """
    more, rest = outside(found, wider), outside(wider, whole.start)
    here, least = whole.distances(more), AS_MUCH_CHANGED * inside
    compared = zip(whole.views, here, whole.distances(rest), strict=True) if max(here) > least else ()
    if any(x > max(least, y / ALIKE, whole.usual(view)) and whole.is_clear(view, more) for view, x, y in compared):
        return True
    if whole.moved is None:
        return False
    within, beside, elsewhere = (_moved(whole.moved, rows) for rows in (found.rows, more, rest))
    return beside >= MOVES * within and elsewhere <= (1 - MOVES) / 2 * within


def is_where(found: Found, runs: Runs, start: Found) -> bool:
    """Whether a segment is clear, and the rows outside have the trait hardly more often than before."""
    if not _is_clear(found, start):
        return False
    rest = outside(found, start)
    if not len(rest[0]) or gain_outside(runs, start, rest) > REST * gain(found.tally):
        return False
    return not len(rest[1]) or runs.tally(rest).caught <= ALIKE * found.tally.caught


def outside(found: Found, start: Found) -> Rows:
    """The rows that are not in a segment; all rows of the run before if a condition cannot tell them apart."""
    return _without(start.rows[0], found.rows[0]), _without(start.rows[1], found.rows[1])


def _without(rows: Ints, some: Ints) -> Ints:
    """The places of rows without some of them; both are sorted."""
    if not len(rows):
        return rows
    left = np.zeros(int(rows[-1]) + 1, np.bool_)
    left[rows] = True
    left[some] = False
    return np.flatnonzero(left)


def gain(tally: Tally) -> float:
    """By how much the share of rows with the trait grew."""
    return float(tally.rate_now - tally.rate_before)


def gain_outside(runs: Runs, start: Found, rest: Rows) -> float:
    """The same for the rows outside a segment; against all rows of the run before if these cannot be told apart."""
    tally = runs.tally(rest)
    usual = tally.rate_before if len(rest[1]) else start.tally.rate_before
    return float(tally.rate_now - usual)
