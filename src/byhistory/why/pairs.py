"""Which row of the run before is the same thing as a row of this run? Where rows stay, they are compared with
themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc

from byhistory.profile.arrays import Bools, Floats, Hashes, Ints
from byhistory.why.features import type_of
from byhistory.why.keys import STAYS, Key, of_rows
from byhistory.why.parts import comparable, numbers_of, plain

AGREE = 0.3
"""Rows with the same key are the same thing if their other columns agree more often than those of any two rows by this
(0 is as often as by chance, 1 always; a choice). A rank or a row number is a key that stays and tells nothing."""
LOOKED_AT = 4096
"""Rows that are looked at to find a key (a choice)."""
COLUMNS = 3
"""The most columns of a key that is looked for (a choice)."""
NEARLY_UNIQUE = 0.99
"""Columns identify rows if they tell apart this share of them; the others are left out (a choice)."""
SHARED = 0.9
"""If two rows share a value in a column this often by chance, the column does not tell whether they are the same (a
choice)."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio in 64 bits, an odd number without pattern (a choice): it keeps equal hashes of two columns apart."""


def paired(now: Any, before: Any, without: Collection[str], key: Key = ()) -> Ints | None:
    """For each row of this run, the place of the same row in the run before, or -1; None if rows do not stay.

    `without` names columns that may have changed, and therefore identify no rows.
    """
    if not now.num_rows or not before.num_rows:
        return None
    best, clearest = None, AGREE
    for names in _candidates(now, before, without, key):
        places = _places(now, before, names)
        if places is not None and (agrees := _agreement(now, before, places, {*names, *without})) >= clearest:
            best, clearest = places, agrees
    return best


def _candidates(now: Any, before: Any, without: Collection[str], key: Key) -> Iterator[Key]:
    """Columns that may identify rows: those that are named, any single one that does, or two or three together."""
    names = [n for n in before.column_names if n in now.column_names and n not in without]
    if key and all(n in names for n in key):
        yield tuple(key)
    first = before.slice(0, LOOKED_AT)
    hashed = {n: of_rows(first, (n,)) for n in names if _may_tell(plain(first.column(n)))}
    enough = NEARLY_UNIQUE * first.num_rows
    alone = [n for n in hashed if len(np.unique(hashed[n])) >= enough]
    yield from ((n,) for n in alone[:COLUMNS])
    if alone:
        return
    # Counts tell most rows apart, and change: names are tried by themselves, too.
    texts = {n: h for n, h in hashed.items() if type_of(plain(first.column(n)).type) in ("text", "date")}
    yield from dict.fromkeys(c for some in (texts, hashed) if some and (c := _combined_key(some, enough)))


def _may_tell(array: Any) -> bool:
    """Whether a column may be part of a key: text, dates and whole numbers, also if they are stored as something
    else.
    """
    type_ = type_of(array.type)
    if type_ != "number":
        return type_ in ("text", "whole", "date")
    numbers = numbers_of(array)
    numbers = numbers[np.isfinite(numbers)]
    return len(numbers) > 0 and bool((np.rint(numbers) == numbers).all())


def _combined_key(hashed: Mapping[str, Hashes], enough: float) -> Key:
    """Two or three columns that identify rows together; None if there are none."""
    distinct = {n: len(np.unique(h)) for n, h in hashed.items()}
    chosen: tuple[str, ...] = (max(distinct, key=lambda n: distinct[n]),)
    combined, most = hashed[chosen[0]], distinct[chosen[0]]
    while most < enough and len(chosen) < COLUMNS:
        more = {n: len(np.unique(combined ^ (h * _GOLDEN))) for n, h in hashed.items()}
        name = max(more, key=lambda n: more[n])
        if more[name] <= most:
            break
        combined, most, chosen = combined ^ (hashed[name] * _GOLDEN), more[name], (*chosen, name)
    return chosen if most >= enough else ()


def _places(now: Any, before: Any, key: Key) -> Ints | None:
    here, there = of_rows(now, key), of_rows(before, key)
    known, at, often = np.unique(there, return_index=True, return_counts=True)
    if len(known) < NEARLY_UNIQUE * len(there):
        return None
    known, at = known[often == 1], at[often == 1]
    _, first = np.unique(here, return_index=True)
    places = np.full(len(here), -1, np.int64)
    found = np.clip(np.searchsorted(known, here[first]), 0, len(known) - 1)
    is_there = known[found] == here[first]
    places[first[is_there]] = at[found[is_there]]  # of rows with the same key, the first one is the row of before
    return places if is_there.sum() >= STAYS * min(len(first), len(known)) else None


def _agreement(now: Any, before: Any, places: Ints, without: Collection[str]) -> float:
    mine = np.flatnonzero(places >= 0)[:LOOKED_AT]
    theirs = places[mine]
    found = []
    for name in now.column_names:
        if name in without or name not in before.column_names:
            continue
        a, b = comparable(now.column(name), before.column(name))
        if not a.type.equals(b.type):
            continue
        chance = float(same(a.take(mine), b.take(np.roll(theirs, len(theirs) // 2 + 1))).mean())
        if chance < SHARED:
            found.append((float(same(a.take(mine), b.take(theirs)).mean()) - chance) / (1 - chance))
    return float(np.mean(found)) if found else 0.0


def same(a: Any, b: Any) -> Bools:
    """Which values of two Arrow arrays of one type are equal; two nulls are, and values that cannot be compared are
    not.
    """
    nulls = pc.and_(a.is_null(), b.is_null())
    try:
        equal = pc.equal(a, b).fill_null(False)
    except (NotImplementedError, TypeError, ValueError):
        return np.asarray(nulls.to_numpy(zero_copy_only=False))
    return np.asarray(pc.or_(equal, nulls).to_numpy(zero_copy_only=False))


def laid(pairs: Ints | None, now: Ints | Floats, before: Ints | Floats) -> Any:
    """Values of the run before, replaced by those of the same rows in this run."""
    if pairs is None:
        return before
    mine = np.flatnonzero(pairs >= 0)
    moved = before.copy()
    moved[pairs[mine]] = now[mine]
    return moved
