"""Kolmogorov–Smirnov: how unlikely is the distance of the numbers from those of the run before, by chance?"""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method
from scipy.stats import kstwobign

from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def present(past: Past, runs: Floats) -> Floats:
    """Rows with a value, of runs (one row each)."""
    return np.asarray(runs[:, past.row("row_count")] * runs[:, past.row("complete_ratio")])


def surprise(distance: Floats, now: Floats, before: Floats) -> Floats:
    """−log10 of the asymptotic p-value for samples of these sizes; what is too small for a float by its first term.

    >>> surprise(np.array([0.5]), np.array([40.0]), np.array([40.0])).round(2)
    array([4.04])
    """
    with np.errstate(all="ignore"):
        x = np.sqrt(now * before / (now + before)) * distance
        p = kstwobign.sf(x)
        return np.where(p > 1e-300, -np.log10(p), (2 * np.square(x) - np.log(2)) / np.log(10))


def score(past: Past, now: Floats) -> Floats:
    """Of the two-sample test with the run before; nan where one of the two has no numbers."""
    before = present(past, past.series[:, -1:].T)
    return surprise(now[:, past.row("ks_dist")], present(past, now), before)


METHOD = Method("ks", "Kolmogorov–Smirnov", "statistical test", score, kinds=frozenset({Kind.NUMERIC}))
