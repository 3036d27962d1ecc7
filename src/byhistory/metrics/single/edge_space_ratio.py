"""Share of values that begin or end with white space."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def edge_space_ratio(p: ColumnProfile) -> float:
    """Values with white space at an end over values that are not null, 0 to 1; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> edge_space_ratio(profile_table({"x": ["a ", "b", None]})["x"])
    0.5
    """
    return p.text.edge_spaces / p.text.count if p.text is not None and p.text.count else UNDEFINED


METRIC = Single(
    name="edge_space_ratio",
    title="share of values with spaces at an end",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=edge_space_ratio,
    scale="ratio",
    unit="share",
)
