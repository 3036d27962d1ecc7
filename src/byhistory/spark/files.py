"""One Spark job whose tasks read the files themselves: Parquet to profiles without Spark's reader.

Two thirds of the time of a profile are Spark's: reading Parquet into rows, converting them to Arrow and giving them to
Python. For a table of files none of that is needed. What the table is (its files, the values in their paths, the types
of its columns) comes from Spark, or is looked up here if Spark would say the same; and if the result would differ,
Spark's reader is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING

from byhistory.files.reader import Declined
from byhistory.files.storage import Storage
from byhistory.profile import TableProfile
from byhistory.rows.how import Asked, How
from byhistory.spark import worker
from byhistory.spark.columns import select
from byhistory.spark.here import Here, found_here, planned_here
from byhistory.spark.job import results_of
from byhistory.spark.plan import Plan, planned
from byhistory.spark.profiler import (
    Folded,
    collected,
    in_order,
    one_run,
    profile_as,
    profile_runs_as,
    work_of,
)
from byhistory.spark.read import Source, only_run, read, read_folder_of_run, read_merged, with_label

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

Tell = Callable[[str], None]


def _silent(_: str) -> None:
    pass


def profile_files(
    spark: SparkSession,
    source: Source | str,
    *,
    run: str = "",
    only: tuple[Sequence[str], str] | None = None,
    without: Sequence[str] = (),
    storage: Storage | None = None,
    frame: DataFrame | None = None,
    here: Here | None = None,
    tell: Tell = _silent,
    **asked: Unpack[Asked],
) -> TableProfile:
    """Profile the files at a path as one run; the result is that of `profile(read(spark, source))`.

    `only` names columns that make a run's label and the label of the run that is meant; if it has a folder of its own,
    it has the columns of its own files, whatever those of other runs have. The columns `without` which it is measured
    say again which run it is, and are left out if the files have all of them. `storage` says how object stores are
    reached. `frame` is the result of `read` for the source, or `here` that of `found_here`, if it is already known.
    `tell` is called with one line that says which way was taken, and why.
    """
    source, how = Source(path=source) if isinstance(source, str) else source, How.of(asked)
    by, label = (tuple(only[0]), only[1]) if only else ((), None)
    how = how.without(without)
    plan = None
    try:
        if frame is None:
            here = here or found_here(spark, source, storage or {})
            plan = planned_here(spark, here.leaving_out(without), by, label, how) if here else None
        if plan is None:
            frame = _left_out(_frame(spark, source, by, label, frame), without)
            plan = planned(frame, source, select(_of_run(frame, by, label), None, how), by, label)
        folded = _folded(spark, plan, how, storage or {})
    except Declined as why:
        tell(f"rows come through Spark's reader: {why}")
        frame = _left_out(_frame(spark, source, by, label, frame), without)
        return _noticing(profile_as(_of_run(frame, by, label), run, how), why)
    tell(plan.in_words)
    return one_run(run, plan.measured, folded, how)


def _frame(
    spark: SparkSession, source: Source, by: tuple[str, ...], label: str | None, known: DataFrame | None
) -> DataFrame:
    own = None if label is None else read_folder_of_run(spark, source, by, label)
    if own is not None:
        return own
    return read(spark, source) if known is None else known


def _left_out(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    return frame.drop(*columns) if set(columns) <= set(frame.columns) else frame


def _of_run(frame: DataFrame, by: tuple[str, ...], label: str | None) -> DataFrame:
    return frame if label is None else only_run(frame, by, label)


def profile_run_files(
    spark: SparkSession,
    source: Source | str,
    by: Sequence[str],
    *,
    storage: Storage | None = None,
    frame: DataFrame | None = None,
    tell: Tell = _silent,
    **asked: Unpack[Asked],
) -> dict[str, TableProfile]:
    """Profile all runs of a table whose folders say which run a file belongs to (`…/day=2026-05-01/…`).

    The result is that of `profile_runs` with Spark's reader, which is also used if the label is not in the path.
    """
    source, how = Source(path=source) if isinstance(source, str) else source, How.of(asked)
    here = found_here(spark, source, storage or {}) if frame is None else None
    notices: tuple[str, ...] = ()
    try:
        plan = planned_here(spark, here, tuple(by), None, how) if here else None
        if plan is None:
            frame, notices = read_merged(spark, source) if frame is None else (frame, ())
            plan = planned(frame, source, select(with_label(frame, by, LABEL), LABEL, how), tuple(by), None)
        folded = _folded(spark, plan, how, storage or {})
    except Declined as why:
        tell(f"rows come through Spark's reader: {why}")
        if frame is None:
            frame, notices = read_merged(spark, source)
        frames = profile_runs_as(with_label(frame, by, LABEL), LABEL, how, ",".join(by))
        return {run: _noticing(replace(of, notices=(*of.notices, *notices)), why) for run, of in frames.items()}
    tell(plan.in_words)
    return in_order(plan.measured.noticing(*notices), folded, ",".join(by), how)


LABEL = "__byhistory_run"
"""The column for the label of a run; no table of a user has one of this name."""


class _Unreadable(Declined):
    """Why the workers could not read the files, which a user may want to mend."""


def _noticing(frame: TableProfile, why: Declined) -> TableProfile:
    if not isinstance(why, _Unreadable):
        return frame
    notice = f"the files were read by Spark, not directly: {why}"
    return TableProfile(frame.run, frame.rows, frame.columns, (*frame.notices, notice), frame.sample)


def _folded(spark: SparkSession, plan: Plan, how: How, storage: Storage) -> dict[str | None, Folded]:
    """Run the job: one task after another reads and folds its files."""
    if not plan.tasks:
        return {}
    task = worker.FilesTask(
        work_of(plan.measured.fields, how, by_run=plan.by_run),
        sampled=plan.last,
        shared=plan.shared,
        reading=astuple(plan.reading),
        storage=tuple(sorted(storage.items())),
        tasks=tuple(tuple(astuple(piece) for piece in pieces) for pieces in plan.tasks),
    )
    runs, declined = collected(results_of(spark, task, len(plan.tasks)))
    if declined:
        raise _Unreadable(declined[0])
    return runs
