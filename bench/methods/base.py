"""What every method promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.cases.cases import Past

from byhistory.profile import Kind
from byhistory.profile.arrays import Bools, Floats

BOTH = frozenset({Kind.NUMERIC, Kind.CATEGORICAL})
Score = Callable[[Past, Floats], Floats]
Alarms = Callable[[Past, Floats, tuple[float, ...]], Bools]


@dataclass(frozen=True)
class Method:
    """A way to say how unlike its past a run is.

    `score(past, now)` takes the past of a column and one or more runs that may come next (one row per run, one column
    per metric of `past.metrics`), and gives each a number: higher is worse, nan is "cannot say" and never an alarm.
    Thresholds are swept by the scorer, so that every method has its whole curve. It must not depend on the order or
    the number of the runs it is asked about, and has nothing but `past` to learn from.

    A learner also has a budget: `alarms(past, now, budgets)` says for each run (a row) whether it would be stopped at
    each budget (a column).
    """

    name: str
    title: str
    group: str
    """byhistory, commercial, time series, anomaly detection, statistical test or constraint."""
    score: Score
    kinds: frozenset[Kind] = BOTH
    alarms: Alarms | None = None
    needs_responses: bool = False
    note: str = ""
    """Where it is not the original: what it was restated from, or what stands in for it."""
    package: str = ""
    """What must be installed, by the name it is imported under."""
    is_upper_bound: bool = False
    """Whether good runs are not asked of it: what it says is at most what such a method could catch."""
    is_slow: bool = False
    """Left out unless asked for by name, or as `slow`."""
