"""Write, audit, publish: readers of a table only ever see runs that were judged as usual."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from byhistory.constraints import Level
from byhistory.errors import ByHistoryError
from byhistory.files.folders import NO_VALUE
from byhistory.profile.label import checked_label
from byhistory.validator import Validator
from byhistory.verdict import Verdict, checked_level

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LONGEST = 200
"""Bytes of a folder's name: file systems take 255, with the name of the column before it."""
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Published:
    """What became of a run: the verdict, whether it was published, and the path where its rows are now."""

    verdict: Verdict
    is_published: bool
    path: str


def folder_of(run: str) -> str:
    """The name of the folder of a run: one folder in staging whatever the label is, and never a way out of it.

    >>> folder_of("2026-11-15"), folder_of("03/04/2026 10:00"), folder_of("価格")
    ('2026-11-15', '03%2F04%2F2026%2010%3A00', '価格')
    """
    if run == NO_VALUE:
        found = "what Spark calls the folder of rows without a value, so that readers see none"
        raise ByHistoryError(f"make a folder for the run {run!r}", found, "give it another label")
    # Only ASCII: Spark reads each %XX of a folder as a character of its own.
    name = "".join(quote(c, safe="") if c.isascii() else c for c in checked_label(run))
    if (size := len(name.encode())) > LONGEST:
        found = f"{size:,} bytes in the name of its folder, where file systems take {LONGEST}"
        raise ByHistoryError(f"make a folder for the run {run[:40]!r}", found, "give it a shorter label")
    return name


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
    by: str = "run",
    level: Level = "stop",
) -> Published:
    """Write a run to `staging`, check what was written, and publish it, or put it into quarantine.

    Every place gets one folder per run, overwritten if it is there, so that a job can be run again: the run is there
    once. A published run is `target/by=run`, which readers of `target` see as a partition; then its folders in staging
    and quarantine are emptied. `format` is that of all three places, any file format of Spark's. `target` may be a
    function that publishes the checked rows in the user's own way (a `MERGE`, a table format); staging stays then.
    Without a `quarantine` a run that is not published stays in staging. `level="warn"` publishes no run that is warned
    about, either. Nothing is raised: look at `is_published`, or call `verdict.raise_if_unusual()`.
    """
    checked_level(level)
    _must_differ(staging, *(place for place in (target, quarantine) if isinstance(place, str)))
    if not by or "/" in by:
        todo = 'leave it out, or say by="ds"'
        raise ByHistoryError(f"publish a run of {table!r} by {by!r}", "no name of a column", todo)
    spark = df.sparkSession
    folder = f"{by}={folder_of(run)}"
    staged_path = f"{staging.rstrip('/')}/{folder}"
    rows = df.drop(by)  # the folder says it; a column of that name would be there twice
    rows.write.mode("overwrite").format(format).save(staged_path)
    # The schema is given, because what was written is what was built: an empty run, too, has its columns.
    staged = spark.read.format(format).schema(rows.schema).load(staged_path)
    verdict = guard.check(staged, table, run).verdict
    quarantined = None if quarantine is None else f"{quarantine.rstrip('/')}/{folder}"
    if not verdict.reaches(level):
        if callable(target):
            target(staged)
            return Published(verdict, True, staged_path)
        path = f"{target.rstrip('/')}/{folder}"
        staged.write.mode("overwrite").format(format).save(path)
        for used in filter(None, (staged_path, quarantined)):
            _empty(rows, used, format)
        return Published(verdict, True, path)
    if quarantined is None:
        return Published(verdict, False, staged_path)
    staged.write.mode("overwrite").format(format).save(quarantined)
    _empty(rows, staged_path, format)
    return Published(verdict, False, quarantined)


def _must_differ(*places: str) -> None:
    """Refuse two places that are one: readers would see what was not judged, and what is published would be emptied."""
    plain = [place.removeprefix("file://").removeprefix("file:") for place in places]
    same = {str(Path(p).resolve()) if not _SCHEME.match(p) else p.rstrip("/") for p in plain}
    if len(same) < len(places):
        todo = "give each of staging, target and quarantine a place of its own"
        raise ByHistoryError("write, audit and publish a run", f"two places that are one, of {', '.join(places)}", todo)


def _empty(rows: DataFrame, path: str, format_: str) -> None:
    """Remove a folder; one that is not on this disk stays, without rows, as Spark cannot remove folders everywhere."""
    local = Path(path.removeprefix("file://").removeprefix("file:"))
    if local.is_dir():
        shutil.rmtree(local)
    elif _SCHEME.match(path) and not path.startswith("file:"):
        nothing = rows.sparkSession.createDataFrame([], rows.schema)
        nothing.write.mode("overwrite").format(format_).save(path)
