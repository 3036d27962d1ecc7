"""Share of rows with a value that is new."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_values
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def new_value_ratio(s: Shares) -> Floats:
    """Share of the values that the previous run did not have, 0 to 1; undefined if either run has no values.

    Exact up to 512 distinct values in a run; beyond, from a sample of the values, and a value so rare before that its
    table has not listed it counts as new where it is clearly more frequent now.

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "b"], ["a", "a"]))
    >>> METRIC(now, before)
    0.5
    """
    return np.asarray(np.minimum((s.weights * s.now * (s.before == 0.0)).sum(-1), 1.0))


METRIC = Pair(
    name="new_value_ratio",
    title="share of new values",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_values(new_value_ratio),
    scale="ratio",
    unit="share",
    is_plain=True,
    discrete_only=True,
    symmetric=False,
)
