"""What our own learners share: programs as the product learns them, judged for many runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bench.cases.cases import Past

from byhistory.learners import Learner, Program
from byhistory.learners.judge import broken
from byhistory.learners.paper import PAPER, Paper
from byhistory.metrics import Pair
from byhistory.metrics import by_name as metric_named
from byhistory.profile.arrays import Bools, Floats, Ints

NEEDED = 5
"""Runs from which on the benchmark asks for a program: fewer than the product does, to show the shortest histories."""


def alarms_with(
    past: Past,
    now: Floats,
    budgets: tuple[float, ...],
    *,
    learner: Learner = PAPER,
    max_clauses: int | None = None,
    pairs: bool = True,
) -> tuple[Bools, Ints]:
    """Whether each run is stopped at each budget, and how many clauses the program of each budget has."""
    metrics = learner.metrics(past.kind, True, [metric_named(name) for name in past.metrics])
    metrics = tuple(m for m in metrics if pairs or not isinstance(m, Pair))
    is_paper = isinstance(learner, Paper)
    whole, seasons = (past.series, ()) if is_paper else past.on_calendar  # the paper counts runs
    series = whole[[past.metrics.index(m.name) for m in metrics]]
    head = Program("", past.kind, (), learner.name, 1.0, int(np.isfinite(series[0]).sum()), NEEDED)
    heads = [replace(head, budget=budget) for budget in budgets]
    if isinstance(learner, Paper):  # the forms are the same for all budgets, and take most of the time
        forms = learner.forms(series)
        found = [
            learner.choose(of, metrics, series, forms=forms, responses=past.responses, max_clauses=max_clauses)
            if of.is_ready
            else of
            for of in heads
        ]
    else:
        found = [learner.learn(of, metrics, series, max_clauses=max_clauses, seasons=seasons) for of in heads]
    before = dict(zip(past.metrics, whole, strict=True))

    def read(names: Sequence[str]) -> Floats:
        return _columns(now, past.metrics, names)

    stopped = np.stack([broken(program, learner, read, before).any(axis=0) for program in found], axis=1)
    return stopped, np.array([len(program.clauses) for program in found], np.int64)


def _columns(now: Floats, there: Sequence[str], names: Sequence[str]) -> Floats:
    """The columns of these names; nan for a name that is no metric."""
    known = np.column_stack([now, np.full(len(now), np.nan)])
    place = {name: i for i, name in enumerate(there)}
    return np.asarray(known[:, [place.get(name, len(there)) for name in names]])
