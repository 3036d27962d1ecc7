"""Why was a run stopped? Asked of its rows, those of the run before, and what is stored about both."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from byhistory.errors import BadInput, did_you_mean
from byhistory.history import runs_before
from byhistory.plain import some_of
from byhistory.profile import TableProfile
from byhistory.validator.learnable import is_good
from byhistory.validator.proof import TwoRuns, proof
from byhistory.verdict import Finding, Verdict
from byhistory.why import Alarm, Answer, Sample, ask
from byhistory.why.keys import likely_key
from byhistory.why.local import samples

if TYPE_CHECKING:
    from byhistory.validator.validator import Validator

OF_ROWS = frozenset({"row_count"})
"""Metrics about the number of rows, whichever column they are on."""
NAMED = 8
"""Columns that an error names (a choice)."""
JUDGED_BY = 30
"""How many runs before it a run is judged by once the segment is taken out, by choice."""


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
    _must_have(columns, rows, last, f"say why run {verdict.run!r} of {verdict.table!r} was stopped")
    alarm = alarm_of(verdict.findings, columns)
    runs = TwoRuns(rows, before, tuple(config.key) or likely_key(last))
    here, there = _samples(guard, runs, verdict, last)
    found = ask(
        here,
        there,
        alarm,
        random=np.random.default_rng(0),  # noqa: TID251 - the same answer every time
        profiles=last.columns if last else {},
        rows_before=last.rows if last else None,
        options=guard.profiling(verdict.table)["options"],
        masked=config.masked,
        key=runs.key,
        past=profiles,
    )
    found = replace(found, table=named.table, run=named.run, before=named.before)
    return replace(found, proof=proof(guard, runs, found, verdict, profiles)) if prove else found


def _must_have(columns: Collection[str], rows: Any, last: TableProfile | None, asked: str) -> None:
    """Refuse to ask about a column that neither the run nor the history has; a path may begin with a column's name."""
    names = {*_names(rows), *(last.columns if last else ())} if columns else set()
    for column in columns:
        if column not in names and column.partition(".")[0] not in names:
            found = f"no column {column!r}{did_you_mean(column, names)}"
            raise BadInput(asked, found, f"name one of {some_of(sorted(names), NAMED)}")


def _names(rows: Any) -> Iterable[str]:
    """The columns of a DataFrame, an Arrow table or stream, or a mapping of names to arrays."""
    found = getattr(rows, "column_names", None) or getattr(rows, "columns", None)
    return map(str, found or getattr(getattr(rows, "schema", None), "names", rows))


def alarm_of(findings: Iterable[Finding], columns: Collection[str] = ()) -> Alarm:
    """What the findings that stop a run are about; only these columns, if any are named."""
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
    good = [line.run for line in runs_before(guard.records.runs(table), run) if is_good(line)]
    return good[-1] if good else ""


def _profiles_before(guard: Validator, verdict: Verdict) -> list[TableProfile]:
    lines = runs_before(guard.records.runs(verdict.table), verdict.run)
    good = [line.run for line in lines if is_good(line)][-JUDGED_BY:]
    return [guard.records.profile_of(verdict.table, run) for run in good]


def _same_as(guard: Validator, verdict: Verdict, profiles: list[TableProfile]) -> str:
    """The last earlier run with exactly the same columns, if the values tell runs apart at all."""
    if not any(line.run == verdict.run for line in guard.records.runs(verdict.table)):
        return ""
    now = guard.records.profile_of(verdict.table, verdict.run)
    same = [p.run for p in profiles if p.rows == now.rows and p.rows and dict(p.columns) == dict(now.columns)]
    return same[-1] if same and len(same) < len(profiles) else ""


def _samples(
    guard: Validator, runs: TwoRuns, verdict: Verdict, last: TableProfile | None
) -> tuple[Sample, Sample | None]:
    if not runs.is_spark:
        random = np.random.default_rng(0)  # noqa: TID251 - the same answer every time
        return samples(runs.now, runs.before, runs.key, random)
    from byhistory.spark.why import sample_runs

    lines = {line.run: line.rows for line in guard.records.runs(verdict.table)}
    counted = lines.get(verdict.run) or runs.now.count()
    counted_before = last.rows if last is not None else 0
    if runs.before is not None and not counted_before:
        counted_before = runs.before.count()
    return sample_runs(runs.now, runs.before, (counted, counted_before), runs.key)
