"""Every kind of series has a right answer."""

import numpy as np
import pytest

from byhistory.series import LEVEL, Transform, apply, make_rows_stationary, make_stationary


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


NOISE = seeded(5).standard_normal(40)


def test_noise_around_a_level_is_taken_as_it_is() -> None:
    found = make_stationary(100 + NOISE)
    assert (found.status, found.transform, found.count) == ("stationary", LEVEL, 40)
    assert found.mean == pytest.approx(np.mean(100 + NOISE))
    assert found.std == pytest.approx(np.std(NOISE, ddof=1))


def test_the_papers_growing_row_counts_are_compared_with_the_run_before() -> None:
    """Paper: Example 7."""
    steps = seeded(4).integers(1000, 3000, 29).astype(float)
    found = make_stationary(np.concatenate([[100e3], 100e3 + steps.cumsum()]))
    assert (found.status, found.transform) == ("stationary", Transform(lag=1))
    assert found.values.tolist() == steps.tolist()


def test_the_papers_fifty_states_are_constant() -> None:
    """Paper: Example 9."""
    found = make_stationary([50] * 30)
    assert (found.status, found.transform, found.mean, found.std) == ("constant", LEVEL, 50.0, 0.0)


@pytest.mark.parametrize("start", [0.0, 1e6])
def test_an_exact_line_has_a_constant_change(start: float) -> None:
    found = make_stationary(start + 0.1 * np.arange(20))
    assert (found.status, found.transform, found.std) == ("constant", Transform(lag=1), 0.0)
    assert found.mean == pytest.approx(0.1)


def test_a_strict_week_has_a_constant_change_since_a_week_ago() -> None:
    found = make_stationary(np.tile([5.0, 1.0, 2.0, 9.0, 4.0, 4.0, 7.0], 4))
    assert (found.status, found.transform, found.mean) == ("constant", Transform(lag=7), 0.0)


def test_exact_growth_has_a_constant_change_of_its_logarithm() -> None:
    found = make_stationary(3.0 * 1.5 ** np.arange(20))
    assert (found.status, found.transform) == ("constant", Transform(lag=1, log=True))
    assert found.mean == pytest.approx(np.log(1.5))


def test_growth_with_a_zero_in_its_past_gets_no_logarithm() -> None:
    x = 3.0 * 1.5 ** np.arange(20)
    x[3] = 0.0
    found = make_stationary(x)
    assert found.transform is None or not found.transform.log
    assert found.status != "never stationary" or "above 0" in found.reason


@pytest.mark.parametrize("n", range(6))
def test_a_short_history_says_what_it_has_and_what_it_needs(n: int) -> None:
    found = make_stationary(np.ones(n))
    assert (found.status, found.transform, found.count) == ("too short", None, 0)
    assert found.reason == f"not enough history yet: have {n} usable values, need 6"


def test_undefined_runs_are_not_counted_as_history() -> None:
    assert make_stationary([np.nan, 1.0, np.inf, 2.0, 1.0, np.nan, 2.0, -np.inf, 1.0]).status == "too short"
    assert make_stationary([np.nan] * 30).status == "too short"


def test_a_gap_in_a_line_leaves_its_change_constant() -> None:
    x = 100 + 2.0 * np.arange(20)
    x[[4, 11]] = np.nan
    found = make_stationary(x)
    assert (found.status, found.transform, found.mean, found.count) == ("constant", Transform(lag=1), 2.0, 15)


def test_never_stationary_says_what_was_tried() -> None:
    quadratic = make_stationary(-(np.arange(20.0) ** 2))
    assert (quadratic.status, quadratic.transform, quadratic.count) == ("never stationary", None, 0)
    assert np.isnan([quadratic.mean, quadratic.std]).all()
    assert quadratic.reason == (
        "stays around no level, as it is or compared with any of the 14 runs before; a logarithm needs values above 0"
    )


def test_numbers_near_the_end_of_floats_have_moments() -> None:
    found = make_stationary(1e308 * (1.5 + 0.1 * NOISE / np.abs(NOISE).max()))
    assert found.status == "stationary"
    assert np.isfinite([found.mean, found.std]).all()


def test_no_metrics_and_no_runs_are_no_error() -> None:
    assert make_rows_stationary(np.empty((0, 30))) == ()
    assert [s.status for s in make_rows_stationary(np.empty((2, 0)))] == ["too short"] * 2


def test_the_values_are_those_of_the_transform() -> None:
    x = 100 + NOISE.cumsum()
    found = make_stationary(x)
    assert found.transform is not None
    assert found.values.tolist() == apply(found.transform, x).tolist()
