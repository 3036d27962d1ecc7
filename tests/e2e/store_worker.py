"""What the processes do that record, and are killed, in the tests of the stores."""

from __future__ import annotations

import os
import signal
import sys
from datetime import datetime, timezone
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

import pyarrow as pa

# Before any process is forked, so that each starts at once.
import byhistory.history.directory
import byhistory.history.postgres
import byhistory.history.sqlite
from byhistory.history import Programs, Run, Store, open_store

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
COLUMNS = 40
LOADED = (byhistory.history.directory, byhistory.history.postgres, byhistory.history.sqlite)
pa.array([b""])  # The first list makes pyarrow import pandas, if it is installed: half a second, a thousand calls.


def stamped(run: str, stamp: int) -> tuple[Run, Programs]:
    """A run that says in every part of it which record it belongs to."""
    mark = f"{run}#{stamp}#"
    columns = {f"c{i}": mark.encode() * 200 for i in range(COLUMNS + stamp % 3)}
    record = Run("orders", run, AT, "as usual", stamp, columns, mark.encode() * 500, mark, mark)
    return record, Programs("orders", run, AT, dict.fromkeys(columns, mark * 50))


def kept(store: Store) -> dict[str, int]:
    """The stamp of every run, after looking at every part of it: never half."""
    for _ in range(20):
        lines = {line.run: line for line in store.runs("orders")}
        runs = store.load("orders", list(lines))
        for run in runs:
            assert run == stamped(run.run, run.rows)[0], f"half a record of {run.run}"
        programs_stamp(store)
        if {run.run: run.rows for run in runs} == {line.run: line.rows for line in lines.values()}:
            return {run.run: run.rows for run in runs}
    raise AssertionError("the list of the runs and the runs never agreed")


def programs_stamp(store: Store) -> int:
    """Which record the programs came with; -1 if there are none."""
    programs = store.programs("orders")
    if programs is None:
        return -1
    stamp = int(programs.by_column["c0"].split("#")[1])
    assert programs == stamped(programs.as_of_run, stamp)[1], "half of the programs"
    return stamp


def open_at_once(answers: Connection, url: str) -> None:
    """Open a store that others are making, and tell its key."""
    with open_store(url) as store:
        answers.send(store.key())


def record_many(answers: Connection, url: str, runs: list[str], stamp: int) -> None:
    """Record runs one after the other, and say so after each."""
    with open_store(url) as store:
        for run in runs:
            store.record(*stamped(run, stamp))
            answers.send(run)
    answers.send("done")


def record_for_ever(answers: Connection, url: str, first: int) -> None:
    """Replace three runs again and again, until killed."""
    with open_store(url) as store:
        stamp = first
        while True:
            run = f"run {stamp % 3}"
            store.record(*stamped(run, stamp))
            answers.send((run, stamp))
            stamp += 1


def record_killed(answers: Connection, url: str, run: str, stamp: int, point: int) -> None:
    """Record a run, killed before the given call that reaches for a file; 0 to count these calls.

    Nothing shows when psycopg or pyarrow reach for a connection: there every call of any function counts.
    """
    with open_store(url) as store:
        counted = count_to(point, url.startswith(("postgres", "s3")))
        store.record(*stamped(run, stamp))
        sys.setprofile(None)
        answers.send(counted[0])


def open_killed(answers: Connection, url: str, point: int) -> None:
    """Open a store that is not there yet, killed as in `record_killed`."""
    counted = count_to(point, url.startswith(("postgres", "s3")))
    store = open_store(url)
    sys.setprofile(None)
    answers.send(counted[0])
    store.close()


def count_to(point: int, every: bool) -> list[int]:
    """Kill this process before the given call; the list counts them."""
    counted = [0]

    def step(_frame: FrameType, event: str, function: Any) -> None:
        if not every:
            if event != "c_call":
                return
            owner = getattr(function, "__module__", None) or type(function.__self__).__module__
            if owner not in ("posix", "_io", "sqlite3"):
                return
        counted[0] += 1
        if counted[0] == point:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(step)
    return counted
