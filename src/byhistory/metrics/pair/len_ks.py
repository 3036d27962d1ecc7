"""Kolmogorov–Smirnov distance of the lengths, 0 to 1; undefined where one run has no values.

Lengths are in characters, in bytes for binary columns. Exact up to 80 different lengths in a run, within 2 % beyond.

>>> from byhistory.rows.local import profile_table
>>> now, before = (profile_table({"x": x})["x"] for x in (["a", "bb"], ["a", "b"]))
>>> METRIC(now, before)
0.5
"""

from __future__ import annotations

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import on_lengths
from byhistory.metrics.base import Pair
from byhistory.metrics.pair.ks_dist import ks_dist
from byhistory.profile import Kind

METRIC = Pair(
    name="len_ks",
    title="change of the lengths (KS)",
    kinds=frozenset({Kind.CATEGORICAL, Kind.BINARY}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_lengths(ks_dist),
    scale="distance",
)
