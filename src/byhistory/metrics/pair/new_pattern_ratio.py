"""Share of values with a pattern that the previous run did not have, 0 to 1; undefined if either run has no values.

Exact up to 128 distinct patterns in a run, beyond from a sample of the patterns.

>>> from byhistory.rows.local import profile_table
>>> now, before = (profile_table({"x": x})["x"] for x in (["a-1", "b"], ["a-1", "b-2"]))
>>> METRIC(now, before)
0.5
"""

from __future__ import annotations

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import on_patterns
from byhistory.metrics.base import Pair
from byhistory.metrics.pair.new_value_ratio import new_value_ratio
from byhistory.profile import Kind

METRIC = Pair(
    name="new_pattern_ratio",
    title="share of values in a new format",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_patterns(new_value_ratio),
    scale="ratio",
    unit="share",
    is_plain=True,
    symmetric=False,
)
