"""When is the next run due, and is one late or missing? Known from when runs arrived, and from their labels.

Every place of the calendar has been waited for: until its run came, or a later one instead. These waits are the table's
own past; a prior says how long tables are waited for in general, measured on others (`bench.due`). A run is late when
a good one is waited for that long less often than the budget allows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from byhistory.series.cadence import cadence, fitting, labels_at, time_of

BUDGET = 0.01
"""How often a good run may be called late, where the user does not say."""
PRIOR_RUNS = 5.0
"""What other tables say counts as much as this many runs of the table's own. By `bench.due`, on sources that the prior
was not taken from, 0.92 % of good runs are then called late at a budget of 1 %, and 2.5 % at 5 % (with 2: 1.12 %)."""
LOOKS_BACK = 60
"""Places of the calendar that waits are learned from: as many as a forecast looks back at."""
NEEDED = 3
"""Arrivals needed, without a calendar, to say anything about the next."""
MOST_LATE = 400
"""Late runs of one table that are named: a year of days. A table that nobody runs any more is late for ever."""
_AT_ONCE = 0.1
"""Runs that arrive within this part of the time between their labels were loaded together: all but the last of them
say nothing of when a run arrives."""
_TOGETHER = timedelta(minutes=2)
"""The same for labels without a time: a check of a small table takes seconds, and nobody delivers every two minutes."""
_GRID = tuple(0.02 * 1.05**i for i in range(190))
"""Waits that are tried for the limit, in steps between runs: half an hour to half a year, for a table of days."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A run: its label, when it was recorded, and whether that was when it came (and not a load of past ones)."""

    run: str
    at: datetime
    is_live: bool = True


@dataclass(frozen=True, slots=True)
class DueRun:
    """A run that should be there. `run` is the label that it would have, empty where labels have no calendar."""

    run: str
    expected: datetime
    late_from: datetime

    def is_late(self, now: datetime) -> bool:
        """Whether it should have come before now."""
        return now > self.late_from


@dataclass(frozen=True, slots=True)
class Schedule:
    """When runs come: the time from one to the next (`step`), and how many steps past runs were waited for, rising."""

    step: timedelta
    waits: tuple[float, ...]
    next: tuple[DueRun, ...]
    """The runs that are due before now, or the next one if none is."""
    skipped: tuple[str, ...] = ()
    """Places of the calendar that were left out among the last ones."""

    def price(self, wait: timedelta) -> float:
        """How often a good run is waited for at least so long after it is due."""
        return price(self.waits, wait / self.step)

    def late(self, now: datetime) -> tuple[DueRun, ...]:
        """The runs that are late, oldest first."""
        return tuple(run for run in self.next if run.is_late(now))


def schedule(arrivals: Sequence[Arrival], now: datetime, budget: float = BUDGET, back: int = 7) -> Schedule | None:
    """What is due now, from the arrivals of all runs in the order of their labels; None if nothing can be said yet.

    `back` is how many of the last places are looked at for skipped runs.

    >>> days = [Arrival(f"2026-11-{d:02}", datetime(2026, 11, d, 6)) for d in range(1, 21) if d != 19]
    >>> found = schedule(days, datetime(2026, 11, 22, 23), budget=0.05)
    >>> [run.run for run in found.late(datetime(2026, 11, 22, 23))], found.skipped
    (['2026-11-21'], ('2026-11-19',))
    """
    by_label = {a.run: a for a in arrivals}
    labels = fitting([a.run for a in arrivals])[-LOOKS_BACK:]
    found = cadence(labels)
    if found.is_known:
        return _by_calendar([by_label[label] for label in labels], found.places, now, budget, back)
    return _by_gaps([a for a in arrivals if a.is_live], budget)


def skipped(past: Sequence[str], run: str, budget: float = BUDGET) -> tuple[str, ...]:
    """The places of the calendar between the last of the past labels and a run, if to skip one is not usual.

    >>> days = [f"2026-11-{day:02}" for day in range(1, 21)]
    >>> skipped(days, "2026-11-23", 0.05), skipped(days, "2026-11-21", 0.05), skipped(days, "again", 0.05)
    (('2026-11-21', '2026-11-22'), (), ())
    """
    labels = fitting(past)[-LOOKS_BACK:]
    found, both = cadence(labels), cadence([*labels, run])
    if not (found.is_known and both.is_known) or both.places[:-1] != found.places:
        return ()
    gaps = [b - a - 1 for a, b in pairwise(found.places)]
    own = both.places[-1] - both.places[-2] - 1
    if not own or price(sorted(map(float, gaps)), float(own)) > budget:
        return ()
    return tuple(labels_at(labels, range(both.places[-2] + 1, both.places[-1])))


Prior = Sequence[tuple[float, float]]
"""Rising waits, in steps, each with how often one is at least so long."""

PRIOR: Prior = (
    (0.0, 1.0),
    (0.1, 0.1347),
    (0.25, 0.1314),
    (0.5, 0.1249),
    (1.0, 0.1063),
    (1.5, 0.065),
    (2.0, 0.0584),
    (3.0, 0.027),
    (5.0, 0.0107),
    (10.0, 0.0026),
)
"""Measured by `bench.due` on 3,576 runs of 33 tables from 18 sources that were delivered run by run, each source with
the same weight. Their labels are days, so of waits shorter than a step it says only that they are no more frequent."""


def price(waits: Sequence[float], wait: float, others: Prior = PRIOR) -> float:
    """How often a good run is waited for at least so long, by the table's own waits (sorted) and by those of others.

    >>> price([0.0] * 53, 2.0) < price([0.0] * 53, 0.5) < price([], 0.5) < 1
    True
    """
    own = len(waits) - bisect_left(waits, wait)
    return (own + PRIOR_RUNS * prior(wait, others)) / (len(waits) + PRIOR_RUNS)


def prior(wait: float, others: Prior = PRIOR) -> float:
    """How often tables in general are waited for at least this many steps; beyond what was measured it falls as 1/wait.

    >>> prior(0.0), prior(1e9) < 1e-6
    (1.0, True)
    """
    for (a, high), (b, low) in pairwise(others):
        if wait < b:
            return high + (low - high) * (max(wait, a) - a) / (b - a)
    last, rate = others[-1]
    return rate * last / wait


def limit(waits: Sequence[float], budget: float, others: Prior = PRIOR) -> float:
    """The shortest wait, in steps, that a good run has less often than the budget allows."""
    return next((wait for wait in _GRID if price(waits, wait, others) <= budget), _GRID[-1])


# --- with a calendar --------------------------------------------------------------------------------------------------


def _by_calendar(
    arrivals: Sequence[Arrival], places: Sequence[int], now: datetime, budget: float, back: int
) -> Schedule:
    labels = [a.run for a in arrivals]
    zone = now.tzinfo
    due = [t.replace(tzinfo=zone) for t in _times(labels_at(labels, range(places[-1] + 1)))]
    step = _middle([b - a for a, b in pairwise(due)])
    live = _single(arrivals, [due[p] for p in places])
    delays = [arrivals[i].at - due[places[i]] for i in live]
    delay = _middle(delays) if delays else step
    came = {p: (arrivals[i].at if i in live else due[p] + delay) for i, p in enumerate(places)}
    waits, first = [], None
    for p in reversed(range(len(due))):
        first = min(came[p], first) if p in came and first is not None else came.get(p, first)
        assert first is not None  # noqa: S101 - the last place has a run
        waits.append(max(0.0, (first - due[p] - delay) / step))
    waits.sort()
    until = limit(waits, budget) * step
    return Schedule(
        step,
        tuple(waits),
        _due_before(labels, places[-1], now, delay=delay, until=until),
        tuple(_skipped_lately(labels, places, budget, back)),
    )


def _due_before(
    labels: Sequence[str], last: int, now: datetime, *, delay: timedelta, until: timedelta
) -> tuple[DueRun, ...]:
    """The runs after the last that should be there, or at least the next."""
    runs: list[DueRun] = []
    for place in range(last + 1, last + 1 + MOST_LATE):
        (label,) = labels_at(labels, [place])
        time = time_of(label)
        if time is None:
            break
        expected = time.replace(tzinfo=now.tzinfo) + delay
        if runs and expected > now:
            break
        runs.append(DueRun(label, expected, expected + until))
    return tuple(runs)


def _skipped_lately(labels: Sequence[str], places: Sequence[int], budget: float, back: int) -> Iterable[str]:
    for i in range(1, len(labels)):
        if places[i] > places[-1] - back:
            yield from skipped(labels[:i], labels[i], budget)


def _single(arrivals: Sequence[Arrival], due: Sequence[datetime]) -> set[int]:
    """The arrivals that tell when a run comes: seen live, in order, and not one of several loaded at once."""
    earliest_later = datetime.max.replace(tzinfo=due[0].tzinfo)
    kept = set()
    for i in reversed(range(len(arrivals))):
        at = arrivals[i].at
        room = _AT_ONCE * (due[i + 1] - due[i]) if i + 1 < len(arrivals) else timedelta(0)
        if arrivals[i].is_live and at < earliest_later and (i + 1 == len(arrivals) or earliest_later - at >= room):
            kept.add(i)
        earliest_later = min(earliest_later, at)
    return kept


def _times(labels: Iterable[str]) -> list[datetime]:
    return [time for label in labels if (time := time_of(label)) is not None]


# --- without one ------------------------------------------------------------------------------------------------------


def _by_gaps(live: Sequence[Arrival], budget: float) -> Schedule | None:
    """The schedule by the time between arrivals alone."""
    times: list[datetime] = []
    for at in sorted(a.at for a in live):
        if times and at - times[-1] < _TOGETHER:
            times[-1] = at
        else:
            times.append(at)
    times = times[-LOOKS_BACK:]
    if len(times) < NEEDED:
        return None
    gaps = [b - a for a, b in pairwise(times)]
    step = _middle(gaps)
    waits = tuple(sorted(max(0.0, (gap - step) / step) for gap in gaps))
    expected = times[-1] + step
    return Schedule(step, waits, (DueRun("", expected, expected + limit(waits, budget) * step),))


def _middle(lengths: Sequence[timedelta]) -> timedelta:
    return timedelta(seconds=median(length.total_seconds() for length in lengths))
