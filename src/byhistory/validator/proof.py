"""Is the alarm gone without the rows that an answer names? The run is judged again to find out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byhistory.plain import some_of
from byhistory.profile import TableProfile
from byhistory.rows.how import Asked
from byhistory.verdict import Finding, Past, Verdict, check
from byhistory.why import Answer, Proof
from byhistory.why.keys import Key

if TYPE_CHECKING:
    from byhistory.validator.validator import Validator

OF_SIZE = frozenset({"row_count", "sum", "dist_val_count"})
"""Metrics that fall when rows are taken out, whichever they are."""


@dataclass(frozen=True, slots=True, eq=False)
class TwoRuns:
    """The rows of a run, of the one before if they can be read, and the columns that may tell rows apart."""

    now: Any
    before: Any
    key: Key

    @property
    def is_spark(self) -> bool:
        """Whether they are DataFrames; else they are tables in memory."""
        return hasattr(self.now, "sparkSession")


def proof(
    guard: Validator, runs: TwoRuns, found: Answer, verdict: Verdict, past: Sequence[TableProfile]
) -> Proof | None:
    """What is found in the run once it is mended; None if it cannot be mended.

    Only what was found before counts: a run without its mobile orders has other shares of everything. And where odd
    rows are taken out, fewer rows are no finding.
    """
    if found.way is None:
        return None
    rest = _profiled(guard, runs, found, verdict)
    if rest is None:
        return None
    programs = guard.learning.programs(verdict.table)
    again = check(rest, programs, Past.of(list(past)), metrics=guard.metrics, table=verdict.table)
    known = {_what(f) for f in verdict.findings if f.level != "as usual"}
    ignored = OF_SIZE if found.way == "without" else frozenset()
    left = [f for f in again.findings if f.level != "as usual" and _what(f) in known and _what(f)[1] not in ignored]
    own = [f for f in left if f.column in found.columns or (found.is_about_rows and _what(f)[1] == "row_count")]
    total = next((line.rows for line in guard.records.runs(verdict.table) if line.run == verdict.run), rest.rows)
    others = [f for f in left if f not in own]
    return Proof(abs(total - rest.rows), not own, _in_short([*own, *others]), found.way)


def _in_short(findings: Sequence[Finding]) -> tuple[str, ...]:
    """What is still found, by what was found and in which columns: how unlikely it is has been said of the run."""
    columns: dict[str, list[str]] = {}
    for f in findings:
        short = f.sentence.split("; a good run is this ")[0].split(", and with it ")[0]
        columns.setdefault(short, []).append(f.column)
    return tuple(f"{some_of(names, 3)}: {short}" if all(names) else short for short, names in columns.items())


def _profiled(guard: Validator, runs: TwoRuns, found: Answer, verdict: Verdict) -> TableProfile | None:
    how: Asked = {**guard.profiling(verdict.table), "sample_rows": 0}
    if runs.is_spark:
        from byhistory.spark import profile
        from byhistory.spark.why import mended as mended_frame

        frame = mended_frame(runs.now, runs.before, found, runs.key)
        return None if frame is None else profile(frame, run=verdict.run, **how)
    from byhistory.rows.local import profile_table
    from byhistory.why.local import mended

    table = mended(runs.now, runs.before, found, runs.key)
    return None if table is None else profile_table(table, run=verdict.run, **how)


def _what(finding: Finding) -> tuple[str, str]:
    return finding.column, finding.about if finding.outcome is None else finding.outcome.constraint.metric
