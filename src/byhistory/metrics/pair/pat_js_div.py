"""Jensen–Shannon divergence of the patterns of the values.

Range and unit are those of `js_div`; undefined where one run has no values. Exact up to 128 distinct
patterns in a run, beyond from a sample (see `shares`). Paper: Algorithm 2.

>>> from byhistory.rows.local import profile_table
>>> now, before = (profile_table({"x": x})["x"] for x in (["a-1", "b"], ["a-1", "b-2"]))
>>> METRIC(now, before)
0.31127812445913283
"""

from __future__ import annotations

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import on_patterns
from byhistory.metrics.base import Pair
from byhistory.metrics.pair.js_div import js_div
from byhistory.profile import Kind

METRIC = Pair(
    name="pat_js_div",
    title="change of the patterns (JS)",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_patterns(js_div),
    scale="distance",
    in_paper=True,
)
