"""L-infinity distance of the patterns of the values.

Range and unit are those of `l_inf`; undefined where one run has no values. Exact up to 128 distinct
patterns in a run, beyond from a sample (see `shares`). Paper: Algorithm 2.

>>> from byhistory.rows.local import profile_table
>>> now, before = (profile_table({"x": x})["x"] for x in (["a-1", "b"], ["a-1", "b-2"]))
>>> METRIC(now, before)
0.5
"""

from __future__ import annotations

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import on_patterns
from byhistory.metrics.base import Pair
from byhistory.metrics.pair.l_inf import l_inf
from byhistory.profile import Kind

METRIC = Pair(
    name="pat_l_inf",
    title="largest change of a pattern's share",
    unit="share",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_patterns(l_inf),
    scale="distance",
    in_paper=True,
)
