"""GATE: is the summary of a run far from those of the runs most like it?

S. Shankar et al., "Moving Fast With Broken Data": statistics of each column and partition, standardised over the
partitions, and the mean distance to the three nearest of them.
"""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile.arrays import Floats

NEIGHBOURS = 3
"""The nearest runs that are averaged (a choice)."""
STATISTICS = ("complete_ratio", "mean", "median", "p95")
OF_VALUES = ("dist_val_count", "top_value_ratio")
"""Kept of whole numbers and text only, as the package does."""
_NOT_CONSTANT = 1e-10
"""What is added to a deviation, so that nothing is divided by 0."""


def score(past: Past, now: Floats) -> Floats:
    """The mean distance to the nearest past runs; deviations are those of the past and the run to judge together."""
    whole = past.row("integer_ratio")
    is_float = whole >= 0 and np.nanmin(past.series[whole], initial=1.0) < 1.0
    wanted = STATISTICS if is_float else (*STATISTICS, *OF_VALUES)
    places = [past.row(name) for name in wanted if past.row(name) >= 0]
    history, runs = past.series[places].T, now[:, places]
    with np.errstate(all="ignore"):
        both = np.concatenate([np.broadcast_to(history, (len(runs), *history.shape)), runs[:, None]], axis=1)
        known = np.isfinite(both)
        count = known.sum(axis=1, keepdims=True)
        filled = np.where(known, both, 0.0)
        mean = filled.sum(axis=1, keepdims=True) / np.maximum(1, count)
        errors = np.where(known, both - mean, 0.0)
        deviation = np.sqrt((errors**2).sum(axis=1, keepdims=True) / np.maximum(1, count - 1)) + _NOT_CONSTANT
        scaled = errors / deviation  # what is undefined is put where the mean is
    distance = np.sqrt(((scaled[:, :-1] - scaled[:, -1:]) ** 2).sum(axis=2))
    return np.asarray(np.sort(distance, axis=1)[:, :NEIGHBOURS].mean(axis=1))


METHOD = Method(
    "gate",
    "GATE",
    "commercial",
    score,
    note="Restated: the package (gate-drift 0.1.5) wants numpy 1 and polars 0.17, and a language model for the names.",
)
