"""Does a column still agree with the others? A value is out of place if it breaks a rule by which it follows from
another.

Examples are a rank that follows from the points, a date from the week, a place from its province. If values of such a
column were swapped, shifted or frozen, they are the same values as before, equally often, but in the wrong rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.types as pt

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.features import Feature, type_of
from byhistory.why.parts import comparable, numbers_of, plain
from byhistory.why.view import FIT, MISSING, View
from byhistory.why.views import BINS, moves_on

RANGES_ONLY = "ranges"
TELLS = 0.7
"""How much a column must tell about another to make a rule, in natural logarithms, by choice: 0.7 halves what is
possible."""
SELDOM = (0.1, 0.01)
"""A value is rare, or out of place, among similar rows if it and all rarer values there have less than this share (a
choice)."""
NEARLY = 0.5
"""How much a row counts in the ranges next to its own (a choice)."""
_PRIOR = 1.0
"""How many rows of the whole table are added to those of each value (a choice)."""


def fits(view: View, features: Sequence[Feature]) -> View | None:
    """A view of whether each row agrees with the column that tells most about it, by the run before; None if none tells
    enough.

    Rows for which that column tells nothing count as missing.
    """
    view = view.unpaired or view
    usable = [f for f in features if f.has_past and f.part == "value" and f.size > 1]
    if not usable or not len(view.before) or not len(view.now):
        return None
    share = np.bincount(view.before, minlength=view.cells) / len(view.before)
    known = view.before != view.missing
    information = [(_information(view, f, share, known), f) for f in usable]
    best, by = max(information, key=lambda t: t[0])
    if best < TELLS:
        return None
    counts = _counts(view, by, known)
    likely = _likely(_blurred(counts, view), share)
    with np.errstate(divide="ignore", invalid="ignore"):
        says = np.where(likely > 0, likely * np.log(likely / share), 0.0).sum(axis=1)
    order = np.argsort(likely, axis=1, kind="stable")
    tail = np.empty_like(likely)
    np.put_along_axis(tail, order, np.cumsum(np.take_along_axis(likely, order, 1), axis=1), 1)
    alone = np.minimum(_PRIOR * share / (counts.sum(axis=1, keepdims=True) + _PRIOR), likely)
    tail_alone = np.array([np.interp(a, np.sort(p), np.sort(t)) for a, p, t in zip(alone, likely, tail, strict=True)])

    def codes(rows: Ints, cells: Ints, is_before: bool) -> Ints:
        at = tail[rows, cells]
        if is_before:  # a row says nothing about itself
            at = np.where(counts[rows, cells] <= 1, tail_alone[rows, cells], at)
        found = sum((at < s).astype(np.int64) for s in SELDOM)
        return np.where((rows < 0) | (cells == view.missing) | (says[rows] < TELLS), len(_NAMES) - 1, found)

    now = codes(by.now, view.now, False)
    names = [n.format(".".join(by.path)) for n in _NAMES]
    return View(
        FIT + ".".join(by.path),
        now,
        codes(by.before, view.before, True),
        names.__getitem__,
        len(names),
    )


_NAMES = ("going with {}", "rare for their {}", "out of place for their {}", MISSING)


GOES = 0
"""The cell of rows whose values agree with the other column."""


def _counts(view: View, by: Feature, known: Bools) -> Floats:
    rows = known & (by.before >= 0)
    places = by.before[rows] * view.cells + view.before[rows]
    return np.bincount(places, minlength=by.size * view.cells).reshape(by.size, view.cells).astype(np.float64)


def _blurred(counts: Floats, view: View) -> Floats:
    """Counts of numbers where neighbouring ranges count as well, because ties may be broken in another way."""
    if view.name != RANGES_ONLY:
        return counts
    wide = np.pad(counts[:, :-2], ((0, 0), (1, 1)))
    return np.concatenate([wide[:, 1:-1] + NEARLY * (wide[:, :-2] + wide[:, 2:]), counts[:, -2:]], axis=1)


def _likely(counts: Floats, share: Floats) -> Floats:
    return np.asarray((counts + _PRIOR * share) / (counts.sum(axis=1, keepdims=True) + _PRIOR))


def _information(view: View, by: Feature, share: Floats, known: Bools) -> float:
    """How much more likely a column makes the values of rows that are not counted in it, on average, as a logarithm."""
    counts = _counts(view, by, known)
    rows = counts.sum(axis=1, keepdims=True)
    without = (counts - 1 + _PRIOR * share) / np.maximum(rows - 1 + _PRIOR, 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(counts > 0, counts * np.log(without / share), 0.0)
    return float(gains.sum() / max(1.0, counts.sum()))


def of_ranges(now: Any, before: Any) -> View | None:
    """Numbers in ranges with equally many rows of the run before; None for columns of other types."""
    now, before = comparable(now, before)
    if not now.type.equals(before.type) or type_of(now.type) not in ("whole", "number") or moves_on(now, before):
        return None
    here, there = numbers_of(now), numbers_of(before)
    finite = there[np.isfinite(there)]
    if not len(finite):
        return None
    edges = np.unique(np.quantile(finite, np.linspace(0, 1, BINS + 1)[1:-1]))
    last = len(edges) + 2

    def codes(values: Floats) -> Ints:
        found = np.where(np.isinf(values), last - 1, np.searchsorted(edges, values, side="right"))
        return np.where(np.isnan(values), last, found).astype(np.int64)

    return View(RANGES_ONLY, codes(here), codes(there), lambda code: MISSING if code == last else "", last + 1)


LOOKED_AT = 500
"""Rows of the run before that are checked for whether one text contains the other (a choice)."""
ALWAYS = 0.98
"""The share of these rows that makes it a rule (a choice)."""
SHORTEST = 2
"""The shortest text that is looked for within another, in characters (a choice): a single one is in most texts."""


def contains(name: str, now: Any, before: Any, among: Sequence[str]) -> View | None:
    """Whether the text of each row still contains that of another column, or is contained in it (a link and a name)."""
    mine, theirs = plain(now.column(name)), plain(before.column(name))
    if not pt.is_string(mine.type) or not pt.is_string(theirs.type):
        return None
    first, best, most = theirs.slice(0, LOOKED_AT).to_pylist(), "", 1
    for other in among:
        array = plain(before.column(other))
        if pt.is_string(array.type) and pt.is_string(plain(now.column(other)).type):
            values = array.slice(0, LOOKED_AT).to_pylist()
            holds = [_has(a, b) for a, b in zip(first, values, strict=True)]
            known = [s for s in holds if s is not None]
            distinct = len({v for v, s in zip(values, holds, strict=True) if s is not None})
            if distinct > most and 2 * len(known) > len(holds) and sum(known) >= ALWAYS * len(known):
                best, most = other, distinct
    if not best:
        return None
    here, there = (
        np.array([_CODES[_has(a, b)] for a, b in zip(x.to_pylist(), plain(t.column(best)).to_pylist(), strict=True)])
        for x, t in ((mine, now), (theirs, before))
    )
    names = (f"going with {best}", f"out of place for their {best}", MISSING)
    return View(FIT + best, here, there, names.__getitem__, len(names))


_CODES = {True: 0, False: 1, None: 2}


def _has(a: str | None, b: str | None) -> bool | None:
    """Whether one of two texts contains the other; None if one is missing or too short to tell."""
    if a is None or b is None or min(len(a), len(b)) < SHORTEST:
        return None
    return b in a or a in b
