"""A gate for Structured Streaming: each micro-batch, or each window of time, is a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from byhistory.constraints import Level
from byhistory.history import Run
from byhistory.profile import TableProfile, from_bytes, to_bytes
from byhistory.validator import Validator
from byhistory.verdict import Verdict, checked_level

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Batch = Callable[["DataFrame", int], None]
OPEN = "open"
"""Outcome of a window that is not over yet; such a run is not learned from."""


def gate(
    guard: Validator,
    table: str,
    then: Batch,
    *,
    otherwise: Callable[[DataFrame, int, Verdict], None] | None = None,
    run_of: Callable[[DataFrame, int], str] = lambda _, number: str(number),
    level: Level = "stop",
) -> Batch:
    """A function for Spark's `foreachBatch`: checks each micro-batch as a run, and passes it to `then` if it may go on.

    A batch that is stopped is passed to `otherwise`, such as a quarantine; with `level="warn"`, one that is warned
    about is, too. Without `otherwise`, `Unusual` is raised, which stops the query; Spark offers the same batch again
    after a restart. `run_of` gives the label of the run from the batch and its number. Empty batches are no runs: they
    are passed to `then` unchecked.
    """
    checked_level(level)

    def checked(df: DataFrame, number: int) -> None:
        if df.isEmpty():
            then(df, number)
            return
        verdict = guard.check(df, table, run_of(df, number)).verdict
        if not verdict.reaches(level):
            then(df, number)
        elif otherwise is not None:
            otherwise(df, number, verdict)
        else:
            verdict.raise_if_unusual(level)

    return checked


def window_gate(
    guard: Validator,
    table: str,
    then: Batch,
    window_of: Callable[[DataFrame, int], str],
    *,
    alarm: Callable[[Verdict], None] | None = None,
    level: Level = "stop",
) -> Batch:
    """Like `gate`, for runs that consist of many micro-batches, such as an hour of a stream.

    The profile of a window is the sum of the profiles of its batches. When the first batch of a later window comes,
    the window before is judged: if it is stopped, or with `level="warn"` warned about, `alarm` is called, or `Unusual`
    raised, before that batch goes on. The open window is kept in the store, so that a restart loses nothing, and a
    batch that Spark offers twice is counted once.
    """
    checked_level(level)

    def checked(df: DataFrame, number: int) -> None:
        from byhistory.spark import profile

        window = window_of(df, number)
        opened = _load(guard, table)
        if opened is not None and opened[0].run != window:
            verdict = guard.judge(opened[0], table).verdict  # which records it, no longer open
            opened = None
            if alarm is None:
                verdict.raise_if_unusual(level)
            elif verdict.reaches(level):
                alarm(verdict)
        if opened is None or number > opened[1]:
            batch = profile(df, run=window, **guard.profiling(table))
            _save(guard, table, batch if opened is None else _plus(opened[0], batch), number)
        then(df, number)

    return checked


def _plus(a: TableProfile, b: TableProfile) -> TableProfile:
    """Two parts of one window; a column that only one part has is kept as it is."""
    columns = {name: a[name] + b[name] if name in b.columns else a[name] for name in a}
    columns |= {name: b[name] for name in b if name not in a.columns}
    return TableProfile(b.run, a.rows + b.rows, columns, b.notices, b.sample)


def _save(guard: Validator, table: str, window: TableProfile, number: int) -> None:
    packed = {name: to_bytes(window[name]) for name in window}
    guard.store.record(Run(table, window.run, guard.now(), OPEN, window.rows, packed, note=str(number)))


def _load(guard: Validator, table: str) -> tuple[TableProfile, int] | None:
    """The window that is open, and the last batch that is in it."""
    for line in reversed(guard.records.runs(table)):
        if line.outcome == OPEN:
            (run,) = guard.store.load(table, [line.run])
            columns = {name: from_bytes(data) for name, data in run.columns.items()}
            return TableProfile(run.run, run.rows, columns), int(run.note)
    return None
