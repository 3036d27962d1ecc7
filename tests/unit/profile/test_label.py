"""Runs are ordered by what their labels mean."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.profile.label import meaning
from byhistory.profile.past import run_key, sort_bytes

FORMS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y%m%d",
    "%d.%m.%Y",
    "%d %b %Y",
    "%d-%B-%Y",
    "%b %d, %Y",
    "%Y-%b-%d",
    "%Y-%m-%dT%H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%Y%m%d%H",
    "%G-W%V-%u",
    "orders_%Y-%m-%d_v2",
)
DAYS = st.dates(datetime(1990, 1, 1).date(), datetime(2100, 12, 31).date())  # noqa: DTZ001 - days of a calendar


@pytest.mark.parametrize("form", FORMS)
@given(one=DAYS, other=DAYS)
def test_dates_in_any_form_sort_as_days_do(form, one, other):
    a, b = one.strftime(form), other.strftime(form)
    assert (run_key(a) < run_key(b)) == (one < other)
    assert (sort_bytes(a) < sort_bytes(b)) == (one < other)
    assert meaning(a).doubt == ""


@pytest.mark.parametrize(
    "ordered",
    [
        ["2026-10-25T02:30:00+02:00", "2026-10-25T02:15:00+01:00", "2026-10-25T02:30:00+01:00"],
        ["2026-10-24T23:00:00Z", "2026-10-25T00:30:00+00:00", "2026-10-25T01:00:00-05:00"],
        ["Jan 2026", "Feb 2026", "Nov 2026", "Jan 2027"],
        ["2026-W2", "2026-W10", "2027-W01"],
        ["W2 2026", "W10 2026", "W01 2027"],
        ["2025-Q4", "2026-Q1", "2026-Q2"],
        ["Q4 2025", "Q1 2026", "Q2 2026"],
        ["12.2025", "01.2026", "11.2026"],
        ["9", "10", "9" * 5000, "1" + "0" * 5000],
        ["1763200000", "1763203600"],
        ["run 9", "run 10"],
        ["20260131", "20260132", "20260201"],
        ["manual__2026-11-15T00:00:00+00:00", "scheduled__2026-11-16T00:00:00+00:00", "manual__2026-11-17T00:00+00:00"],
    ],
)
def test_labels_sort_as_their_times_do(ordered):
    mixed = ordered[::-1]
    assert sorted(mixed, key=run_key) == ordered
    assert sorted(mixed, key=sort_bytes) == ordered


@pytest.mark.parametrize(
    "label",
    ["03/04/2026", "13/04/2026", "04-03-2026", "26-11-15", "15112026", "blue", "a3f9c1d2", "15 janvier 2026", "-", "ü"],
)
def test_what_can_be_read_in_two_ways_is_doubted(label):
    assert meaning(label).doubt


@pytest.mark.parametrize(
    "label", ["2026-11-15", "run 17", "0012", "1763200000", "2026-Q3", "v1.2.3", "batch_20261115_2"]
)
def test_what_can_be_read_in_one_way_is_not_doubted(label):
    assert not meaning(label).doubt


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_labels_have_an_order_and_bytes_have_the_same(a, b):
    a, b = a.replace("\0", ""), b.replace("\0", "")
    if run_key(a) != run_key(b):
        assert (run_key(a) < run_key(b)) == (sort_bytes(a) < sort_bytes(b))


@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)), st.integers(-14, 14))  # noqa: DTZ001 - times as written
def test_a_time_is_what_the_clock_on_the_wall_shows_whatever_its_offset(time, hours):
    time = time.replace(microsecond=0)
    label = time.replace(tzinfo=timezone(timedelta(hours=hours))).isoformat()
    assert meaning(label).time == time
