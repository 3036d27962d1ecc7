"""When is the next run due?"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.series.cadence import cadence, labels_at, time_of
from byhistory.series.due import BUDGET, Arrival, limit, price, schedule, skipped

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
START = datetime(2026, 9, 7, tzinfo=timezone.utc)  # a Monday


def days(count: int, at: timedelta = 26 * HOUR, without: tuple[int, ...] = (), **kept: bool) -> list[Arrival]:
    """Runs labelled by their day, which came so long after it began."""
    return [
        Arrival(f"{START + d * DAY:%Y-%m-%d}", START + d * DAY + at, **kept) for d in range(count) if d not in without
    ]


def test_a_run_is_due_when_it_usually_arrives_and_late_some_time_after() -> None:
    found = schedule(days(40), START + 40 * DAY)
    assert found is not None
    (due,) = found.next
    assert due.run == "2026-10-17"
    assert due.expected == START + 40 * DAY + 26 * HOUR
    assert due.expected < due.late_from < due.expected + 2 * DAY


def test_nothing_is_late_while_runs_come_as_always() -> None:
    for count in range(20, 40):
        found = schedule(days(count), START + count * DAY + 26 * HOUR)
        assert found is not None
        assert not found.late(START + count * DAY + 26 * HOUR)


def test_a_table_that_stopped_has_one_late_run_for_every_place() -> None:
    now = START + 50 * DAY
    found = schedule(days(40), now)
    assert found is not None
    late = found.late(now)
    assert late[0].run == "2026-10-17"
    assert len(late) >= 7
    assert found.price(now - late[0].expected) <= BUDGET


def test_no_run_is_due_on_a_weekend_where_none_ever_was() -> None:
    weekdays = [a for d, a in enumerate(days(54)) if (START + d * DAY).weekday() < 5]
    friday = datetime(2026, 10, 30, tzinfo=timezone.utc)
    assert weekdays[-1].run == "2026-10-30"
    found = schedule(weekdays, friday + 2 * DAY)
    assert found is not None
    assert found.next[0].run == "2026-11-02"
    assert not found.late(friday + 3 * DAY + 20 * HOUR)


def test_many_runs_loaded_at_once_do_not_move_the_time_of_arrival() -> None:
    live = days(60)
    evening = START + 40 * DAY + 20 * HOUR
    by_command = [Arrival(a.run, evening, is_live=False) for a in live[:40]]
    one_by_one = [Arrival(a.run, evening + i * timedelta(seconds=30)) for i, a in enumerate(live[:40])]
    expected = [schedule([*loaded, *live[40:]], START + 60 * DAY) for loaded in (live[:40], by_command, one_by_one)]
    assert len({found.next[0].expected for found in expected if found is not None}) == 1


def test_a_run_that_was_checked_again_weeks_later_moves_nothing() -> None:
    again = days(40)
    again[10] = Arrival(again[10].run, again[10].at + 25 * DAY)
    assert schedule(again, START + 40 * DAY) == schedule(days(40), START + 40 * DAY)


def test_a_history_that_was_only_backfilled_still_says_which_run_is_next() -> None:
    found = schedule(days(40, is_live=False), START + 40 * DAY)
    assert found is not None
    assert found.next[0].run == "2026-10-17"
    assert found.late(START + 60 * DAY)


def test_without_a_calendar_arrivals_alone_tell_when_the_next_is_due() -> None:
    arrivals = [Arrival(f"build-{i}", START + i * 6 * HOUR) for i in range(30)]
    found = schedule(arrivals, START + 30 * 6 * HOUR)
    assert found is not None
    assert (found.next[0].run, found.next[0].expected) == ("", START + 30 * 6 * HOUR)
    assert found.late(START + 10 * DAY)
    assert schedule(arrivals[:2], START) is None


def test_a_table_that_often_skips_a_run_is_not_called_late_for_it() -> None:
    now = START + 41 * DAY + 20 * HOUR
    gone = (5, 12, 17, 23, 29, 34)
    steady, often = (schedule(each, now, budget=0.05) for each in (days(40), days(40, without=gone)))
    assert steady is not None
    assert often is not None
    assert often.next[0].late_from - often.next[0].expected > steady.next[0].late_from - steady.next[0].expected


def test_skipped_runs_are_named_where_that_is_not_usual() -> None:
    labels = [a.run for a in days(60)]
    assert skipped(labels[:-3], labels[-1]) == (labels[-3], labels[-2])
    assert skipped(labels[:-1], labels[-1]) == ()
    often = [a.run for a in days(60, without=(5, 12, 17, 23, 29, 34, 40, 47))]
    assert skipped(often[:-2], often[-1]) == ()


@pytest.mark.parametrize(
    "written",
    ["%Y-%m-%d", "%Y%m%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M"],
)
@pytest.mark.parametrize("step", [HOUR, 6 * HOUR, DAY, 7 * DAY])
def test_the_labels_to_come_are_written_like_those_that_came(written: str, step: timedelta) -> None:
    if "%H" not in written and step < DAY:
        pytest.skip("days do not tell hours")
    labels = [(START + i * step).strftime(written) for i in range(80)]
    assert labels_at(labels[:60], range(80)) == labels


def test_months_have_labels_to_come_too() -> None:
    months = [f"{2020 + m // 12}-{m % 12 + 1:02}" for m in range(40)]
    assert labels_at(months[:30], range(40)) == months
    assert labels_at(months[:60:3], range(12, 14)) == months[36:40:3]
    ends = [f"{START.replace(year=2020 + m // 12, month=m % 12 + 1, day=28) + 4 * DAY:%Y-%m}" for m in range(40)]
    last = [f"{datetime.fromisoformat(end + '-01') - DAY:%Y-%m-%d}" for end in ends]
    assert labels_at(last[:30], [30, 31]) == ["2022-07-31", "2022-08-31"]
    assert labels_at(last[:20], [25]) == ["2022-02-28"]


@given(st.integers(14, 60), st.sets(st.integers(1, 58), max_size=4))
def test_a_label_is_at_its_own_place(count: int, without: set[int]) -> None:
    labels = [a.run for a in days(count, without=tuple(w for w in without if w < count - 1))]
    found = cadence(labels)
    if found.is_known:
        assert labels_at(labels, found.places) == labels
        assert all(time_of(label) is not None for label in labels_at(labels, range(found.places[-1] + 40)))


waits = st.lists(st.floats(0, 20), max_size=60).map(sorted)


@given(waits, st.floats(0, 50), st.floats(0, 50))
def test_to_wait_longer_is_never_more_usual(own: list[float], a: float, b: float) -> None:
    assert 0 < price(own, max(a, b)) <= price(own, min(a, b)) <= 1


@given(waits, st.floats(1e-3, 0.5))
def test_the_limit_keeps_the_budget(own: list[float], budget: float) -> None:
    assert price(own, limit(own, budget)) <= budget
