"""Chi-squared: how unlikely are the values, beside those of the run before, by chance?"""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method
from bench.methods.ks import present
from scipy.special import gammaln
from scipy.stats import chi2

from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def surprise(association: Floats, rows: Floats, values: Floats) -> Floats:
    """−log10 of the p-value of a table of two runs with this Cramér's V, this many rows in both and this many values.

    >>> surprise(np.array([0.2]), np.array([100.0]), np.array([2.0])).round(3)  # chi-squared 4 on 1 degree: p = 0.0455
    array([1.342])
    """
    x, half = np.square(association) * rows, np.maximum(values - 1, 1) / 2
    with np.errstate(all="ignore"):
        log_p = chi2.logsf(x, 2 * half)
        tail = (half - 1) * np.log(x / 2) - x / 2 - gammaln(half)  # its first term, where p is too small for a float
        return np.asarray(-np.where(np.isneginf(log_p), tail, log_p) / np.log(10))


def score(past: Past, now: Floats) -> Floats:
    """Of the test of homogeneity with the run before; nan where one of the two has no values.

    How many values the two have together is not among the metrics: taken to be as many as the richer one has.
    """
    last = past.series[:, -1:].T
    at = past.row("dist_val_count")
    values = np.maximum(now[:, at], last[:, at])
    return surprise(now[:, past.row("chi_squared")], present(past, now) + present(past, last), values)


METHOD = Method("chi_squared", "Chi-squared", "statistical test", score, kinds=frozenset({Kind.CATEGORICAL}))
