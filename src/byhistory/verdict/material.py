"""Does what is unusual in a column touch enough rows to stop a run for it?

A table that never changed is surprised by its first change: one row more of 413 breaks every constant of every column,
and one new value among nine that a column of 920 rows holds is a tenth of its values. Both are worth a look, and no one
forgives a gate that is shut for them. What touches less than one row in a hundred is warned about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from byhistory.constraints import Constraint
from byhistory.learners.calibrated.joint import JOINT, MEASURED
from byhistory.profile import ColumnProfile, Kind
from byhistory.profile.numbers import Numbers

SHARE = 0.01
"""Of the rows: what touches fewer does not stop a run (chosen on one half of the tables, ADR 0014)."""
_PRICED = (JOINT, MEASURED)
"""The bounds of the clauses that this is asked of: not what always stops, nor what a person set."""
_OF_TEXT, _OF_NUMBERS = "l1", "ks_dist"


def is_material(now: ColumnProfile, before: ColumnProfile | None, reads: Mapping[str, float]) -> bool:
    """Whether a column differs from the run before in at least `SHARE` of the rows, as far as profiles can tell.

    `reads` holds the distances between the two. Numbers also count by how far they moved: one of ten thousand that is a
    million times too large changes the mean.

    >>> from byhistory.rows.local import profile_table
    >>> few, more, others = (profile_table({"x": x})["x"] for x in (["a"] * 413, ["a"] * 414, ["a"] * 400 + ["b"] * 14))
    >>> is_material(more, few, {"l1": 0.0}), is_material(others, few, {"l1": 0.07})
    (False, True)
    """
    if before is None or not before.rows or not now.rows or now.kind is not before.kind:
        return True
    held = now.present / now.rows, before.present / before.rows
    if abs(now.rows - before.rows) >= SHARE * before.rows or abs(held[0] - held[1]) >= SHARE:
        return True
    return max(held) >= SHARE and _values_moved(now, before, reads, max(held))


def is_priced(clause: Constraint) -> bool:
    """Whether a clause has a price that was measured: what always stops, or what a person set, is not weighed."""
    return clause.bound in _PRICED and not clause.is_pinned


def _values_moved(now: ColumnProfile, before: ColumnProfile, reads: Mapping[str, float], held: float) -> bool:
    if now.kind is Kind.CATEGORICAL:
        return _share(reads.get(_OF_TEXT, math.nan) / 2.0) * held >= SHARE
    if now.kind is Kind.NUMERIC:
        return _share(reads.get(_OF_NUMBERS, math.nan)) * held >= SHARE or _numbers_moved(now, before)
    return True


def _share(distance: float) -> float:
    """Of the values; all of them where nothing can be compared."""
    return 1.0 if math.isnan(distance) else distance


def _numbers_moved(now: ColumnProfile, before: ColumnProfile) -> bool:
    """Whether the mean moved by a hundredth of the spread, an end by a hundredth of the range, or how they are written.

    Numbers that lost their decimal places keep their ranks and their mean.
    """
    a, b = now.numbers, before.numbers
    if a is None or b is None or not a.count or not b.count:
        return True
    reach = b.high - b.low
    moves = [(a.mean - b.mean, b.std), (a.low - b.low, reach), (a.high - b.high, reach)]
    moves += [(x / now.rows - y / before.rows, 1.0) for x, y in ((a.integers, b.integers), (_odd(a), _odd(b)))]
    if a.written and b.written:
        moves.append((a.decimals / a.written - b.decimals / b.written, 1.0))
    return not all(move == 0.0 or abs(move) < SHARE * unit for move, unit in moves)


def _odd(numbers: Numbers) -> int:
    return numbers.nans + numbers.pos_infs + numbers.neg_infs
