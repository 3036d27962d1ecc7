"""Share of booleans that are true."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind

_BOOLEAN = frozenset({"bool", "boolean"})
"""What Arrow and Spark call it."""


def true_ratio(p: ColumnProfile) -> float:
    """True values over values that are not null, 0 to 1; undefined without values and for text.

    >>> from byhistory.rows.local import profile_table
    >>> true_ratio(profile_table({"x": [True, False, None, True, True]})["x"])
    0.75
    """
    return p.trues / p.present if p.present and p.type in _BOOLEAN else UNDEFINED


METRIC = Single(
    name="true_ratio",
    title="share of values that are true",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=true_ratio,
    scale="ratio",
    unit="share",
    is_plain=True,
)
