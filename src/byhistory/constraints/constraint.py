"""An interval with a price, and whether a run keeps it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from byhistory.series.transform import LEVEL, Transform

CONSTANT = "constant"
"""The bound of a metric that has always been the same; any other value breaks it."""
USER = "user"
"""The bound of a threshold that the user set; it has no price."""
MEASURED = "measured"
"""The bound of a clause whose price was measured on good runs of many columns."""
JOINT = "joint"
"""The metric of the clause on all metrics together, and the bound of the outcome that names its largest surprise."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers a constraint came from: how many past values, their mean and spread, and where they lay.

    `mean` and `std` are in units of the transform, `width` in standard deviations; `usual_low` and `usual_high` are
    the lowest and the highest value of the metric itself in those runs.
    """

    runs: int
    mean: float
    std: float
    width: float
    usual_low: float
    usual_high: float


@dataclass(frozen=True, slots=True)
class Constraint:
    """`low ≤ M ≤ high` for one metric of one column, where M is the metric or its change since an earlier run.

    An infinite end is open. A run outside `low` to `high` is stopped; one inside these but outside `warn_low` to
    `warn_high` is only warned about. `transform` says what M is. `price` is the share of good runs that break the
    constraint, at most, by the bound named in `bound`; `evidence` is what it was learned from, and `faults` are the
    injected faults that it was chosen to catch. `is_pinned` means that a person keeps it as it is.

    Paper: Definitions 1 and 2.
    """

    metric: str
    low: float
    high: float
    transform: Transform = LEVEL
    bound: str = USER
    price: float = 0.0
    evidence: Evidence | None = None
    faults: tuple[str, ...] = ()
    is_pinned: bool = False
    warn_low: float = -math.inf
    warn_high: float = math.inf


Level = Literal["as usual", "warn", "stop"]
"""What follows from a finding or a verdict: nothing, a look when there is time, or not to publish the run."""
LEVELS: tuple[Level, ...] = ("as usual", "warn", "stop")
"""From the least to the worst."""
Status = Literal["holds", "broken", "not evaluable"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether one run keeps one constraint, and by how much.

    `value`, `low` and `high` are in the units of the metric, whatever the constraint compares; `rarity` is how often
    a good run is at least this far from the mean, at most (nan if that cannot be said), and `sigmas` how far it is.
    `level` is what follows if it is broken; `low` and `high` are then the ends of that level.
    """

    constraint: Constraint
    status: Status
    value: float
    low: float
    high: float
    rarity: float = math.nan
    sigmas: float = math.nan
    reason: str = ""
    level: Level = "stop"
