"""Write, audit, publish: readers of a table only ever see runs that were judged as usual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from byhistory.validator import Validator
from byhistory.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Published:
    """What became of a run: the verdict, and where its rows are now."""

    verdict: Verdict
    is_published: bool
    path: str


def write_audit_publish(
    df: DataFrame,
    guard: Validator,
    table: str,
    run: str,
    *,
    staging: str,
    target: str | Callable[[DataFrame], None],
    quarantine: str | None = None,
    format: str = "parquet",  # noqa: A002 - Spark's own word for it
    mode: str = "append",
) -> Published:
    """Write a run to `staging`, check what was written, and publish it, or put it into quarantine.

    Staging and quarantine get a folder a run, overwritten if it is there, so that a job can be run again. `target` is
    a path, written in `mode`, or a function that publishes the checked rows in the user's own way. Without a
    `quarantine` an unusual run stays in staging. Nothing is raised: look at `is_published`, or call
    `verdict.raise_if_unusual()`.
    """
    spark = df.sparkSession
    staged_path = f"{staging.rstrip('/')}/{run}"
    df.write.mode("overwrite").format(format).save(staged_path)
    # The schema is given, because what was written is what was built: an empty run, too, has its columns.
    staged = spark.read.format(format).schema(df.schema).load(staged_path)
    verdict = guard.check(staged, table, run)
    if verdict.ok or verdict.is_shadow:
        if callable(target):
            target(staged)
            return Published(verdict, True, staged_path)
        staged.write.mode(mode).format(format).save(target)
        return Published(verdict, True, target)
    if quarantine is None:
        return Published(verdict, False, staged_path)
    path = f"{quarantine.rstrip('/')}/{run}"
    staged.write.mode("overwrite").format(format).save(path)
    return Published(verdict, False, path)
