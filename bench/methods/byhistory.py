"""What our own learners share: programs as the product learns them, judged for many runs at once."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from bench.cases.cases import Past

from byhistory.metrics import Pair, by_name
from byhistory.prices import Prices
from byhistory.prices.table import together
from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.program.calibrated import calibrated
from byhistory.program.learn import learn_series, metrics_for
from byhistory.program.program import Program
from byhistory.series.stationary import Stationary, make_stationary_many
from byhistory.series.transform import LEVEL, interval, value_before

NEEDED = 5
"""Runs from which on the benchmark asks for a program: fewer than the product does, to show the shortest histories."""


def alarms_with(
    past: Past,
    now: Floats,
    budgets: tuple[float, ...],
    *,
    learner: str = "paper",
    max_clauses: int | None = None,
    pairs: bool = True,
    stationary: bool = True,
    prices: Prices | None = None,
) -> tuple[Bools, Ints]:
    """Whether each run is stopped at each budget, and how many clauses the program of each budget has."""
    metrics = metrics_for(past.kind, True, [by_name(name) for name in past.metrics], learner)
    metrics = tuple(m for m in metrics if pairs or not isinstance(m, Pair))
    whole, seasons = past.on_calendar if learner == "calibrated" else (past.series, ())  # the paper counts runs
    series = whole[[past.metrics.index(m.name) for m in metrics]]
    head = Program("", past.kind, (), learner, 1.0, int(np.isfinite(series[0]).sum()), NEEDED)
    heads = [replace(head, budget=budget) for budget in budgets]
    if learner == "calibrated":
        found = [calibrated(of, metrics, series, None, max_clauses, prices=prices, seasons=seasons) for of in heads]
    else:
        with _formed(_as_they_are(series) if not stationary else make_stationary_many(series)):
            found = [learn_series(of, metrics, series, past.responses, max_clauses) for of in heads]
    stopped = np.stack([broken(program, past.metrics, whole, now).any(axis=1) for program in found], axis=1)
    return stopped, np.array([len(program.clauses) for program in found], np.int64)


@contextmanager
def _formed(forms: list[Stationary]) -> Iterator[None]:
    """Learning with these forms of the series: found once for all budgets, or the ablation that leaves them as is."""
    learning = sys.modules["byhistory.program.learn"]
    learning.make_stationary_many = lambda _: forms
    try:
        yield
    finally:
        learning.make_stationary_many = make_stationary_many


def _as_they_are(series: Floats) -> list[Stationary]:
    """Every metric by its level, whether that is stationary or not: the ablation of the paper."""
    found = []
    for line in series:
        known = line[np.isfinite(line)]
        mean, std = (float(known.mean()), float(known.std(ddof=1))) if len(known) > 1 else (math.nan, math.nan)
        if len(known) > 1:
            found.append(
                Stationary("constant" if std == 0.0 else "stationary", LEVEL, known, mean, std, len(known), "")
            )
        else:
            found.append(Stationary("too short", None, np.zeros(0), math.nan, math.nan, 0, "too short"))
    return found


def broken(program: Program, metrics: Sequence[str], series: Floats, now: Floats) -> Bools:
    """Which runs (a row) break which clauses (a column); `series` are all `metrics` before them."""
    out = np.zeros((len(now), len(program.clauses)), np.bool_)
    for j, clause in enumerate(program.clauses):
        if clause.metric == "joint" and program.joint is not None:
            places = [metrics.index(name) for name in program.joint.metrics]
            out[:, j] = together(program.joint.surprises(now[:, places])) > clause.high
            continue
        i = metrics.index(clause.metric)
        low, high = interval(clause.transform, clause.low, clause.high, value_before(clause.transform, series[i]))
        out[:, j] = (now[:, i] < low) | (now[:, i] > high)
    return out
