"""What can rows have in common? Each column of two runs is cut into values and ranges, with one number per row."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from byhistory.profile.arrays import Floats, Ints
from byhistory.why.condition import Condition, Part, Value
from byhistory.why.parts import comparable, dated, nulls_of, numbers_of, patterns_of, places, plain
from byhistory.why.written import format_of, seconds_of

RANGES = 48
"""Ranges that numbers are first cut into, with equally many rows each (a choice); the ends of a range are refined
later."""
VALUES = 64
"""How many of the most frequent values of a column are tried (a choice)."""
SUPPORT = 8
"""Rows of the sample that a value must have in one of the runs to be tried (a choice)."""
ADVANCED = 0.5
"""A column moves on with the runs, as dates and counters do, if this share of the run before lies at the ends of its
present range or beyond (a choice)."""
EXACT = 2.0**53
"""The largest whole number up to which a float is exact."""
LONGEST_PATTERN = 24
"""The longest pattern that is shown, in symbols (a choice): longer ones are free text."""
Type = Literal["text", "boolean", "whole", "number", "date", "time", "local time", "other"]


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """One way to tell rows apart: a number for each row of both runs, and what each number means.

    The numbers of an ordered feature stand for ranges between `edges`, those of others for `values`; -1 stands for
    neither.
    """

    path: tuple[str, ...]
    type: Type
    part: Part
    now: Ints
    before: Ints
    values: tuple[Value, ...] = ()
    edges: Floats | None = None
    has_past: bool = True
    """Whether it can tell rows of the run before apart: dates and counters that move on with the runs cannot."""
    shift: float = 0.0
    """How much was added to the values of the run before, so that they overlap with those of this run."""
    written: str = ""
    """How dates or times are written, if the column is of text."""

    @property
    def size(self) -> int:
        """How many numbers, and so values or ranges, there are."""
        return len(self.values) if self.edges is None else len(self.edges) - 1

    def condition(self, codes: Ints) -> Condition:
        """The condition that rows have one of some numbers; those of an ordered feature are neighbours."""
        if self.edges is None:
            return Condition(self.path, self.type, self.part, tuple(self.values[i] for i in codes.tolist()))
        first, last = int(codes[0]), int(codes[-1])
        low = -math.inf if first == 0 else float(self.edges[first])
        high = math.inf if last == self.size - 1 else float(self.edges[last + 1])
        return Condition(self.path, self.type, self.part, (), low, high, self.written)

    def numbers(self, array: Any) -> Floats:
        """The values of an ordered feature as numbers, given the Arrow array of its column."""
        return seconds_of(plain(array), self.written) if self.written else numbers_of(array)

    def condition_before(self, codes: Ints) -> Condition:
        """The condition that the same rows of the run before meet."""
        found = self.condition(codes)
        return replace(found, low=found.low - self.shift, high=found.high - self.shift)


def features(path: tuple[str, ...], now: Any, before: Any) -> Iterator[Feature]:
    """The features of one column, given its Arrow arrays in both runs."""
    advances = _advances(now, before)
    for feature in _features(path, now, before):
        yield replace(feature, has_past=not (moves_on(feature) or (advances and feature.part == "value")))


def _advances(now: Any, before: Any) -> bool:
    """Whether a column has dates, as text or as whole numbers, which are later in this run than in the one before."""
    now, before = comparable(now, before)
    as_dates = dated(now, before) if now.type.equals(before.type) else None
    if as_dates is None:
        return False
    here, there = (x[np.isfinite(x)] for x in as_dates)
    return bool(len(here) and len(there) and here.max() > there.max())


def moves_on(feature: Feature) -> bool:
    """Whether a column's values move on from run to run, so that no ranges of them can be compared."""
    if not len(feature.before):
        return True
    if feature.part in ("hour", "weekday"):  # of runs that are an hour or a day each
        return not np.isin(feature.now, feature.before).any()
    if feature.part != "value":
        return False
    before = feature.before[feature.before >= 0]
    if feature.edges is None:
        return not np.isin(before, feature.now).any()
    if not len(before):
        return True
    at_ends = (before == 0) | (before == feature.size - 1)
    # Ranges have as many rows of this run each: of a run that is alike, two of them have two of their number.
    return bool(at_ends.mean() > ADVANCED + 2 / feature.size)


def _features(path: tuple[str, ...], now: Any, before: Any) -> Iterator[Feature]:
    now, before = comparable(now, before)
    if not now.type.equals(before.type):
        return  # a column that changed its type has nothing to compare with
    type_ = type_of(now.type)
    yield from _presence(path, type_, now, before)
    if pt.is_boolean(now.type):
        yield Feature(path, type_, "value", places(now), places(before), (False, True))
    elif type_ == "text":
        yield from _of_text(path, now, before)
        yield from _of_written(path, now, before)
    elif type_ != "other":
        yield from _of_numbers(path, type_, now, before)


DAY, HOUR = 86_400.0, 3_600.0
"""In seconds."""
WHOLE = 0.05
"""Runs are whole days or hours apart if they are so up to this part of one (a choice)."""


def laid_over(feature: Feature, here: Floats, there: Floats) -> Feature | None:
    """Times that move on with the runs; those of the run before are moved by the days or hours between the runs.

    The runs must begin alike or end alike: one that ends early still begins where it should. None if they do neither.
    """
    ends = [(x.min(), x.max()) for x in (here[np.isfinite(here)], there[np.isfinite(there)]) if len(x)]
    if len(ends) < 2 or feature.type not in ("date", "time", "local time"):
        return None
    (first, last), (first_before, last_before) = ends
    unit = DAY if feature.type == "date" or last_before - first_before > DAY / 4 else HOUR
    for apart in ((first - first_before) / unit, (last - last_before) / unit):
        if abs(apart - round(apart)) <= WHOLE and round(apart) > 0:
            shift = round(apart) * unit
            edges = cut(np.concatenate([here, there + shift]), RANGES, feature.type)
            if len(edges) <= 2:
                return None
            now, before = ranged(edges, here), ranged(edges, there + shift)
            return replace(feature, now=now, before=before, edges=edges, shift=shift, has_past=True)
    return None


def type_of(type_: Any) -> Type:
    """Which of the types of a condition an Arrow type is."""
    if pt.is_timestamp(type_):
        return "time" if type_.tz else "local time"
    known: tuple[tuple[Type, Any], ...] = (
        ("text", pt.is_string),
        ("text", pt.is_large_string),
        ("boolean", pt.is_boolean),
        ("whole", pt.is_integer),
        ("number", pt.is_floating),
        ("date", pt.is_date),
    )
    return next((name for name, test in known if test(type_)), "other")


def _presence(path: tuple[str, ...], type_: Type, now: Any, before: Any) -> Iterator[Feature]:
    missing = now.null_count + before.null_count
    if SUPPORT <= missing <= len(now) + len(before) - SUPPORT:
        yield Feature(path, type_, "null", nulls_of(now), nulls_of(before), (False, True))


def _of_text(path: tuple[str, ...], now: Any, before: Any) -> Iterator[Feature]:
    both = pa.concat_arrays([now, before])
    encoded = both.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    names = encoded.dictionary
    yield from _frequent(path, "value", (codes[: len(now)], codes[len(now) :]), lambda i: str(names[i].as_py()))
    if len(names) > VALUES:
        codes, patterns = patterns_of(both)
        # Longer patterns are free text: nobody would call it a segment.
        codes = np.where(np.array([len(p) <= LONGEST_PATTERN for p in patterns] + [False])[codes], codes, -1)
        yield from _frequent(path, "pattern", (codes[: len(now)], codes[len(now) :]), patterns.__getitem__)


def _frequent(
    path: tuple[str, ...], part: Part, codes: tuple[Ints, Ints], name: Callable[[int], str]
) -> Iterator[Feature]:
    """The most frequent values as a feature; none if all rows have the same."""
    here, there = codes
    size = max(int(c.max(initial=-1)) for c in codes) + 1
    if not size:
        return
    counts = [np.bincount(c[c >= 0], minlength=size) for c in codes]
    most = np.maximum(*counts)
    top = np.argsort(-most, kind="stable")[:VALUES]
    top = top[most[top] >= SUPPORT]
    if not len(top) or counts[0][top[0]] == len(here):
        return
    renamed = np.full(size + 1, -1, np.int64)
    renamed[top] = np.arange(len(top))
    yield Feature(path, "text", part, renamed[here], renamed[there], tuple(name(i) for i in top.tolist()))


def _of_written(path: tuple[str, ...], now: Any, before: Any) -> Iterator[Feature]:
    """The dates or times of a column of text, and the hours of the times."""
    written = format_of(before if len(before) else now)
    if not written or (len(now) and format_of(now) not in ("", written)):
        return
    type_: Type = "local time" if "%H" in written else "date"
    here, there = (seconds_of(a, written) for a in (now, before))
    for feature in _ordered(path, type_, "value", here, there):
        yield replace(feature, written=written)
    if type_ == "local time":
        hours, hours_before = (np.where(np.isnan(x), -1, x // HOUR % 24).astype(np.int64) for x in (here, there))
        yield Feature(path, type_, "hour", hours, hours_before, (), np.arange(25.0), written=written)


def _of_numbers(path: tuple[str, ...], type_: Type, now: Any, before: Any) -> Iterator[Feature]:
    here, there = numbers_of(now), numbers_of(before)
    yield from _ordered(path, type_, "value", here, there)
    if type_ == "whole":
        distinct, counts = np.unique(np.concatenate([here, there]), return_counts=True)
        frequent = distinct[(counts >= SUPPORT) & (np.abs(distinct) <= EXACT)]
        if 2 < len(frequent) <= VALUES and len(distinct) <= 4 * VALUES:
            values = tuple(int(v) for v in frequent)
            yield Feature(path, type_, "value", _places(frequent, here), _places(frequent, there), values)
    if type_ in ("time", "local time"):
        yield Feature(path, type_, "hour", places(now, "hour"), places(before, "hour"), (), np.arange(25.0))
    if type_ in ("time", "local time", "date"):
        days, days_before = places(now, "weekday"), places(before, "weekday")
        if len(np.unique(days)) > 2 and len(np.unique(days_before)) > 2:
            yield Feature(path, type_, "weekday", days, days_before, tuple(range(7)))


def _places(known: Floats, values: Floats) -> Ints:
    at = np.clip(np.searchsorted(known, values), 0, len(known) - 1)
    return np.where(known[at] == values, at, -1).astype(np.int64)


def _ordered(path: tuple[str, ...], type_: Type, part: Part, here: Floats, there: Floats) -> Iterator[Feature]:
    finite = here[np.isfinite(here)]
    edges = cut(finite, RANGES, type_)
    if len(edges) > 2:
        yield Feature(path, type_, part, ranged(edges, here), ranged(edges, there), edges=edges)


def cut(values: Floats, ranges: int, type_: Type) -> Floats:
    """Edges between ranges with about equally many values, each the shortest number that separates two of them."""
    values = values[np.isfinite(values)]
    if not len(values):
        return np.zeros(0)
    ordered = np.sort(values)
    at = np.unique(np.linspace(0, len(ordered), ranges + 1).astype(np.int64)[1:-1])
    wanted = ordered[at]
    places = np.unique(np.searchsorted(ordered, wanted, side="left"))
    places = places[places > 0]
    inner = [separator(float(ordered[p - 1]), float(ordered[p]), type_) for p in places.tolist()]
    return np.array([-math.inf, *dict.fromkeys(inner), math.inf])


def ranged(edges: Floats, values: Floats) -> Ints:
    """The range that each value lies in; -1 for nan."""
    codes = np.searchsorted(edges, values, side="right") - 1
    return np.where(np.isnan(values), -1, np.clip(codes, 0, len(edges) - 2)).astype(np.int64)


_CLOCK = (86_400.0, 43_200.0, 21_600.0, 3_600.0, 1_800.0, 900.0, 300.0, 60.0, 10.0, 1.0)
"""Steps of a clock, in seconds: a range of times should rather begin on the hour than at 13:59:58."""


def separator(below: float, above: float, type_: Type = "number") -> float:
    """The shortest number, or the roundest time, that is above `below` and at most `above`.

    >>> separator(99.73, 100.2), separator(4.0, 5.0, "whole"), separator(0.1234, 0.1238)
    (100.0, 5, 0.1235)
    >>> separator(50398.0, 50411.5, "time") == 14 * 3600
    True
    """
    if type_ == "whole":
        return math.ceil(above)
    gap = above - below
    if not math.isfinite(gap) or gap < sys.float_info.min:
        return above
    unit = 10.0 ** math.floor(math.log10(gap))
    steps = (10 * unit, 5 * unit, unit, unit / 2, unit / 10) if type_ == "number" else _CLOCK
    for step in steps:
        number = float(f"{math.floor(above / step + 1e-9) * step:.15g}")
        if below < number <= above:
            return number
    return above
