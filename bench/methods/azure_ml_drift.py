"""Azure ML drift: how well could a classifier tell this run from the one before?"""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

LEAST = 0.01
"""The least deviation of a magnitude."""


def score(past: Past, now: Floats) -> Floats:
    """The drift magnitude of a run in deviations from that of the past runs.

    One threshold for all columns, the magnitude as it is, was tried too: columns of identifiers or dates are as
    different as can be in every run, so that it has no recall at a false-positive rate of 1 %.
    """
    before = past.series[:, :-1].T
    usual = magnitude(past, past.series[:, 1:].T, before)
    return (magnitude(past, now, past.series[:, -1:].T) - np.mean(usual)) / (np.std(usual) + LEAST)


def magnitude(past: Past, now: Floats, before: Floats) -> Floats:
    """The drift magnitude of runs (one row each) from the ones before, 0 to 1.

    Azure ML trains a classifier to tell the target from the baseline and reports Matthews' coefficient. Of one column
    and balanced classes that is, for the best classifier, the total variation distance (half of L1); for the best cut
    of a number, the Kolmogorov–Smirnov distance. Nulls are a value that gives a run away as well.
    """
    complete = past.row("complete_ratio")
    nulls = np.abs(now[:, complete] - before[:, complete])
    apart = now[:, past.row("ks_dist")] if past.kind is Kind.NUMERIC else now[:, past.row("l1")] / 2
    return np.nan_to_num(np.fmax(apart, nulls), nan=1.0)  # an empty run has no shares


METHOD = Method(
    "azure_ml_drift",
    "Azure ML drift",
    "commercial",
    score,
    note="Retired: its drift magnitude restated, against the run before; one threshold per column, from its past.",
)
