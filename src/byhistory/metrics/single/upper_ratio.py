"""Share of letters that are capitals."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def upper_ratio(p: ColumnProfile) -> float:
    """Capitals over letters, 0 to 1; undefined without letters.

    >>> from byhistory.rows.local import profile_table
    >>> upper_ratio(profile_table({"x": ["Ab", "cd", "12"]})["x"])
    0.25
    """
    return p.text.uppers / p.text.letters if p.text is not None and p.text.letters else UNDEFINED


METRIC = Single(
    name="upper_ratio",
    title="share of letters that are capitals",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=upper_ratio,
    scale="ratio",
    unit="share",
)
