"""The learner whose prices are measured: forecasts on an even scale, pooled prices, all metrics judged together.

It departs from the paper where the paper's prices do not hold (see docs/explanation/theory.md and ADR 0007): a clause
costs what it cost on good runs of many columns, and the whole budget is spent on a program that was priced as one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from byhistory.constraints import Constraint, Evidence
from byhistory.constraints.joint import JOINT, MEASURED, Joint
from byhistory.inject import Responses
from byhistory.metrics import Metric
from byhistory.prices import Prices, shipped
from byhistory.prices.table import together
from byhistory.profile.arrays import Floats
from byhistory.program.program import Program
from byhistory.series.cadence import UNKNOWN
from byhistory.series.forecast import LEVEL as BY_LEVEL
from byhistory.series.forecast import RECENT, Forecasts, forecast, reach, recent, scales_for
from byhistory.series.transform import LEVEL, Transform

HISTORIES = (7, 14, 21, 30, RECENT)
"""Lengths of history that prices are measured for; of a longer one, the last runs are used."""
SINGLES = {
    "numeric": ("row_count", "complete_ratio", "unique_ratio"),
    "temporal": ("row_count", "complete_ratio", "unique_ratio"),
    "categorical": ("complete_ratio", "unique_ratio", "upper_ratio"),
    "binary": ("row_count", "complete_ratio", "mean_size"),
    "nested": ("row_count", "complete_ratio", "mean_size"),
}
"""The metrics with a clause of their own: what catches most of what all together do not, on sources held out."""
SAFETY = 0.7
"""The part of the budget that is spent where prices were measured, so that it is kept where they were not."""
_ERROR_OF = {"mean": 1.0, "median": 1.25, "p1": 3.7, "p5": 2.1, "p95": 2.1, "p99": 3.7}
"""Standard errors of these metrics in a run, in standard deviations over the root of its rows (of a normal column)."""
ROWS, OF_ROWS = "row_count", 0.25
"""The metric that is judged once for a table, and the part of the budget of the column that carries it."""
_LEAST = 3
"""Values of a metric from which on it is forecast."""
Priced = tuple[Constraint, float]
"""A clause, and the surprise that it begins at."""


def calibrated(
    head: Program,
    metrics: tuple[Metric, ...],
    series: Floats,
    responses: Responses | None,
    max_clauses: int | None,
    *,
    prices: Prices | None = None,
    seasons: Sequence[int] = UNKNOWN,
) -> Program:
    """Clauses on a few metrics, and one on all together, that a good run breaks as often as the budget says."""
    prices = prices or shipped()
    joint = expect(head, metrics, series, prices, seasons)
    rows = _rows(head, joint, series)
    budget = head.budget - sum(clause.price for clause, _ in rows)
    single, all_ = joint.limits.at(budget)
    price = min(10.0**-single, 0.3 * budget)
    others = [i for i in _chosen(head, joint) if not rows or joint.metrics[i] != ROWS]
    found = [_clause(joint, i, single, series[i], price) for i in others]
    singles = [*rows, *((clause, single) for clause in found if clause is not None)]
    if max_clauses is not None:
        singles = singles[: max(0, max_clauses - 1)]
    rest = head.budget - sum(clause.price for clause, _ in singles)
    kept = [*singles, (Constraint(JOINT, -math.inf, all_, bound=MEASURED, price=rest), all_)][:max_clauses]
    clauses = [clause for clause, _ in kept]
    if responses is not None:
        clauses = _with_faults(kept, joint, responses)
    notes = tuple(f"{m.name}: never defined so far" for m, k in zip(metrics, joint.known, strict=True) if not k)
    return replace(head, clauses=tuple(clauses), notes=notes, responses=responses, joint=joint)


def expect(
    head: Program, metrics: Sequence[Metric], series: Floats, prices: Prices, seasons: Sequence[int] = UNKNOWN
) -> Joint:
    """What the next run of a column should read, with the prices for its kind and length of history."""
    found = forecasts(metrics, series, seasons)
    history = prices.history(int(np.isfinite(series).any(axis=0).sum()))  # a run that was not good is none
    names, kind = tuple(m.name for m in metrics), head.kind.value
    curves = prices.sides(kind, names, history, found.still)
    return Joint(names, found, curves, prices.limit(kind, history), prices.name)


def forecasts(metrics: Sequence[Metric], series: Floats, seasons: Sequence[int] = UNKNOWN) -> Forecasts:
    """Forecasts of the next run, with what chance within a run does to the metrics where that is known."""
    series = np.ascontiguousarray(
        recent(series, reach(seasons))
    )  # sums depend on the order in memory, in the last digit
    late = recent(series)
    names = [m.name for m in metrics]
    rows = series[names.index("row_count")] if "row_count" in names else np.ones(series.shape[1])
    errors = np.zeros(len(names))
    with np.errstate(all="ignore"):
        if "std" in names:
            one = _average(late[names.index("std")]) / math.sqrt(max(1.0, _average(rows[-late.shape[1] :])))
            errors = np.array([_ERROR_OF.get(name, 0.0) for name in names]) * one
    found = forecast(series, scales_for(late, [m.scale for m in metrics]), rows, errors, seasons)
    unknown = found.runs < _LEAST
    return replace(found, centre=np.where(unknown, np.nan, found.centre))


def _average(x: Floats) -> float:
    known = x[np.isfinite(x)]
    return float(known.mean()) if len(known) else 0.0


def _chosen(head: Program, joint: Joint) -> list[int]:
    wanted = SINGLES[head.kind.value]
    return [
        joint.metrics.index(name) for name in wanted if name in joint.metrics and joint.known[joint.metrics.index(name)]
    ]


def _clause(joint: Joint, i: int, surprise: float, past: Floats, price: float) -> Constraint | None:
    """An interval for one metric; None where nothing that can happen would leave it."""
    low, high = joint.interval(i, surprise)
    if joint.forecasts.scale[i] == "ratio":
        low, high = (-math.inf if low <= 0.0 else low), (math.inf if high >= 1.0 else high)
    if math.isinf(low) and math.isinf(high):
        return None
    form, scale = int(joint.forecasts.form[i]), joint.forecasts.scale[i]
    usual = recent(past[None], reach((form,)))[0]
    usual = usual[np.isfinite(usual)]
    middle, spread = float(usual.mean()), float(usual.std())
    transform, centre = LEVEL, middle
    before = float(past[-form]) if form > BY_LEVEL and form <= len(past) else math.nan
    if math.isfinite(before) and (scale == "level" or (scale == "count" and before > 0)):
        transform = Transform(form, log=scale == "count")
        low, high = (_since(end, before, transform) for end in (low, high))
        centre = _since(float(joint.forecasts.ends(np.zeros(len(joint.metrics)))[0][i]), before, transform)
    centre = min(max(centre, low), high)  # at a high budget the mean may lie outside
    width = min(centre - low, high - centre) / spread if spread > 0 else 0.0
    if transform != LEVEL:
        spread = width = math.nan
    evidence = Evidence(len(usual), centre, spread, width, float(usual.min()), float(usual.max()))
    return Constraint(joint.metrics[i], low, high, transform, MEASURED, price, evidence)


def _since(end: float, before: float, transform: Transform) -> float:
    """An end of an interval as the change since the value before."""
    if not transform.log:
        return end - before
    return math.log(end) - math.log(before) if end > 0 else -math.inf


def _rows(head: Program, joint: Joint, series: Floats) -> list[Priced]:
    """The clause on the number of rows of the table, for its part of the budget, where this column carries it.

    Among the other clauses it would have to be far wider: rows that are lost are lost in all columns, and one such run
    counts once in each of them. The price is that of the metric itself, on both sides.
    """
    i = joint.metrics.index(ROWS) if ROWS in joint.metrics else -1
    if not head.carries_rows or i < 0 or not joint.known[i]:
        return []
    price = OF_ROWS * head.budget
    limit = -math.log10(SAFETY * price / 2.0)
    clause = _clause(joint, i, limit, series[i], price)
    return [] if clause is None else [(clause, limit)]


def _with_faults(priced: list[Priced], joint: Joint, responses: Responses) -> list[Constraint]:
    """The clauses with the faults that each is the first to catch."""
    after = joint.surprises(joint.forecasts.as_if_next(responses.of(joint.metrics)))
    missed, told = np.ones(len(responses.faults), np.bool_), []
    for clause, limit in priced:
        of_clause = together(after) if clause.metric == JOINT else after[:, joint.metrics.index(clause.metric)]
        caught = missed & (of_clause > limit)
        missed &= ~caught
        told.append(replace(clause, faults=tuple(responses.faults[f] for f in np.flatnonzero(caught))))
    return told
