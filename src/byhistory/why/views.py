"""Ways to look at a column that changed: its values, how they are written, how long they are, whether they are there.

Each view cuts the column of both runs into the same cells. A run is compared with the rows of the run
before or, where these cannot be read, the stored profile of the column (`byhistory.why.stand_in`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.condition import moment
from byhistory.why.counters import is_counter
from byhistory.why.features import type_of
from byhistory.why.parts import comparable, dated, nulls_of, numbers_of, patterns_of, places
from byhistory.why.view import CASING, MISSING, NEW, NEWNESS, OTHERS, PRESENCE, REPEATED, SIGNS, SPELLING, View

BINS = 32
"""Ranges that the numbers of the run before are cut into (a choice)."""
CELLS = 256
"""How many of the most frequent values or patterns have a cell of their own (a choice)."""
OWN_CELL = 0.002
"""A number that this share of the rows has gets a cell of its own (a choice)."""
MANY = 0.2
"""If distinct values are more than this share of the rows, a new value tells nothing (a choice)."""
DAY = 86_400.0
"""In seconds."""
LAID = 0.5
"""Runs are whole days apart if moving by those makes this share of them overlap (a choice); else by any time."""
STAYED = 0.5
"""Rows stay from run to run if there are less than this part of the new values that leave-one-out predicts (a
choice)."""
_TAILS = (0.0, 0.001, 0.01)
"""Shares of the rows that have cells of their own at either end (a choice)."""
_DECIMALS = 6
"""Decimal places that are told apart (a choice)."""
_ROUND = 3
"""Zeros at the end of whole numbers that are told apart (a choice): tens, hundreds, thousands."""
_SIGNS = 8
"""How many of the first signs of a text are told apart (a choice)."""
_SPELLINGS = _ROUND + _DECIMALS + 2
_ZERO = 2 * _SPELLINGS


def views(now: Any, before: Any) -> Iterator[View]:
    """All views of one column, given its Arrow arrays in both runs."""
    now, before = comparable(now, before)
    if not now.type.equals(before.type):
        return
    yield View(PRESENCE, nulls_of(now), nulls_of(before), ("present", MISSING).__getitem__, 2)
    type_ = type_of(now.type)
    as_dates = dated(now, before) if type_ in ("whole", "number", "text") else None
    if as_dates is not None:
        yield _of_dates(*as_dates)
    elif type_ in ("whole", "number"):
        yield from _numbers(numbers_of(now), numbers_of(before))
    elif type_ in ("date", "time", "local time"):
        yield from _times(now, before)
    elif type_ == "boolean":
        codes = places(now, missing=2), places(before, missing=2)
        yield View("value", *codes, ("false", "true", MISSING).__getitem__, 3)
    if type_ == "text":
        yield from _texts(now, before, moves_on=as_dates is not None)
    elif pt.is_binary(now.type) or pt.is_large_binary(now.type):
        yield _lengths(*(_floats(pc.binary_length(a)) for a in (now, before)))
    elif pt.is_list(now.type) or pt.is_large_list(now.type):
        yield _lengths(*(_floats(pc.list_value_length(a)) for a in (now, before)))


def _floats(array: Any) -> Floats:
    return np.asarray(array.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)


# --------------------------------------------------------------------------------------------------------- numbers


def _numbers(now: Floats, before: Floats) -> Iterator[View]:
    if is_counter(now, before):
        before = before + _moved(now, before)
    yield of_line("value", now, before)
    yield from _by_distinct(now, before)
    yield View(SPELLING, _spelling(now), _spelling(before), _spelled, _ZERO + 2)


def _by_distinct(now: Floats, before: Floats) -> Iterator[View]:
    """Numbers by themselves: whether the run before had them or, if there are many, whether they are there often."""
    both = np.concatenate([now, before])
    distinct, places = np.unique(both[~np.isnan(both)], return_inverse=True)
    all_codes = np.full(len(both), len(distinct))
    all_codes[~np.isnan(both)] = places
    codes = all_codes[: len(now)], all_codes[len(now) :]
    if len(distinct):
        yield from _single_values(codes, len(distinct), len(distinct) > MANY * len(both))


def number(value: float) -> str:
    """A number for people: six digits, and no power of ten where the digits can be written out.

    >>> number(711168123456.0), number(4932.4912), number(0.00012)
    ('711,168,000,000', '4,932.49', '0.00012')
    """
    short = float(f"{value:.6g}")
    return f"{short:,.0f}" if 1e6 <= abs(short) < 1e15 else f"{short:,.6g}"


def of_line(name: str, now: Floats, before: Floats, say: Callable[[float], str] | None = None) -> View:
    """Frequent values each in its own cell, the others in ranges, and cells for what lies beyond the run before."""
    say = say or number
    own = _frequent(now, before)
    rest = np.sort(before[np.isfinite(before) & ~np.isin(before, own)])
    shares = np.unique([*_TAILS, *np.linspace(0, 1, BINS + 1), *(1 - t for t in _TAILS)])
    edges = np.unique(np.quantile(rest, shares)) if len(rest) else np.zeros(0)
    inner = len(edges) + 1
    cells = inner + len(own) + 2

    def codes(values: Floats) -> Ints:
        found = np.searchsorted(edges, values, side="right")
        found = np.where((found == len(edges)) & (values == edges[-1]), len(edges) - 1, found) if len(edges) else found
        if len(own):
            at = np.clip(np.searchsorted(own, values), 0, len(own) - 1)
            found = np.where(own[at] == values, inner + at, found)
        found = np.where(np.isinf(values), cells - 2, found)
        return np.where(np.isnan(values), cells - 1, found).astype(np.int64)

    def label(code: int) -> str:
        if code >= cells - 2:
            return MISSING if code == cells - 1 else "infinite"
        if code >= inner:
            return say(float(own[code - inner]))
        if code == 0:
            return f"below {say(float(edges[0]))}" if len(edges) else OTHERS
        if code == len(edges):
            return f"above {say(float(edges[-1]))}"
        return f"{say(float(edges[code - 1]))} to {say(float(edges[code]))}"

    return View(name, codes(now), codes(before), label, cells)


def moves_on(now: Any, before: Any) -> bool:
    """Whether a column has times, dates or counters, which change with every run."""
    now, before = comparable(now, before)
    if not now.type.equals(before.type):
        return False
    type_ = type_of(now.type)
    if type_ in ("whole", "number", "text"):
        return dated(now, before) is not None or (type_ != "text" and is_counter(numbers_of(now), numbers_of(before)))
    return type_ in ("date", "time", "local time")


def _frequent(now: Floats, before: Floats) -> Floats:
    """Values that are frequent by themselves: in both runs together, or in one and as good as not in the other.

    What is frequent in either would be by chance more frequent in it than in the other.
    """
    runs = [x[np.isfinite(x)] for x in (now, before)]
    distinct = np.unique(np.concatenate(runs))
    counts = [np.bincount(np.searchsorted(distinct, x), minlength=len(distinct)) for x in runs]
    least = [max(8.0, OWN_CELL * len(x)) for x in (now, before)]
    both, rarer = counts[0] + counts[1], np.minimum(*counts)
    is_new = (rarer <= 1) & ((counts[0] >= least[0]) | (counts[1] >= least[1]))
    enough = (both >= least[0] + least[1]) | is_new
    distinct, both = distinct[enough], both[enough]
    return np.asarray(np.sort(distinct[np.argsort(-both, kind="stable")[: CELLS // 4]]))


def _spelling(values: Floats) -> Ints:
    """The needed decimal places, or the zeros at the end, and the sign as one number; zero and infinity have their
    own.
    """
    finite = np.where(np.isfinite(values), values, 0.0)
    places = np.full(len(values), _SPELLINGS - 1, np.int64)
    for digits in range(_DECIMALS, -_ROUND - 1, -1):
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = finite * 10.0**digits
            fits = np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(1.0, np.abs(scaled))
        places[fits] = digits + _ROUND
    codes = places + _SPELLINGS * (finite < 0)
    codes = np.where(finite == 0, _ZERO, codes)
    return np.where(np.isfinite(values), codes, _ZERO + 1)


def _spelled(code: int) -> str:
    if code >= _ZERO:
        return ("zero", MISSING)[code - _ZERO]
    digits = code % _SPELLINGS - _ROUND
    sign = "negative, " if code >= _SPELLINGS else ""
    if digits > 0:
        return f"{sign}{digits} decimal places"
    return sign + ("whole numbers" if not digits else f"whole {('tens', 'hundreds', 'thousands')[-digits - 1]}")


def _times(now: Any, before: Any) -> Iterator[View]:
    """A view of dates and times, which move on with every run."""
    yield of_times(now, numbers_of(before))
    if pt.is_timestamp(now.type):
        hours = places(now, "hour", 24), places(before, "hour", 24)
        yield View("hour", *hours, lambda h: MISSING if h == 24 else f"hour {h}", 25)


def of_times(now: Any, before: Floats) -> View:
    """A view of times in seconds since 1970, where those of the run before are moved by the time between the runs."""
    return _laid_over(numbers_of(now), before)


def _laid_over(here: Floats, before: Floats) -> View:
    moved = _moved(here, before, DAY)
    return of_line("value", here, before + moved, say=lambda seconds: f"{moment(seconds):%Y-%m-%d %H:%M:%S}")


def _of_dates(now: Floats, before: Floats) -> View:
    """A view of dates that are written as text or as whole numbers; other values have a cell of their own."""
    view = _laid_over(now, before)

    def label(code: int) -> str:
        return "no date" if code == view.cells - 2 else view.labels(code).removesuffix(" 00:00:00")

    return replace(view, labels=label)


def _moved(now: Floats, before: Floats, step: float = 0.0) -> float:
    """By how much values moved on, preferably in whole steps: what makes most of the two runs overlap."""
    here, there = (np.sort(x[np.isfinite(x)]) for x in (now, before))
    if not len(here) or not len(there):
        return 0.0
    levels = np.linspace(0.0, 1.0, 11)
    tried = np.quantile(here, levels) - np.quantile(there, levels)
    ranks = np.arange(len(here)) / len(here)

    def covered(by: float) -> float:
        first, last = there[[0, -1]] + by
        inside = np.searchsorted(here, first), np.searchsorted(here, last, side="right")
        gap = np.abs(np.searchsorted(there + by, here) / len(there) - ranks).mean()
        return float((inside[1] - inside[0]) / len(here) - 0.1 * gap)

    if step:
        whole = np.rint(tried / step) * step
        in_steps = max(np.unique(np.where(np.abs(tried - whole) < step / 4, whole, tried)).tolist(), key=covered)
        if covered(in_steps) > LAID:
            return float(in_steps)
    return float(max(np.unique(tried).tolist(), key=covered))


# ------------------------------------------------------------------------------------------------------------ text


def _texts(now: Any, before: Any, moves_on: bool) -> Iterator[View]:
    both = pa.concat_arrays([now, before])
    encoded = both.dictionary_encode()
    codes = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False).astype(np.int64)
    names = encoded.dictionary

    def cut(of_both: Ints) -> tuple[Ints, Ints]:
        return of_both[: len(now)], of_both[len(now) :]

    is_free = len(names) > MANY * max(1, len(both))
    if not moves_on:
        yield _of_table("value", cut(codes), len(names), lambda i: f"'{names[i].as_py()}'", tells_new=not is_free)
        yield from _single_values(cut(codes), len(names), is_free)
    patterns, written = patterns_of(both)
    patterns = np.where(patterns < 0, len(written), patterns)
    yield _of_table("pattern", cut(patterns), len(written), lambda i: f"“{written[i]}”")
    signs, shown = _signs(names)
    signs = np.append(signs, len(shown))[np.minimum(codes, len(names))]
    yield _of_table(SIGNS, cut(signs), len(shown), lambda i: f"with “{shown[i]}”" if shown[i] else "without signs")
    of_value = _casing(names)
    casing = np.append(of_value, len(_CASES) - 1)[np.minimum(codes, len(names))]
    yield View(CASING, casing[: len(now)], casing[len(now) :], _CASES.__getitem__, len(_CASES))
    lengths = np.append(_floats(pc.utf8_length(names)), math.nan)[np.minimum(codes, len(names))]
    yield _lengths(lengths[: len(now)], lengths[len(now) :])


_CASES = ("empty", "no letters", "lower case", "upper case", "capitalised", "mixed case", "space at an end", MISSING)
NO_LETTERS = _CASES.index("no letters")
"""The cell of texts that are numbers, dates or signs."""


def _signs(names: Any) -> tuple[Ints, list[str]]:
    """The signs of each distinct text, in their order: patterns do not tell them apart."""
    kept = pc.replace_substring_regex(names, r"[\pL\pM\pN\pZ\s]+", "")
    encoded = pc.utf8_slice_codeunits(kept, 0, _SIGNS).dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def _casing(names: Any) -> Ints:
    """The casing of each distinct text."""

    def flags(array: Any) -> Any:
        return array.fill_null(False).to_numpy(zero_copy_only=False)

    stripped = pc.utf8_trim_whitespace(names)
    cases = np.full(len(names), 5, np.int64)
    lower, upper = flags(pc.equal(pc.utf8_lower(names), names)), flags(pc.equal(pc.utf8_upper(names), names))
    cases[flags(pc.equal(pc.utf8_capitalize(names), names))] = 4
    cases[upper], cases[lower], cases[lower & upper] = 3, 2, 1
    cases[flags(pc.not_equal(stripped, names))] = 6
    cases[flags(pc.equal(names, ""))] = 0
    return cases


def _lengths(now: Floats, before: Floats) -> View:
    return of_line("length", now, before, "{:.0f} characters".format)


OFTEN = 8
"""A value that hardly any other row has is repeated if it is there so many times (a choice): one that is there a few
times may have become that of rows that did not change."""
HARDLY_OFTEN = 0.001
"""Where more than this share of the rows has such values anyway (ties, zeros), nothing is said of it (a choice)."""


def _repeated(codes: tuple[Ints, Ints], size: int) -> Iterator[View]:
    """Whether the value of a row is there often: free text and numbers of documents hardly ever are."""

    def cells(of_run: Ints) -> Ints:
        is_often = np.bincount(of_run, minlength=size + 1)[:size] >= OFTEN
        return np.append(is_often.astype(np.int64), 2)[of_run]

    said = (f"there less than {OFTEN} times", f"there {OFTEN} times or more", MISSING)
    here, there = map(cells, codes)
    if (there == 1).sum() <= HARDLY_OFTEN * len(there):
        yield View(REPEATED, here, there, said.__getitem__, 3)


def _single_values(codes: tuple[Ints, Ints], size: int, is_free: bool) -> Iterator[View]:
    """Whether the run before had the value: a few new ones are clearer alone than among hundreds of cells.

    Of free text it is only said where rows stay; and there, whether a value is there again and again.
    """
    if is_free:
        yield from _repeated(codes, size)
    here, there = codes
    count_now, count_before = (np.bincount(c, minlength=size + 1)[:size] for c in (here, there))
    once = _once(count_now, count_before, count_before == 1)
    if is_free and once.any():
        return
    cell_now, cell_before = (np.append(x.astype(np.int64), 2) for x in (count_before == 0, once))
    yield View(NEWNESS, cell_now[here], cell_before[there], ("seen in the run before", NEW, MISSING).__getitem__, 3)


def _once(count_now: Ints, count_before: Ints, once: Bools) -> Bools:
    """The values of the run before that count as new by leave-one-out: none where rows stay.

    There hardly any value is new, and by leave-one-out the rare ones would seem to be gone.
    """
    new = count_now[count_before == 0].sum()
    stays = new * count_before.sum() < STAYED * once.sum() * count_now.sum()
    return np.asarray(once & (not stays))


def _of_table(
    name: str, codes: tuple[Ints, Ints], size: int, say: Callable[[int], str], tells_new: bool = True
) -> View:
    """Frequent values each in its own cell, the others by whether the run before had them.

    For a fair comparison, a row of the run before counts as new if no other of its rows has the same value. That
    estimates how often a good run brings new values (leave-one-out, Good and Turing).
    """
    here, there = codes
    count_now, count_before = (np.bincount(c, minlength=size + 1) for c in (here, there))
    top = np.argsort(-np.maximum(count_now, count_before)[:size], kind="stable")[:CELLS]
    other, new, missing = len(top), len(top) + 1, len(top) + 2
    cell = np.full(size + 1, other, np.int64)
    cell[top], cell[size] = np.arange(len(top)), missing
    cell_now, cell_before = cell.copy(), cell.copy()
    if tells_new:
        cell_now[:size][count_before[:size] == 0] = new
        is_rare = (count_before[:size] == 1) & (cell[:size] == other)
        cell_before[:size][_once(count_now[:size], count_before[:size], is_rare)] = new
        # A frequent value that is new keeps its own name.
        named = top[(count_before[top] == 0) & (count_now[top] >= 8)]
        cell_now[named] = cell[named]

    def label(code: int) -> str:
        return say(int(top[code])) if code < len(top) else (OTHERS, NEW, MISSING)[code - len(top)]

    return View(name, cell_now[here], cell_before[there], label, len(top) + 3, is_free=not tells_new)
