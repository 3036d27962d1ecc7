"""Share of rows that have a value."""

from __future__ import annotations

from byhistory.bounds import CLT
from byhistory.metrics.base import Single
from byhistory.profile import ALL_KINDS, UNDEFINED, ColumnProfile


def complete_ratio(p: ColumnProfile) -> float:
    """Share of rows that are not null, 0 to 1 (NaN is a value); undefined without rows.

    >>> from byhistory.rows.local import profile_table
    >>> complete_ratio(profile_table({"x": [1, 2, None, 4]})["x"])
    0.75
    """
    return 1.0 - p.nulls / p.rows if p.rows else UNDEFINED


METRIC = Single(
    name="complete_ratio",
    title="share of values present",
    kinds=ALL_KINDS,
    bound=CLT,
    low=0.0,
    high=1.0,
    compute=complete_ratio,
    scale="ratio",
    unit="share",
    is_plain=True,
    in_paper=True,
)
