"""Prices: curves and limits, what is fitted, and what comes with the package."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.strategies import seeded

from byhistory.errors import ByHistoryError
from byhistory.learners.calibrated import CALIBRATED, Calibrated
from byhistory.learners.calibrated.fit import Replay, fit
from byhistory.learners.calibrated.learner import SINGLES
from byhistory.learners.calibrated.prices import (
    ANY,
    Limits,
    PriceCurve,
    contributions,
    from_json,
    interpolate,
    interpolate_one,
    shipped,
    to_json,
    total_surprise,
)
from byhistory.learners.calibrated.replay import HISTORIES
from byhistory.metrics import ALL as ALL_METRICS

SHIPPED = shipped()
GOLDEN = Path(__file__).parents[3] / "golden"


def with_singles(metric: str) -> Calibrated:
    """The learner with one clause on one metric, that spends all of the budget."""
    return replace(CALIBRATED, singles={"numeric": (metric,)}, safety=1.0)


def replay(distances: np.ndarray, *, metrics: tuple[str, ...], is_constant: bool = False, sources: int = 20) -> Replay:
    source = np.arange(len(distances)) % sources
    never = np.zeros(distances.shape, bool)
    return Replay("numeric", 30, metrics, distances, np.full(distances.shape, is_constant), source, never)


@pytest.mark.parametrize("curve", list(SHIPPED.curves.values())[::37])
def test_a_shipped_curve_rises_and_its_two_directions_agree(curve: PriceCurve) -> None:
    distances = np.geomspace(1e-3, 1e6, 50)
    surprise = curve.surprise(distances)
    assert (np.diff(surprise) >= -1e-9).all()
    assert (surprise >= 0).all()
    for wanted in (2.5, 4.0, 7.0):
        back = curve.distance(wanted)
        if curve.surprise_at[0] < wanted < 1e3 and 0 < back < 1e290:
            assert curve.surprise(np.array([back]))[0] == pytest.approx(wanted, abs=1e-3)


def test_every_kind_and_length_of_history_has_limits_that_rise_as_the_budget_falls() -> None:
    for kind in ("numeric", "categorical"):
        for history in HISTORIES:
            limits = SHIPPED.limit(kind, history)
            budgets = [0.1, 0.05, 0.01, 0.001, 0.0001, 1e-6]
            pairs = [limits.at(b) for b in budgets]
            assert pairs == sorted(pairs)


def test_kinds_that_were_not_measured_use_those_of_their_kin() -> None:
    assert SHIPPED.limit("temporal", 30) == SHIPPED.limit("numeric", 30)
    assert SHIPPED.curve("nested", "row_count", 30, False, 1) == SHIPPED.curve("categorical", "row_count", 30, False, 1)


def test_a_metric_nobody_measured_gets_the_prices_of_any_metric() -> None:
    assert SHIPPED.curve("numeric", "my own", 30, False, 1) == SHIPPED.curves["numeric", ANY, 30, False, 1]


def test_every_metric_of_ours_was_measured_or_is_covered_by_any() -> None:
    for metric in ALL_METRICS:
        for kind in metric.kinds:
            assert SHIPPED.curve(kind.value, metric.name, 30, False, 1).cases > 0


def test_the_shipped_file_says_what_it_was_made_from_and_survives_a_round_trip() -> None:
    assert SHIPPED.made["command"] == "make calibrate"
    assert SHIPPED.made["sources"] >= 30
    again = from_json(to_json(SHIPPED))
    assert again.curves == dict(SHIPPED.curves)
    assert again.limits == dict(SHIPPED.limits)
    assert again.weights == SHIPPED.weights
    assert again.tables == SHIPPED.tables


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"byhistory_prices": 99}', '{"byhistory_prices": 1}'])
def test_a_file_without_prices_gets_a_clear_error(text: str) -> None:
    with pytest.raises(ByHistoryError, match="read prices"):
        from_json(text)


def test_prices_of_normal_distances_are_the_normal_tail() -> None:
    random = seeded(1)
    prices = fit(with_singles("mean"), [replay(random.standard_normal((40_000, 1)), metrics=("mean",))], {})
    for sigmas in (1.0, 2.0, 3.0):
        priced = prices.curve("numeric", "mean", 30, False, 1).surprise(np.array([sigmas]))[0]
        assert priced == pytest.approx(-np.log10(stats.norm.sf(sigmas)), abs=0.2)


def test_a_program_keeps_its_budget_on_cases_that_the_prices_have_not_seen() -> None:
    random = seeded(2)
    metrics = ("mean", "max", "row_count", "sum")
    mixing = np.eye(4) + 0.5  # correlated, so that the sum of single prices would be wrong

    def cases() -> np.ndarray:
        return random.standard_t(4, (30_000, 4)) @ mixing

    prices = fit(with_singles("row_count"), [replay(cases(), metrics=metrics)], {})
    off = cases()
    found = prices.sides("numeric", metrics, 30, np.zeros(4, bool)).surprise(off)
    total = total_surprise(contributions(found, off, np.zeros(4, bool), prices.weights_of("numeric", metrics)))
    for budget, spent in ((0.05, 0.8), (0.01, 0.8), (0.001, 0.15)):  # less of a small one, where few cases speak
        single, joint = prices.limit("numeric", 30).at(budget)
        stopped = np.mean((found[:, 2] > single) | (total > joint))
        low, high = stats.binomtest(int(stopped * 30_000), 30_000).proportion_ci(0.99)
        assert low <= budget * 1.15
        assert high >= budget * spent


def test_a_constant_that_seldom_breaks_has_the_price_of_how_often_it_did() -> None:
    distances = np.zeros((10_000, 1))
    distances[:50] = np.linspace(0.1, 5, 50)[:, None]
    prices = fit(with_singles("mean"), [replay(distances, metrics=("mean",), is_constant=True)], {})
    curve = prices.curve("numeric", "mean", 30, True, 1)
    assert curve.surprise(np.array([0.0]))[0] == 0.0
    assert curve.surprise(np.array([0.1]))[0] == pytest.approx(-np.log10(0.005), abs=0.1)


@given(st.floats(1e-9, 0.5), st.floats(1e-9, 0.5))
def test_limits_and_the_budget_they_stand_for_are_inverse(a: float, b: float) -> None:
    limits = Limits((0.1, 0.01, 0.001), (1.0, 2.0, 3.5), (3.0, 6.0, 11.0))
    single, _ = limits.at(a)
    assert limits.budget(np.array([single]), np.array([0.0]))[0] == pytest.approx(a, rel=1e-6)
    assert limits.at(min(a, b)) >= limits.at(max(a, b))


def test_json_is_valid() -> None:
    assert json.loads(to_json(SHIPPED))["byhistory_prices"] == 3


def test_singles_are_metrics_of_their_kind() -> None:
    names = {m.name: m for m in ALL_METRICS}
    for kind, chosen in SINGLES.items():
        assert all(kind in {k.value for k in names[name].kinds} for name in chosen)


def test_prices_say_how_far_they_may_be_off() -> None:
    for limits in SHIPPED.limits.values():
        low, measured, high = limits.rate(0.01)
        assert 0.0 <= low < measured < high < 0.02
        assert limits.rate(0.05)[1] > measured
    assert all(limits.rate(budget) is None for limits in SHIPPED.limits.values() for budget in (1e-5, 0.5))
    assert all(0.0 <= curve.doubt < 3.0 for curve in SHIPPED.curves.values())
    assert np.median([curve.doubt for curve in SHIPPED.curves.values()]) > 0.1


def test_the_doubt_is_larger_where_sources_differ() -> None:
    random = seeded(11)
    even = np.abs(random.standard_t(3, (20_000, 1)))
    source = np.arange(len(even)) % 20
    uneven = even * np.where(source < 3, 5.0, 1.0)[:, None]
    learner = with_singles("mean")
    alike, unlike = (fit(learner, [replay(distances, metrics=("mean",))], {}) for distances in (even, uneven))
    of_alike, of_unlike = (p.limit("numeric", 30).rate(0.01) for p in (alike, unlike))
    assert of_alike[1] == pytest.approx(0.01, rel=0.2)
    assert of_unlike[2] - of_unlike[0] > 3 * (of_alike[2] - of_alike[0])
    assert unlike.curve("numeric", "mean", 30, False, 1).doubt > 2 * alike.curve("numeric", "mean", 30, False, 1).doubt


def test_prices_of_the_first_format_are_read_and_add_up_capped_surprises() -> None:
    older = from_json((GOLDEN / "prices-v1.json").read_text("utf-8"))
    assert older.weights is None
    assert older.tables is None
    assert json.loads(to_json(older))["byhistory_prices"] == 1
    weights = older.weights_of("numeric", ["mean", "sum"])
    added = contributions(np.array([2.5, 9.0]), np.array([3.0, -1e9]), np.zeros(2, bool), weights)
    assert added.tolist() == [1.5, 3.0]


@given(st.integers(0, 4), st.floats(0, 1e6), st.floats(0, 10), st.floats(1, 10))
def test_a_metric_that_is_farther_off_or_rarer_never_adds_less(place, distance, surprise, more) -> None:
    weights = SHIPPED.weights_of("numeric", ["mean", "std", "row_count", "complete_ratio", "my own"])
    is_constant = np.zeros(5, bool)

    def added(off: float, rare: float) -> float:
        return float(contributions(np.full(5, rare), np.full(5, -off), is_constant, weights)[place])

    assert 0.0 <= added(distance, surprise) <= added(distance * more, surprise)
    assert added(distance, surprise) <= added(distance, surprise * more)


def test_what_is_undefined_adds_nothing_and_a_constant_counts_by_how_much_it_moves() -> None:
    off = np.array([np.nan, 1e-12, 1e-3, 1.0, 2.0, 1e9])
    is_constant, weights = np.array([False, *[True] * 5]), np.array([[1.0, 1.0, 0.0]] * 6)
    above, below = (contributions(np.zeros(6), sign * off, is_constant, weights) for sign in (1, -1))
    assert above.tolist() == pytest.approx([0.0, 0.0, 0.25, 1.5625, 4.0, 4.0], abs=1e-3)
    assert below.tolist() == above.tolist()


def test_a_metric_may_count_more_on_one_side_of_its_forecast() -> None:
    weights = np.array([[1.0, 0.25, 0.0]] * 2)
    added = contributions(np.zeros(2), np.array([4.0, -4.0]), np.zeros(2, bool), weights)
    assert added.tolist() == [1.0, 0.25]


def test_prices_of_the_second_format_are_read_and_count_both_sides_alike() -> None:
    older = from_json((GOLDEN / "prices-v2.json").read_text("utf-8"))
    assert older.tables is not None
    weights = older.weights_of("numeric", ["mean", "sum", "complete_ratio"])
    assert (weights[:, 0] == weights[:, 1]).all()
    assert weights.any(axis=1).all()
    assert json.loads(to_json(older))["byhistory_prices"] == 3


def test_a_file_of_before_the_doubt_is_still_read() -> None:
    body = json.loads(to_json(SHIPPED))
    body["curves"] = [line[:-1] for line in body["curves"]]
    body["limits"] = [line[:-1] for line in body["limits"]]
    older = from_json(json.dumps(body))
    assert older.limit("numeric", 30).rate(0.01) is None
    assert older.limit("numeric", 30).at(0.01) == SHIPPED.limit("numeric", 30).at(0.01)


@given(
    st.lists(st.floats(-50, 50), min_size=2, max_size=8, unique=True).map(sorted),
    st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=8),
    st.floats(-60, 60),
    st.integers(0, 7),
)
def test_one_number_is_interpolated_as_an_array_is(knots, values, x, place):
    values = values[: len(knots)]
    for at in (x, knots[place % len(knots)], math.nan):
        one, of_many = interpolate_one(at, knots, values), float(interpolate(np.array([at]), knots, values)[0])
        assert one == of_many or (math.isnan(one) and math.isnan(of_many))
