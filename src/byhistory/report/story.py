"""A verdict with everything that is needed to show it: the past of every metric, before and after of every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from byhistory import inject
from byhistory.constraints import LEVELS, Level, Outcome
from byhistory.constraints.constraint import JOINT
from byhistory.constraints.words import amount
from byhistory.learners.base import DrawsBands
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.report.explain import clause_in_words
from byhistory.report.shape import Fact, Shape
from byhistory.verdict import ColumnVerdict, Finding, Verdict
from byhistory.verdict.group import by_cause
from byhistory.verdict.sentence import digits_of, is_too_alike
from byhistory.why.answer import Answer

Mark = Literal["", "warned", "stopped", "accepted", "rejected"]
"""What became of a run, for a picture: nothing special, how it was judged, or what a person decided since."""


@dataclass(frozen=True, slots=True)
class MetricLine:
    """A metric over the runs, oldest first and the judged run last, with the interval that the clause allows in each.

    `lows` and `highs` are in units of the metric: infinite where that end is open, nan where the interval depends on an
    earlier run without a value.
    """

    runs: tuple[str, ...]
    values: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    places: tuple[int, ...] = ()
    """The places of the runs in the calendar, rising: a gap is a run that never came. Empty: one after the other."""
    marks: tuple[Mark, ...] = ()
    """What became of each run."""
    learned: tuple[bool, ...] = ()
    """Whether each run was learned from. Empty: all were."""


@dataclass(frozen=True, slots=True)
class ClauseStory:
    """One clause: whether the run keeps it, in numbers and in words, and the past of its metric."""

    outcome: Outcome
    metric: Metric | None
    kind: Kind
    words: str
    line: MetricLine

    @property
    def name(self) -> str:
        """The metric's name, to mute or to pin it by."""
        return self.outcome.constraint.metric

    @property
    def title(self) -> str:
        """The metric in words."""
        if self.metric is None:
            return "all metrics together" if self.name == JOINT else self.name
        too_alike = "too much like the run before: " if is_too_alike(self.outcome, self.metric) else ""
        return f"{too_alike}{self.metric.title}"

    def write(self, value: float) -> str:
        """A value of the metric as people write it, with as many digits as tell this run from its limits."""
        return amount(value, self.metric, self.kind, digits_of(self.outcome, self.metric, self.kind))


@dataclass(frozen=True, slots=True)
class ColumnStory:
    """One column: its verdict, its findings, its clauses, and what it looked like before and looks like now."""

    name: str
    kind: Kind | None
    type: str
    verdict: ColumnVerdict
    findings: tuple[Finding, ...] = ()
    clauses: tuple[ClauseStory, ...] = ()
    shapes: tuple[Shape, ...] = ()
    facts: tuple[Fact, ...] = ()
    notes: tuple[str, ...] = ()
    overview: ClauseStory | None = None
    """The metric that a person would look at first, where all metrics are judged together."""
    bands: DrawsBands | None = None
    """The learner of the column's program, if it knows what was usual in each past run."""

    @property
    def level(self) -> Level:
        """The worst level of what was found in this column."""
        return max((f.level for f in self.findings), key=LEVELS.index, default="as usual")

    @property
    def is_unusual(self) -> bool:
        """Whether this column stops the run or is warned about."""
        return self.level != "as usual"

    @property
    def state(self) -> str:
        """In a few words: "not as usual", "as usual", or why it was not judged."""
        if self.is_unusual:
            return "not as usual" if self.level == "stop" else "a warning"
        if not self.verdict.outcomes:
            return self.verdict.state or "not judged"
        return "not fully judged" if self.verdict.not_evaluable else "as usual"


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run in the list of runs; `decision` says in words what a person decided about it."""

    run: str
    at: str
    outcome: str
    rows: int
    decision: str = ""
    note: str = ""
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class CauseStory:
    """One thing that happened: the finding to tell, and the findings that it stands for."""

    finding: Finding
    members: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """One run of a table and its past, ready to be shown. `notices` say what is left out, and why."""

    table: str
    run: str
    verdict: Verdict
    columns: tuple[ColumnStory, ...] = ()
    rows: int | None = None
    past: tuple[str, ...] = ()
    """The runs that the run was judged by, oldest first."""
    past_rows: tuple[int, ...] = ()
    """How many rows each of them had."""
    runs: tuple[PastRun, ...] = ()
    """Every run that is kept, oldest first."""
    notices: tuple[str, ...] = ()
    shows_values: bool = False
    why: Answer | None = None
    """Which rows caused it, if that was asked; it names values of the data."""
    fails_from: Level = "stop"
    """The level from which on the caller does not go on: a warning may be enough (`byhistory check --fail-on warn`)."""

    def fails(self, level: Level) -> bool:
        """Whether the caller does not go on for something of this level; never in shadow mode."""
        return not self.verdict.is_shadow and LEVELS.index(level) >= LEVELS.index(self.fails_from)

    @property
    def causes(self) -> tuple[CauseStory, ...]:
        """What happened: the causes that stop the run first."""
        causes = [CauseStory(finding, members) for finding, members in by_cause(self.verdict.findings)]
        return tuple(sorted(causes, key=lambda c: -LEVELS.index(c.finding.level)))

    def clause(self, finding: Finding) -> ClauseStory | None:
        """The clause that a finding is about."""
        column = next((c for c in self.columns if c.name == finding.column), None)
        if column is None or finding.outcome is None:
            return None
        metric = finding.outcome.constraint.metric
        same = [c for c in column.clauses if c.name == metric]
        return next((c for c in same if c.outcome.status == "broken"), same[0] if same else None)


def as_story(of: Story | Verdict) -> Story:
    """A story as it is; a bare verdict as a story without pictures."""
    if isinstance(of, Story):
        return of
    columns = tuple(
        ColumnStory(name, None, "", c, about(of, name), tuple(_bare(o) for o in c.outcomes))
        for name, c in of.columns.items()
    )
    return Story(of.table, of.run, of, columns)


def about(verdict: Verdict, column: str) -> tuple[Finding, ...]:
    """The findings on a column."""
    return tuple(f for f in verdict.findings if f.column == column)


_SENTENCES = {f.name: f.sentence for f in inject.ALL}


def _bare(outcome: Outcome) -> ClauseStory:
    by_name = {m.name: m for m in ALL_METRICS}
    metric = by_name.get(outcome.constraint.metric)
    kind = Kind.NUMERIC if metric is None or Kind.NUMERIC in metric.kinds else Kind.CATEGORICAL
    words = clause_in_words(outcome.constraint, metric, kind, _SENTENCES)
    return ClauseStory(outcome, metric, kind, words, MetricLine((), (), (), ()))
