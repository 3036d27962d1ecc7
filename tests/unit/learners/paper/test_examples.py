"""The worked examples of the paper give the paper's numbers."""

from dataclasses import replace

import numpy as np
import pytest
from tests.histories import history, run

from byhistory.bounds import CHEBYSHEV
from byhistory.constraints import judge
from byhistory.learners import learn
from byhistory.learners.paper.candidates import candidates
from byhistory.metrics import by_name
from byhistory.report.explain import explain
from byhistory.series import Stationary, Transform, make_stationary
from byhistory.verdict import check

STATES = [
    *("AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY"),
    *("LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND"),
    *("OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY"),
]


def test_complete_ratio_of_90_percent_with_a_spread_of_1_percent():
    # Example 4: 0.85 to 0.95 costs 0.04; 0.8 to 1 costs 0.01. By Chebyshev's inequality, as in the example.
    metric = replace(by_name("complete_ratio"), bound=CHEBYSHEV)
    form = Stationary("stationary", Transform(), np.full(30, 0.9), 0.9, 0.01, 30, "")
    offered = candidates([metric], [form], np.full((1, 30), 0.9), budget=0.01)
    narrow = int(np.flatnonzero(np.isclose(offered.width, 5.0))[0])
    assert (offered.low[narrow], offered.high[narrow]) == pytest.approx((0.85, 0.95))
    assert offered.price[narrow] == pytest.approx(0.04)
    wide = int(np.flatnonzero(np.isclose(offered.width, 10.0))[0])
    assert offered.low[wide] == pytest.approx(0.8)
    assert offered.high[wide] >= 1.0
    assert offered.price[wide] == pytest.approx(0.01)


def test_growing_row_counts_are_compared_with_the_run_before():
    # Examples 5 and 6, the printed series as far as it goes: 100K, 103K, 105K, 106K, …, 151K, 153K.
    steps = np.random.default_rng(6).choice([1_000, 2_000, 3_000], 27)  # noqa: TID251 - a fixed example
    counts = np.array([100_000, 103_000, 105_000, 106_000, *(106_000 + np.cumsum(steps))], float)
    found = make_stationary(counts)
    assert found.transform == Transform(lag=1)
    assert found.values[:3].tolist() == [3_000, 2_000, 1_000]


def test_a_growing_table_learns_a_step_and_stops_the_run_that_stands_still():
    rows = iter(np.cumsum(np.random.default_rng(9).integers(10, 31, 40)) + 1_000)  # noqa: TID251 - a fixed example
    runs = history(lambda _, __: {"n": np.ones(int(next(rows)))}, 30)
    program = learn(runs, 0.01, "paper")["n"]
    clause = next(c for c in program.clauses if c.metric == "row_count")
    assert clause.transform == Transform(lag=1)
    counts = [r.rows for r in runs]
    assert judge(clause, counts[-1] + 20.0, counts).status == "holds"
    assert judge(clause, 10.0 * counts[-1], counts).status == "broken"
    assert "row_count, compared with the run before, between " in explain(program)


def orders_by_state(random: np.random.Generator, _: int) -> dict[str, list[str]]:
    """All fifty states in every run, in numbers and shares that vary."""
    rows = [*STATES, *random.choice(STATES, random.integers(900, 1_000))]
    return {"state": rows, "address": [f"{n} Main Street" for n in random.integers(0, 10_000, len(rows))]}


def a_row_a_state(random: np.random.Generator, _: int) -> dict[str, list[str]]:
    """The table of the paper's introduction: exactly 50 rows."""
    streets = [f"{n} Main Street" for n in random.integers(0, 10_000, 50)]
    return {"state": list(random.permutation(STATES)), "address": streets}


def test_fifty_states_is_what_distinguishes_the_column():
    # Examples 7 and 8: exactly 50 distinct values in all runs, chosen because it catches most of what can go wrong.
    program = learn(history(orders_by_state, 12), 0.001, "paper")["state"]
    clause = next(c for c in program.clauses if c.metric == "dist_val_count")
    assert clause.low == pytest.approx(50)
    assert clause.high == pytest.approx(50)
    assert 0 < clause.price <= 0.001
    assert "dist_val_count exactly 50 — the last 12 runs were all 50" in explain(program)
    assert program.responses is not None
    reads = program.responses.of(["dist_val_count"])[:, 0]
    assert np.mean(~np.isclose(reads, 50)) > 0.6, "alone it catches most faults"
    caught = {f for c in program.clauses for f in c.faults}
    assert len(caught) >= 0.95 * len(program.responses.faults)


def test_a_row_a_state_has_a_stronger_invariant_still():
    """With one row a state the values are the very same in every run, which catches more than their number does."""
    program = learn(history(a_row_a_state, 12), 0.001, "paper")["state"]
    exact = {c.metric for c in program.clauses if c.bound == "constant"}
    assert {"js_div", "row_count"} <= exact
    assert all(c.price > 0 for c in program.clauses)


@pytest.mark.parametrize("left", [0, 10, 49])
@pytest.mark.parametrize("make", [a_row_a_state, orders_by_state])
def test_fewer_than_fifty_states_are_stopped(left, make):
    runs = history(make, 12)
    batch = run({"state": STATES[:left] * 20, "address": ["1 Main Street"] * left * 20}, 12)
    assert not check(batch, learn(runs, 0.001, "paper"), runs).ok
