"""Comparing a run with an earlier one, there and back."""

import math

import numpy as np
import pytest

from byhistory.errors import ByHistoryError
from byhistory.series.transform import LEVEL, Transform, apply, apply_to, interval, value_before, words

FORMS = [LEVEL, Transform(1), Transform(3), Transform(0, log=True), Transform(1, log=True), Transform(3, log=True)]


def test_the_papers_growing_row_counts_at_lag_1() -> None:
    """Paper: Example 7."""
    assert apply(Transform(lag=1), [100e3, 103e3, 105e3, 106e3]).tolist() == [3e3, 2e3, 1e3]


@pytest.mark.parametrize("lag", [4, 5, 100])
def test_a_lag_beyond_the_series_leaves_nothing(lag: int) -> None:
    assert apply(Transform(lag), [1.0, 2.0, 3.0, 4.0]).tolist() == []


def test_a_gap_costs_the_changes_that_need_it_and_moves_no_other() -> None:
    x = [1.0, 2.0, math.nan, 8.0, 16.0]
    assert apply(Transform(2), x).tolist() == pytest.approx([math.nan, 6.0, math.nan], nan_ok=True)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_logarithm_of_what_has_none_is_not_evaluable(bad: float) -> None:
    assert np.isnan(apply(Transform(1, log=True), [bad, 2.0, bad])).all()
    assert math.isnan(apply_to(Transform(1, log=True), 2.0, [bad]))
    assert math.isnan(apply_to(Transform(1, log=True), bad, [2.0]))
    assert np.isnan(interval(Transform(1, log=True), -1.0, 1.0, before=bad)).all()


@pytest.mark.parametrize("form", FORMS, ids=words)
def test_a_new_run_is_compared_as_the_series_would_be(form: Transform) -> None:
    x = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6]
    assert apply_to(form, x[-1], x[:-1]) == apply(form, x)[-1]


@pytest.mark.parametrize("form", FORMS, ids=words)
def test_the_interval_in_units_of_the_metric_holds_what_the_transformed_interval_holds(form: Transform) -> None:
    past = [3.0, 1.0, 4.0, 1.5]
    low, high = interval(form, -0.5, 0.7, before=value_before(form, past))
    for now in np.linspace(0.01, 12.0, 500):
        assert (low <= now <= high) == (-0.5 <= apply_to(form, now, past) <= 0.7)


def test_open_ends_stay_open_and_a_huge_growth_is_no_overflow() -> None:
    low, high = interval(Transform(1, log=True), -np.inf, 1e6, before=5.0)
    assert (float(low), float(high)) == (0.0, math.inf)
    assert float(interval(Transform(1), -np.inf, 3.0, before=5.0)[0]) == -math.inf


def test_a_past_that_does_not_reach_back_is_not_evaluable() -> None:
    assert math.isnan(apply_to(Transform(3), 5.0, [1.0, 2.0]))
    assert math.isnan(apply_to(Transform(1), 5.0, []))
    assert np.isnan(interval(Transform(3), -1.0, 1.0, before=value_before(Transform(3), [1.0]))).all()
    assert apply_to(LEVEL, 5.0, []) == 5.0


def test_a_difference_that_overflows_is_not_evaluable() -> None:
    assert math.isnan(apply_to(Transform(1), 1.7e308, [-1.7e308]))


def test_the_future_cannot_be_compared_with() -> None:
    with pytest.raises(ByHistoryError, match="lag of -1"):
        Transform(lag=-1)
