"""One metric of a column over all its runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.constraint import JOINT
from byhistory.constraints.judge import judge
from byhistory.errors import ByHistoryError, did_you_mean
from byhistory.learners import Program
from byhistory.metrics import Measures, Metric
from byhistory.profile import Kind
from byhistory.report.bands import with_bands
from byhistory.report.composing import LOOKED_AT_FIRST, draws_bands, line
from byhistory.report.explain import clause_in_words, explain
from byhistory.report.story import ClauseStory, ColumnStory, Story
from byhistory.validator.guarded import Guarded
from byhistory.validator.programs import programs
from byhistory.validator.story import past_run
from byhistory.verdict import ColumnVerdict, Verdict


@dataclass(frozen=True, slots=True)
class ColumnPicture:
    """One metric of a column over the runs that had the column.

    `clause` holds its values and what is usual, `metrics` all metrics that can be shown for this column, and `program`
    says in words what must hold.
    """

    clause: ClauseStory
    metrics: tuple[Metric, ...]
    program: str


def column_picture(of: Guarded, column: str, metric: str | None = None, last: int | None = None) -> ColumnPicture:
    """A metric (by default the one to look at first) over the last runs, as many as `last` says, or over all."""
    lines = of.store.runs(of.table)
    packed = of.store.measures(of.table)
    read = {r: Measures.from_bytes(data) for r, data in packed.items()}
    had = [r for r in lines if r.run in read and column in read[r.run].kinds]
    asked = f"show {column!r} of {of.table!r}"
    if not had:
        known = dict.fromkeys(c for m in read.values() for c in m.kinds)
        raise ByHistoryError(asked, f"no such column{did_you_mean(column, known)}", "name one that a run of it has")
    kind = read[had[-1].run].kinds[column]
    possible = tuple(m for m in of.metrics if kind in m.kinds)
    chosen = _chosen(metric, possible, kind, asked)
    shown = had if last is None else had[-last:]
    values = [float(read[r.run].of_column(column, [chosen.name])[0]) for r in shown]
    program = programs(of).get(column)
    marks = tuple(past_run(r).mark for r in shown)
    outcome = _outcome(program, chosen, values[-1], bool(marks[-1]))
    drawn = line(outcome, values[:-1], tuple(r.run for r in shown))
    memory = of.memory()
    learned = tuple(memory.lessons.uses(r.run, column) for r in shown)
    clause = ClauseStory(
        outcome, chosen, kind, _words(program, chosen, kind), replace(drawn, marks=marks, learned=learned)
    )
    bands = draws_bands(program, of.learners)
    own = ColumnStory(column, kind, "", ColumnVerdict(column), clauses=(clause,), bands=bands)
    rows = tuple(r.rows for r in shown)
    banded = with_bands(
        Story(of.table, shown[-1].run, Verdict(shown[-1].run, (), {}), (own,), past_rows=rows), [column]
    )
    words = "" if program is None else explain(program, of.metrics, of.faults, of.learners)
    return ColumnPicture(banded.columns[0].clauses[0], possible, words)


def _chosen(name: str | None, possible: tuple[Metric, ...], kind: Kind, asked: str) -> Metric:
    by_name = {m.name: m for m in possible}
    if name is None:
        return next(by_name[m] for m in (*LOOKED_AT_FIRST[kind], *by_name) if m in by_name)
    if name not in by_name:
        raise ByHistoryError(asked, f"no metric {name!r} on it{did_you_mean(name, by_name)}", "name one that it has")
    return by_name[name]


def _outcome(program: Program | None, metric: Metric, value: float, alarmed: bool) -> Outcome:
    """The clause on this metric alone, else what is usual for it if metrics are judged jointly, else an open interval.

    A value outside of what is usual is not an alarm by itself where metrics are judged jointly: it is shown as one only
    if there was an alarm about the run.
    """
    own = next((c for c in program.clauses if c.metric == metric.name), None) if program is not None else None
    if own is not None and not own.transform.lag:
        return judge(own, value, ())
    model = program.model if program is not None else None
    expected = model.expected(metric.name) if model is not None else None
    low, high = (-math.inf, math.inf) if expected is None else (expected.low, expected.high)
    found = judge(Constraint(metric.name, low, high, bound=JOINT), value, ())
    return replace(found, status="holds") if found.status == "broken" and not alarmed else found


def _words(program: Program | None, metric: Metric, kind: Kind) -> str:
    own = next((c for c in program.clauses if c.metric == metric.name), None) if program is not None else None
    return metric.title if own is None else clause_in_words(own, metric, kind, {})
