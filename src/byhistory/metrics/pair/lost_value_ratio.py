"""Share of the previous run's values that are gone."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_values
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def lost_value_ratio(s: Shares) -> Floats:
    """Share of the previous run's values that this run does not have, 0 to 1; undefined if either run has no values.

    Exact up to 512 distinct values in a run; beyond, from a sample of the values, and a value so rare now that its
    table has not listed it counts as gone where it was clearly more frequent before.

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "a"], ["a", "b"]))
    >>> METRIC(now, before)
    0.5
    """
    return np.asarray(np.minimum((s.weights * s.before * (s.now == 0.0)).sum(-1), 1.0))


METRIC = Pair(
    name="lost_value_ratio",
    title="share of values that are gone",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_values(lost_value_ratio),
    scale="ratio",
    unit="share",
    is_plain=True,
    discrete_only=True,
    symmetric=False,
)
