"""How often does a table come, and after how many runs does its calendar come round? The labels of its runs say so.

A table that comes on some days of the week, at some times of the day, has a place for every such time, whether a run
came or not; one of months has a place for every month. So the run a week before is the run a week before, even if
one between never came. Where labels say nothing of the kind, places are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeVar

import numpy as np

from byhistory.profile.arrays import Floats

T = TypeVar("T")
UNKNOWN = (7, 12)
"""Seasons that are tried where the labels tell none: a week of days, a year of months."""
LEAST = 14
"""Labels from which on there is a calendar; of fewer, gaps cost more than they tell (ADR 0007)."""
LONGEST = 672
"""Places of a season at most: a week of quarters of an hour."""
_MOST = 0.9
"""The part of all labels that must fit a calendar."""
_FILLED = 0.75
"""The part of all places from the first run to the last that must have a run."""
_WEEK, _TWO_WEEKS = timedelta(days=7), timedelta(days=14)
_MONTH = timedelta(days=28)
_MONDAY = datetime(1900, 1, 1)  # noqa: DTZ001 - labels are times of the user's own calendar


@dataclass(frozen=True, slots=True)
class Cadence:
    """The place of every run, rising, and the numbers of places after which a day, a week or a year comes round."""

    places: tuple[int, ...]
    seasons: tuple[int, ...] = UNKNOWN

    @property
    def is_known(self) -> bool:
        """Whether the labels told it."""
        return self.seasons != UNKNOWN


def calendar(past: Sequence[str], following: str | None = None) -> Cadence:
    """The calendar of past runs with the place of the one after them, whose label moves none of theirs.

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
    """The labels without the few that keep the others from having a calendar: unreadable, twice, or at an odd hour.

    >>> days = [f"2026-11-{day}" for day in range(10, 30)]
    >>> fitting([*days, "2026-11-29 again"]) == days, fitting(["a", "b"])
    (True, ['a', 'b'])
    """
    if cadence(labels).is_known:
        return list(labels)
    by_time = {time: label for label in reversed(labels) if (time := _time(label)) is not None}
    clock = Counter(time.time() for time in by_time)
    usual = max(clock.values(), default=0) * (1 - _MOST)
    kept = [label for time, label in reversed(by_time.items()) if clock[time.time()] > usual]
    is_most = len(kept) >= _MOST * len(labels)
    return kept if is_most and cadence(kept).is_known else list(labels)


def cadence(labels: Sequence[str]) -> Cadence:
    """The calendar of runs from their labels, oldest first.

    >>> cadence([f"2026-11-{day}" for day in range(10, 26) if day != 13])
    Cadence(places=(0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), seasons=(7,))
    >>> cadence(["a", "b"])
    Cadence(places=(0, 1), seasons=(7, 12))
    """
    counted = Cadence(tuple(range(len(labels))))
    times = [_time(label) for label in labels]
    known = [t for t in times if t is not None]
    if len(known) < max(len(times), LEAST):
        return counted
    found, seasons = _months(known) or _weeks(known) or _days(known)
    places = tuple(place - found[0] for place in found)
    rising = all(a < b for a, b in pairwise(places))
    return Cadence(places, seasons) if rising and len(places) >= _FILLED * (places[-1] + 1) else counted


def spread_out(series: Floats, places: Sequence[int]) -> Floats:
    """Runs (a column each) at their places, nan between; the last place is that of the run after them.

    >>> spread_out(np.array([[5.0, 6.0]]), (3, 5, 6)).tolist()
    [[5.0, nan, 6.0]]
    """
    out = np.full((len(series), places[-1] - places[0]), np.nan)
    out[:, np.array(places[:-1], np.int64) - places[0]] = series
    return out


def laid_out(runs: Sequence[T], places: Sequence[int]) -> list[T | None]:
    """Runs at their places, None between; there may be one more place, that of the run after them.

    >>> laid_out("ab", (0, 2, 4))
    ['a', None, 'b', None]
    """
    at = dict(zip(places, runs, strict=False))
    return [at.get(place) for place in range(places[0], places[-1] + (len(places) == len(runs)))] if places else []


_Found = tuple[list[int], tuple[int, ...]]


def _months(times: Sequence[datetime]) -> _Found | None:
    """Runs of months or quarters: no two within four weeks, all on about the same day."""
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
    """Days of the week, and times of the day, on which runs come; of a short past, all days of the week."""
    is_long = times[-1] - times[0] >= _TWO_WEEKS
    days = sorted({t.weekday() for t in times}) if is_long else list(range(7))
    clock = {time: i for i, time in enumerate(sorted({t.time() for t in times}))}
    places = [
        (((t - _MONDAY) // _WEEK) * len(days) + days.index(t.weekday())) * len(clock) + clock[t.time()] for t in times
    ]
    return places, tuple(season for season in (len(clock), len(days) * len(clock)) if 1 < season <= LONGEST)


def _steps(times: Sequence[datetime]) -> list[timedelta]:
    return [b - a for a, b in pairwise(times)]


_WRITTEN = re.compile(
    r"(\d{4})-?(\d\d)(?:-?(\d\d)(?:[T _-]?(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?)?)?(?:Z|[+-]\d\d:?\d\d)?"
)
"""A month, a day or a time in any of the ways in which ISO 8601 writes them."""


def _time(label: str) -> datetime | None:
    found = _WRITTEN.fullmatch(label)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(p) if p else None for p in found.groups())
    try:
        return datetime(year or 0, month or 0, day or 1, hour or 0, minute or 0, second or 0)  # noqa: DTZ001 - as above
    except ValueError:
        return None
