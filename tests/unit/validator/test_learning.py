"""Many columns learned as one array are learned as each alone."""

import numpy as np
import pytest

from byhistory import Validator
from byhistory.config import Config
from byhistory.learners import to_json
from byhistory.learners.calibrated import CALIBRATED
from byhistory.rows.local import profile_table
from byhistory.validator import learning
from byhistory.validator.learning import learned_here, learned_together

RUNS = 12


def table(run: int, rows: int = 120) -> dict[str, list[object]]:
    """Numbers, text, a column with nulls and one that only later runs have."""
    random = np.random.default_rng(run)  # noqa: TID251 - a seed
    columns: dict[str, list[object]] = {
        "price": random.normal(100, 10, rows).tolist(),
        "count": random.poisson(30, rows).tolist(),
        "state": random.choice(["WA", "OR", "CA"], rows).tolist(),
        "note": [f"order {i}" if i % 7 else None for i in random.integers(0, 500, rows)],
    }
    return columns | ({"late": random.normal(0, 1, rows).tolist()} if run >= 3 else {})


@pytest.fixture
def guard() -> Validator:
    guard = Validator("memory:", config=Config())
    guard.remember([profile_table(table(i), run=f"2026-05-{i + 1:02}") for i in range(RUNS)], "t")
    return guard


def test_columns_learned_as_one_array_are_learned_as_each_alone(guard, monkeypatch):
    seen = []
    monkeypatch.setattr(learning, "learned_together", lambda tasks, *_: seen.extend(tasks) or learned_together(tasks))
    together = guard.learning.relearn("t")
    assert len(seen) == len(together) == 5
    for task in seen:
        alone, found = learned_here(task), together[task.head.column]
        assert [c.metric for c in found.clauses] == [c.metric for c in alone.clauses]
        for one, other in zip(found.clauses, alone.clauses, strict=True):
            assert (one.low, one.high, one.price) == pytest.approx((other.low, other.high, other.price), rel=1e-9)
        assert np.allclose(found.model.forecasts.centre, alone.model.forecasts.centre, rtol=1e-9, equal_nan=True)
        assert to_json(found, None)


def test_a_check_that_is_as_usual_injects_no_faults(guard, monkeypatch):
    calls = []
    given = learning.SampledColumn.responses
    monkeypatch.setattr(learning, "SELDOM", 10**12)
    monkeypatch.setattr(learning.SampledColumn, "responses", lambda *a: calls.append(a) or given(*a))
    for day in range(RUNS, RUNS + 3):
        guard.judge(profile_table(table(day), run=f"2026-05-{day + 1:02}"), "t", shadow=True)
    assert not calls
    assert all(p.responses is not None for p in guard.learning.programs("t").values())


def test_faults_are_injected_again_into_a_column_that_was_stopped(guard, monkeypatch):
    names = []
    given = learning.SampledColumn.responses
    monkeypatch.setattr(learning, "SELDOM", 10**12)
    monkeypatch.setattr(
        learning.SampledColumn, "responses", lambda self, *a: names.append(self.now.name) or given(self, *a)
    )
    wrong = table(RUNS) | {"price": [None] * 120}
    assert not guard.judge(profile_table(wrong, run="2026-05-13"), "t").ok
    assert "price" not in names
    guard.judge(profile_table(table(RUNS + 1), run="2026-05-14"), "t")
    assert "price" in names


def test_curves_as_arrays_say_what_each_says_alone():
    prices = CALIBRATED.price_list
    metrics = ["mean", "row_count", "of my own", "ks_dist"]
    for is_constant in (False, True):
        curves = prices.sides("numeric", metrics, 30, np.full(4, is_constant))
        x = np.concatenate([np.geomspace(1e-10, 1e9, 80), [0.0, np.inf]])
        distances = np.column_stack([np.concatenate([x, -x])] * 4)
        for i, name in enumerate(metrics):
            for side, part in ((1, slice(0, len(x))), (-1, slice(len(x), None))):
                alone = prices.curve("numeric", name, 30, is_constant, side).surprise(x)
                assert np.allclose(curves.surprise(distances)[part, i], alone, rtol=1e-12)
    assert curves.surprise(np.full(4, np.nan)).tolist() == [0.0] * 4
