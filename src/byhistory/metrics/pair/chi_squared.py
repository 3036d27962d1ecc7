"""Chi-squared distance of the value distributions."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_values
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

_LEAST = 1e-300  # so that a cell that is empty in both runs adds 0 and not 0 / 0


def chi_squared(s: Shares) -> Floats:
    """Cramér's V of the table of runs and values, 0 to 1; 1 without a common value.

    It is the statistic and not its p-value, which is uniform as long as nothing changes.
    Undefined where one run has no values. Exact up to 512 distinct values, beyond from a sample (see `shares`).

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "b"], ["a", "a"]))
    >>> METRIC(now, before)
    0.5773502691896257
    """
    a = s.balance
    both = np.maximum(a * s.now + (1 - a) * s.before, _LEAST)
    apart = a * (1 - a) * np.square(s.now - s.before) / both
    return np.asarray(np.minimum(np.sqrt((s.weights * apart).sum(-1)), 1.0))


METRIC = Pair(
    name="chi_squared",
    title="change of value shares (Cramér's V)",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_values(chi_squared),
    scale="distance",
    in_paper=True,
    discrete_only=True,
)
