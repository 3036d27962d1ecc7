from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.series.level import onto_new_level

positive = st.lists(st.floats(1.0, 2.0), min_size=8, max_size=40)


@given(positive, st.floats(10, 1e6))
def test_a_factor_moves_the_past_and_its_spread(past: list[float], factor: float) -> None:
    level, latest = (float(np.exp(np.median(np.log(past[-runs:])))) for runs in (30, 7))
    new = level * factor
    moved = onto_new_level(np.array([[*past, new]]), ["level"], len(past), 100)[0, :-1]
    factors = moved / np.array(past)
    assert factors == pytest.approx(factors[0], rel=1e-6)
    assert any(factors[0] == pytest.approx(new / old, rel=1e-6) for old in (level, latest))


def test_what_had_moved_already_is_not_moved_twice() -> None:
    past = [0.0] * 23 + [732.0, 734, 732, 741, 740, 732, 743]
    moved = onto_new_level(np.array([[*past, 751.0, 753, 774, 777]]), ["level"], 30, 800)[0]
    assert moved[23:30] == pytest.approx(750.0, rel=0.05)
    known = onto_new_level(np.array([[0.1] * 23 + [0.5, 0.51, 0.5, 0.49, 0.5, 0.5, 0.5, 0.9]]), ["ratio"], 30, 800)[0]
    assert known[23:30] == pytest.approx(0.9, rel=0.05)


@given(positive)
def test_a_metric_that_did_not_move_stays(past: list[float]) -> None:
    series = np.array([[*past, float(np.exp(np.median(np.log(past[-30:]))))]])
    assert onto_new_level(series, ["count"], len(past), 100) == pytest.approx(series, rel=1e-9)


@given(st.lists(st.floats(0, 1), min_size=8, max_size=40), st.floats(0, 1), st.integers(1, 10**6))
def test_a_share_stays_a_share(past: list[float], new: float, rows: int) -> None:
    moved = onto_new_level(np.array([[*past, new]]), ["ratio"], len(past), rows)
    assert ((moved >= 0) & (moved <= 1)).all()


def test_a_distance_to_the_run_before_does_not_move() -> None:
    series = np.array([[0.1, 0.2, 0.1, 0.9]])
    assert np.array_equal(onto_new_level(series, ["distance"], 3, 100), series)


def test_what_was_constant_is_constant_on_the_new_level() -> None:
    moved = onto_new_level(np.array([[2.0, 2.0, 2.0, 5.0]]), ["level"], 3, 100)
    np.testing.assert_allclose(moved, [[5.0] * 4])


def test_what_is_undefined_stays_so() -> None:
    moved = onto_new_level(np.array([[np.nan, 2.0, 2.0, np.nan, 4.0], [np.nan] * 5]), ["level"] * 2, 3, 100)
    assert np.array_equal(moved, np.array([[np.nan, 4.0, 4.0, np.nan, 4.0], [np.nan] * 5]), equal_nan=True)


def test_what_was_always_nothing_varies_on_the_new_level() -> None:
    assert onto_new_level(np.array([[0.0, 0.0, 0.0, 5.0]]), ["level"], 3, 100).tolist() == [[6.25, 3.75, 6.25, 5.0]]
    shares = onto_new_level(np.array([[1.0, 1.0, 1.0, 0.9]]), ["ratio"], 3, 100)
    assert ((shares > 0.0) & (shares < 1.0)).all()
    assert np.ptp(shares) > 0.0
    gone = np.array([[1.0, 1.0, 1.0, 0.0]])
    assert onto_new_level(gone, ["ratio"], 3, 100).tolist() == [[0.0] * 4], "all null is all null"
