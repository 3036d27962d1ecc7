"""Columns to learn, as they are sent to a worker."""

from __future__ import annotations

import numpy as np
from tests.strategies import seeded

from byhistory.learners import Program
from byhistory.metrics import by_name
from byhistory.profile import Kind
from byhistory.rows.field import Field
from byhistory.rows.local import profile_table
from byhistory.validator.learning import LearningTask, SampledColumn

SAMPLED = 7
"""One column in so many has rows to put faults into, as in a run."""


def learning_tasks(columns: int = 2) -> list[LearningTask]:
    """Some columns of numbers over 30 runs."""
    rng = seeded(7)
    metrics = tuple(by_name(name) for name in ("row_count", "mean", "complete_ratio"))
    series = np.array([rng.normal(1000, 10, 30), rng.normal(5, 0.1, 30), np.ones(30)])
    heads = [Program(f"c{i}", Kind.NUMERIC, learner="calibrated", runs=30) for i in range(columns)]
    last = profile_table({"beside": rng.normal(5, 1, 40), "c0": rng.normal(5, 1, 40), "text": ["a", "b"] * 20})
    rows = SampledColumn(last.sample, last["c0"], last["beside"], Field("c0", Kind.NUMERIC, "double"), b"a key")
    return [
        LearningTask(head, metrics, series, None, (7,), rows=None if i % SAMPLED else rows)
        for i, head in enumerate(heads)
    ]
