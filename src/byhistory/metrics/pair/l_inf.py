"""L-infinity distance of the value distributions."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_values
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def l_inf(s: Shares) -> Floats:
    """Largest absolute difference of the share of one value, 0 to 1; undefined where one run has no values.

    Exact up to 512 distinct values in a run, beyond for all values that are frequent.

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "b"], ["a", "a"]))
    >>> METRIC(now, before)
    0.5
    """
    return np.asarray(np.minimum(np.abs(s.now - s.before).max(-1, initial=0.0), 1.0))


METRIC = Pair(
    name="l_inf",
    title="largest change of a value's share",
    unit="share",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_values(l_inf),
    scale="distance",
    in_paper=True,
    discrete_only=True,
)
