"""Laws over every bound: what is listed in `bounds.ALL` is tested by being listed."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory import bounds
from byhistory.bounds import CANTELLI, CHEBYSHEV, CLT, Bound, grid
from byhistory.errors import ByHistoryError


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


DRAWS = 400_000
WIDTHS = np.array([1.0, 1.5, 2.0, 3.0, 5.0])

every_bound = pytest.mark.parametrize("bound", bounds.ALL, ids=lambda b: b.name)
budgets = st.floats(1e-6, 0.5)


def standard(name: str) -> np.ndarray:
    """Draws with mean 0 and standard deviation 1, both known, not estimated."""
    rng = seeded(20230806)
    return {
        "normal": lambda: rng.standard_normal(DRAWS),
        "uniform": lambda: rng.uniform(-1.0, 1.0, DRAWS) * np.sqrt(3.0),
        "exponential": lambda: rng.exponential(1.0, DRAWS) - 1.0,
        "t5": lambda: rng.standard_t(5, DRAWS) / np.sqrt(5.0 / 3.0),
        "ratio": lambda: (rng.binomial(50_000, 0.9, DRAWS) - 45_000) / np.sqrt(50_000 * 0.09),
    }[name]()


def broken(bound: Bound, x: np.ndarray, width: float) -> float:
    return float(np.mean((np.abs(x) if bound.sides == "both" else x) >= width * (1 - 1e-9)))


def test_every_file_of_the_folder_is_listed() -> None:
    files = {f.stem for f in Path(bounds.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert files == {b.name for b in bounds.ALL}


@every_bound
@given(k=st.floats(0, 50), step=st.floats(0, 10))
def test_a_bound_falls_as_the_interval_widens(bound: Bound, k: float, step: float) -> None:
    assert 0.0 <= bound.fpr(k + step) <= bound.fpr(k) <= 1.0


@every_bound
@given(fpr=st.floats(1e-12, 1.0))
def test_the_width_of_a_price_has_that_price(bound: Bound, fpr: float) -> None:
    assert bound.fpr(bound.width(fpr)) == pytest.approx(fpr, rel=1e-9)


@every_bound
@given(k=st.floats(1.0, 7.0))
def test_the_price_of_a_width_has_that_width(bound: Bound, k: float) -> None:
    assert bound.width(bound.fpr(k)) == pytest.approx(k, rel=1e-9)


@every_bound
def test_a_bound_takes_arrays_as_it_takes_numbers(bound: Bound) -> None:
    assert bound.fpr(WIDTHS).tolist() == [float(bound.fpr(w)) for w in WIDTHS]


@every_bound
@given(budget=budgets)
def test_the_grid_rises_from_one_and_reaches_the_budget(bound: Bound, budget: float) -> None:
    widths = grid(bound, budget)
    assert widths[0] == 1.0
    assert (np.diff(widths) > 0).all()
    assert bound.fpr(widths[-1]) <= budget / 50
    assert (bound.fpr(widths) > 0).all()


@every_bound
@given(budget=budgets)
def test_the_grid_can_spend_the_budget_whole_or_in_equal_parts(bound: Bound, budget: float) -> None:
    prices = bound.fpr(grid(bound, budget))
    for parts in (1, 2, 5, 10, 20, 50):
        if budget / parts > bound.fpr(1.0):
            continue
        price = prices[prices < budget / parts * (1 - 1e-13)].max()  # below it by more than the sum can round up
        assert sum([float(price)] * parts) <= budget
        assert price == pytest.approx(budget / parts, rel=1e-6)


def test_the_grid_reaches_31_6_for_chebyshev_and_3_29_for_clt_at_a_budget_of_one_in_a_thousand() -> None:
    for bound, width in ((CHEBYSHEV, 31.6228), (CANTELLI, 31.6070), (CLT, 3.2905)):
        assert np.abs(grid(bound, 0.001) - width).min() < 1e-4


@pytest.mark.parametrize("budget", [0.0, 1.0, -0.1, float("nan")])
def test_a_budget_that_is_no_probability_is_refused_with_a_way_out(budget: float) -> None:
    with pytest.raises(ByHistoryError, match="between 0 and 1"):
        grid(CLT, budget)


@pytest.mark.parametrize("bound", [CHEBYSHEV, CANTELLI], ids=lambda b: b.name)
@pytest.mark.parametrize("name", ["normal", "uniform", "exponential", "t5", "ratio"])
def test_an_inequality_holds_on_every_distribution(bound: Bound, name: str) -> None:
    x = standard(name)
    for width in WIDTHS:
        price = float(bound.fpr(width))
        assert broken(bound, x, width) <= price + 4 * np.sqrt(price / DRAWS)


@pytest.mark.parametrize("name", ["normal", "ratio"])
def test_the_central_limit_price_is_the_rate_on_sums_of_many(name: str) -> None:
    x = standard(name)
    for width in WIDTHS:
        price = float(CLT.fpr(width))
        # a ratio of 50,000 rows moves in steps of 0.015 standard deviations: 3 % of the rate beside the sampling error
        assert broken(CLT, x, width) == pytest.approx(price, rel=0.03, abs=4 * np.sqrt(price / DRAWS))


@pytest.mark.parametrize("name", ["t5", "exponential"])
def test_the_central_limit_price_is_too_low_outside_its_class(name: str) -> None:
    assert broken(CLT, standard(name), 3.2905) > 3 * CLT.fpr(3.2905)


@pytest.mark.parametrize("width", [1.5, 2.0, 5.0])
def test_no_price_below_chebyshevs_would_hold_for_every_metric(width: float) -> None:
    """Three points, ±width with half the price each, else 0: mean 0, standard deviation 1, and the price is met."""
    price = float(CHEBYSHEV.fpr(width))
    x = seeded(1).choice([-width, 0.0, width], DRAWS, p=[price / 2, 1 - price, price / 2])
    assert broken(CHEBYSHEV, x, width) == pytest.approx(price, abs=4 * np.sqrt(price / DRAWS))


@pytest.mark.parametrize("width", [0.5, 2.0, 5.0])
def test_no_price_below_cantellis_would_hold_for_every_metric(width: float) -> None:
    """Two points, width with the price, else −1/width: mean 0, standard deviation 1, and the price is met."""
    price = float(CANTELLI.fpr(width))
    x = seeded(2).choice([-1 / width, width], DRAWS, p=[1 - price, price])
    assert broken(CANTELLI, x, width) == pytest.approx(price, abs=4 * np.sqrt(price / DRAWS))
