"""The versions that a table's format keeps, as its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.errors import ByHistoryError, JudgedBefore
from byhistory.history import RunLine
from byhistory.rows.how import Asked
from byhistory.rows.sample import SAMPLE_ROWS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.profile import TableProfile
    from byhistory.spark.read import Source
    from byhistory.validator.validator import Validator

_UNJUDGED = ("backfilled", "open")
"""Outcomes of runs that nobody has judged yet."""


def profiled_versions(
    guard: Validator, spark: SparkSession, table: str, source: Source, last: int
) -> list[TableProfile]:
    """The profiles of the last commits of a table, oldest first, without those that were judged already."""
    from byhistory.spark import profile
    from byhistory.spark.lake import versioned

    history = versioned(spark, source)
    way, commits = history.runs(last)
    judged = {line.run for line in guard.records.runs(table) if is_judged(line)}
    chosen = [version for version in commits if version.run not in judged]  # a version is what it was: keep its verdict
    settings = guard.profiling(table)

    def sampled(is_last: bool) -> Asked:
        return {**settings, "sample_rows": SAMPLE_ROWS if is_last else 0}

    runs = [  # faults are injected into the latest data only: no other run needs a sample of rows
        profile(history.rows(v, way), run=v.run, **sampled(v is commits[-1])) for v in chosen
    ]
    if runs and chosen[0].before is None and not runs[0].rows:
        runs = runs[1:]  # the table was made without rows
    if not runs:
        found = "no commit that changed rows" if not commits else "only commits that were judged already"
        raise ByHistoryError(f"backfill {table!r} from its versions", found, "write to it, or name another table")
    return runs


def last_version(guard: Validator, spark: SparkSession, table: str, source: Source) -> tuple[str, DataFrame]:
    """The label and the rows of the last commit of a table; an error if it was judged before."""
    from byhistory.spark.lake import versioned

    asked, history = f"check the last commit of {source}", versioned(spark, source)
    version, (way, runs) = history.last(), history.runs(1)
    if version is None:
        raise ByHistoryError(asked, "no commit whose rows are known", "write to it, or name a run with --run")
    if version not in runs:
        found = f"version {version.id} of {version.run}, which is no {way} as nearly all commits of this table are"
        raise ByHistoryError(
            asked, found, "if it is no repair but a run, name it with --run: the whole table is judged"
        )
    line = next((line for line in guard.records.runs(table) if line.run == version.run and is_judged(line)), None)
    if line is not None:
        found = f"version {version.id} of {version.run}, which was judged already: {line.outcome}"
        todo = "check again after the next commit; to judge this one anew, name it with --run"
        raise JudgedBefore(asked, found, todo, version.run)
    rows = history.rows(version, way)
    return version.run, rows.where(source.where) if source.where else rows


def is_judged(line: RunLine) -> bool:
    """Whether a run has been judged; a backfilled one is only remembered."""
    return line.outcome not in _UNJUDGED
