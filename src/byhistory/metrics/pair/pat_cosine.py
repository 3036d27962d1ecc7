"""Cosine distance of the patterns of the values.

Range and unit are those of `cosine`; undefined where one run has no values. Exact up to 128 distinct
patterns in a run, beyond from a sample (see `shares`). Paper: Algorithm 2.

>>> from byhistory.rows.local import profile_table
>>> now, before = (profile_table({"x": x})["x"] for x in (["a-1", "b"], ["a-1", "b-2"]))
>>> METRIC(now, before)
0.2928932188134524
"""

from __future__ import annotations

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import on_patterns
from byhistory.metrics.base import Pair
from byhistory.metrics.pair.cosine import cosine
from byhistory.profile import Kind

METRIC = Pair(
    name="pat_cosine",
    title="change of pattern counts (cosine)",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_patterns(cosine),
    scale="distance",
    in_paper=True,
)
