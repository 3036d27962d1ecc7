import math

import numpy as np
import pytest

from byhistory.bounds import CHEBYSHEV, CLT
from byhistory.constraints import Constraint, judge
from byhistory.learners.paper.candidates import CONSTANT_PRICE, candidates
from byhistory.metrics import by_name
from byhistory.series import Transform, make_rows_stationary


def offered(names, series, budget=0.001):
    series = np.atleast_2d(np.asarray(series, float))
    return candidates([by_name(n) for n in names], make_rows_stationary(series), series, budget)


def test_the_papers_complete_ratio_example_gives_the_papers_prices():
    # Example 4: mean 0.9, variance 0.0001; beta 0.05 costs 0.04, beta 0.1 costs 0.01 and reaches the end of the range.
    assert float(CHEBYSHEV.fpr(0.05 / 0.01)) == pytest.approx(0.04)
    assert float(CHEBYSHEV.fpr(0.1 / 0.01)) == pytest.approx(0.01)
    random = np.random.default_rng(3)  # noqa: TID251 - a fixed example
    ratios = 0.9 + 0.01 * random.standard_normal(30)
    c = offered(["complete_ratio"], ratios)
    form = c.forms[0]
    assert form.mean == pytest.approx(0.9, abs=0.01)
    assert form.std == pytest.approx(0.01, abs=0.004)
    wide = c.low < form.mean - 10 * form.std + 1e-12
    assert np.isinf(c.high[wide]).all(), "an upper end beyond 1 says nothing and is dropped"
    assert np.allclose(c.price, CLT.fpr(c.width))


def test_the_papers_growing_row_count_is_differenced_once():
    # Examples 5 and 6: 100K, 103K, 105K, 106K, …: the steps are steady, the level is not.
    random = np.random.default_rng(5)  # noqa: TID251 - a fixed example
    counts = 100_000 + np.cumsum(random.integers(1_000, 3_001, 40))
    c = offered(["row_count"], counts)
    assert c.forms[0].transform == Transform(lag=1)
    assert c.forms[0].mean == pytest.approx(2_000, abs=300)
    clause = c.constraint(int(np.argmin(np.abs(c.price - 0.001))))
    assert judge(clause, counts[-1] + 2_000, counts).status == "holds"
    assert judge(clause, counts[-1] - 2_000, counts).status == "broken"


def test_fifty_states_is_an_invariant_with_a_price():
    c = offered(["dist_val_count"], [50.0] * 12)
    assert len(c) == 1
    assert c.price[0] == CONSTANT_PRICE > 0
    clause = c.constraint(0)
    assert judge(clause, 50.0, []).status == "holds"
    assert judge(clause, 50.0 * (1 + 1e-12), []).status == "holds", "compared with a tolerance, not with =="
    assert judge(clause, 49.0, []).status == "broken"


def test_the_grid_reaches_the_budget_for_every_bound():
    random = np.random.default_rng(1)  # noqa: TID251 - a fixed example
    names = ["max", "row_count", "ks_dist"]
    series = np.abs(random.normal(100, 5, (3, 30)))
    c = offered(names, series * [[1.0], [1.0], [1e-4]])
    for m in range(3):
        assert (c.price[c.metric == m] <= 0.001).any()


def test_distances_are_held_from_above_only():
    random = np.random.default_rng(2)  # noqa: TID251 - a fixed example
    c = offered(["ks_dist"], random.uniform(0.01, 0.03, 30))
    assert np.isinf(c.low).all()
    assert np.isfinite(c.high).any()


def test_what_cannot_be_evaluated_is_said_and_why():
    assert judge(Constraint("mean", 0, 1), math.nan, []).status == "not evaluable"
    lagged = judge(Constraint("mean", 0, 1, Transform(lag=7)), 1.0, [1.0] * 3)
    assert (lagged.status, lagged.reason) == ("not evaluable", "the run it is compared with (7 before) has no value")
    logged = judge(Constraint("mean", 0, 1, Transform(lag=1, log=True)), -1.0, [1.0])
    assert logged.reason == "a logarithm needs values above 0"


def test_an_infinite_distance_breaks_its_constraint():
    assert judge(Constraint("cohen_d", -math.inf, 3.0), math.inf, []).status == "broken"


@pytest.mark.parametrize("response", [math.nan, 1e308, -1e308, math.inf])
def test_faults_with_extreme_responses_do_not_crash(response):
    c = offered(["mean", "max"], np.vstack([np.linspace(1, 2, 12), [5.0] * 12]))
    caught = c.catches(np.full((1, 2), response))
    assert caught.shape == (len(c), 1)
    if math.isnan(response):
        assert not caught.any()
