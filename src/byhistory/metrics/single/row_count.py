"""Number of rows."""

from __future__ import annotations

import math

from byhistory.bounds import CLT
from byhistory.metrics.base import Single
from byhistory.profile import ALL_KINDS, ColumnProfile


def row_count(p: ColumnProfile) -> float:
    """Rows, nulls included; 0 and up, defined on every run (an empty run has 0).

    >>> from byhistory.rows.local import profile_table
    >>> row_count(profile_table({"x": [1, None]})["x"])
    2.0
    """
    return float(p.rows)


METRIC = Single(
    name="row_count",
    title="number of rows",
    kinds=ALL_KINDS,
    bound=CLT,
    low=0.0,
    high=math.inf,
    compute=row_count,
    scale="count",
    unit="rows",
    is_plain=True,
    in_paper=True,
    always=True,
)
