"""Does a column have the values of another one? Then columns were mixed up, in all rows or in some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from byhistory.profile.arrays import Floats, Ints
from byhistory.why.change import Change, change
from byhistory.why.pairs import same
from byhistory.why.parts import comparable, plain
from byhistory.why.view import COPY, View

OWN, SAME = 0, 1
"""The cells of rows with a value of their own, and with that of the other column."""
SELDOM_SAME = 0.5
"""Two columns of which more rows than this share are equal anyway (flags, a price and its final price) are no news (a
choice)."""
KINDS = 2
"""A column of which only one value is that of another one is no copy (the least that tells): a column that became 0
has the zeros of all others."""


def copied(column: str, now: Any, before: Any, weights: Floats) -> Change | None:
    """The other column whose values a column has in clearly more rows than before; None if there is none.

    That one of many columns is alike by chance is paid for by the logarithm of their number.
    """
    others = [c for c in now.column_names if c != column]
    asked = (_change(column, other, (now, before), weights) for other in others)
    whole = [c for c in asked if c is not None and not c.cells[OWN]]
    found = max(whole, key=lambda c: c.evidence, default=None)
    return None if found is None else replace(found, evidence=found.evidence - float(np.log(len(others))))


def _change(column: str, other: str, runs: Sequence[Any], weights: Floats) -> Change | None:
    codes = [_codes(t.column(column), t.column(other)) for t in runs]
    now, before = codes
    if now is None or before is None or not (now == SAME).any() or (before == SAME).mean() > SELDOM_SAME:
        return None
    alike = plain(runs[0].column(column)).filter(pa.array(now == SAME))
    if pc.count_distinct(alike).as_py() < KINDS:
        return None
    names = ("its own", f"the values of {other}")
    return change(column, View(COPY + other, now, before, names.__getitem__, len(names)), weights)


def _codes(mine: Any, theirs: Any) -> Ints | None:
    """1 where a column has the value of another one, and 0 where it differs or the other has none."""
    a, b = comparable(plain(mine), plain(theirs))
    if not a.type.equals(b.type):
        return None
    has_value = np.asarray(b.is_valid().to_numpy(zero_copy_only=False))
    return (has_value & same(a, b)).astype(np.int64)
