"""Kolmogorov–Smirnov distance of the numbers."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._curve import Gap
from byhistory.metrics._match import on_numbers
from byhistory.metrics.base import Pair
from byhistory.profile import NUMBER_LIKE
from byhistory.profile.arrays import Floats


def ks_dist(g: Gap) -> Floats:
    """Largest distance of the distribution functions of the finite numbers, 0 to 1; 1 where they do not overlap.

    It is the statistic and not its p-value, which is uniform as long as nothing changes. Undefined if a run has no
    numbers. Exact up to 320 distinct values in a run, within 1 % beyond.

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in ([1, 2, 3, 4], [3, 4, 5, 6]))
    >>> METRIC(now, before)
    0.5
    """
    return np.asarray(np.minimum(np.maximum(np.abs(g.left).max(-1), np.abs(g.right).max(-1)), 1.0))


METRIC = Pair(
    name="ks_dist",
    title="change of the distribution (KS)",
    kinds=NUMBER_LIKE,
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_numbers(ks_dist),
    scale="distance",
    in_paper=True,
)
