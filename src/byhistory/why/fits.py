"""Does a column still go with the others? What follows from another column is out of place where the rule is broken.

A rank that follows the points, a date that follows the week, a place that lies in its province: values swapped, slid or
frozen in such a column are values that it had before, as often as before, and in the wrong rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.types as pt

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.features import Feature, type_of
from byhistory.why.parts import comparable, numbers_of, plain
from byhistory.why.views import BINS, MISSING, View, moves_on

FIT, RANGES_ONLY = "fit with ", "ranges"
TELLS = 0.7
"""What a column must say of another for a rule, in natural logarithms (0.7 halves what is possible), by choice."""
SELDOM = (0.1, 0.01)
"""A value is rare, or out of place, in rows like this one if it and all that are rarer there had so small a share."""
NEARLY = 0.5
"""How much a row counts for the ranges beside its own, by choice."""
_PRIOR = 1.0
"""Rows of the whole table that are added to those of each value, by choice."""


def fits(view: View, features: Sequence[Feature]) -> View | None:
    """Whether each row's cell goes with the column that tells it best, by the run before; None if no column does.

    Rows of which that column says nothing count as missing.
    """
    view = view.unpaired or view
    usable = [f for f in features if f.has_past and f.part == "value" and f.size > 1]
    if not usable or not len(view.before) or not len(view.now):
        return None
    share = np.bincount(view.before, minlength=view.cells) / len(view.before)
    known = view.before != view.missing
    told = [(_told(view, f, share, known), f) for f in usable]
    best, by = max(told, key=lambda t: t[0])
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
        if is_before:  # a row is not told by itself
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
"""The cell of rows whose value goes with the other column."""


def _counts(view: View, by: Feature, known: Bools) -> Floats:
    rows = known & (by.before >= 0)
    places = by.before[rows] * view.cells + view.before[rows]
    return np.bincount(places, minlength=by.size * view.cells).reshape(by.size, view.cells).astype(np.float64)


def _blurred(counts: Floats, view: View) -> Floats:
    """Of numbers, what is in a range nearly goes with the ranges beside it: a tie may be broken in another way."""
    if view.name != RANGES_ONLY:
        return counts
    wide = np.pad(counts[:, :-2], ((0, 0), (1, 1)))
    return np.concatenate([wide[:, 1:-1] + NEARLY * (wide[:, :-2] + wide[:, 2:]), counts[:, -2:]], axis=1)


def _likely(counts: Floats, share: Floats) -> Floats:
    return np.asarray((counts + _PRIOR * share) / (counts.sum(axis=1, keepdims=True) + _PRIOR))


def _told(view: View, by: Feature, share: Floats, known: Bools) -> float:
    """How much more likely a column makes the value of a row that it does not know, on average, as a logarithm."""
    counts = _counts(view, by, known)
    rows = counts.sum(axis=1, keepdims=True)
    without = (counts - 1 + _PRIOR * share) / np.maximum(rows - 1 + _PRIOR, 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(counts > 0, counts * np.log(without / share), 0.0)
    return float(gains.sum() / max(1.0, counts.sum()))


def of_ranges(now: Any, before: Any) -> View | None:
    """Numbers in ranges with as many rows of the run before each, none of them by itself; None of other columns."""
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
"""Rows of the run before that tell whether one text has another in it, by choice."""
ALWAYS = 0.98
"""The share of them from which on that is a rule."""
SHORTEST = 2
"""Characters of a text that is looked for in another, at least: a single one is in most texts."""


def contains(name: str, now: Any, before: Any, among: Sequence[str]) -> View | None:
    """Whether the text of each row still has in it, or is part of, that of another column (a link and a name)."""
    mine, theirs = plain(now.column(name)), plain(before.column(name))
    if not pt.is_string(mine.type) or not pt.is_string(theirs.type):
        return None
    first, best, most = theirs.slice(0, LOOKED_AT).to_pylist(), "", 1
    for other in among:
        array = plain(before.column(other))
        if pt.is_string(array.type) and pt.is_string(plain(now.column(other)).type):
            values = array.slice(0, LOOKED_AT).to_pylist()
            said = [_has(a, b) for a, b in zip(first, values, strict=True)]
            known = [s for s in said if s is not None]
            distinct = len({v for v, s in zip(values, said, strict=True) if s is not None})
            if distinct > most and 2 * len(known) > len(said) and sum(known) >= ALWAYS * len(known):
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
    """Whether one of two texts is in the other; None if one is not there, or so short that it says nothing."""
    if a is None or b is None or min(len(a), len(b)) < SHORTEST:
        return None
    return b in a or a in b
