"""One Spark job whose tasks read the files themselves: Parquet to profiles without Spark's reader.

Two thirds of the time of a profile are Spark's: reading Parquet into rows, converting them to Arrow and giving them to
Python. For a table of files none of that is needed. Spark still tells what the table is (its files, the values in their
paths, the types of its columns), and if the result would differ, its reader is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING

import byhistory
from byhistory.files.reader import Declined
from byhistory.files.storage import Storage
from byhistory.profile import TableProfile
from byhistory.rows.how import Asked, How
from byhistory.spark import worker
from byhistory.spark.columns import Selection, select
from byhistory.spark.plan import Plan, planned
from byhistory.spark.profiler import (
    RESULT,
    Folded,
    collected,
    in_order,
    one_run,
    profile_as,
    profile_runs_as,
    sample_of,
)
from byhistory.spark.read import Source, only_run, read, read_merged, with_label
from byhistory.spark.ship import archive_of, send_by_value

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
    storage: Storage | None = None,
    frame: DataFrame | None = None,
    tell: Tell = _silent,
    **asked: Unpack[Asked],
) -> TableProfile:
    """Profile the files at a path as one run; the result is that of `profile(read(spark, source))`.

    `only` names columns that make a run's label and the label of the run that is meant. `storage` says how object
    stores are reached. `frame` is the result of `read` for the source, if it is already known. `tell` is called with
    one line that says which way was taken, and why.
    """
    source = Source(path=source) if isinstance(source, str) else source
    whole = read(spark, source) if frame is None else frame
    df = whole if only is None else only_run(whole, tuple(only[0]), only[1])
    how = How.of(asked)
    selection = select(df, None, how)
    try:
        plan = planned(whole, source, selection, tuple(only[0]) if only else (), only[1] if only else None)
        folded = _folded(spark, plan, selection, how, storage or {})
    except Declined as why:
        tell(f"rows come through Spark's reader: {why}")
        return _noticing(profile_as(df, run, how), why)
    tell(plan.in_words)
    return one_run(run, selection, folded, how)


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
    source = Source(path=source) if isinstance(source, str) else source
    whole, notices = read_merged(spark, source) if frame is None else (frame, ())
    df = with_label(whole, by, LABEL)
    how = How.of(asked)
    selection = select(df, LABEL, how)
    for notice in notices:
        selection = selection.noticing(notice)
    try:
        plan = planned(whole, source, selection, tuple(by), None)
        folded = _folded(spark, plan, selection, how, storage or {})
    except Declined as why:
        tell(f"rows come through Spark's reader: {why}")
        frames = profile_runs_as(df, LABEL, how)
        return {run: _noticing(replace(of, notices=(*of.notices, *notices)), why) for run, of in frames.items()}
    tell(plan.in_words)
    return in_order(selection, folded, ",".join(by), how)


LABEL = "__byhistory_run"
"""The column for the label of a run; no table of a user has one of this name."""


class _Unreadable(Declined):
    """Why the workers could not read the files, which a user may want to mend."""


def _noticing(frame: TableProfile, why: Declined) -> TableProfile:
    if not isinstance(why, _Unreadable):
        return frame
    notice = f"the files were read by Spark, not directly: {why}"
    return TableProfile(frame.run, frame.rows, frame.columns, (*frame.notices, notice), frame.sample)


def _folded(
    spark: SparkSession, plan: Plan, selection: Selection, how: How, storage: Storage
) -> dict[str | None, Folded]:
    """Run the job: one task after another reads and folds its files."""
    if not plan.tasks:
        return {}
    task = worker.FilesTask(
        version=byhistory.__version__,
        archive=archive_of(),
        fields=tuple((f.name, f.kind.value, f.type, f.nullable, f.position) for f in selection.fields),
        options=astuple(how.options),
        by_run=selection.by_run,
        sample_rows=sample_of(how.sample_rows, len(selection.fields)),
        seed=how.seed,
        sampled=plan.last,
        shared=plan.shared,
        reading=astuple(plan.reading),
        storage=tuple(sorted(storage.items())),
        tasks=tuple(tuple(astuple(piece) for piece in pieces) for pieces in plan.tasks),
    )
    send_by_value()
    # A partition for each task, without a shuffle, so that it is one job and one stage.
    numbers = spark.range(0, len(plan.tasks), 1, len(plan.tasks))
    runs, declined = collected(numbers.mapInArrow(task, RESULT))
    if declined:
        raise _Unreadable(declined[0])
    return runs
