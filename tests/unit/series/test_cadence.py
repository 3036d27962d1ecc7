"""The calendar of runs, from their labels."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.series.cadence import UNKNOWN, cadence, calendar, fitting, laid_out

START = datetime(2026, 3, 2)  # noqa: DTZ001 - a Monday of the user's calendar


def labels(form: str, hours: list[int]) -> list[str]:
    return [(START + timedelta(hours=h)).strftime(form) for h in hours]


def days(*which: int) -> list[int]:
    return [24 * day for day in which]


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H", "%Y-%m-%dT%H:%M:%SZ", "%Y%m%d%H", "%Y%m%dT%H%M", "%Y-%m-%d_%H"]
)
def test_hours_have_a_day_and_a_week(form):
    found = cadence(labels(form, [0, 1, 2, 5, *range(6, 72)]))
    assert found.seasons == (24, 168)
    assert found.places[:5] == (0, 1, 2, 5, 6)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d"])
def test_days_have_a_week_and_a_day_that_did_not_come_keeps_its_place(form):
    found = cadence(labels(form, days(*range(10), *range(11, 30))))
    assert found.seasons == (7,)
    assert found.places == (*range(10), *range(11, 30))


def test_working_days_have_a_week_of_five():
    found = cadence(labels("%Y-%m-%d", days(*(d for d in range(42) if d % 7 < 5 and d != 16))))
    assert found.seasons == (5,)
    assert found.places == tuple(p for p in range(30) if p != 12)


def test_hours_of_the_working_day_have_a_day_of_ten():
    found = cadence(labels("%Y-%m-%d %H", [24 * d + h for d in range(21) if d % 7 < 5 for h in range(8, 18)]))
    assert found == (type(found)(tuple(range(150)), (10, 50)))


def test_weeks_and_months_have_a_year():
    assert cadence(labels("%Y-%m-%d", days(*range(0, 105, 7)))).seasons == (52,)
    months = [f"{y}-{m:02}" for y in (2024, 2025) for m in range(1, 13) if (y, m) != (2025, 3)]
    assert cadence(months).seasons == (12,)
    assert cadence(months).places == tuple(p for p in range(24) if p != 14)
    assert cadence([f"{m}-28" for m in months]).seasons == (12,)
    quarters = [f"{year}-{end}" for year in range(2020, 2024) for end in ("03-31", "06-30", "09-30", "12-31")]
    assert cadence(quarters).seasons == (4,)


@pytest.mark.parametrize(
    "odd",
    [
        [],
        ["2026-03-02"],
        labels("%Y-%m-%d", days(*range(13))),
        [str(i) for i in range(20)],
        [f"run {i}" for i in range(20)],
        [*labels("%Y-%m-%d", days(*range(20))), "b"],
        [f"2026-13-{i:02}" for i in range(1, 20)],
        [*labels("%Y-%m-%d", days(*range(20))), "2026-03-21T00"],
        labels("%Y-%m-%d", days(*(d * d for d in range(20)))),
        [f"2026-03-{2 + i // 12:02} {i % 12:02}:{i * 37 % 60:02}" for i in range(36)],
    ],
)
def test_what_says_no_calendar_is_counted(odd):
    assert cadence(odd) == type(cadence(odd))(tuple(range(len(odd))), UNKNOWN)


def test_weeks_at_any_time_of_the_week_have_a_calendar():
    for hour in range(0, 168, 7):
        assert cadence(labels("%Y-%m-%d %H:%M", [168 * week + hour for week in range(20)])).seasons == (52,)


def test_an_hour_that_comes_twice_when_clocks_change_is_left_out_once():
    hours = [*labels("%Y-%m-%dT%H:00+02:00", list(range(50))), "2026-03-04T01:00+01:00"]
    hours += labels("%Y-%m-%dT%H:00+01:00", list(range(50, 100)))
    assert not cadence(hours).is_known
    assert cadence(fitting(hours)).seasons == (24, 168)
    assert len(fitting(hours)) == len(hours) - 1


DAYS = labels("%Y-%m-%d", days(*range(30)))


@given(
    st.one_of(st.text(max_size=12), st.dates().map(str), st.sampled_from(["2026-04-01", "2026-04-04T06", "20260401"]))
)
def test_a_label_moves_no_run_before_it(label):
    found = calendar(DAYS, label)
    assert found.places[:-1] == tuple(range(30))
    assert found.places[-1] >= 30
    assert found.seasons == (7,)


@given(st.lists(st.text(max_size=12), max_size=20))
def test_any_labels_have_rising_places(some):
    places = cadence(some).places
    assert len(places) == len(some)
    assert list(places) == sorted(set(places))
    laid = laid_out(some, places)
    assert [run for run in laid if run is not None] == some
