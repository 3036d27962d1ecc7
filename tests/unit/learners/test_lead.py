"""What leads a message is what a person would name."""

from __future__ import annotations

import numpy as np
import pytest
from tests.strategies import seeded

from byhistory.learners import learn
from byhistory.metrics import ALL, PLAIN
from byhistory.rows.local import profile_table
from byhistory.verdict import check


@pytest.mark.parametrize("factor", [0.56, 1.6, 100.0])
def test_a_fall_of_an_amount_is_told_by_an_amount(factor: float) -> None:
    random = seeded(3)
    runs = [profile_table({"n": np.round(random.normal(300, 30, 400), 2)}, run=f"{i:02}") for i in range(22)]
    bad = profile_table({"n": np.round(factor * random.normal(300, 30, 400), 2)}, run="22")
    verdict = check(bad, learn(runs), runs)
    assert not verdict.ok
    outcome = verdict.causes[0].outcome
    assert outcome is not None
    assert outcome.constraint.metric in {"mean", "median", "sum", "min", "max", "range"}


def test_every_kind_of_column_has_metrics_that_people_name() -> None:
    assert all(PLAIN & {m.name for m in ALL if kind in m.kinds} for metric in ALL for kind in metric.kinds)
    assert {"row_count", "complete_ratio", "mean", "sum", "min", "max"} <= PLAIN
    assert not {"digits", "cohen_d", "js_div", "p95"} & PLAIN
