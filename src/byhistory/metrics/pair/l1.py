"""L1 distance of the value distributions."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_values
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def l1(s: Shares) -> Floats:
    """Sum of the absolute differences of the shares of each value, 0 to 2; 2 without a common value.

    Undefined where one run has no values. Exact up to 512 distinct values, beyond from a sample (see `shares`).

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "b"], ["a", "a"]))
    >>> METRIC(now, before)
    1.0
    """
    return np.asarray(np.minimum((s.weights * np.abs(s.now - s.before)).sum(-1), 2.0))


METRIC = Pair(
    name="l1",
    title="total change of value shares from the previous run",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=2.0,
    compute=on_values(l1),
    scale="distance",
    in_paper=True,
    discrete_only=True,
)
