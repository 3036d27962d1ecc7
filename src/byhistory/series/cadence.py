"""How often does a table come, and after how many runs does its calendar repeat? The labels of its runs say so.

A table that comes on some days of the week, at some times of the day, has a place for every such time, whether a run
came or not; a monthly table has a place for every month. So the run of a week ago is found even if a run since then
never came. Where labels say nothing of the kind, runs are simply counted.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np

from byhistory.profile.arrays import Floats

T = TypeVar("T")
UNKNOWN = (7, 12)
"""Seasons that are tried where the labels do not tell: a week of days, a year of months."""
LEAST = 14
"""Labels needed for a calendar; with fewer, gaps cost more than they tell (ADR 0007)."""
LONGEST = 672
"""Places of a season at most: a week of quarters of an hour."""
_MOST = 0.9
"""The part of all labels that must fit a calendar."""
_FILLED = 0.75
"""The part of all places from the first run to the last that must have a run."""
_WEEK, _TWO_WEEKS = timedelta(days=7), timedelta(days=14)
_MONTH = timedelta(days=28)
"""The shortest month: no two monthly runs are closer."""
_MONDAY = datetime(1900, 1, 1)  # noqa: DTZ001 - labels are times of the user's own calendar


@dataclass(frozen=True, slots=True)
class Cadence:
    """The place of every run, rising, and the numbers of places after which a day, a week or a year repeats."""

    places: tuple[int, ...]
    seasons: tuple[int, ...] = UNKNOWN

    @property
    def is_known(self) -> bool:
        """Whether the labels show it."""
        return self.seasons != UNKNOWN


def calendar(past: Sequence[str], following: str | None = None) -> Cadence:
    """The calendar of past runs, with a place for the run that follows, whose label moves none of theirs.

    If that label is not known, or does not fit, it is the next place.

    >>> days = [f"2026-11-{day}" for day in range(10, 24)]
    >>> [calendar(days, label).places[-1] for label in ("2026-11-24", "2026-11-26", "again", None)]
    [14, 16, 14, 14]
    """
    known = cadence(past)
    if not past:
        return Cadence((0,))
    place = known.places[-1] + 1
    if following is not None:
        *others, own = cadence([*past, following]).places
        place = own if tuple(others) == known.places else place
    return Cadence((*known.places, place), known.seasons)


def fitting(labels: Sequence[str]) -> list[str]:
    """The labels without the few that keep the others from having a calendar: unreadable, repeated, at an odd hour.

    >>> days = [f"2026-11-{day}" for day in range(10, 30)]
    >>> fitting([*days, "2026-11-29 again"]) == days, fitting(["a", "b"])
    (True, ['a', 'b'])
    """
    if cadence(labels).is_known:
        return list(labels)
    by_time = {at: label for label in reversed(labels) if (at := time_of(label)) is not None}
    clock = Counter(at.time() for at in by_time)
    usual = max(clock.values(), default=0) * (1 - _MOST)
    kept = [label for at, label in reversed(by_time.items()) if clock[at.time()] > usual]
    is_most = len(kept) >= _MOST * len(labels)
    return kept if is_most and cadence(kept).is_known else list(labels)


def cadence(labels: Sequence[str]) -> Cadence:
    """The calendar of runs from their labels, oldest first. The last ones are remembered: a page asks for it often.

    >>> cadence([f"2026-11-{day}" for day in range(10, 26) if day != 13])
    Cadence(places=(0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), seasons=(7,))
    >>> cadence(["a", "b"])
    Cadence(places=(0, 1), seasons=(7, 12))
    """
    return _cadence(tuple(labels))


@lru_cache(maxsize=256)
def _cadence(labels: tuple[str, ...]) -> Cadence:
    counted = Cadence(tuple(range(len(labels))))
    times = [time_of(label) for label in labels]
    known = [t for t in times if t is not None]
    if len(known) < max(len(times), LEAST):
        return counted
    found, seasons = _months(known) or _weeks(known) or _days(known)
    places = tuple(place - found[0] for place in found)
    rising = all(a < b for a, b in pairwise(places))
    return Cadence(places, seasons) if rising and len(places) >= _FILLED * (places[-1] + 1) else counted


def spread_out(series: Floats, places: Sequence[int]) -> Floats:
    """Runs (one column each) at their places, nan between; the last place is that of the run that follows.

    >>> spread_out(np.array([[5.0, 6.0]]), (3, 5, 6)).tolist()
    [[5.0, nan, 6.0]]
    """
    out = np.full((len(series), places[-1] - places[0]), np.nan)
    out[:, np.array(places[:-1], np.int64) - places[0]] = series
    return out


def laid_out(runs: Sequence[T], places: Sequence[int]) -> list[T | None]:
    """Runs at their places, None between; there may be one more place, that of the run that follows.

    >>> laid_out("ab", (0, 2, 4))
    ['a', None, 'b', None]
    """
    at = dict(zip(places, runs, strict=False))
    return [at.get(place) for place in range(places[0], places[-1] + (len(places) == len(runs)))] if places else []


def labels_at(labels: Sequence[str], places: Iterable[int]) -> list[str]:
    """The labels that runs at these places would have, written like the last one; none if there is no calendar.

    Places are counted from the first of the labels; those beyond the last are of runs to come.

    >>> days = [f"2026-11-{day}" for day in range(10, 28) if day not in (14, 15, 21, 22)]
    >>> labels_at(days, [0, 4, 5, 14])
    ['2026-11-10', '2026-11-16', '2026-11-17', '2026-11-30']
    """
    if not cadence(labels).is_known:
        return []
    times = [t for t in map(time_of, labels) if t is not None]
    at = _months_at(times) or _weeks_at(times) or _days_at(times)
    return [_written_like(labels[-1], at(place)) for place in places]


_Found = tuple[list[int], tuple[int, ...]]


def _months(times: Sequence[datetime]) -> _Found | None:
    """Monthly or quarterly runs: no two within four weeks, all on about the same day."""
    if min(_steps(times)) < _MONTH or max(t.day for t in times) - min(t.day for t in times) > 3:
        return None
    months = [12 * t.year + t.month for t in times]
    step = min(b - a for a, b in pairwise(months))
    return [m // step for m in months], (12 // step,) if step in (1, 2, 3, 4, 6) else ()


def _weeks(times: Sequence[datetime]) -> _Found | None:
    if min(_steps(times)) < _WEEK:
        return None
    return [round((t - times[0]) / _WEEK) for t in times], (52,)


def _days(times: Sequence[datetime]) -> _Found:
    """Days of the week and times of the day at which runs come; after a short past, all days of the week."""
    days, hours = _days_and_clock(times)
    clock = {hour: i for i, hour in enumerate(hours)}
    places = [
        (((t - _MONDAY) // _WEEK) * len(days) + days.index(t.weekday())) * len(clock) + clock[t.time()] for t in times
    ]
    return places, tuple(season for season in (len(clock), len(days) * len(clock)) if 1 < season <= LONGEST)


def _days_and_clock(times: Sequence[datetime]) -> tuple[list[int], list[time]]:
    is_long = times[-1] - times[0] >= _TWO_WEEKS
    days = sorted({t.weekday() for t in times}) if is_long else list(range(7))
    return days, sorted({t.time() for t in times})


def _months_at(times: Sequence[datetime]) -> Callable[[int], datetime] | None:
    """A function from a place, as `_months` counts them, to its time; the day is the one that most runs have."""
    if _months(times) is None:
        return None
    months = [12 * t.year + t.month for t in times]
    step = min(b - a for a, b in pairwise(months))
    (day, _), *_ = Counter(t.day for t in times).most_common(1)

    def at(place: int) -> datetime:
        year, month = divmod((months[0] // step + place) * step + months[0] % step - 1, 12)
        return times[0].replace(year=year, month=month + 1, day=min(day, monthrange(year, month + 1)[1]))

    return at


def _weeks_at(times: Sequence[datetime]) -> Callable[[int], datetime] | None:
    return None if _weeks(times) is None else lambda place: times[0] + place * _WEEK


def _days_at(times: Sequence[datetime]) -> Callable[[int], datetime]:
    days, clock = _days_and_clock(times)
    first = _days(times)[0][0]

    def at(place: int) -> datetime:
        rest, hour = divmod(first + place, len(clock))
        week, day = divmod(rest, len(days))
        return datetime.combine(_MONDAY + week * _WEEK + timedelta(days=days[day]), clock[hour])

    return at


def _steps(times: Sequence[datetime]) -> list[timedelta]:
    return [b - a for a, b in pairwise(times)]


_WRITTEN = re.compile(
    r"(\d{4})-?(\d\d)(?:-?(\d\d)(?:[T _-]?(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?)?)?(?:Z|[+-]\d\d:?\d\d)?"
)
"""A month, a day or a time in any of the ways in which ISO 8601 writes them."""


@lru_cache(maxsize=16_384)
def time_of(label: str) -> datetime | None:
    """The time that a label names, in the user's own calendar; None if it names none.

    >>> time_of("2026-11-15T06"), time_of("again")
    (datetime.datetime(2026, 11, 15, 6, 0), None)
    """
    found = _WRITTEN.fullmatch(label)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(p) if p else None for p in found.groups())
    try:
        return datetime(year or 0, month or 0, day or 1, hour or 0, minute or 0, second or 0)  # noqa: DTZ001 - as above
    except ValueError:
        return None


_SPAN = re.compile(r"((?:19|20)\d\d)(?:-?(?:[wW](?P<week>\d\d)|[qQ](?P<quarter>[1-4])))?")
"""A year, or a week or a quarter of it. A run with such a number may be the 2,017th: good enough for how long ago."""


def roughly_at(label: str) -> datetime | None:
    """About when a run was, also where its label names a year, a quarter or a week; None if it names no time.

    >>> roughly_at("2017"), roughly_at("2026-w02"), roughly_at("17")
    (datetime.datetime(2017, 1, 1, 0, 0), datetime.datetime(2026, 1, 8, 0, 0), None)
    """
    found = _SPAN.fullmatch(label)
    if found is None:
        return time_of(label)
    weeks = max(int(found["week"] or 1) - 1, 13 * (int(found["quarter"] or 1) - 1))
    return datetime(int(found[1]), 1, 1) + weeks * _WEEK  # noqa: DTZ001 - as above


def _written_like(label: str, at: datetime) -> str:
    """A time with the digits where the label has its own: the same separators, the same precision, the same zone."""
    found = _WRITTEN.fullmatch(label)
    assert found is not None  # noqa: S101 - only labels that name a time have a calendar
    parts = (at.year, at.month, at.day, at.hour, at.minute, at.second)
    text = list(label)
    for i, part in enumerate(parts, 1):
        start, end = found.span(i)
        text[start:end] = f"{part:0{end - start}}" if end > start else ""
    return "".join(text)
