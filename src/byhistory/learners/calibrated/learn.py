"""From the past of a column to its program: forecasts, measured prices, and a joint clause on all metrics.

It departs from the paper where the paper's prices do not hold (see docs/explanation/theory.md and ADR 0007): the price
of a clause is measured on good runs of many columns, and so is the price of a program as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from byhistory.constraints import Constraint, Evidence
from byhistory.constraints.constraint import JOINT, MEASURED
from byhistory.inject import Responses
from byhistory.learners.calibrated.dates import AMOUNTS
from byhistory.learners.calibrated.forecast import AS_SHIPPED, Forecasting, Forecasts, forecast, reach, recent
from byhistory.learners.calibrated.forecast import LEVEL as BY_LEVEL
from byhistory.learners.calibrated.joint import ROWS, Joint
from byhistory.learners.calibrated.leaps import leap_ends
from byhistory.learners.calibrated.scales import DAYS, medians, scales_for
from byhistory.learners.judge import broken
from byhistory.learners.program import Program
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Bools, Floats
from byhistory.series.cadence import UNKNOWN
from byhistory.series.transform import LEVEL, Transform

if TYPE_CHECKING:
    from byhistory.learners.calibrated.learner import Calibrated

_ERROR_OF = {"mean": 1.0, "median": 1.25, "p1": 3.7, "p5": 2.1, "p95": 2.1, "p99": 3.7}
"""Standard errors of these metrics in a run, in standard deviations over the root of its rows, for normal values."""
_ALL_SINGLES = 0.3
"""A single clause costs at most this part of the budget (a choice), so that something is left for the joint clause."""
_LEAST = 3
"""Values that are needed to forecast a metric (a choice): around a line, two have no spread."""
_SETTLED = 14
"""Values that are needed to forecast a metric which older profiles lack (a choice): it is priced by all runs."""
_YOUNGER = {"new_format_ratio": "new_pattern_ratio"}
"""Metrics that profiles of an older release lack, each with one that is otherwise defined where it is."""


def learned(
    learner: Calibrated,
    head: Program,
    metrics: tuple[Metric, ...],
    series: Floats,
    *,
    responses: Responses | None,
    max_clauses: int | None,
    seasons: Sequence[int],
) -> Program:
    """The program with clauses on a few metrics and a joint clause, within the budget of `head`."""
    joint = expect(learner, head.kind, metrics, series, seasons)
    return _program(learner, head, joint, series, (responses, max_clauses))


def _program(
    learner: Calibrated, head: Program, joint: Joint, series: Floats, asked: tuple[Responses | None, int | None]
) -> Program:
    """The program that follows from a forecast; `asked` has the responses to faults and the limit on clauses."""
    responses, max_clauses = asked
    rows = _rows(learner, head, joint, series)
    part = 1.0 - _rows_part(learner, head) if rows else 1.0
    budget = part * head.budget
    single, all_ = joint.limits.at(budget)
    warned = joint.limits.at(part * head.warn_budget) if head.warn_budget > head.budget else (math.inf, math.inf)
    price = min(10.0**-single, _ALL_SINGLES * budget)
    others = [i for i in _chosen(learner, head, joint) if not rows or joint.metrics[i] != ROWS]
    found = [_clause(joint, i, (single, warned[0]), series[i], price) for i in others]
    singles = [*rows, *(clause for clause in found if clause is not None)]
    if max_clauses is not None:
        singles = singles[: max(0, max_clauses - 1)]
    rest = head.budget - sum(clause.price for clause in singles)
    whole = Constraint(JOINT, -math.inf, all_, bound=MEASURED, price=rest, warn_high=warned[1])
    clauses = (*singles, whole)[:max_clauses]
    program = replace(head, clauses=clauses, notes=_not_judged(joint.metrics, series), responses=responses, model=joint)
    return program if responses is None else _with_faults(learner, program, responses, series)


def _not_judged(names: Sequence[str], series: Floats) -> tuple[str, ...]:
    """What is said of metrics that have no forecast, and why."""
    known = np.isfinite(series).sum(axis=1)
    later = _began_later(series[None], names)[0]
    if not later.any() and known.min(initial=_LEAST) >= _LEAST:  # nearly always
        return ()
    never = [f"{name}: never defined so far" for name, runs in zip(names, known, strict=True) if runs < _LEAST]
    young = [
        f"{name}: known of {runs} runs, earlier ones were profiled without it; judged from {_SETTLED} on"
        for name, runs, is_young in zip(names, known, later, strict=True)
        if is_young and runs >= _LEAST
    ]
    return (*never, *young)


def learned_columns(
    learner: Calibrated,
    heads: Sequence[Program],
    metrics: tuple[Metric, ...],
    series: Floats,
    *,
    responses: Sequence[Responses | None],
    max_clauses: int | None,
    seasons: Sequence[int],
) -> list[Program]:
    """`learned` for many columns that had values in the same runs; `series` is column × metric × run."""
    found, names = forecasts_of(metrics, series, seasons, by=learner.forecasting), tuple(m.name for m in metrics)
    parts = zip(heads, found, series, responses, strict=True)
    return [
        _program(learner, head, joint_of(learner, head.kind, names, one, past), past, (answers, max_clauses))
        for head, one, past, answers in parts
    ]


def expect(
    learner: Calibrated, kind: Kind, metrics: Sequence[Metric], series: Floats, seasons: Sequence[int] = UNKNOWN
) -> Joint:
    """Forecasts of the next run of a column, with the prices for its kind and length of history."""
    found = forecasts(metrics, series, seasons, by=learner.forecasting)
    return joint_of(learner, kind, tuple(m.name for m in metrics), found, series)


def joint_of(learner: Calibrated, kind: Kind, names: tuple[str, ...], found: Forecasts, series: Floats) -> Joint:
    """Forecasts of the metrics of these names with the prices for a kind of column and its length of history."""
    prices = learner.price_list
    history = prices.history(int(np.isfinite(series).any(axis=0).sum()))  # a run that was not good is none
    curves, weights = prices.sides(kind.value, names, history, found.is_constant), prices.weights_of(kind.value, names)
    ends = leap_ends(names, series) if prices.leap else None
    return Joint(names, found, curves, prices.limit(kind.value, history), prices.name, weights, ends, prices.leap)


def forecasts(
    metrics: Sequence[Metric], series: Floats, seasons: Sequence[int] = UNKNOWN, *, by: Forecasting = AS_SHIPPED
) -> Forecasts:
    """Forecasts of the next run, with the chance within one run added to the spread where it is known."""
    return forecasts_of(metrics, series[None], seasons, by=by)[0]


def forecasts_of(
    metrics: Sequence[Metric], series: Floats, seasons: Sequence[int] = UNKNOWN, *, by: Forecasting = AS_SHIPPED
) -> list[Forecasts]:
    """`forecasts` for many columns (column × metric × run) that had values in the same runs.

    Forecasts are made row by row, so that the metrics of all columns can be the rows of one array.
    """
    columns, count, _ = series.shape
    # The last digit of a sum depends on the order of the numbers in memory.
    table = np.ascontiguousarray(recent(series.reshape(columns * count, -1), reach(seasons)))
    late = recent(table)
    names = [m.name for m in metrics]
    by_column = table.reshape(columns, count, table.shape[1])
    rows = by_column[:, names.index(ROWS)] if ROWS in names else np.ones((columns, table.shape[1]))
    errors = np.zeros((columns, count))
    with np.errstate(all="ignore"):
        if "std" in names:
            size = np.maximum(1.0, _usually(rows[:, -late.shape[1] :]))
            one = _usually(late.reshape(columns, count, -1)[:, names.index("std")]) / np.sqrt(size)
            errors = np.array([_ERROR_OF.get(name, 0.0) for name in names]) * one[:, None]
    scales = [m.scale for m in metrics] * columns
    fitting = scales_for(late, scales) if by.is_scaled else ("level",) * len(scales)
    found = forecast(
        table,
        fitting,
        np.repeat(rows, count, axis=0),
        errors.ravel(),
        seasons,
        by=by,
    )
    is_known = (found.runs >= _LEAST) & ~_amounts_of_days(names, fitting) & ~_began_later(by_column, names).ravel()
    found = replace(found, centre=np.where(is_known, found.centre, np.nan))
    return [found.part(slice(i * count, (i + 1) * count)) for i in range(columns)]


def _amounts_of_days(names: Sequence[str], scales: Sequence[str]) -> Bools:
    """Which metrics are meaningless because the numbers of their column are days; columns follow one another."""
    scale = np.array(scales).reshape(-1, len(names))
    of_days = (scale[:, names.index("max")] == DAYS) if "max" in names else np.zeros(len(scale), np.bool_)
    return np.asarray((of_days[:, None] & np.isin(names, AMOUNTS) & (scale != DAYS)).ravel())


def _began_later(series: Floats, names: Sequence[str]) -> Bools:
    """Which metrics (of each column) are known of few runs, because an older release profiled without them."""
    known = np.isfinite(series).sum(axis=2)
    found = np.zeros(known.shape, np.bool_)
    for name, alike in _YOUNGER.items():
        if name in names and alike in names:
            ours, others = known[:, names.index(name)], known[:, names.index(alike)]
            found[:, names.index(name)] = (ours < _SETTLED) & (ours < others)
    return found


def _usually(x: Floats) -> Floats:
    """The median of every row; 0 for a row without values."""
    return np.nan_to_num(medians(x))


def _chosen(learner: Calibrated, head: Program, joint: Joint) -> list[int]:
    """The metrics with a clause of their own. There are none within a budget per table, where they would cost two to
    five points of recall (ADR 0009).
    """
    if head.table_budget:
        return []
    wanted = learner.singles[head.kind.value]
    return [
        joint.metrics.index(name) for name in wanted if name in joint.metrics and joint.known[joint.metrics.index(name)]
    ]


def _clause(joint: Joint, i: int, limits: tuple[float, float], past: Floats, price: float) -> Constraint | None:
    """A clause on one metric that is broken from these surprises on, to stop and to warn; None if nothing can break
    it.
    """
    (low, high), (warn_low, warn_high) = (_interval(joint, i, surprise) for surprise in limits)
    if not any(map(math.isfinite, (low, high, warn_low, warn_high))):
        return None
    form, scale = int(joint.forecasts.form[i]), joint.forecasts.scale[i]
    usual = recent(past[None], reach((form,)))[0]
    usual = usual[np.isfinite(usual)]
    middle, spread = float(usual.mean()), float(usual.std())
    transform, centre = LEVEL, middle
    before = float(past[-form]) if form > BY_LEVEL and form <= len(past) else math.nan
    if math.isfinite(before) and (scale == "level" or (scale == "count" and before > 0)):
        transform = Transform(form, log=scale == "count")
        ends = (low, high, warn_low, warn_high)
        low, high, warn_low, warn_high = (_since(end, before, transform) for end in ends)
        centre = _since(joint.forecasts.end(i, 0.0), before, transform)
    centre = min(max(centre, low), high)  # at a high budget the mean may lie outside
    width = min(centre - low, high - centre) / spread if spread > 0 else 0.0
    if transform != LEVEL:
        spread = width = math.nan
    evidence = Evidence(len(usual), centre, spread, width, float(usual.min()), float(usual.max()))
    return Constraint(
        joint.metrics[i],
        low,
        high,
        transform,
        MEASURED,
        price,
        evidence,
        warn_low=warn_low,
        warn_high=warn_high,
    )


def _interval(joint: Joint, i: int, surprise: float) -> tuple[float, float]:
    """The values of a metric that are less surprising; an end beyond the possible values is open."""
    if math.isinf(surprise):
        return -math.inf, math.inf
    low, high = joint.interval(i, surprise)
    if joint.forecasts.scale[i] == "ratio":
        return (-math.inf if low <= 0.0 else low), (math.inf if high >= 1.0 else high)
    return low, high


def _since(end: float, before: float, transform: Transform) -> float:
    """An end of an interval as a change since the value before."""
    if not transform.log:
        return end - before
    return math.log(end) - math.log(before) if end > 0 else -math.inf


def _rows(learner: Calibrated, head: Program, joint: Joint, series: Floats) -> list[Constraint]:
    """The clause on the table's number of rows, within its part of the budget; empty unless this column carries it.

    If it were judged in every column, it would have to be far wider: a run with rows missing would count once per
    column. The price is that of the metric itself, on both sides.
    """
    i = joint.metrics.index(ROWS) if ROWS in joint.metrics else -1
    if not head.carries_rows or i < 0 or not joint.known[i]:
        return []
    part = _rows_part(learner, head)
    price = part * head.budget
    limit = -math.log10(learner.safety * price / 2.0)
    is_warned = head.warn_budget > head.budget
    warned = -math.log10(learner.safety * part * head.warn_budget / 2.0) if is_warned else math.inf
    clause = _clause(joint, i, (limit, warned), series[i], price)
    return [] if clause is None else [clause]


def _rows_part(learner: Calibrated, head: Program) -> float:
    """The part of a column's budget that is for the table's number of rows, if it carries that."""
    return head.rows_budget / head.budget if head.rows_budget else learner.rows_share


def _with_faults(learner: Calibrated, program: Program, responses: Responses, series: Floats) -> Program:
    """The program where each clause lists the faults that it is the first to catch."""
    joint = program.model
    assert isinstance(joint, Joint)  # noqa: S101 - for the type checker: it was made above
    past = dict(zip(joint.metrics, series, strict=True))
    caught = broken(program, learner, partial(learner.after_faults, program, responses), past)
    first = caught & (np.cumsum(caught, axis=0) == 1)
    clauses = (
        replace(clause, faults=tuple(responses.faults[f] for f in np.flatnonzero(new)))
        for clause, new in zip(program.clauses, first, strict=True)
    )
    return replace(program, clauses=tuple(clauses))
