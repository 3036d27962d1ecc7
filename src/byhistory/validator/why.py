"""Why was a run stopped? From its rows, those of the run before, and what is kept of both."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from byhistory.history import runs_before
from byhistory.profile import TableProfile
from byhistory.rows.local import as_arrow, profile_table
from byhistory.validator.memory import is_good
from byhistory.verdict import Finding, Past, Verdict, check
from byhistory.why import Alarm, Answer, Proof, Sample, ask
from byhistory.why.local import sample

if TYPE_CHECKING:
    from byhistory.validator.validator import Validator

OF_ROWS = frozenset({"row_count"})
"""Metrics that say how many rows there are, in whatever column."""
OF_SIZE = OF_ROWS | {"sum", "dist_val_count"}
"""Metrics that fall where rows are taken out, whatever rows."""
JUDGED_BY = 30
"""Runs before that the rest of a run is judged by, once its segment is taken out."""
KEY = 0.95
"""A column with more distinct values than this share of its rows can tell rows apart."""
_ROWS_GONE = frozenset({"rows missing in a segment", "rows missing everywhere", "nothing found"})


def why(
    guard: Validator,
    rows: Any,
    verdict: Verdict,
    *,
    before: Any = None,
    columns: Collection[str] = (),
    prove: bool = True,
) -> Answer:
    """What a stopped run's rows have in common (see `Validator.why`)."""
    config = guard.config.table(verdict.table)
    profiles = _profiles_before(guard, verdict)
    last = profiles[-1] if profiles else None
    twin = _same_as(guard, verdict, profiles)
    named = replace(Answer("nothing found"), table=verdict.table, run=verdict.run, before=last.run if last else "")
    if twin:
        return replace(named, kind="same rows as an earlier run", other=twin)
    alarm = alarm_of(verdict.findings, columns)
    here, there = _samples(guard, rows, before, verdict, last)
    found = ask(
        here,
        there,
        alarm,
        random=np.random.default_rng(0),  # noqa: TID251 - the same answer every time
        profiles=last.columns if last else {},
        rows_before=last.rows if last else None,
        options=guard.profiling(verdict.table)["options"],
        masked=config.masked,
    )
    found = replace(found, table=named.table, run=named.run, before=named.before)
    if not prove or found.segment is None or found.kind in _ROWS_GONE:
        return found
    return replace(found, proof=_proof(guard, rows, found, verdict, profiles))


def alarm_of(findings: Iterable[Finding], columns: Collection[str] = ()) -> Alarm:
    """What the findings that stop a run are about; only some columns of it, if any are named."""
    about: dict[str, None] = dict.fromkeys(columns)
    rows = False
    for f in _worst(findings):
        of_rows = f.about == "empty batch" or (f.outcome is not None and f.outcome.constraint.metric in OF_ROWS)
        rows |= of_rows and (not columns or f.column in columns)
        if not of_rows and f.column and not columns:
            about[f.column] = None
    return Alarm(tuple(about), rows)


def _worst(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that stop a run; if none does, those that warn."""
    found = [f for f in findings if f.level != "as usual"]
    return [f for f in found if f.stops] or found


def run_before(guard: Validator, table: str, run: str) -> str:
    """The last good run before one; empty if there is none."""
    good = [line.run for line in runs_before(guard.runs(table), run) if is_good(line)]
    return good[-1] if good else ""


def _profiles_before(guard: Validator, verdict: Verdict) -> list[TableProfile]:
    lines = runs_before(guard.runs(verdict.table), verdict.run)
    good = [line.run for line in lines if is_good(line)][-JUDGED_BY:]
    return [guard.profile_of(verdict.table, run) for run in good]


def _same_as(guard: Validator, verdict: Verdict, profiles: list[TableProfile]) -> str:
    """The last earlier run with exactly the same columns, if the values tell runs apart at all."""
    if not any(line.run == verdict.run for line in guard.runs(verdict.table)):
        return ""
    now = guard.profile_of(verdict.table, verdict.run)
    same = [p.run for p in profiles if p.rows == now.rows and p.rows and dict(p.columns) == dict(now.columns)]
    return same[-1] if same and len(same) < len(profiles) else ""


def _samples(
    guard: Validator, rows: Any, before: Any, verdict: Verdict, last: TableProfile | None
) -> tuple[Sample, Sample | None]:
    if not _is_spark(rows):
        random = np.random.default_rng(0)  # noqa: TID251 - the same answer every time
        return sample(rows, random), None if before is None else sample(before, random)
    from byhistory.spark.why import sample_runs

    lines = {line.run: line.rows for line in guard.runs(verdict.table)}
    counted = lines.get(verdict.run) or rows.count()
    counted_before = last.rows if last is not None else 0
    if before is not None and not counted_before:
        counted_before = before.count()
    return sample_runs(rows, before, (counted, counted_before), _key_of(last))


def _key_of(profile: TableProfile | None) -> str:
    """A column that tells rows apart, if there is one."""
    if profile is None:
        return ""
    return next((n for n in profile if profile.rows and profile[n].distinct > KEY * profile.rows), "")


def _proof(guard: Validator, rows: Any, found: Answer, verdict: Verdict, profiles: list[TableProfile]) -> Proof:
    """Judge the run again without the segment's rows; that there are fewer rows then is no finding."""
    segment = found.segments[0]
    options = guard.profiling(verdict.table)
    if _is_spark(rows):
        from byhistory.spark import profile
        from byhistory.spark.why import outside

        rest = profile(outside(rows, segment), run=verdict.run, **options)
        total = next((r.rows for r in guard.runs(verdict.table) if r.run == verdict.run), rest.rows)
    else:
        table = as_arrow(rows)
        rest = profile_table(table.filter(segment.outside(table)), run=verdict.run, **options)
        total = table.num_rows
    programs = guard.programs(verdict.table)
    again = check(rest, programs, Past.of(profiles), metrics=guard.metrics, table=verdict.table)
    known = {_what(f) for f in verdict.findings if f.level != "as usual"}
    still = [f for f in again.findings if f.level != "as usual" and f.column in found.columns]
    left = [f for f in still if _what(f) in known and _what(f)[1] not in OF_SIZE]
    return Proof(max(0, total - rest.rows), not left, tuple(f"{f.column}: {f.sentence}" for f in left))


def _what(finding: Finding) -> tuple[str, str]:
    return finding.column, finding.about if finding.outcome is None else finding.outcome.constraint.metric


def _is_spark(rows: Any) -> bool:
    return hasattr(rows, "sparkSession")
