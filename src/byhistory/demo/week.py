"""The week after a month of good days: one day breaks, one is odd, two never come, and one has a column renamed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone

from byhistory.demo.orders import FIRST_DAY

PAST = 30
"""How many good days there are before it."""
_ARRIVES = time(2, 10, tzinfo=timezone.utc)
"""When the orders of a day arrive: in the night after it."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the week: its number, what broke on it if anything did, and what it shows."""

    number: int
    incident: str | None
    shows: str


def _day(after: int, incident: str | None, shows: str) -> Day:
    return Day(PAST + after, incident, shows)


WEEK = (
    _day(0, None, "a good day"),
    _day(1, "cents", "a stop"),
    _day(2, None, "the end of an alarm"),
    _day(3, "coupons", "a warning"),
    _day(6, "renamed", "two days that never came, and a renamed column"),
)
"""The days that come; the demo may put another incident in place of the first."""


def arrival(number: int) -> datetime:
    """When the orders of a day are delivered."""
    return datetime.combine(FIRST_DAY + timedelta(days=number + 1), _ARRIVES)


def is_late_at() -> datetime:
    """A time of the week at which the first of the days that never come is late: the evening of the day after."""
    return arrival(PAST + 4) + timedelta(hours=40)
