"""Share of values that are the empty string."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def empty_ratio(p: ColumnProfile) -> float:
    """Empty strings over values that are not null, 0 to 1; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> empty_ratio(profile_table({"x": ["a", "", None]})["x"])
    0.5
    """
    return p.text.empties / p.text.count if p.text is not None and p.text.count else UNDEFINED


METRIC = Single(
    name="empty_ratio",
    title="share of empty strings",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=empty_ratio,
    scale="ratio",
    unit="share",
    is_plain=True,
)
