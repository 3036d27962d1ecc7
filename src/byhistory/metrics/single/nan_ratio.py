"""Share of values that are not a number or infinite."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def nan_ratio(p: ColumnProfile) -> float:
    """NaN and infinities over values that are not null, 0 to 1; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> nan_ratio(profile_table({"x": [1.0, float("nan"), None, 2.0, float("inf")]})["x"])
    0.5
    """
    n = p.numbers
    return (n.nans + n.pos_infs + n.neg_infs) / p.present if n is not None and p.present else UNDEFINED


METRIC = Single(
    name="nan_ratio",
    title="share of values that are NaN or infinite",
    kinds=frozenset({Kind.NUMERIC}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=nan_ratio,
    scale="ratio",
    unit="share",
    is_plain=True,
)
