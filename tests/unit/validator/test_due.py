"""When runs came, whatever was recorded of them since."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest

from byhistory.alarms import causes_from_json, causes_to_json
from byhistory.errors import ByHistoryError
from byhistory.history.memory import MemoryStore
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

DAYS = 40
FIRST = datetime(2026, 3, 1, 6, tzinfo=timezone.utc)


def run(day: int, rows: int = 100) -> Any:
    return profile_table(pa.table({"n": list(range(rows))}), run=f"{FIRST + timedelta(days=day):%Y-%m-%d}")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = FIRST

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guard(clock: Clock) -> Any:
    with Validator(MemoryStore(), clock=clock) as guard:
        for day in range(DAYS):
            clock.now = FIRST + timedelta(days=day)
            guard.judge(run(day), "t")
        yield guard


def late_from(guard: Validator) -> datetime | None:
    (line,) = guard.due(["t"])
    return line.late_from


@pytest.mark.parametrize("again", ["check", "backfill"])
def test_a_run_that_is_recorded_again_came_when_it_first_came(guard: Validator, clock: Clock, again: str) -> None:
    before = late_from(guard)
    clock.now += timedelta(days=9)  # long after it was due
    if again == "check":
        guard.judge(run(DAYS - 1, 101), "t")
        guard.judge(run(DAYS - 1, 102), "t")
    else:
        guard.remember([run(day) for day in range(DAYS)], "t")
    clock.now -= timedelta(days=9)
    assert late_from(guard) == before


def test_a_backfilled_run_that_is_checked_again_says_nothing_of_when_runs_come(clock: Clock) -> None:
    with Validator(MemoryStore(), clock=clock) as guard:
        guard.remember([run(day) for day in range(DAYS)], "t")
        before = late_from(guard)
        clock.now += timedelta(days=90)
        guard.judge(run(DAYS - 1), "t")
        clock.now -= timedelta(days=90)
        assert late_from(guard) == before


def test_an_arrival_without_a_zone_is_refused() -> None:
    with pytest.raises(ByHistoryError, match="without a zone"):
        causes_from_json(causes_to_json((), arrived="2026-03-01T06:00:00"))
