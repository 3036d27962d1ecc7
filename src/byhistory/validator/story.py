"""The story of a stored run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from byhistory.errors import ByHistoryError
from byhistory.history import Decision, RunLine, runs_before
from byhistory.metrics import Measures, Metric
from byhistory.profile import TableProfile, from_bytes
from byhistory.profile.arrays import Floats
from byhistory.report.composing import make_story
from byhistory.report.story import Mark, PastRun, Story
from byhistory.validator.guarded import Guarded
from byhistory.validator.learning import learn_all
from byhistory.validator.memory import Memory
from byhistory.validator.programs import applied, programs
from byhistory.verdict import ColumnPast, Past, Verdict, check
from byhistory.verdict.codec import from_json

NO_VALUES = "no values were kept to show; set keep_values = true for the table and profile a run again"


def story_of(of: Guarded, run: str | None = None, show_values: bool = False) -> Story:
    """What was found in a run (by default the latest), with the past that it was judged by.

    The verdict is the one that was recorded; a run that was kept unjudged is judged now, by the runs before it.
    """
    lines = of.store.runs(of.table)
    label = run if run is not None else lines[-1].run if lines else None
    if label is None or label not in {line.run for line in lines}:
        there = ", ".join(repr(line.run) for line in lines[-3:])
        found = f"no such run (the last ones are {there})" if there else "no runs of that table"
        raise ByHistoryError(f"show run {run!r} of {of.table!r}", found, "name one that `byhistory runs` lists")
    memory = of.memory(label)
    (kept,) = of.store.load(of.table, [label])
    now = TableProfile(label, kept.rows, {name: from_bytes(data) for name, data in kept.columns.items()})
    measures = Measures.from_bytes(kept.measures) if kept.measures else None
    judged_by, notices = programs(of), []
    if kept.verdict:
        verdict = from_json(kept.verdict)
    else:
        verdict = _judged_now(of, now, memory, measures)
        notices.append("the run was kept without being judged; it is judged here by the runs before it")
    if show_values and not has_values(now):
        notices.append(NO_VALUES)
    return make_story(
        verdict,
        now,
        memory.past(),
        judged_by,
        metrics=of.metrics,
        faults=of.faults,
        learners=of.learners,
        runs=[past_run(line) for line in [*runs_before(lines, label), *(r for r in lines if r.run == label)]],
        show_values=show_values,
        notices=notices,
        shown=shown_before(of, label),
        measures=measures,
    )


def shown_before(of: Guarded, run: str) -> Past:
    """The last runs before one, however they were judged, to be drawn."""
    lines = runs_before(of.lines(run), run)[-of.config.window :]
    packed = of.store.measures(of.table, [line.run for line in lines])
    kept = [line for line in lines if line.run in packed]
    measures = [Measures.from_bytes(packed[line.run]) for line in kept]

    def column(name: str) -> ColumnPast:
        def series(metrics: Sequence[Metric]) -> Floats:
            names = [m.name for m in metrics]
            return np.array([m.of_column(name, names) for m in measures]).reshape(len(measures), len(names)).T

        return ColumnPast(None, series)

    types = tuple(m.types for m in measures)
    return Past(tuple(line.run for line in kept), tuple(line.rows for line in kept), types, column)


def _judged_now(of: Guarded, now: TableProfile, memory: Memory, measures: Measures | None) -> Verdict:
    learned = learn_all(memory, of.config, programs(of), metrics=of.metrics, learner=of.learner)
    used = applied(of, learned, memory)
    return check(
        now,
        used,
        memory.past(),
        metrics=of.metrics,
        faults=of.faults,
        learners=of.learners,
        table=of.table,
        measures=measures if measures is not None and measures.has(of.metrics) else None,
    )


def has_values(now: TableProfile) -> bool:
    """Whether there are example values to show."""
    return any(p.values is not None and p.values.labels is not None for p in now.columns.values())


def past_run(line: RunLine) -> PastRun:
    """A run as a report lists it."""
    at = line.at.strftime("%Y-%m-%d %H:%M UTC")
    return PastRun(line.run, at, line.outcome, line.rows, _decided(line.decision), line.note, _mark(line))


def _mark(line: RunLine) -> Mark:
    if line.decision is not None:
        return "rejected" if line.decision.what == "reject" else "accepted"
    marks: dict[str, Mark] = {"unusual": "stopped", "stop": "stopped", "warn": "warned"}
    return marks.get(line.outcome, "")


def _decided(decision: Decision | None) -> str:
    if decision is None:
        return ""
    what = {
        "accept": "accepted",
        "usual": "called usual",
        "reject": "rejected",
        "new normal": "declared the new normal",
    }
    about = f" ({', '.join(decision.columns)})" if decision.columns else ""
    why = f": {decision.why}" if decision.why else ""
    return f"{what.get(decision.what, decision.what)}{about} by {decision.who}, {decision.at:%Y-%m-%d}{why}"
