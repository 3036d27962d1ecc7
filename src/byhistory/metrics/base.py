"""What every metric promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from byhistory.bounds import Bound
from byhistory.metrics._match import Match
from byhistory.profile import UNDEFINED, ColumnProfile, Kind

Scale = Literal["level", "count", "ratio", "distance"]
"""On which scale a metric varies equally at every level: as it is, or as its logarithm, its logit, its square root."""
Unit = Literal["rows", "values", "share", "value", "characters", "size", "digits", "none"]
"""How to write a metric down. `value` is the unit of the column itself: seconds since 1970 for dates and timestamps."""


@dataclass(frozen=True, slots=True)
class Single:
    """A metric of one run of a column: a function of its profile, and what we promise about it.

    `low` and `high` are the ends of what is possible; `bound` says how often a good run may leave an interval of
    given width; `title` names the metric in a message. Undefined is nan, also on columns of other kinds.
    """

    name: str
    title: str
    kinds: frozenset[Kind]
    bound: Bound
    low: float
    high: float
    compute: Callable[[ColumnProfile], float]
    scale: Scale
    unit: Unit
    in_paper: bool = False
    discrete_only: bool = False
    """Whether numbers are measured only if they take few values, like codes or grades; the paper does not do so."""
    always: bool = False
    """Whether it is defined even on a run without rows."""
    is_plain: bool = False
    """Whether a person would name it first: rows, nulls, new values, an average or a sum, the range, a format."""

    def __call__(self, profile: ColumnProfile) -> float:
        """The metric of one run."""
        return self.compute(profile) if profile.kind in self.kinds else UNDEFINED


@dataclass(frozen=True, slots=True)
class Pair:
    """A metric of two runs of a column, now and before: their distance. Larger is worse; a run is at 0 from itself.

    Undefined (nan) where either run has nothing to compare, or where the kind of the column has changed. `compute`
    takes a `Match`, so that the comparison of two profiles is made once and shared by all distances. The other fields
    are those of `Single`.
    """

    name: str
    title: str
    kinds: frozenset[Kind]
    bound: Bound
    low: float
    high: float
    compute: Callable[[Match], float]
    scale: Scale
    unit: Unit = "none"
    in_paper: bool = False
    discrete_only: bool = False
    """Whether numbers are measured only if they take few values, like codes or grades; the paper does not do so."""
    symmetric: bool = True
    """Whether now and before can change places."""
    is_plain: bool = False
    """Whether a person would name it first: rows, nulls, new values, an average or a sum, the range, a format."""

    def __call__(self, now: ColumnProfile, before: ColumnProfile) -> float:
        """The distance of a run from one before it."""
        comparable = now.kind is before.kind and now.kind in self.kinds
        return self.compute(Match(now, before)) if comparable else UNDEFINED


Metric = Single | Pair
