"""Write, audit, publish with what a table format keeps: branches of an Iceberg table, versions of a Delta one."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Literal

from byhistory.constraints import Level
from byhistory.errors import ByHistoryError
from byhistory.integrations.publish import Published
from byhistory.profile.label import checked_label
from byhistory.validator import Validator
from byhistory.verdict import checked_level

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

    from byhistory.spark.versions import Version, Versioned

Mode = Literal["append", "overwrite"]
MAIN = "main"
_SHOWN = 48
"""Characters of a label that the name of its branch shows."""


def branch_of(run: str) -> str:
    """The name of the branch of a run, which no other run has, with nothing in it that SQL would read as its own.

    A label of small letters, digits and single dashes can be read off its name; of any other, a digest is part of it.

    >>> branch_of("2026-11-15"), branch_of("03/04/2026 10:00")
    ('audit_2026_11_15', 'audit_03_04_2026_10_00__fcaf34d49548a12b35c0c5047c8d0d12')
    """
    words = re.sub(r"[^a-z0-9]+", "_", checked_label(run).lower())[:_SHOWN].strip("_")
    if words.replace("_", "-") == run:
        return f"audit_{words}"
    # Two underscores stand in no other name; 128 bits, so that nobody finds two labels with one digest.
    return f"audit_{words}__{hashlib.blake2b(run.encode(), digest_size=16).hexdigest()}"


def write_audit_publish_branch(
    df: DataFrame, guard: Validator, table: str, run: str, *, target: str, mode: Mode = "append", level: Level = "stop"
) -> Published:
    """Write a run to a branch of the Iceberg table `target`, check it there, and fast-forward main to it.

    A run that is stopped (with `level="warn"`, or warned about) stays on its branch, where it can be looked at, and
    main is as it was. The job may be run again: the branch begins anew at main. Of an append the rows that it added are
    judged, of an overwrite all. Nothing is raised for what is found: look at `is_published`, or call
    `verdict.raise_if_unusual()`.
    """
    _checked_mode(mode)
    checked_level(level)
    spark, branch = df.sparkSession, branch_of(run)
    spark.sql(f"ALTER TABLE {target} CREATE OR REPLACE BRANCH {branch}")
    writer = df.writeTo(f"{target}.branch_{branch}")
    if mode == "append":
        writer.append()
    else:
        from pyspark.sql import functions as F

        writer.overwrite(F.lit(True))
    return publish_branch(spark, guard, table, target=target, branch=branch, run=run, level=level)


def publish_branch(
    spark: SparkSession,
    guard: Validator,
    table: str,
    *,
    target: str,
    branch: str,
    run: str = "",
    level: Level = "stop",
) -> Published:
    """Check the last commit on a branch that somebody has written, and fast-forward main to it or leave it there.

    Without a `run`, the label is the time of the commit, as of the runs of `backfill_versions`. A branch that was
    published is dropped.
    """
    from byhistory.spark.iceberg import snapshots_of

    history = snapshots_of(spark, target, branch)
    version = history.last()
    if version is None:
        raise ByHistoryError(f"publish the branch {branch} of {target}", "nothing written to it", "write to it first")
    verdict = guard.check(history.rows(version, version.mode), table, run or version.run).verdict
    if verdict.reaches(level):
        return Published(verdict, False, f"{target}.branch_{branch}")
    catalog, _, name = target.partition(".")
    _fast_forward(spark, catalog, name, branch)
    spark.sql(f"ALTER TABLE {target} DROP BRANCH {branch}")
    return Published(verdict, True, target)


def _fast_forward(spark: SparkSession, catalog: str, name: str, branch: str) -> None:
    try:
        spark.sql(f"CALL {catalog}.system.fast_forward('{name}', '{MAIN}', '{branch}')").collect()
    except Exception as why:
        if "fast-forward" not in str(why) and "ancestor" not in str(why):
            raise
        raise ByHistoryError(
            f"publish the branch {branch} of {catalog}.{name}",
            f"that {MAIN} was written to since the branch began",
            "run the job again: its branch begins anew",
        ) from why


def write_audit_restore(
    df: DataFrame,
    guard: Validator,
    table: str,
    run: str,
    *,
    target: str,
    mode: Mode = "overwrite",
    level: Level = "stop",
) -> Published:
    """Write a run to the Delta table `target` (a name or a path), check it, and restore the version before if unusual.

    Delta has no branches: readers see the run while it is judged. If somebody else has written meanwhile, nothing is
    restored and an error says so, as their commit would be lost with ours.
    """
    _checked_mode(mode)
    checked_level(level)
    spark, before = df.sparkSession, _versions(df.sparkSession, target).versions[-1]
    _saved(df.write.format("delta").mode(mode), target)
    after = _versions(spark, target)
    ours = _only_after(before, after)
    verdict = guard.check(after.rows(ours, mode), table, run or ours.run).verdict
    if not verdict.reaches(level):
        return Published(verdict, True, target)
    now = _versions(spark, target)
    if now.versions[-1].id != ours.id:
        raise _written_meanwhile(target, now.versions[-1])
    _restore(spark, target, now, before)
    return Published(verdict, False, f"{target}@v{ours.id}")


def _versions(spark: SparkSession, target: str) -> Versioned:
    from byhistory.spark.lake import versioned
    from byhistory.spark.read import Source

    return versioned(spark, Source(path=target, format="delta") if "/" in target else Source(catalog=target))


def _only_after(before: Version, history: Versioned) -> Version:
    """The one commit after another one; a clear error if there are more."""
    later = [version for version in history.versions if version.id > before.id]
    if len(later) != 1:
        raise _written_meanwhile(history.name, later[-1] if later else before)
    return later[0]


def _restore(spark: SparkSession, target: str, history: Versioned, version: Version) -> None:
    """Restore a version by RESTORE, which writes no data; if Spark does not know it, by writing the old rows again."""
    named = f"delta.`{target}`" if "/" in target else target
    try:
        spark.sql(f"RESTORE TABLE {named} TO VERSION AS OF {version.id}").collect()
    except Exception as why:
        if "RESTORE" not in str(why).upper():  # a Spark that does not know it names it; all else is another error
            raise
        old = history.read(version)
        _saved(old.write.format("delta").mode("overwrite").option("overwriteSchema", "true"), target)


def _saved(writer: DataFrameWriter, target: str) -> None:
    if "/" in target:
        writer.save(target)
    else:
        writer.saveAsTable(target)


def _written_meanwhile(target: str, version: Version) -> ByHistoryError:
    found = f"version {version.id} of {version.run}, which is not ours"
    todo = "see what it is, and restore the version you want by hand"
    return ByHistoryError(f"judge and restore what was written to {target}", found, todo)


def _checked_mode(mode: str) -> None:
    if mode not in ("append", "overwrite"):
        raise ByHistoryError("write a run", f"mode {mode!r}", 'say mode="append" or mode="overwrite"')
