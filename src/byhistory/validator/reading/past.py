"""The profiles of all runs of a table, read from where the configuration says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from byhistory.errors import ByHistoryError
from byhistory.files.lake import tables_below
from byhistory.files.pattern import RUN, labels_below, path_of_table
from byhistory.files.storage import Storage, plain_path, scheme_of
from byhistory.profile import TableProfile
from byhistory.profile.label import meaning
from byhistory.profile.past import run_key
from byhistory.series.cadence import time_of
from byhistory.validator.files import Tell, profiled, profiled_runs
from byhistory.validator.labelled import run_columns
from byhistory.validator.learning import Progress
from byhistory.validator.proposal import proposed
from byhistory.validator.reading.source import source_of
from byhistory.validator.versions import profiled_versions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.spark.read import Source
    from byhistory.validator.validator import Validator


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What a backfill brought in: a profile for each label, and the labels whose earlier record was replaced.

    `by_folders` are the columns that tell the runs apart, if nobody named them and the table's folders do.
    """

    profiles: dict[str, TableProfile]
    replaced: tuple[str, ...] = ()
    by_folders: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows in all runs."""
        return sum(p.rows for p in self.profiles.values())

    @property
    def notices(self) -> tuple[str, ...]:
        """What was left out of any run, and why, each sentence once; what tells the runs apart if nobody said so; and a
        doubt about their order, if there is one.
        """
        found = dict.fromkeys(notice for profile in self.profiles.values() for notice in profile.notices)
        if self.by_folders:
            found[f"runs are told apart by the folders ({', '.join(self.by_folders)}); --run-column names others"] = (
                None
            )
        labels = sorted(self.profiles, key=run_key) if len(self.profiles) > 1 else []
        doubted = next((label for label in labels if meaning(label).doubt), "")
        if doubted:
            which = "the label of the first" if doubted == labels[0] else repr(doubted)
            found[f"the order of these runs is not certain: {which} has {meaning(doubted).doubt}"] = None
        return tuple(found)


def profiles_of_runs(
    guard: Validator, spark: SparkSession | None, table: str, progress: Progress | None, tell: Tell
) -> tuple[dict[str, TableProfile], tuple[str, ...]]:
    """The profiles of all past runs from where the configuration says, and the columns that tell them apart, if any.

    If nobody names such columns and the table's format keeps its versions, as many commits are read as are learned
    from; else it is those of its folders that tell time. `progress` is called with the number of runs read, if they are
    read one after the other.
    """
    from byhistory.spark.failure import explained

    entry = guard.config.table(table)
    if RUN in entry.path:
        by: tuple[str, ...] = ()
        source = entry.path
        profiles = _by_path(guard, spark, table, progress, tell)
    else:
        whole = source_of(table, entry)
        by, source = run_columns(guard, table), str(whole)
        if not by and spark is not None and _keeps_versions(spark, whole):
            with explained(f"read the versions of {source}"):
                commits = profiled_versions(guard, spark, table, whole, entry.window)
            return {profile.run: profile for profile in commits}, ()
        by = by or _telling_folders(entry.path, entry.storage)
        if not by:
            todo = "name it, such as --run-column ds, or put {run} into the path (in/{run}.csv)"
            raise ByHistoryError(f"backfill {table!r}", "no column that tells its runs apart", todo)
        profiles = _by_columns(guard, spark, table, by, tell)
    if not profiles:
        raise ByHistoryError(
            f"backfill {table!r} from {source}", "no rows", "see whether the path and --where are right"
        )
    return profiles, by


def _telling_folders(path: str, storage: Storage) -> tuple[str, ...]:
    """The columns in the folders of a table on this machine that tell time, such as that of `ds=2026-11-15`."""
    if not path or scheme_of(path) != "file" or not Path(plain_path(path)).is_dir():
        return ()
    try:
        found = tables_below(path, storage)
    except ByHistoryError:
        return ()
    proposal = proposed(found[0])
    is_time = len(found) == 1 and bool(proposal.labels) and all(map(time_of, proposal.labels))
    return tuple(proposal.run_column.split(",")) if is_time else ()


def _keeps_versions(spark: SparkSession, source: Source) -> bool:
    from byhistory.spark.failure import explained
    from byhistory.spark.lake import keeps_versions

    with explained(f"look at {source}"):
        return not source.where and keeps_versions(spark, source)


def _by_columns(
    guard: Validator, spark: SparkSession | None, table: str, by: tuple[str, ...], tell: Tell
) -> dict[str, TableProfile]:
    """The profiles of all runs at once, told apart by some columns."""
    from byhistory.spark.failure import explained

    config, how = guard.config.table(table), guard.profiling(table)
    source = source_of(table, config)
    if spark is None:
        return profiled_runs(None, source, by, config, how, tell=tell)
    with explained(f"read {source}"):
        return profiled_runs(spark, source, by, config, how, tell=tell)


def _by_path(
    guard: Validator, spark: SparkSession | None, table: str, progress: Progress | None, tell: Tell
) -> dict[str, TableProfile]:
    """The profiles of the runs whose paths match, one after the other: each has the columns of its own files."""
    from byhistory.spark.failure import explained

    config, how, columns = guard.config.table(table), guard.profiling(table), run_columns(guard, table)
    pattern = path_of_table(config.path, table)
    if spark is None:
        labels = labels_below(pattern, config.storage)
    else:
        from byhistory.spark.read import labels_read

        with explained(f"list {config.path}"):
            labels = labels_read(spark, pattern)
    found: dict[str, TableProfile] = {}
    for done, label in enumerate(labels, 1):
        source = source_of(table, replace(config, run=label))
        with explained(f"read {source}"):
            found[label] = profiled(spark, source, label, config, how, without=columns, tell=tell)
        if progress is not None:
            progress(done, len(labels))
    return found
