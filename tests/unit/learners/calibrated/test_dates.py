"""Days written as numbers: what is one, the way there and back, and a new year that is no news."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import seeded

from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.dates import AMOUNTS, are_days, from_days, to_days
from byhistory.learners.calibrated.forecast import forecast
from byhistory.learners.calibrated.learn import expect
from byhistory.learners.calibrated.scales import DAYS, scales_for
from byhistory.metrics import of_kind
from byhistory.profile import Kind

days = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def number(day: date) -> float:
    return float(day.strftime("%Y%m%d"))


def numbers(first: date, count: int) -> np.ndarray:
    return np.array([number(first + timedelta(i)) for i in range(count)])


@given(days, days)
def test_numbers_are_as_far_apart_as_their_days(a: date, b: date) -> None:
    assert np.diff(to_days(np.array([number(a), number(b)])))[0] == (b - a).days
    assert from_days(to_days(np.array([number(a)])))[0] == number(a)


@given(st.floats(-1e12, 1e12))
def test_every_number_has_a_place_and_what_is_no_day_is_none(x: float) -> None:
    place = to_days(np.array([x]))[0]
    assert np.isfinite(place)
    if x < number(date(1900, 1, 1)) - 1 or x > number(date(2100, 12, 31)) + 1:
        assert not 0 <= place <= (date(2100, 12, 31) - date(1900, 1, 1)).days


@pytest.mark.parametrize(
    ("values", "is_days"),
    [
        ([20231230, 20231231, np.nan, 20240101], True),
        ([20240101, 20240101, 20240101], False),
        ([20231231, 20240101], False),
        ([20231231, 20240101, 20240132], False),
        ([20231231, 20240101, 20240102.5], False),
        ([np.nan, np.nan, np.nan], False),
        ([12.0, 20240101, 20240102], False),
    ],
)
def test_days_are_told_by_what_was_read(values: list[float], is_days: bool) -> None:
    series = np.array([values])
    assert are_days(series)[0] == is_days
    assert (scales_for(series, ["level"])[0] == DAYS) == is_days
    assert scales_for(series, ["ratio"]) == ("ratio",), "only what is taken as it is can be a day"


@pytest.mark.parametrize("last", [date(2023, 12, 31), date(2024, 2, 29), date(2024, 1, 31)])
def test_the_day_after_the_last_of_a_month_is_expected(last: date) -> None:
    series = numbers(last - timedelta(29), 30)[None]
    expected = forecast(series, scales_for(series, ["level"]), np.full(30, 9.0), np.zeros(1))
    tomorrow = number(last + timedelta(1))
    assert expected.end(0, 0.0) == pytest.approx(tomorrow)
    assert abs(expected.distances(np.array([[tomorrow]]))[0, 0]) < 1e-6


def test_the_sum_and_the_spread_of_days_say_nothing_and_their_ends_do() -> None:
    metrics = of_kind(Kind.NUMERIC)
    names = [m.name for m in metrics]
    series = seeded(0).normal(50.0, 1.0, (len(names), 30))
    late = numbers(date(2023, 12, 2), 36)
    series[names.index("min")], series[names.index("max")] = late[:30], late[6:]
    known = dict(zip(names, expect(CALIBRATED, Kind.NUMERIC, metrics, series).known, strict=True))
    assert known["min"]
    assert known["max"]
    assert not any(known[name] for name in AMOUNTS)
