"""Runs of tables: one column that stands out, and what all columns share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

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


def test_prices_of_tables_survive_a_round_trip_and_the_learner_judges_by_them() -> None:
    assert from_plain(to_plain(SHIPPED)) == SHIPPED
    assert isinstance(SHIPPED, TablePrices)
    found = CALIBRATED.judge_table(np.array([[0.1, 4.8, 0.2]]))
    assert found is not None
    assert found.column.tolist() == [1]
