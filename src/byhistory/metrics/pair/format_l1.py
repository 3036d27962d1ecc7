"""L1 distance of the formats of the values.

Range and unit are those of `l1`; undefined where one run has no values, or was profiled by a release that knew no
formats. Exact up to 64 distinct formats in a run, beyond from a sample (see `shares`).

>>> from byhistory.rows.local import profile_table
>>> now, before = (profile_table({"x": x})["x"] for x in (["ab-1", "ab_1"], ["cd-1", "ef-2"]))
>>> METRIC(now, before)
1.0
"""

from __future__ import annotations

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import on_formats
from byhistory.metrics.base import Pair
from byhistory.metrics.pair.l1 import l1
from byhistory.profile import Kind

METRIC = Pair(
    name="format_l1",
    title="total change of how values are written",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=2.0,
    compute=on_formats(l1),
    scale="distance",
)
