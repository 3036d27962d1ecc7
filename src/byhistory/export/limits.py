"""From the programs of a table to plain limits: one metric of one column, between two ends.

Other tools judge every limit on its own and have nothing like the clause on all metrics together. In its place every
other metric that the tool can measure gets limits of its own, from the same forecast and the same measured prices,
wide enough to cost together what that clause costs. So the limits of a column keep the budget of its program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from byhistory.constraints import Constraint
from byhistory.constraints.constraint import JOINT
from byhistory.learners import Model, Program
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats
from byhistory.series.transform import interval, value_before

COUNTED_WITHIN = 0.02
"""Distinct values beyond 4,096 are counted to 2 % (see the metric): limits from such counts are wider by as much."""
_COUNTS = ("dist_val_count", "unique_ratio")
ROWS = "row_count"
_ALIKE = 1e-9
"""Another engine adds numbers up in another order, so ends are wider by this part of their size."""
_POSSIBLE = {metric.name: (metric.low, metric.high) for metric in ALL_METRICS}
"""What each of our metrics can read at all; no tool can express a limit on one that a package added."""
_FAR = 1e4
"""An end this many times as large as what is expected says nothing, and is left open."""


@dataclass(frozen=True, slots=True)
class LearnedColumn:
    """A column as the last good run had it, its program, and what its metrics read in the past runs, oldest first."""

    name: str
    type: str
    program: Program
    past: Mapping[str, Floats] = field(default_factory=dict)
    always: tuple[Constraint, ...] = ()
    """The clauses that stop the next run at every budget, if it has as many rows as the last."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned of a table from its runs up to `run`."""

    table: str
    run: str
    columns: tuple[LearnedColumn, ...]
    where: str = ""
    """A condition in SQL for the rows of the run to be judged, where the other tool sees a table of many runs."""

    @property
    def budget(self) -> float:
        """How often a good run breaks the limits of one column, at most."""
        return max((column.program.budget for column in self.columns), default=0.0)


@dataclass(frozen=True, slots=True)
class Limit:
    """`low ≤ metric ≤ high`, in units of the metric; an infinite end is open. `column` is empty for the table."""

    column: str
    kind: Kind
    type: str
    metric: str
    low: float
    high: float
    by_user: bool = False


@dataclass(frozen=True, slots=True)
class Unsaid:
    """Something learned that the other tool cannot express."""

    column: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.column + ': ' if self.column else ''}{self.what} ({self.why})"


CanSay = Callable[[str, Kind, str], bool]
"""Whether a tool can measure a metric of a column of a kind and type."""


def limits_of(learned: Learned, can_say: CanSay) -> tuple[list[Limit], list[Unsaid]]:
    """The limits that a tool can check, and what it cannot."""
    limits, unsaid = [], []
    for column in learned.columns:
        own, lost = _of_column(column, can_say)
        limits += own
        unsaid += lost
    rows = [limit for limit in limits if limit.metric == ROWS]  # the table's: the first column to say so does
    return [*rows[:1], *(limit for limit in limits if limit.metric != ROWS)], unsaid


def _of_column(column: LearnedColumn, can_say: CanSay) -> tuple[list[Limit], list[Unsaid]]:
    program = column.program
    model = program.model
    if not program.is_ready and not program.clauses:
        return [], [Unsaid(column.name, "everything", program.state)]
    clauses = {clause.metric: clause for clause in program.clauses}
    joint_clause = clauses.pop(JOINT, None)
    forecast = [] if model is None or joint_clause is None else _known(model)
    others = [name for name in forecast if name not in clauses and name != ROWS]
    measured = [name for name in others if can_say(name, program.kind, column.type)]
    ends = {name: _ends(clause, column.past.get(name, ())) for name, clause in clauses.items()}
    if model is not None and joint_clause is not None and measured:
        surprise = -math.log10(
            joint_clause.price / (2 * len(measured))
        )  # two ends each, for an equal part of its price
        ends |= {name: _from_forecast(model, name, surprise) for name in measured}
    for clause in column.always:
        low, high = ends.get(clause.metric, (-math.inf, math.inf))
        ends[clause.metric] = max(low, clause.low), min(high, clause.high)
    unmeasured = [name for name in others if name not in measured and name not in ends]
    limits, lost = [], {"this tool does not measure it": unmeasured}
    for metric, (low, high) in ends.items():
        if not can_say(metric, program.kind, column.type):
            lost["this tool does not measure it"].append(metric)
        elif math.isnan(low) or math.isnan(high):
            lost.setdefault("the run it is compared with has no value", []).append(metric)
        elif math.isinf(low) and math.isinf(high):
            lost.setdefault("too wide to be of use one by one", []).append(metric)
        else:
            is_users = metric in clauses and clauses[metric].evidence is None
            name = "" if metric == ROWS else column.name
            limits.append(Limit(name, program.kind, column.type, metric, low, high, is_users))
    unsaid = [Unsaid(column.name, f"limits of {', '.join(names)}", why) for why, names in lost.items() if names]
    if joint_clause is not None:
        unsaid.append(Unsaid(column.name, "that all metrics together are as usual", "only limits one by one"))
    return limits, unsaid


def _known(model: Model) -> list[str]:
    return [name for name in model.metrics if model.expected(name) is not None]


def _ends(clause: Constraint, past: Floats | Sequence[float]) -> tuple[float, float]:
    """The interval of a clause in units of its metric, for the run after the last."""
    before = value_before(clause.transform, past)
    low, high = interval(clause.transform, clause.low, clause.high, before)
    return _widened(clause.metric, float(low), float(high))


def _from_forecast(model: Model, metric: str, surprise: float) -> tuple[float, float]:
    found = model.expected(metric, surprise)
    if found is None:
        return -math.inf, math.inf
    far = _FAR * max(1.0, abs(found.value))
    return _widened(metric, found.low if found.low > -far else -math.inf, found.high if found.high < far else math.inf)


def _widened(metric: str, low: float, high: float) -> tuple[float, float]:
    """Ends with room for what other engines count differently; open where nothing possible lies beyond."""
    if metric in _COUNTS:
        low, high = low * (1.0 - COUNTED_WITHIN), high * (1.0 + COUNTED_WITHIN)
    slack = _ALIKE * max(abs(end) for end in (low, high, 0.0) if math.isfinite(end) or math.isnan(end))
    low, high = low - slack, high + slack
    least, most = _POSSIBLE.get(metric, (-math.inf, math.inf))
    return (-math.inf if low <= least else low), (math.inf if high >= most else high)
