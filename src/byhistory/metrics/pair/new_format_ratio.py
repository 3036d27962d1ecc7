"""Share of values with a format that the previous run did not have, 0 to 1; undefined if either run has no values.

A format tells capitals, each sign and a year apart, which a pattern does not. Exact up to 64 distinct formats in a run,
beyond from a sample of the formats; undefined if either run was profiled by a release without formats.

>>> from byhistory.rows.local import profile_table
>>> now, before = (profile_table({"x": x})["x"] for x in (["ab-1", "ab_1"], ["cd-1", "ef-2"]))
>>> METRIC(now, before)
0.5
"""

from __future__ import annotations

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import on_formats
from byhistory.metrics.base import Pair
from byhistory.metrics.pair.new_value_ratio import new_value_ratio
from byhistory.profile import Kind

METRIC = Pair(
    name="new_format_ratio",
    title="share of values written in a new way",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_formats(new_value_ratio),
    scale="ratio",
    unit="share",
    is_plain=True,
    symmetric=False,
)
