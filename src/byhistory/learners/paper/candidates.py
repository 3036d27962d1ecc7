"""All constraints worth considering for a column, priced by the paper's bounds, as arrays.

Paper: Algorithm 3 (Construct DQ constraints).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.bounds import Bound, grid
from byhistory.constraints.constraint import CONSTANT, Constraint, Evidence
from byhistory.constraints.judge import BROKEN, compared, decide
from byhistory.metrics import Metric
from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.series import Stationary
from byhistory.series.transform import LEVEL, value_before

CONSTANT_PRICE = 1e-6
"""The price of a clause on a metric that was always the same, by choice: the paper's bounds would make it free."""
PRICE_FLOOR = 1e-300
"""The lowest price, by choice: a price of 0 would make the gain per price infinite."""
TOLERANCE = 1e-9
"""Values of a constant metric are the same if they differ by less, relative to their size (a choice: rounding)."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate intervals, one per entry of each array; `metric` has places in `metrics` and `forms`."""

    metrics: tuple[Metric, ...]
    forms: tuple[Stationary, ...]
    series: Floats
    """The metrics over the past runs, one per row."""
    metric: Ints
    low: Floats
    high: Floats
    price: Floats
    width: Floats

    def __len__(self) -> int:
        return len(self.metric)

    def catches(self, responses: Floats) -> Bools:
        """Which candidate catches which fault; `responses[f, m]` is the value of metric m after fault f in the last
        run.

        A fault after which a metric is undefined is not caught: a check would report that, and let the run pass.
        """
        transforms = [form.transform or LEVEL for form in self.forms]  # a metric without a form has no candidates
        before = [value_before(t, past[:-1]) for t, past in zip(transforms, self.series, strict=True)]
        lag, log = np.array([t.lag for t in transforms], np.int64), np.array([t.log for t in transforms], np.bool_)
        moved = compared(lag, log, responses.T, np.array(before, np.float64))
        return np.asarray(decide(self.low[:, None], self.high[:, None], moved[self.metric]) == BROKEN)

    def constraint(self, i: int, faults: tuple[str, ...] = ()) -> Constraint:
        """Candidate i as a constraint that catches these faults."""
        m = int(self.metric[i])
        metric, form = self.metrics[m], self.forms[m]
        assert form.transform is not None  # noqa: S101 - a metric without a form has no candidates
        usual = self.series[m][np.isfinite(self.series[m])]
        is_constant = form.status == "constant"
        return Constraint(
            metric=metric.name,
            low=float(self.low[i]),
            high=float(self.high[i]),
            transform=form.transform,
            bound=CONSTANT if is_constant else metric.bound.name,
            price=float(self.price[i]),
            evidence=Evidence(
                len(usual), form.mean, form.std, float(self.width[i]), float(usual.min()), float(usual.max())
            ),
            faults=faults,
        )


def candidates(metrics: Sequence[Metric], forms: Sequence[Stationary], series: Floats, budget: float) -> Candidates:
    """Every width of the grid for every metric that has a stationary form; metrics without one are left out."""
    parts: list[tuple[Floats, ...]] = [(np.zeros(0),) * 5]
    grids: dict[Bound, tuple[Floats, Floats]] = {}  # widths and their prices, once per bound: many metrics share one
    for m, (metric, form) in enumerate(zip(metrics, forms, strict=True)):
        if form.transform is None or not math.isfinite(form.mean):
            continue
        if form.status == "constant" or not form.std > 0:
            # a difference of logarithms is relative to the size already
            size = 1.0 if form.transform.log else float(np.nanmax(np.abs(series[m][np.isfinite(series[m])])))
            width = np.zeros(1)
            reach, price = np.array([TOLERANCE * size]), np.array([CONSTANT_PRICE])
        else:
            if metric.bound not in grids:
                widths = grid(metric.bound, budget)
                grids[metric.bound] = widths, np.maximum(metric.bound.fpr(widths), PRICE_FLOOR)
            width, price = grids[metric.bound]
            with np.errstate(over="ignore"):  # an end beyond all numbers is open
                reach = width * form.std
        with np.errstate(over="ignore"):
            low, high = form.mean - reach, form.mean + reach
        if metric.bound.sides == "upper":
            low = np.full_like(high, -math.inf)
        if form.transform == LEVEL:  # an end beyond the values that are possible cannot be broken
            low, high = np.where(low <= metric.low, -math.inf, low), np.where(high >= metric.high, math.inf, high)
        says = np.isfinite(low) | np.isfinite(high)
        parts.append(tuple(a[says] for a in (np.full(len(width), float(m)), low, high, price, width)))
    metric_at, low, high, price, width = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Candidates(tuple(metrics), tuple(forms), series, metric_at.astype(np.int64), low, high, price, width)
