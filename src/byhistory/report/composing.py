"""From a verdict, the run that it is on and the past to a story."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from byhistory import inject
from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.always import ALWAYS
from byhistory.constraints.constraint import JOINT
from byhistory.inject import Fault
from byhistory.learners import ALL as ALL_LEARNERS
from byhistory.learners import Learner, Program
from byhistory.learners.base import DrawsBands
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Measures, Metric, Single
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.report.explain import clause_in_words
from byhistory.report.shape import facts, shapes
from byhistory.report.story import ClauseStory, ColumnStory, Mark, MetricLine, PastRun, Story, about
from byhistory.series.cadence import calendar
from byhistory.series.transform import interval
from byhistory.verdict import ColumnPast, ColumnVerdict, Past, Verdict
from byhistory.verdict.sentence import ends_of


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
    asked = (known, sentences, learners, show_values, shown or past, marks, measures)
    given = _Given(verdict, now, past, programs, *asked)
    names = dict.fromkeys([*now, *verdict.columns, *(f.column for f in verdict.findings if f.column)])
    columns = tuple(_column(name, given) for name in names)
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
class _Given:
    """All that a column of the story is made from."""

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


def _column(name: str, of: _Given) -> ColumnStory:
    """One column, before and now, with what was found in it."""
    own = of.verdict.columns.get(name, ColumnVerdict(name, state="not judged"))
    past, now = of.past.column(name), of.now.columns.get(name)
    known = now or past.before
    program = of.programs.get(name)
    return ColumnStory(
        name,
        known.kind if known is not None else None,
        known.type if known is not None else "",
        own,
        about(of.verdict, name),
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


def _overview(name: str, now: ColumnProfile | None, program: Program | None, of: _Given) -> ClauseStory | None:
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
    own: ColumnVerdict, past: ColumnPast, kind: Kind, program: Program | None, of: _Given
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


def _marked(drawn: MetricLine, of: _Given) -> MetricLine:
    """The line with what became of every run, and whether it was learned from."""
    judged_by = {*of.past.runs, of.verdict.run}
    marks = tuple(of.marks.get(run, "") for run in drawn.runs)
    return replace(drawn, marks=marks, learned=tuple(run in judged_by for run in drawn.runs))


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
