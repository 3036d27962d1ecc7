"""A verdict with everything that is needed to show it: the past of every metric, before and after of every column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from byhistory import inject
from byhistory.constraints import Outcome
from byhistory.constraints.joint import JOINT
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.profile import Kind, TableProfile
from byhistory.program import Program
from byhistory.program.explain import clause_in_words
from byhistory.program.words import amount
from byhistory.report.shape import Fact, Shape, facts, shapes
from byhistory.series.cadence import calendar
from byhistory.series.transform import interval
from byhistory.verdict import ColumnPast, ColumnVerdict, Finding, Past, Verdict
from byhistory.verdict.group import by_cause


@dataclass(frozen=True, slots=True)
class Line:
    """A metric over the runs, oldest first and the judged run last, with the interval that the clause allows in each.

    `lows` and `highs` are in units of the metric: infinite where that end is open, nan where the interval hangs on an
    earlier run that has no value.
    """

    runs: tuple[str, ...]
    values: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ClauseStory:
    """One clause: what the run said to it, in numbers and in words, and the past of its metric."""

    outcome: Outcome
    metric: Metric | None
    kind: Kind
    words: str
    line: Line

    @property
    def name(self) -> str:
        """The metric's name, to mute or to pin it by."""
        return self.outcome.constraint.metric

    @property
    def title(self) -> str:
        """The metric in words."""
        if self.metric is None:
            return "all metrics together" if self.name == JOINT else self.name
        return self.metric.title

    def write(self, value: float) -> str:
        """A value of the metric as people write it."""
        return amount(value, self.metric, self.kind)


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

    @property
    def is_unusual(self) -> bool:
        """Whether this column stops the run."""
        return any(f.stops for f in self.findings)

    @property
    def state(self) -> str:
        """In a few words: "not as usual", "as usual", or why it was not judged."""
        if self.is_unusual:
            return "not as usual"
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


@dataclass(frozen=True, slots=True)
class Cause:
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
    """The runs that it was judged by, oldest first."""
    past_rows: tuple[int, ...] = ()
    """How many rows each of them had."""
    runs: tuple[PastRun, ...] = ()
    """Every run that is kept, oldest first."""
    notices: tuple[str, ...] = ()
    shows_values: bool = False

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What happened, those that stop the run first."""
        causes = [Cause(finding, members) for finding, members in by_cause(self.verdict.findings)]
        return tuple(sorted(causes, key=lambda c: not c.finding.stops))

    def clause(self, finding: Finding) -> ClauseStory | None:
        """The clause that a finding is about."""
        column = next((c for c in self.columns if c.name == finding.column), None)
        if column is None or finding.outcome is None:
            return None
        metric = finding.outcome.constraint.metric
        same = [c for c in column.clauses if c.name == metric]
        return next((c for c in same if c.outcome.status == "broken"), same[0] if same else None)


def story(of: Story | Verdict) -> Story:
    """A story as it is; a bare verdict as a story without pictures."""
    if isinstance(of, Story):
        return of
    columns = tuple(
        ColumnStory(name, None, "", c, _about(of, name), tuple(_bare(o) for o in c.outcomes))
        for name, c in of.columns.items()
    )
    return Story(of.table, of.run, of, columns)


def tell(
    verdict: Verdict,
    now: TableProfile,
    past: Past,
    programs: Mapping[str, Program],
    *,
    metrics: Sequence[Metric] = ALL_METRICS,
    runs: Iterable[PastRun] = (),
    show_values: bool = False,
    notices: Iterable[str] = (),
) -> Story:
    """The story of a verdict on a profile, given the past that it was judged by; programs tell what a clause is for.

    >>> from byhistory.program import learn
    >>> from byhistory.rows.local import profile_table
    >>> from byhistory.verdict import check
    >>> runs = [profile_table({"state": ["WA", "OR", "CA"] * 5}, run=f"{day:02}") for day in range(8)]
    >>> bad, programs, past = profile_table({"state": ["WA"] * 5}, run="08"), learn(runs), Past.of(runs)
    >>> told = tell(check(bad, programs, past), bad, past, programs)
    >>> told.columns[0].state, len(told.past), len(told.clause(told.causes[0].finding).line.values)
    ('not as usual', 8, 9)
    """
    tables = _Tables(verdict, now, past, programs, {m.name: m for m in metrics}, show_values)
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
        tuple(runs),
        (*now.notices, *notices),
        show_values,
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """What every column is looked up in."""

    verdict: Verdict
    now: TableProfile
    past: Past
    programs: Mapping[str, Program]
    metrics: Mapping[str, Metric]
    show_values: bool


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
        _clauses(own, past, known.kind, program, of) if known is not None else (),
        shapes(now, past.before, of.show_values),
        facts(now, past.before),
        program.notes if program is not None else (),
    )


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
        words = clause_in_words(clause, metric, kind, _SENTENCES)
        values = series.get(name, [math.nan] * len(of.past.runs))
        clauses.append(ClauseStory(o, metric, kind, words, line(o, values, (*of.past.runs, of.verdict.run))))
    return tuple(clauses)


def _about(verdict: Verdict, column: str) -> tuple[Finding, ...]:
    return tuple(f for f in verdict.findings if f.column == column)


_SENTENCES = {f.name: f.sentence for f in inject.ALL}


def line(outcome: Outcome, past: Sequence[float], runs: tuple[str, ...]) -> Line:
    """The metric over the runs and the interval of its clause, as it would have been in each of them.

    >>> from byhistory.constraints import Constraint
    >>> rows = Outcome(Constraint("row_count", -10, 10), "holds", 5.0, -10.0, 10.0)
    >>> line(rows, [1.0, 2.0], ("a", "b", "c")).highs
    (10.0, 10.0, 10.0)
    """
    clause = outcome.constraint
    lag, places = clause.transform.lag, calendar(runs[:-1], runs[-1]).places
    at = dict(zip(places, past, strict=False)) if lag else {}
    ends = [interval(clause.transform, clause.low, clause.high, at.get(p - lag, math.nan)) for p in places[:-1]]
    lows = (*(float(low) for low, _ in ends), outcome.low)
    highs = (*(float(high) for _, high in ends), outcome.high)
    return Line(runs, (*past, outcome.value), lows, highs)


def _bare(outcome: Outcome) -> ClauseStory:
    by_name = {m.name: m for m in ALL_METRICS}
    metric = by_name.get(outcome.constraint.metric)
    kind = Kind.NUMERIC if metric is None or Kind.NUMERIC in metric.kinds else Kind.CATEGORICAL
    words = clause_in_words(outcome.constraint, metric, kind, _SENTENCES)
    return ClauseStory(outcome, metric, kind, words, Line((), (), (), ()))
