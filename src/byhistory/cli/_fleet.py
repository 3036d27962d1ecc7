"""Many tables side by side: several at once, none stopped by another, and tried again where that may help."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Generic, TypeVar

from byhistory.cli._options import AT_ONCE, RETRIES
from byhistory.cli._progress import working
from byhistory.cli._say import note
from byhistory.errors import ByHistoryError
from byhistory.plain import plural, word

if TYPE_CHECKING:
    from byhistory.config import Config

PAUSES = (1.0, 5.0, 20.0)
"""Seconds before the first, the second and any later retry of a table that failed for a while (by choice)."""
SPREAD_FROM = 50
"""Columns of one table from which on it is learned on Spark's workers, among many tables: a Spark job costs as much as
learning a few columns here."""
_NOTE_EVERY = 30.0
"""Seconds between two lines on the progress if there is no terminal (by choice)."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What became of one table: the result of the work, or the error of its last try."""

    table: str
    value: T | None = None
    error: ByHistoryError | None = None
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Pace:
    """How tables are worked on: how many at once, and with how many retries; `pause` waits, `clock` tells the time."""

    at_once: int = AT_ONCE
    retries: int = RETRIES
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def chosen(config: Config, asked: str, names: str = "", tag: str = "") -> list[str]:
    """The tables of byhistory.toml, or those whose names fit a pattern and that have a tag; an error if none is."""
    if not config.tables:
        todo = 'write one: [tables.orders], path = "lake/orders", run_column = "ds"; or let `byhistory init` do so'
        raise ByHistoryError(asked, "no table in byhistory.toml", todo)
    fits = [name for name in config.tables if not names or fnmatchcase(name, names)]
    tables = [name for name in fits if not tag or tag in config.tables[name].tags]
    if not tables:
        wanted = " and ".join(filter(None, [names and f"the name {names}", tag and f"the tag {tag}"]))
        raise ByHistoryError(asked, f"no table with {wanted}", "see `owner`, `tags` and the names in byhistory.toml")
    return tables


def side_by_side(
    tables: Sequence[str], work: Callable[[str], T], doing: str, now: Callable[[], datetime], pace: Pace | None = None
) -> list[Done[T]]:
    """The results of the work on every table, in their order; the progress and the expected end are shown meanwhile."""
    pace = pace or Pace()
    started, done = pace.clock(), {}
    last_note = started
    with working(doing) as tell, ThreadPoolExecutor(pace.at_once, "table") as pool:
        try:
            for one in _finished(pool, tables, work, pace):
                done[one.table] = one
                at = pace.clock()
                failed = sum(d.error is not None for d in done.values())
                line = f"{doing}: {ahead(len(done), len(tables), failed, at - started, now())}"
                tell(line)
                if not sys.stderr.isatty() and at - last_note >= _NOTE_EVERY:
                    last_note = at
                    note(line)
        except BaseException:
            pool.shutdown(cancel_futures=True)  # tables under way may finish, so that a record is never half written
            raise
    return [done[table] for table in tables]


def _finished(
    pool: ThreadPoolExecutor, tables: Sequence[str], work: Callable[[str], T], pace: Pace
) -> Iterator[Done[T]]:
    """Results as they come. The pool gets only this many tables at once: with all of them, Ctrl-C would not end it."""
    waiting, running = iter(tables), set[Future[Done[T]]]()
    while True:
        for table in waiting:
            running.add(pool.submit(_tried, table, work, pace))
            if len(running) >= pace.at_once:
                break
        if not running:
            return
        ended, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in ended)


def _tried(table: str, work: Callable[[str], T], pace: Pace) -> Done[T]:
    for attempt in range(1, pace.retries + 2):
        try:
            return Done(table, work(table), tries=attempt)
        except Exception as why:  # noqa: PERF203 - one table's failure leaves the others guarded
            error = why if isinstance(why, ByHistoryError) else _unexpected(table, why)
            if not error.is_transient or attempt > pace.retries:
                return Done(table, error=error, tries=attempt)
            seconds = PAUSES[min(attempt, len(PAUSES)) - 1]
            note(f"{word(table)}: {word(error.found)}; tried again in {seconds:.0f} s")
            pace.pause(seconds)
    raise AssertionError("the last try returns")


def _unexpected(table: str, why: Exception) -> ByHistoryError:
    found = f"an error that was not expected ({type(why).__name__}: {str(why)[:300]})"
    return ByHistoryError(f"work on {table!r}", found, "run this table alone with --verbose, and report it as a bug")


def ahead(done: int, total: int, failed: int, seconds: float, now: datetime) -> str:
    """How far the work is, and when it will end at the pace of the tables that did not fail: others fail at once.

    >>> ahead(500, 10_000, 2, 60.0, datetime(2026, 11, 15, 4, 0)), ahead(1, 11, 1, 0.2, datetime(2026, 11, 15, 4, 0))
    ('500 of 10,000 tables (2 failed), about 19 min to go, until 04:19', '1 of 11 tables (1 failed)')
    """
    counts = f"{done:,} of {plural(total, 'table')}" + (f" ({failed:,} failed)" if failed else "")
    if done in (failed, total):
        return counts
    left = seconds / (done - failed) * (total - done)
    end = now + timedelta(seconds=left)
    day = "" if end.date() == now.date() else f"{end:%Y-%m-%d} "
    return f"{counts}, about {_in_words(left)} to go, until {day}{end:%H:%M}"


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
