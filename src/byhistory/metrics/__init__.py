"""What is measured?"""

from byhistory.metrics import pair, single
from byhistory.metrics._match import Match
from byhistory.metrics._measure import measure
from byhistory.metrics._measures import Measures, not_of_kind, over_runs
from byhistory.metrics.base import Metric, Pair, Scale, Single, Unit
from byhistory.profile import NUMBER_LIKE, Kind

SINGLE: tuple[Single, ...] = single.ALL
PAIR: tuple[Pair, ...] = pair.ALL
ALL: tuple[Metric, ...] = (*single.ALL, *pair.ALL)

PLAIN: frozenset[str] = frozenset(metric.name for metric in ALL if metric.is_plain)
"""The names of those that a person would name first."""

RATIOS: frozenset[str] = frozenset(m.name for m in ALL if m.unit == "share" and (m.low, m.high) == (0.0, 1.0))
"""The names of those that are a share of the values or rows of a run."""
NAMED_FIRST: dict[str, int] = {
    name: place
    for place, names in enumerate(
        (
            ("row_count",),
            ("complete_ratio", "empty_ratio", "nan_ratio"),
            ("new_value_ratio", "lost_value_ratio"),
            ("mean", "median", "true_ratio", "top_value_ratio"),
            ("sum", "zero_ratio", "negative_ratio", "dist_val_count"),
            ("min", "max", "range"),
            ("l_inf", "pat_l_inf"),
            ("emd", "cohen_d", "l1", "pat_l1"),
        )
    )
    for name in names
}
"""The order in which a person names metrics: rows, nulls, new values, a mean or a sum, the range; then distances that
are about one value or in its unit. All others (lengths, formats, divergences) come after these."""

_BY_NAME = {metric.name: metric for metric in ALL}


def by_name(name: str) -> Metric:
    """The metric of that name; KeyError if there is none.

    >>> by_name("complete_ratio").title
    'share of values present'
    """
    return _BY_NAME[name]


def of_kind(kind: Kind, in_paper: bool | None = None, *, discrete: bool = False) -> tuple[Metric, ...]:
    """The metrics for a kind of column; `in_paper` takes only those of the paper's Tables 3 and 4, or only the others.

    Numbers that are `discrete` (codes, grades: few values) also get the metrics that go value by value.

    >>> [m.name for m in of_kind(Kind.NESTED)]
    ['row_count', 'complete_ratio', 'mean_size']
    """
    return tuple(
        m
        for m in ALL
        if kind in m.kinds
        and (in_paper is None or m.in_paper is in_paper)
        and (discrete or not m.discrete_only or kind not in NUMBER_LIKE)
    )


__all__ = [
    "ALL",
    "NAMED_FIRST",
    "PAIR",
    "PLAIN",
    "RATIOS",
    "SINGLE",
    "Match",
    "Measures",
    "Metric",
    "Pair",
    "Scale",
    "Single",
    "Unit",
    "by_name",
    "measure",
    "not_of_kind",
    "of_kind",
    "over_runs",
]
