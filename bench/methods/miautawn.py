"""The method of the paper as another implementation has it: the package miautawn-auto-validate-by-history, for numbers.

The package itself learns and judges. It is handed the metrics that all methods get, where it would compute its own
from raw rows (its `ks_dist` would be a p-value), and what the training faults do to them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method
from bench.methods.paper import SWEEP

from byhistory.profile import Kind
from byhistory.profile.arrays import Bools, Floats

METRICS = {
    "RowCount": "row_count",
    "DistinctRatio": "unique_ratio",
    "DistinctCount": "dist_val_count",
    "CompleteRatio": "complete_ratio",
    "Min": "min",
    "Max": "max",
    "Mean": "mean",
    "Median": "median",
    "Sum": "sum",
    "Range": "range",
    "EMD": "emd",
    "JsDivergence": "js_div",
    "KlDivergence": "kl_div",
    "KsDist": "ks_dist",
    "CohenD": "cohen_d",
}
"""Its metrics, and ours that they are."""


class Run(dict[str, float]):
    """A run as the package sees it: in place of its rows, what was measured on them."""

    dtype = np.dtype(np.float64)


def alarms(past: Past, now: Floats, budgets: tuple[float, ...]) -> Bools:
    """Stopped or not at each budget."""
    from avh.auto_validate_by_history import AVH

    metrics = [_given(name, ours) for name, ours in METRICS.items() if ours in past.metrics]
    learner = AVH(M=metrics, verbose=0, random_state=0)
    history, runs = _runs(past, past.series.T), _runs(past, now)
    faults = _runs(past, past.responses.of(past.metrics)) if past.responses is not None else []
    injected = [(str(i), run) for i, run in enumerate(faults)]
    spaces: dict[bool, Any] = {}
    out = np.zeros((len(now), len(budgets)), np.bool_)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for j, budget in enumerate(budgets):
            is_small = budget <= 0.05  # as its `generate` decides
            if is_small not in spaces:
                found = learner._generate_constraint_space(history, is_small)
                spaces[is_small] = found, learner._precalculate_constraint_recalls_fast(found, injected)
            constraints, recalls = spaces[is_small]
            if constraints:
                one = learner._find_optimal_singleton_conjuctive_dq_program(constraints, recalls, budget)
                many = learner._find_optimal_conjunctive_dq_program(constraints, recalls, budget)
                program = many if len(many.recall) >= len(one.recall) else one
                out[:, j] = [not program.predict(run) for run in runs]
    return out


def _given(name: str, ours: str) -> Any:
    """One of its metrics that reads what was measured."""
    import avh.metrics

    original = getattr(avh.metrics, name)
    is_pair = issubclass(original, avh.metrics.TwoDistributionMetric)

    def calculate(_: Any, data: Any, reference: Any = None) -> Any:  # noqa: ARG001 - its signature
        if isinstance(data, list):
            return [run[ours] for run in data[1 if is_pair else 0 :]]
        return data[ours]

    return type(name, (original,), {"calculate": classmethod(calculate)})


def _runs(past: Past, values: Floats) -> list[Run]:
    """Rows of metrics as runs; a metric of an empty column is 0 there, and a distance to one undefined."""
    defined = np.where(np.isnan(values) & ~past.is_pair, 0.0, values)
    return [Run(zip(past.metrics, row, strict=True)) for row in defined.tolist()]


def score(past: Past, now: Floats) -> Floats:
    """Minus the logarithm of the smallest budget of the sweep at which a run is stopped."""
    return np.where(alarms(past, now, SWEEP), -np.log10(SWEEP), 0.0).max(axis=1)


METHOD = Method(
    "miautawn",
    "miautawn AVH 0.3.0",
    "constraint",
    score,
    kinds=frozenset({Kind.NUMERIC}),
    needs_responses=True,
    note="the package itself, on the metrics that all methods get",
    package="avh",
    is_slow=True,
)
