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
    "%d.%m.%Y-01.01.2101",
)
TIMES = (
    "%Y-%m-%d_%H-%M-%S",
    "%Y-%m-%dT%H-%M-%S",
    "%Y-%m-%d-%H-%M-%S",
    "%Y_%m_%d_%H_%M_%S",
    "%Y%m%d-%H%M%S",
    "%Y-%m-%d %H.%M.%S",
    "%Y-%m-%d %I:%M:%S %p",
    "%d.%m.%Y %I:%M:%S%p",
    "%d %B %Y %H:%M:%S -0500",
    "%Y-%m-%d %H:%M:%S-05",
    "%Y-%m-%dT%H:%M:%S[Europe/Berlin]",
)
DAYS = st.dates(datetime(1990, 1, 1).date(), datetime(2100, 12, 31).date())  # noqa: DTZ001 - days of a calendar


@pytest.mark.parametrize("form", FORMS)
@given(one=DAYS, other=DAYS)
def test_dates_in_any_form_sort_as_days_do(form, one, other):
    a, b = one.strftime(form), other.strftime(form)
    assert (run_key(a) < run_key(b)) == (one < other)
    assert (sort_bytes(a) < sort_bytes(b)) == (one < other)
    assert meaning(a).doubt == ""


@pytest.mark.parametrize("form", TIMES)
@given(one=st.datetimes(datetime(1990, 1, 1), datetime(2100, 12, 31)), seconds=st.integers(1, 100_000))  # noqa: DTZ001
def test_times_in_any_form_sort_as_the_clock_does(form, one, seconds):
    a, b = one.strftime(form), (one + timedelta(seconds=seconds)).strftime(form)
    assert run_key(a) < run_key(b)
    assert meaning(a).doubt == ""


@pytest.mark.parametrize(
    "ordered",
    [
        ["2026-01-01-1", "2026-01-01-9", "2026-01-01-10", "2026-01-01-24", "2026-01-01-25", "2026-01-01-100"],
        ["2026-01-01_0001", "2026-01-01_0060", "2026-01-01_0101", "2026-01-01_2500"],
        ["2026-01-01_05_15", "2026-01-01_05_75", "2026-01-01_06_01"],
        ["2026-01-01 01:00 +0000", "2026-01-01 00:00 -0500", "2026-01-01T01:30-05"],
        ["2026-01-01T00-05:00", "2026-01-01T02-05:00", "2026-01-01T06-05:00"],
        ["12-2025", "01-2026", "11-2026"],
        ["2025/9", "2025/10", "2026/1", "2026/11"],
        ["31.12.2025_01_30_00", "31.12.2025_23_00_00", "01.01.2026_00_30_00"],
        ["15 Nov 2026, 11:00 AM", "15 Nov 2026, 12:30 PM", "15 Nov 2026, 3:00 PM", "16 Nov 2026, 12:30 AM"],
        ["2026-11-15 at 9:00 AM", "2026-11-15 at 10:00 AM", "2026-11-15 at 1:00 PM"],
        ["2026-10-25 02:30 CEST", "2026-10-25 02:00 CET", "2026-10-25 02:30 CET"],
        ["2026-11-01 01:30 EDT", "2026-11-01 01:00 EST"],
        ["KW-31.2026", "KW-02.2027", "KW-11.2027"],
        ["FQ4 2025", "FQ1 2026"],
        ["Oct/9/2026", "Oct/10/2026", "Nov/1/2026"],
        ["9. März 2026", "1. Mai 2026", "3. Oktober 2026", "2. Dezember 2026"],
        ["15 janvier 2026", "1er février 2026", "3 juin 2026", "1 juil. 2026", "2 août 2026", "1 déc. 2026"],
        ["enero 2026", "abril 2026", "agosto 2026", "diciembre 2026", "enero 2027"],
        ["15 de março de 2026", "3 de outubro de 2026"],
        ["5 giugno 2026", "3 luglio 2026", "1 settembre 2026", "1 ottobre 2026"],
        ["2026-maart-05", "2026-mei-01", "2026-okt-02"],
        ["15 stycznia 2026", "3 października 2026", "1 grudnia 2026"],
        ["OCAK 2026", "Mayıs 2026", "KASIM 2026", "aralık 2026"],
        ["5 января 2026", "1 МАЯ 2026", "20-ноября-2026"],
        ["2026. szeptember 1", "2026. október 1", "2026. december 1"],
        ["2026 08 31, 12AM", "2026 08 31, 01AM", "2026 08 31, 1 PM"],
        ["2026年9月1日 12:27 AM", "2026年9月1日 2:04 AM", "2026年10月1日 2:04 AM"],
        ["Aug, 31, 2026_22:50", "Sep, 01, 2026_02:04", "Dec, 1, 2026_01:00"],
        ["Aug.31.2026 12 am_v2", "Aug.31.2026 1 am_v2", "Aug.31.2026 8 pm_v2"],
        ["shop12_2025-september-01", "shop12_2025-december-28", "shop12_2026-januari-02"],
        ["Week 31, 2026", "Week 2, 2027", "Week 11, 2027"],
        ["KW 31/2026", "KW 2/2027", "KW 11/2027"],
        ["Q4-FY2025", "Q1-FY2026"],
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
    [
        *("01-Jan-26", "Jan-26", "Jan20", "Thu Jan  1 05:00:00 2026", "01 Jan", "01.01.", "12-31", "012026"),
        *(
            "Ionawr 2026",
            "2026-Mehefin-01",
            "15 listopad 2026",
            "20-ноября-25",
            "2026/VIII",
            "I 2026",
            "31/12/2025_01:30",
        ),
        *("31.12.202503:00", "3 PM 2026-11-15", "Nov 2026 W2", "semaine 47-25", "semaine 01.2026", "S01/2026", "1.7e9"),
        *("Aug2725", "31-Aug-25 2050", "2026-27-08", "09.25", "31 08 25", "09 01 2026 10:30", "2026-11-15 night"),
        *(
            "27-foo-25",
            "foo-27-25",
            "2025-foo-1",
            "run winter 2026",
            "300825/08PM",
            "2026.31.08T22:50",
            "29.08.2026, AM",
        ),
        *("1Q26", "26Q1", "Q1'26", "Q1-FY26", "S1 2026", "II/2026", "-5", "0x1f", "65000000aabbccddeeff0011"),
    ],
)
def test_what_sorts_otherwise_than_its_times_is_doubted(label):
    assert meaning(label).doubt


@pytest.mark.parametrize(
    "label",
    [
        "03/04/2026",
        "13/04/2026",
        "04-03-2026",
        "26-11-15",
        "15112026",
        "blue",
        "a3f9c1d2",
        "15 lip 2026",
        "-",
        "ü",
    ],
)
def test_what_can_be_read_in_two_ways_is_doubted(label):
    assert meaning(label).doubt


@pytest.mark.parametrize(
    "label",
    [
        *("2026-11-15", "run 17", "0012", "1763200000", "2026-Q3", "v1.2.3", "batch_20261115_2", "202611", "1.5"),
        *(
            "2026_run_17",
            "run 2026",
            "batch-1999",
            "shop_12_2026-11-15",
            "week 7",
            "2026-11-15 deadbeef0",
            "run-3-of-40",
            "march of 2026-11",
        ),
    ],
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
