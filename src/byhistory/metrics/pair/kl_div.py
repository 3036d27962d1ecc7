"""Kullback–Leibler divergence of the distributions."""

from __future__ import annotations

import math

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_distribution
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

PSEUDO = 0.001
"""Part of the run before that is taken to look like now."""
MOST = -math.log(PSEUDO)
_LEAST = 1e-300  # so that 0 log 0 is 0


def kl_div(s: Shares) -> Floats:
    """How surprising now is to somebody who knows before, in nats, 0 to 6.9; the most without a common value.

    A value that before has not seen would be infinitely surprising. So before gets pseudo-counts: one row in a
    thousand of it is taken to look like now. Bins, and when it is undefined, as in `js_div`.

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "b"], ["a", "a"]))
    >>> METRIC(now, before)
    3.107554111731937
    """
    known = np.maximum((1 - PSEUDO) * s.before + PSEUDO * s.now, _LEAST)
    return np.asarray(np.clip((s.weights * s.now * np.log(np.maximum(s.now, _LEAST) / known)).sum(-1), 0.0, MOST))


METRIC = Pair(
    name="kl_div",
    title="change of the distribution (KL)",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=MOST,
    compute=on_distribution(kl_div),
    scale="distance",
    in_paper=True,
    symmetric=False,
)
