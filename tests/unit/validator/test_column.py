"""The picture of one metric of a column."""

import pyarrow as pa
import pytest
from tests.strategies import seeded

from byhistory import Validator
from byhistory.config import Config, TableConfig
from byhistory.constraints.judge import judge
from byhistory.rows.local import profile_table


def day(number: int, price: list[float | None] | None = None):
    values = seeded(number).normal(10.0, 1.0, 200).tolist() if price is None else price
    return profile_table({"price": pa.array(values, pa.float64())}, run=f"2026-10-{number:02}")


@pytest.mark.parametrize("learner", ["paper", "calibrated"])
@pytest.mark.parametrize("price", [None, [None] * 200, [1000.0] * 200], ids=["usual", "null", "far off"])
def test_a_clause_is_shown_as_the_one_judge_sees_it(learner, price):
    config = Config(defaults=TableConfig(learner=learner, per="column", warn_budget=0.2))
    with Validator("memory:", config=config) as guard:
        guard.remember([day(number) for number in range(1, 21)], "orders")
        guard.judge(day(21, price), "orders")
        names = {m.name for m in guard.metrics}
        clauses = [c for c in guard.learning.programs("orders")["price"].clauses if c.metric in names]
        judged = set()
        for clause in clauses:
            shown = guard.records.column("orders", "price", clause.metric).clause.outcome
            if not clause.transform.lag:
                expected = judge(clause, shown.value, ())
                assert (shown.status, shown.level) == (expected.status, expected.level), clause.metric
                judged.add(shown.status)
        assert judged
