"""Runs of tables: one column that stands out, and what all columns share."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.histories import demo

from byhistory.learners import Program, learn
from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.prices import shipped
from byhistory.learners.calibrated.table import TablePrices, from_plain, share, stand_out, to_plain

SHIPPED = shipped().tables
columns = arrays(np.float64, st.integers(1, 60), elements=st.floats(0.0, 6.0))


@given(columns, st.data())
def test_a_column_that_is_more_surprising_than_all_others_makes_the_table_no_less_surprising(surprises, data) -> None:
    i = int(surprises.argmax())
    more = surprises.copy()
    more[i] += data.draw(st.floats(0.0, 5.0))
    before, after = (SHIPPED.judge(s[None]).surprise[0] for s in (surprises, more))
    assert after >= before - 1e-9


@given(columns)
def test_the_order_of_the_columns_does_not_matter(surprises) -> None:
    assert stand_out(surprises[None])[0] == pytest.approx(stand_out(surprises[::-1][None])[0])
    assert share(surprises[None])[0] == pytest.approx(share(surprises[::-1][None])[0])


@given(columns)
def test_columns_that_are_not_judged_change_nothing(surprises) -> None:
    wider = np.append(surprises, [np.nan, np.nan])
    assert SHIPPED.judge(wider[None]).surprise[0] == pytest.approx(SHIPPED.judge(surprises[None]).surprise[0])


@pytest.mark.parametrize("others", [1, 10, 200, 300])
def test_a_fault_of_one_column_is_seen_in_a_table_of_any_width(others: int) -> None:
    surprises = np.full((1, others + 1), 0.3)
    surprises[0, others // 2] = 5.0
    found = SHIPPED.judge(surprises)
    assert found.surprise[0] > 2.0
    assert found.column[0] == others // 2
    assert not found.is_shared[0]


def test_what_all_columns_do_at_once_is_one_event_of_the_table() -> None:
    found = SHIPPED.judge(np.full((1, 40), 3.5))
    assert found.is_shared[0]
    assert found.surprise[0] > 2.0


@pytest.mark.parametrize("width", [1, 3, 40, 300])
def test_a_table_of_usual_columns_is_as_usual(width: int) -> None:
    assert SHIPPED.judge(np.full((1, width), 0.4)).surprise[0] < 1.0


def test_rates_were_measured_at_the_default_budgets_and_keep_them_within_their_intervals() -> None:
    for budget in (0.01, 0.05):
        low, measured, high = SHIPPED.rate(budget)
        assert low <= budget
        assert low <= measured <= high
    assert SHIPPED.rate(1e-4) is None


def test_prices_of_tables_survive_a_round_trip() -> None:
    assert from_plain(to_plain(SHIPPED)) == SHIPPED
    assert isinstance(SHIPPED, TablePrices)


@given(columns, st.sampled_from([0.05, 0.02, 0.01, 0.005]))
def test_a_run_is_beyond_the_limit_of_a_column_where_it_is_rarer_than_the_budget(surprises, budget) -> None:
    judged = float(SHIPPED.judge(surprises[None]).surprise[0])
    assume(abs(judged + np.log10(budget)) > 1e-3)
    assert (surprises > SHIPPED.limits(surprises, budget)).any() == (judged > -np.log10(budget))


@given(columns, st.floats(0.001, 0.2))
def test_what_the_others_do_never_lowers_a_limit_unless_all_are_told(surprises, budget) -> None:
    calm, now = SHIPPED.limits(np.zeros(len(surprises)), budget), SHIPPED.limits(surprises, budget)
    assert ((now >= calm - 1e-9) | (surprises > now)).all()


@pytest.mark.parametrize("width", [1, 9, 60, 300])
def test_a_column_gets_what_it_may_do_while_the_others_are_as_usual(width: int) -> None:
    for budget in (0.05, 0.01, 0.001):
        limit = float(SHIPPED.limits(np.zeros(width), budget)[0])
        assert CALIBRATED.column_budget(budget, width) == pytest.approx(min(budget, 10.0**-limit))


def programs(table_budget: float) -> dict[str, Program]:
    made = learn(demo(9), 0.005)
    return {name: replace(p, table_budget=table_budget, table_warn_budget=0.05) for name, p in made.items()}


def joint_limits(of: Mapping[str, Program]) -> list[float]:
    return [clause.high for p in of.values() for clause in p.clauses if clause.metric == "joint"]


def test_the_limits_of_a_column_follow_the_others_only_within_a_budget_of_the_table() -> None:
    def calm(_: str, metrics: Sequence[str]) -> np.ndarray:
        return np.full(len(metrics), np.nan)

    def wild(column: str, metrics: Sequence[str]) -> np.ndarray:
        return np.full(len(metrics), 1e9) if column == first else calm(column, metrics)

    alone, together = programs(0.0), programs(0.01)
    first = next(iter(together))
    assert joint_limits(CALIBRATED.as_table(alone, wild)) == joint_limits(alone)
    at_rest, moved = (joint_limits(CALIBRATED.as_table(together, read)) for read in (calm, wild))
    assert moved[0] == pytest.approx(at_rest[0])
    assert all(after > before for before, after in zip(at_rest[1:], moved[1:], strict=True))
