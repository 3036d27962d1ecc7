"""Cosine distance of the value distributions."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_values
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def cosine(s: Shares) -> Floats:
    """1 minus the cosine of the angle between the counts of the values, 0 to 1; 1 without a common value.

    Undefined where one run has no values. Exact up to 512 distinct values, beyond from a sample (see `shares`).

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "b"], ["a", "a"]))
    >>> METRIC(now, before)
    0.2928932188134524
    """
    p = s.now / np.sqrt((s.weights * np.square(s.now)).sum(-1, keepdims=True))
    q = s.before / np.sqrt((s.weights * np.square(s.before)).sum(-1, keepdims=True))
    # Half the squared distance of the unit vectors: the same number, without losing the digits of a small one.
    return np.asarray(np.minimum((s.weights * np.square(p - q)).sum(-1) / 2, 1.0))


METRIC = Pair(
    name="cosine",
    title="change of value counts (cosine)",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_values(cosine),
    scale="distance",
    in_paper=True,
    discrete_only=True,
)
