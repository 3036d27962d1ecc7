"""A verdict with everything that is needed to show it: the past of every metric, before and after of every column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from byhistory import inject
from byhistory.constraints import LEVELS, Constraint, Level, Outcome
from byhistory.constraints.always import ALWAYS
from byhistory.constraints.constraint import JOINT
from byhistory.constraints.words import amount
from byhistory.inject import Fault
from byhistory.learners import ALL as ALL_LEARNERS
from byhistory.learners import Learner, Program
from byhistory.learners.base import DrawsBands
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Measures, Metric, Single
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.report.explain import clause_in_words
from byhistory.report.shape import Fact, Shape, facts, shapes
from byhistory.series.cadence import calendar
from byhistory.series.transform import interval
from byhistory.verdict import ColumnPast, ColumnVerdict, Finding, Past, Verdict
from byhistory.verdict.group import by_cause
from byhistory.verdict.sentence import digits_of, ends_of, is_too_alike
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
        ColumnStory(name, None, "", c, _about(of, name), tuple(_bare(o) for o in c.outcomes))
        for name, c in of.columns.items()
    )
    return Story(of.table, of.run, of, columns)


def make_story(
    verdict: Verdict,
    now: TableProfile,
    past: Past,
    programs: Mapping[str, Program],
    *,
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    learners: Sequence[Learner] = ALL_LEARNERS,
    runs: Iterable[PastRun] = (),
    show_values: bool = False,
    notices: Iterable[str] = (),
    shown: Past | None = None,
    measures: Measures | None = None,
) -> Story:
    """The story of a verdict on a profile, given the past that it was judged by; programs tell what a clause is for.

    `shown` is the past to draw, with the runs that were not learned from; without it, the past that judged.
    `measures` are the values of the metrics in this run, if they are known already.

    >>> from byhistory.learners import learn
    >>> from byhistory.rows.local import profile_table
    >>> from byhistory.verdict import check
    >>> runs = [profile_table({"state": ["WA", "OR", "CA"] * 5}, run=f"{day:02}") for day in range(8)]
    >>> bad, programs, past = profile_table({"state": ["Washington"] * 15}, run="08"), learn(runs), Past.of(runs)
    >>> story = make_story(check(bad, programs, past), bad, past, programs)
    >>> story.columns[0].state, len(story.past), len(story.clause(story.causes[0].finding).line.values)
    ('not as usual', 8, 9)
    """
    runs = tuple(runs)
    marks: dict[str, Mark] = {run.run: run.mark for run in runs}
    known, sentences = {m.name: m for m in metrics}, {f.name: f.sentence for f in faults}
    about = (known, sentences, learners, show_values, shown or past, marks, measures)
    tables = _Tables(verdict, now, past, programs, *about)
    names = dict.fromkeys([*now, *verdict.columns, *(f.column for f in verdict.findings if f.column)])
    columns = tuple(_column(name, tables) for name in names)
    return Story(
        verdict.table,
        verdict.run,
        verdict,
        columns,
        now.rows,
        past.runs,
        past.rows,
        runs,
        (*now.notices, *notices),
        show_values,
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """All that the columns are looked up in."""

    verdict: Verdict
    now: TableProfile
    past: Past
    programs: Mapping[str, Program]
    metrics: Mapping[str, Metric]
    sentences: Mapping[str, str]
    learners: Sequence[Learner]
    show_values: bool
    shown: Past
    marks: Mapping[str, Mark]
    measures: Measures | None

    def read(self, metric: Metric, now: ColumnProfile) -> float:
        """What a metric of one run alone reads in a column; nan for a distance."""
        if self.measures is not None and metric.name in self.measures.metrics:
            return float(self.measures.of_column(now.name, [metric.name])[0])
        return metric(now) if isinstance(metric, Single) else math.nan


def _column(name: str, of: _Tables) -> ColumnStory:
    own = of.verdict.columns.get(name, ColumnVerdict(name, state="not judged"))
    past, now = of.past.column(name), of.now.columns.get(name)
    known = now or past.before
    program = of.programs.get(name)
    return ColumnStory(
        name,
        known.kind if known is not None else None,
        known.type if known is not None else "",
        own,
        _about(of.verdict, name),
        _clauses(own, of.shown.column(name), known.kind, program, of) if known is not None else (),
        shapes(now, past.before, of.show_values),
        facts(now, past.before),
        program.notes if program is not None else (),
        _overview(name, now, program, of),
        draws_bands(program, of.learners),
    )


def draws_bands(program: Program | None, learners: Sequence[Learner]) -> DrawsBands | None:
    """The learner of a program, if it knows what was usual in each past run."""
    made_by = (one for one in learners if program is not None and one.name == program.learner)
    return next((one for one in made_by if isinstance(one, DrawsBands)), None)


LOOKED_AT_FIRST = {
    Kind.NUMERIC: ("mean", "complete_ratio"),
    Kind.TEMPORAL: ("max", "complete_ratio"),
    Kind.CATEGORICAL: ("true_ratio", "dist_val_count", "complete_ratio"),
    Kind.BINARY: ("mean_size", "complete_ratio"),
    Kind.NESTED: ("mean_size", "complete_ratio"),
}
"""The metrics that a person would look at first, by the kind of the column; the first that is defined is shown."""


def _overview(name: str, now: ColumnProfile | None, program: Program | None, of: _Tables) -> ClauseStory | None:
    """The metric to look at first, with what is usual for it, even if no clause is about it alone."""
    if now is None or program is None or program.model is None:
        return None
    for metric in (of.metrics[m] for m in LOOKED_AT_FIRST[now.kind] if m in of.metrics):
        value = of.read(metric, now)
        expected = program.model.expected(metric.name)
        if math.isfinite(value) and expected is not None:
            low, high = expected.low, expected.high
            if expected.is_constant:  # how far it may move says nothing about what is usual
                low = high = expected.value
            clause = Constraint(metric.name, low, high, bound=JOINT)
            outcome = Outcome(clause, "holds", value, low, high)
            past = of.shown.column(name).series([metric])[0].tolist()
            drawn = _marked(line(outcome, past, (*of.shown.runs, of.verdict.run)), of)
            return ClauseStory(outcome, metric, now.kind, metric.title, drawn)
    return None


def _clauses(
    own: ColumnVerdict, past: ColumnPast, kind: Kind, program: Program | None, of: _Tables
) -> tuple[ClauseStory, ...]:
    """The clauses of a column, the broken ones first."""
    outcomes = sorted(own.outcomes, key=lambda o: o.status != "broken")
    wanted = list(dict.fromkeys(m for o in outcomes if (m := of.metrics.get(o.constraint.metric)) is not None))
    read = past.series(wanted).tolist() if wanted else []
    series = {m.name: row for m, row in zip(wanted, read, strict=True)}
    chosen_for = {c.metric: c.faults for c in program.clauses} if program is not None else {}
    clauses = []
    for o in outcomes:
        metric, name = of.metrics.get(o.constraint.metric), o.constraint.metric
        clause = o.constraint if o.constraint.faults else replace(o.constraint, faults=chosen_for.get(name, ()))
        words = clause_in_words(clause, metric, kind, of.sentences)
        values = series.get(name, [math.nan] * len(of.shown.runs))
        drawn = line(o, values, (*of.shown.runs, of.verdict.run))
        clauses.append(ClauseStory(o, metric, kind, words, _marked(drawn, of)))
    return tuple(clauses)


def _marked(drawn: MetricLine, of: _Tables) -> MetricLine:
    """The line with what became of every run, and whether it was learned from."""
    judged_by = {*of.past.runs, of.verdict.run}
    marks = tuple(of.marks.get(run, "") for run in drawn.runs)
    return replace(drawn, marks=marks, learned=tuple(run in judged_by for run in drawn.runs))


def _about(verdict: Verdict, column: str) -> tuple[Finding, ...]:
    return tuple(f for f in verdict.findings if f.column == column)


_SENTENCES = {f.name: f.sentence for f in inject.ALL}


def line(outcome: Outcome, past: Sequence[float], runs: tuple[str, ...]) -> MetricLine:
    """The metric over the runs and the interval of its clause, as it would have been in each of them.

    >>> from byhistory.constraints import Constraint
    >>> rows = Outcome(Constraint("row_count", -10, 10), "holds", 5.0, -10.0, 10.0)
    >>> line(rows, [1.0, 2.0], ("a", "b", "c")).highs
    (10.0, 10.0, 10.0)
    """
    clause = outcome.constraint
    lag, places = clause.transform.lag, calendar(runs[:-1], runs[-1]).places
    if clause.bound == ALWAYS:  # the limit is far from what is usual, so the past is shown instead
        low, high = ends_of(outcome, None)
        return MetricLine(runs, (*past, outcome.value), (low,) * len(runs), (high,) * len(runs), places)
    at = dict(zip(places, past, strict=False)) if lag else {}
    ends = [interval(clause.transform, clause.low, clause.high, at.get(p - lag, math.nan)) for p in places[:-1]]
    lows = (*(float(low) for low, _ in ends), outcome.low)
    highs = (*(float(high) for _, high in ends), outcome.high)
    return MetricLine(runs, (*past, outcome.value), lows, highs, places)


def _bare(outcome: Outcome) -> ClauseStory:
    by_name = {m.name: m for m in ALL_METRICS}
    metric = by_name.get(outcome.constraint.metric)
    kind = Kind.NUMERIC if metric is None or Kind.NUMERIC in metric.kinds else Kind.CATEGORICAL
    words = clause_in_words(outcome.constraint, metric, kind, _SENTENCES)
    return ClauseStory(outcome, metric, kind, words, MetricLine((), (), (), ()))
