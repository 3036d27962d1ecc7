"""Forecasts: scales there and back, the form that fits, and odd series."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.strategies import seeded

from byhistory.learners.calibrated.forecast import LEVEL, LINE, forecast
from byhistory.learners.calibrated.scales import scales_for, stabilise, unstabilise

SCALES = ("level", "count", "signed", "ratio", "distance")


def one(values: list[float], scale: str = "level", rows: float = 1000.0) -> tuple[int, float, float, bool]:
    series = np.array([values], float)
    f = forecast(series, scales_for(series, [scale]), np.full(len(values), rows), np.zeros(1))
    return int(f.form[0]), float(f.centre[0]), float(f.spread[0]), bool(f.is_constant[0])


@given(st.floats(0.001, 0.999), st.sampled_from(SCALES))
def test_a_scale_goes_there_and_back(x: float, scale: str) -> None:
    size = np.array([1000.0 if scale == "ratio" else 1e-4])
    assert unstabilise(stabilise(np.array([x]), [scale], size), [scale], size)[0] == pytest.approx(x, rel=1e-9)


def test_noise_around_a_level_is_forecast_by_the_level() -> None:
    random = seeded(0)
    assert one(list(100 + random.standard_normal(30)))[0] == LEVEL


def test_a_random_walk_is_forecast_by_the_run_before() -> None:
    walk = np.cumsum(seeded(3).standard_normal(30)) + 50
    form, centre, _, _ = one(list(walk))
    assert form == 1
    assert abs(centre - walk[-1]) < 1


def test_a_weekly_cycle_is_forecast_by_the_run_a_week_before() -> None:
    days = np.arange(28)
    noise = seeded(1).standard_normal(28)
    form, centre, _, _ = one(list(np.where(days % 7 < 5, 1000.0, 200.0) + noise))
    assert form == 7
    assert abs(centre - 1000) < 10  # day 28 is a Monday


def hourly(weeks: float, with_weekend: bool) -> np.ndarray:
    hours = np.arange(int(168 * weeks))
    day = np.where((hours % 24 > 7) & (hours % 24 < 19), 1000.0, 100.0)
    weekend = (hours % 168 >= 120) & with_weekend
    return np.where(weekend, day / 5, day) + seeded(4).standard_normal(len(hours))


@pytest.mark.parametrize(("weeks", "with_weekend", "form"), [(1, False, 24), (3, True, 168), (0.3, False, 1)])
def test_hours_are_forecast_by_the_day_or_the_week_before_once_there_are_three(weeks, with_weekend, form):
    past = hourly(weeks, with_weekend)
    series = past[None, -504:]
    f = forecast(series, ["level"], np.full(series.shape[1], 9.0), np.zeros(1), (24, 168))
    assert int(f.form[0]) == form
    if form > 1:
        assert float(f.centre[0]) == past[-form]
        assert float(f.spread[0]) < 5


def test_long_stretches_without_a_run_are_looked_across():
    past = np.concatenate([100 + seeded(5).standard_normal(40), np.full(80, np.nan)])
    form, centre, spread, _ = one(list(past))
    assert form == LEVEL
    assert abs(centre - 100) < 1
    assert spread < 2
    old = np.concatenate([np.full(30, 5000.0), 100 + seeded(5).standard_normal(60), np.full(80, np.nan)])
    assert abs(one(list(old))[1] - 100) < 1, "of sixty runs and more, the last sixty count"


def test_a_noisy_line_is_forecast_by_a_line() -> None:
    random = seeded(2)
    form, centre, _, _ = one(list(10.0 * np.arange(30) + random.standard_normal(30)))
    assert form == LINE
    assert abs(centre - 300) < 3


def test_a_constant_is_still_and_any_change_of_it_shows() -> None:
    series = np.array([[5.0] * 10, [1.0] * 10])
    f = forecast(series, ["level", "ratio"], np.full(10, 1000.0), np.zeros(2))
    assert f.is_constant.all()
    assert f.distances(np.array([[5.0, 1.0]])).tolist() == [[0.0, 0.0]]
    assert (np.abs(f.distances(np.array([[5.1, 0.999]]))) > 0.01).all()


@given(
    arrays(float, (3, 9), elements=st.floats(allow_nan=True, allow_infinity=True, width=64)),
    st.lists(st.sampled_from(["level", "count", "ratio", "distance"]), min_size=3, max_size=3),
)
def test_no_series_makes_it_fail_and_a_spread_is_never_negative(series: np.ndarray, scales: list[str]) -> None:
    f = forecast(series, scales_for(series, scales), np.full(9, 10.0), np.zeros(3))
    assert not (f.spread < 0).any()
    distances = f.distances(series.T)
    assert distances.shape == (9, 3)


def test_what_is_undefined_is_not_forecast() -> None:
    series = np.full((1, 8), np.nan)
    f = forecast(series, ["level"], np.full(8, 10.0), np.zeros(1))
    assert np.isnan(f.distances(np.array([[3.0]]))).all()


def test_chance_within_a_run_widens_the_spread_of_a_share_of_few_rows() -> None:
    values = [0.9, 0.91, 0.9, 0.9, 0.89, 0.9, 0.9]
    assert one(values, "ratio", rows=20)[2] > 2 * one(values, "ratio", rows=20_000)[2]


@pytest.mark.parametrize("bad", [[3], [6], [0, 1, 2], [2, 3, 5]])
def test_up_to_three_bad_runs_among_the_first_seven_blind_nothing(bad: list[int]) -> None:
    rows = np.array([[1000.0, 1010, 990, 1005, 995, 1002, 998]])
    rows[0, bad] *= 100.0
    f = forecast(rows, scales_for(rows, ["count"]), rows[0], np.zeros(1))
    if int(f.form[0]) == LEVEL:
        assert abs(float(f.distances(np.array([[100_000.0]]))[0, 0])) > 3
        assert abs(float(f.distances(np.array([[1000.0]]))[0, 0])) < 1


def test_one_run_of_thirty_that_was_a_hundred_times_as_large_blinds_nothing() -> None:
    rows = 1000.0 + seeded(5).normal(0, 10, (1, 30))
    rows[0, 20] *= 100.0
    f = forecast(rows, scales_for(rows, ["count"]), rows[0], np.zeros(1))
    for factor in (2.0, 10.0, 100.0):
        assert abs(float(f.distances(np.array([[1000.0 * factor]]))[0, 0])) > 6
