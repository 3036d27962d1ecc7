"""Judge a run by the programs learned from the runs before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from byhistory import inject
from byhistory.constraints import Constraint, Outcome, judge
from byhistory.constraints.joint import JOINT
from byhistory.inject import Fault
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric, Single, measure
from byhistory.profile import UNDEFINED, ColumnProfile, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.program import Program
from byhistory.verdict.explain import outcome_in_words
from byhistory.verdict.joint import judged_together
from byhistory.verdict.past import ColumnPast, Past
from byhistory.verdict.resemble import resemblance
from byhistory.verdict.schema import schema_findings
from byhistory.verdict.since import moving_since
from byhistory.verdict.verdict import ColumnVerdict, Finding, Verdict


def check(
    batch: TableProfile,
    programs: Mapping[str, Program],
    past: Iterable[TableProfile] | Past,
    *,
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    table: str = "",
) -> Verdict:
    """Whether a run is as usual. Of profiles given as the past, those labelled at or after the run are not looked at.

    >>> from byhistory.program import learn
    >>> from byhistory.rows.local import profile_table
    >>> runs = [profile_table({"state": ["WA", "OR", "CA"] * 5}, run=f"{day:02}") for day in range(9)]
    >>> programs = learn(runs[:8])
    >>> check(runs[8], programs, runs).ok
    True
    >>> check(profile_table({"state": ["WA"] * 5}, run="08"), programs, runs).ok
    False
    """
    past = past if isinstance(past, Past) else Past.of(past, until=batch.run)
    findings = [*schema_findings(batch, past.schemas), *_empty(batch, past.rows)]
    columns: dict[str, ColumnVerdict] = {}
    by_name = {m.name: m for m in metrics}
    for name, program in programs.items():
        if name not in batch.columns:
            columns[name] = ColumnVerdict(name, state="not in this run")
            continue
        before = past.column(name)
        columns[name] = verdict = check_column(batch[name], program, before, by_name)
        if verdict.broken:
            like = None
            if program.responses is not None:
                like = resemblance(batch[name], before, program.responses, metrics, faults)
            for outcome in sorted(verdict.broken, key=_how_rare):
                metric = by_name[outcome.constraint.metric]
                since = moving_since(outcome, before.series([metric])[0], past.runs, batch.run)
                sentence = outcome_in_words(outcome, metric, batch[name].kind)
                findings.append(Finding("constraint", name, sentence, True, outcome, since, like))
    for name in batch:
        if name not in columns:
            seen = sum(name in schema for schema in past.schemas)
            why = f"{seen} of {len(past.schemas)} past runs had it" if seen else "the column is new"
            columns[name] = ColumnVerdict(name, state=f"no program yet: {why}")
    return Verdict(batch.run, tuple(findings), columns, not any(p.is_ready for p in programs.values()), table)


def check_column(
    now: ColumnProfile, program: Program, past: ColumnPast, by_name: Mapping[str, Metric]
) -> ColumnVerdict:
    """What every clause of a program says to one column of a run."""
    if not program.is_ready and not program.clauses:  # what the user set is judged from the first run on
        return ColumnVerdict(program.column, state=program.state)
    joint = program.joint if any(c.metric == JOINT for c in program.clauses) else None
    names = dict.fromkeys([*(c.metric for c in program.clauses), *(joint.metrics if joint is not None else ())])
    known = [m for name in names if (m := by_name.get(name)) is not None]
    pairs = [m for m in known if not isinstance(m, Single)]
    values = {m.name: m(now) for m in known if isinstance(m, Single)}
    if pairs and past.before is not None:  # the distances of a run share one comparison
        values |= dict(zip((m.name for m in pairs), measure([past.before, now], pairs)[:, 1].tolist(), strict=True))
    series = _compared_with(program, past, by_name)
    clauses = [c for c in program.clauses if c.metric != JOINT]
    outcomes = [_judged(c, values, series, by_name) for c in clauses]
    if joint is not None:
        outcomes = judged_together(program, joint, values, outcomes, {m.name: m.title for m in known})
    return ColumnVerdict(program.column, tuple(outcomes), program.state)


def _compared_with(program: Program, past: ColumnPast, by_name: Mapping[str, Metric]) -> dict[str, Floats]:
    """The past values of the metrics whose change is judged, as far back as any clause looks."""
    lagged = [c for c in program.clauses if c.transform.lag and c.metric in by_name]
    if not lagged:
        return {}
    metrics = [by_name[name] for name in dict.fromkeys(c.metric for c in lagged)]
    series = past.last(metrics, max(c.transform.lag for c in lagged))
    return {m.name: row for m, row in zip(metrics, series, strict=True)}


def _judged(
    clause: Constraint, values: Mapping[str, float], series: Mapping[str, Floats], by_name: Mapping[str, Metric]
) -> Outcome:
    metric = by_name.get(clause.metric)
    if metric is None:
        why = f"no metric is called {clause.metric!r}: correct the program, or pass the metric"
        return Outcome(clause, "not evaluable", UNDEFINED, UNDEFINED, UNDEFINED, reason=why)
    bound = metric.bound if metric.bound.name == clause.bound else None
    return judge(clause, values.get(metric.name, UNDEFINED), series.get(metric.name, ()), bound)


def _how_rare(outcome: Outcome) -> tuple[float, float]:
    return 1.0 if math.isnan(outcome.rarity) else outcome.rarity, 0.0 if math.isnan(outcome.sigmas) else -outcome.sigmas


def _empty(batch: TableProfile, rows: Sequence[int]) -> list[Finding]:
    """A run without rows, unless that has happened before; no clause on a mean could say so."""
    if batch.rows or not rows or min(rows) == 0:
        return []
    usual = f"the last {len(rows)} runs had {min(rows):,} to {max(rows):,}"
    return [Finding("empty batch", "", f"the run has no rows; {usual}")]
