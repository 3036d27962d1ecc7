"""Judge a run by the programs learned from the runs before it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from byhistory import inject
from byhistory.bounds import Bound
from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.always import ALWAYS, FEW_ROWS, OF_ROWS, clauses_outside, suspected
from byhistory.constraints.judge import outcomes
from byhistory.errors import ByHistoryError
from byhistory.inject import Fault
from byhistory.learners import ALL as ALL_LEARNERS
from byhistory.learners import Learner, Program
from byhistory.learners import by_name as learner_of
from byhistory.learners.judge import as_tables, values_before
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import PLAIN, Measures, Metric, Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.series.transform import value_before
from byhistory.verdict.content import rows_of_one_value, values_of_another
from byhistory.verdict.material import COMPARED, is_priced, last_known, weighed
from byhistory.verdict.past import ColumnPast, Past
from byhistory.verdict.renamed import with_renamed
from byhistory.verdict.repeated import repeated_finding
from byhistory.verdict.resemble import of_outcome, resemblance, same_data
from byhistory.verdict.schema import schema_findings
from byhistory.verdict.sentence import is_whole, outcome_in_words
from byhistory.verdict.since import moving_since
from byhistory.verdict.verdict import AS_BEFORE, ColumnVerdict, Finding, Verdict

_ABOUT_ROWS = tuple(rule.name for rule in OF_ROWS)
_ALIKE = "top_value_ratio"
_FORMAT = "new_pattern_ratio"
_OF_LETTERS = "upper_ratio"
"""Undefined where values have no letters, which is no news: how many letters there are is a metric of its own."""


def check(
    profile: TableProfile,
    programs: Mapping[str, Program],
    past: Iterable[TableProfile] | Past,
    *,
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    learners: Sequence[Learner] = ALL_LEARNERS,
    table: str = "",
    always_off: Collection[str] = (),
    measures: Measures | None = None,
) -> Verdict:
    """Whether a run is as usual: judge `profile` by `programs`, one per column, and the `past` runs.

    Profiles in `past` that are labelled at or after the run are ignored. `always_off` names rules of
    `byhistory.constraints.always` that the user turned off. `measures` are the values of the metrics in this run, if
    they are known already; else they are computed.

    >>> from byhistory.learners import learn
    >>> from byhistory.rows.local import profile_table
    >>> runs = [profile_table({"state": ["WA", "OR", "CA"] * 5}, run=f"{day:02}") for day in range(9)]
    >>> programs = learn(runs[:8])
    >>> check(runs[8], programs, runs).ok
    True
    >>> check(profile_table({"state": ["WA"] * 5}, run="08"), programs, runs).ok
    False
    """
    past = past if isinstance(past, Past) else Past.of(past, until=profile.run)
    schema = with_renamed(
        list(schema_findings(profile, past.schemas, lambda name: past.column(name).before)), profile, past
    )
    measures = measures or measured(profile, past, metrics)
    findings = [*schema, *_empty(profile, past.rows)]
    columns: dict[str, ColumnVerdict] = {}
    by_name = {m.name: m for m in metrics}
    findings += repeated_finding(measures, past, by_name, always_off)
    judged = [
        JudgedColumn(program, measures.reads(name), past.column(name), learner_of(program.learner, learners))
        for name, program in as_tables(programs, learners, measures.of_column).items()
        if name in profile.columns
    ]
    judged_by = {one.program.column: one for one in judged}
    found = zip(judged, check_columns(judged, by_name), strict=True)
    for name in programs:
        if name not in profile.columns:
            columns[name] = ColumnVerdict(name, state="not in this run")
            continue
        (program, reads, before, _), verdict = next(found)
        verdict = _as_before(verdict, judged_by[name], by_name)
        off = always_off if program.carries_rows else (*always_off, *_ABOUT_ROWS)  # rows are lost once
        verdict = _weighed(verdict, profile[name].kind, before, reads, by_name)
        columns[name] = verdict = _with_always(verdict, profile[name], before, by_name, reads=reads, off=off)
        if verdict.broken:
            like = same_data(reads, before, metrics) or values_of_another(name, profile, past)
            if like is None and program.responses is not None and not _has_another_format(verdict):
                like = resemblance(reads, before, program.responses, metrics, faults)
            for outcome in sorted(verdict.broken, key=_how_rare):
                metric = by_name[outcome.constraint.metric]
                since = moving_since(outcome, before.series([metric])[0], past.runs, profile.run)
                sentence = outcome_in_words(outcome, metric, profile[name].kind)
                about = of_outcome(like, metric.name)
                if metric.name == FEW_ROWS.metric and outcome.value < outcome.low:
                    about = rows_of_one_value(profile, past) or about
                findings.append(Finding("constraint", name, sentence, outcome.level, outcome, since, about))
    for name in profile:
        if name not in columns:
            seen = sum(name in schema for schema in past.schemas)
            why = f"{seen} of {len(past.schemas)} past runs had it" if seen else "the column is new"
            columns[name] = ColumnVerdict(name, state=f"no program yet: {why}")
    return Verdict(profile.run, tuple(findings), columns, not any(p.is_ready for p in programs.values()), table)


def measured(profile: TableProfile, past: Past, metrics: Sequence[Metric]) -> Measures:
    """What the metrics read in a run, distances taken to the last run before that has the column."""
    found = {name: past.column(name).before for name in profile}
    return Measures.of(profile, {name: p for name, p in found.items() if p is not None}, metrics)


class JudgedColumn(NamedTuple):
    """A program, what the metrics read in its column in this run, the past of the column, and the program's learner."""

    program: Program
    reads: Mapping[str, float]
    past: ColumnPast
    learner: Learner


def check_column(
    program: Program,
    reads: Mapping[str, float],
    past: ColumnPast,
    by_name: Mapping[str, Metric],
    learner: Learner,
) -> ColumnVerdict:
    """Whether one column of a run, in which the metrics read `reads`, keeps each clause of its program."""
    return check_columns([JudgedColumn(program, reads, past, learner)], by_name)[0]


def check_columns(columns: Sequence[JudgedColumn], by_name: Mapping[str, Metric]) -> list[ColumnVerdict]:
    """The same for many columns, whose clauses are judged at once."""
    titles = {name: m.title for name, m in by_name.items()}
    clauses: list[Constraint] = []
    now: list[float] = []
    before: list[float] = []
    for column in columns:
        own = column.program.clauses
        clauses += own
        now += _values(column, own)
        before += values_before(own, _compared_with(column.program, column.past, by_name)).tolist()
    all_ = iter(outcomes(clauses, now, before, [_bound(c, by_name) for c in clauses]))
    verdicts = []
    for program, reads, _, learner in columns:
        found = [
            o if _is_known(o.constraint, by_name, learner) else _unknown(o.constraint)
            for o in islice(all_, len(program.clauses))
        ]
        explained = learner.explain(program, reads, found, titles) if _is_judged(program) else ()
        if any(o.status == "broken" and o.constraint.metric in learner.clause_names for o in explained):
            what, todo = f"judge {program.column!r}", "have its `explain` tell a broken clause by one of its metrics"
            raise ByHistoryError(what, f"a clause that the learner {learner.name!r} does not explain", todo)
        verdicts.append(ColumnVerdict(program.column, tuple(explained), program.state))
    return verdicts


def _is_judged(program: Program) -> bool:
    """Whether a program is judged by; what the user set is, from the first run on."""
    return program.is_ready or bool(program.clauses)


def _values(column: JudgedColumn, clauses: Sequence[Constraint]) -> list[float]:
    """The value that each clause is about: what a metric reads, or the total of all of them."""
    program, reads, _, learner = column
    if not _is_judged(program):
        return []
    total = learner.total(program, np.array([[reads.get(name, UNDEFINED) for name in learner.wants(program)]]))
    of_all = math.nan if total is None else float(total[0])
    return [of_all if c.metric in learner.clause_names else reads.get(c.metric, UNDEFINED) for c in clauses]


def _as_before(verdict: ColumnVerdict, judged: JudgedColumn, by_name: Mapping[str, Metric]) -> ColumnVerdict:
    """The verdict, where a metric that is undefined as in an earlier run is no reason not to judge the others.

    All others are within their limits then: a Monday without values is no news where other Mondays had none. A distance
    is undefined if either run has no values, which is judged by itself. A clause on such a metric alone gets a reason
    that says so.
    """
    program, reads, past, learner = judged
    if not verdict.not_evaluable:
        return verdict
    names = dict.fromkeys((*learner.wants(program), *(o.constraint.metric for o in verdict.not_evaluable)))
    undefined = [by_name[n] for n in names if n in by_name and math.isnan(reads.get(n, UNDEFINED))]
    gone = [m for m in undefined if isinstance(m, Single) and m.name != _OF_LETTERS]
    anew = {m.name for m, values in zip(gone, past.series(gone), strict=True) if np.isfinite(values).all()}
    before = {m.name for m in undefined} - anew

    def settled(outcome: Outcome) -> Outcome:
        if outcome.status == "not evaluable" and outcome.constraint.metric in learner.clause_names and not anew:
            return replace(outcome, status="holds", reason="")
        is_as_before = outcome.status == "not evaluable" and outcome.constraint.metric in before
        return replace(outcome, reason=f"{outcome.reason}{AS_BEFORE}") if is_as_before else outcome

    return replace(verdict, outcomes=tuple(settled(o) for o in verdict.outcomes))


def _weighed(
    verdict: ColumnVerdict,
    kind: Kind,
    past: ColumnPast,
    reads: Mapping[str, float],
    by_name: Mapping[str, Metric],
) -> ColumnVerdict:
    """The verdict, where what is surprising but touches hardly any row is reported one level lower."""
    priced = [o for o in verdict.broken if is_priced(o.constraint)]
    if not priced:
        return verdict
    compared = [by_name[name] for name in COMPARED if name in by_name]
    before = dict(zip((m.name for m in compared), last_known(past.series(compared)).tolist(), strict=True))

    def at_level(outcome: Outcome) -> Outcome:
        clause = outcome.constraint
        lag, metric = clause.transform.lag, by_name.get(clause.metric)
        since = past.last([metric], lag)[0] if lag and metric is not None else ()
        compared = value_before(clause.transform, since)
        return replace(outcome, level=weighed(outcome.level, clause.metric, kind, reads, before, compared=compared))

    return replace(verdict, outcomes=tuple(at_level(o) if o in priced else o for o in verdict.outcomes))


def _with_always(
    verdict: ColumnVerdict,
    now: ColumnProfile,
    past: ColumnPast,
    by_name: Mapping[str, Metric],
    *,
    reads: Mapping[str, float],
    off: Collection[str],
) -> ColumnVerdict:
    """The verdict with what stops a run at every budget put first, in place of other clauses on the same metric."""
    metrics = [m for name in suspected(reads) if (m := by_name.get(name)) is not None and now.kind in m.kinds]
    series = dict(zip((m.name for m in metrics), past.really(metrics), strict=True))
    found: dict[str, Outcome] = {}
    stopped = {o.constraint.metric for o in verdict.broken if o.level == "stop"}  # more than a rule that only warns
    clauses = clauses_outside(series, now.rows, now.present, reads, off=off)
    rows = by_name.get(FEW_ROWS.metric)
    if rows is not None and not set(off).issuperset(_ABOUT_ROWS):
        of_rows = {rows.name: past.really([rows])[0]}
        clauses = (*clauses, *clauses_outside(of_rows, now.rows, now.present, reads, rules=OF_ROWS, off=off))
    for outcome in outcomes(clauses, [reads.get(c.metric, UNDEFINED) for c in clauses], [math.nan] * len(clauses)):
        clause = outcome.constraint
        if outcome.status == "broken" and not (outcome.level == "warn" and clause.metric in stopped):
            found.setdefault(clause.metric, outcome)
    if any(is_whole(o) for o in found.values()):  # values that are all zero or empty are all alike
        found = {name: o for name, o in found.items() if name != _ALIKE or len(found) == 1}
    others = (o for o in verdict.outcomes if not (o.status == "broken" and o.constraint.metric in found))
    return replace(verdict, outcomes=(*found.values(), *others)) if found else verdict


def _compared_with(program: Program, past: ColumnPast, by_name: Mapping[str, Metric]) -> dict[str, Floats]:
    """The past values of the metrics whose change is judged, as far back as any clause looks."""
    lagged = [c for c in program.clauses if c.transform.lag and c.metric in by_name]
    if not lagged:
        return {}
    metrics = [by_name[name] for name in dict.fromkeys(c.metric for c in lagged)]
    series = past.last(metrics, max(c.transform.lag for c in lagged))
    return {m.name: row for m, row in zip(metrics, series, strict=True)}


def _bound(clause: Constraint, by_name: Mapping[str, Metric]) -> Bound | None:
    """The bound that says how rare a value is, if the clause was priced by it."""
    metric = by_name.get(clause.metric)
    return metric.bound if metric is not None and metric.bound.name == clause.bound else None


def _is_known(clause: Constraint, by_name: Mapping[str, Metric], learner: Learner) -> bool:
    return clause.metric in by_name or clause.metric in learner.clause_names


def _unknown(clause: Constraint) -> Outcome:
    why = f"no metric is called {clause.metric!r}: correct the program, or pass the metric"
    return Outcome(clause, "not evaluable", UNDEFINED, UNDEFINED, UNDEFINED, reason=why)


def _has_another_format(verdict: ColumnVerdict) -> bool:
    """Whether the values have another format, which says more than which mistyped characters would do so."""
    return any(o.constraint.bound == ALWAYS and o.constraint.metric == _FORMAT for o in verdict.broken)


def _how_rare(outcome: Outcome) -> tuple[bool, bool, float, float]:
    """Sort key of broken clauses: what stops at every budget, then what a person would name, the rarest first."""
    return outcome.constraint.bound != ALWAYS, outcome.constraint.metric not in PLAIN, *_rarity(outcome)


def _rarity(outcome: Outcome) -> tuple[float, float]:
    return 1.0 if math.isnan(outcome.rarity) else outcome.rarity, 0.0 if math.isnan(outcome.sigmas) else -outcome.sigmas


def _empty(profile: TableProfile, rows: Sequence[int]) -> list[Finding]:
    """A finding if the run has no rows, unless that has happened before; no clause on a mean could say so."""
    if profile.rows or not rows or min(rows) == 0:
        return []
    usual = f"the last {len(rows)} runs had {min(rows):,} to {max(rows):,}"
    return [Finding("empty batch", "", f"the run has no rows; {usual}")]
