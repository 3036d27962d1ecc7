"""What to look for in the rows beside what changed most clearly: traits of fewer rows, that nothing else is left of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from byhistory.why.change import Change, change, distance, is_renamed
from byhistory.why.locate import CLEAR, LIKE, Located
from byhistory.why.named import BY_ITSELF
from byhistory.why.sides import Sides
from byhistory.why.view import CHANGED, FIT

NARROWER, TRAITS = 0.7, 2
"""Other traits are looked for if they have at most this share of the rows of the first; and how many are (choices)."""
NEW_TO = 0.001
"""What no more than this share of the rows had is new (a choice)."""
LEFT = 0.25
"""A narrower trait explains a change if without its rows no view has more than this part of its evidence left (a
choice)."""
AS_LARGE = 0.35
"""Two shares are alike if one is at most 1.4 times the other (a choice; this is the logarithm)."""


def narrower(clear: Sequence[Change]) -> list[Change]:
    """Other traits to look for than the clearest: what was not there before, in any view, and is in fewer rows.

    A view of all values takes in what is a little more frequent by chance; a few new nulls show more clearly alone.
    """
    some = [c if c.first is None else replace(c, cells=c.first) for c in clear if c.evidence > CLEAR]
    found: list[Change] = []
    for other in some:
        is_new = (
            other.view.name != CHANGED
            and not other.view.name.startswith(FIT)
            and other.before.sum() <= NEW_TO * len(other.before)
        )
        is_narrower = other.now.sum() <= NARROWER * clear[0].now.sum()
        if is_new and is_narrower and not any(np.array_equal(other.now, f.now) for f in found):
            found.append(other)
    return found[:TRAITS]


def renamed(clear: Sequence[Change]) -> Change | None:
    """The change of values, if what is clearest is that a value has another name wherever it was.

    Rows that never had it could not change, so that it tells nothing that they did not: where the value lived is where
    it was renamed, and that is everywhere.
    """
    for c in clear:
        if c.view.name == "value" and c.named is not None and is_renamed(c.gained, c.lost):
            has_it = c.named[c.view.now]
            is_it = (has_it & clear[0].now).sum() >= LIKE * (has_it | clear[0].now).sum()
            return c if is_it or c is clear[0] else None  # the clearest may be that a value is gone
    return None


def others_to_try(clear: Sequence[Change]) -> list[Change]:
    """The next clearest changes of values, for a column whose clearest one is in no segment."""
    kept = [c for c in clear[1:] if c.evidence > CLEAR and c.view.name != CHANGED and not c.view.name.startswith(FIT)]
    return kept[:TRAITS]


def rest_is_usual(sides: Sides, segment: Located, known: Sequence[Change]) -> bool:
    """Whether hardly anything is clear in the rows outside a segment, in any view, of what is clear in all rows."""
    mine, theirs = (np.setdiff1d(a, b, True) for a, b in zip(sides.everything, segment.rows, strict=True))
    for whole in known:  # where the same rows of the run before are not known, all of them
        rest = mine, theirs if len(theirs) else sides.everything[1]
        left = change(whole.column, whole.view, sides.weights, rest).evidence
        is_usual = distance(whole.view, sides.weights, *rest) <= BY_ITSELF * sides.usually(whole.column, whole.view)
        if whole.view.name != CHANGED and left > max(CLEAR, LEFT * whole.evidence) and not is_usual:
            return False
    return True


def is_as_large(sides: Sides, segment: Located) -> bool:
    """Whether a segment still has the share of the rows that it had."""
    now = float(sides.weights[segment.rows[0]].sum()) / max(1.0, float(sides.weights.sum()))
    before = len(segment.rows[1]) / max(1, sides.before.num_rows)
    return bool(abs(np.log(max(1e-9, now) / max(1e-9, before))) <= AS_LARGE)
