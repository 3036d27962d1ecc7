"""Can this process plan the reading of a table's files itself, without asking Spark?

Spark finds out with jobs: one lists files, one reads a footer to know the columns. On a session that has just begun
they take longer than reading a small run. Where the driver sees the files as the workers do, because they lie on this
machine or because the user says how their storage is reached, and it is known that Spark would say the same of them,
they are looked at here; wherever that is not known, Spark is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from byhistory.errors import ByHistoryError
from byhistory.files.listing import SUMMARIES
from byhistory.files.piece import Piece, cut
from byhistory.files.schemas import Footer, footers_of
from byhistory.files.storage import Storage, plain_path, scheme_of
from byhistory.files.table import Columns, Table
from byhistory.profile.past import run_key
from byhistory.rows.how import How
from byhistory.spark.columns import Measured
from byhistory.spark.plan import Plan, check_settings, check_source, reading_of, setting, tasks_for
from byhistory.spark.read import placed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.spark.read import Source

MOST_FILES = 1000
"""Files whose footers are read here, in a millisecond or two each; of more, Spark's tasks read them side by side."""
UNDERSTOOD = {"datetimerebasemode", "int96rebasemode"}
"""Options under which a table has the same files and columns as without any."""
AS_THEY_ARE = {
    "spark.sql.caseSensitive": "false",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "true",
}
"""Settings under which files have the columns that we see, all of them Spark's defaults."""
_PATTERN = re.compile(r"[*?\[\]{}\\]")
"""Characters that make a path a pattern to Spark."""


@dataclass(frozen=True, slots=True)
class Here:
    """A table whose files both this process and the workers of Spark can open."""

    source: Source
    table: Table
    first: Footer
    """Of the file whose columns Spark takes for those of the table."""

    @property
    def names(self) -> list[str]:
        """The columns at the top, those in the paths last."""
        in_files = [name for name, _, _ in self.first.schema.fields]
        return [*in_files, *(name for name in self.table.in_path if name not in in_files)]

    def leaving_out(self, columns: Sequence[str]) -> Here:
        """The same table, measured without some columns."""
        return replace(self, table=replace(self.table, without=tuple(columns)))

    def last_label(self, by: tuple[str, ...], *, latest: bool) -> str | None:
        """The label of the only run, or of the latest; None if that is not known without looking at the rows."""
        if not set(by) <= set(self.table.in_path):
            return None
        table = self.table.with_runs_by(by)
        runs = [(label, piece) for piece in table.listing.files if (label := table.label(piece)) is not None]
        labels = sorted({label for label, _ in runs}, key=run_key)
        if not labels or (len(labels) > 1 and not latest):
            return None
        footers = _footers(table, [piece for label, piece in runs if label == labels[-1]])
        return labels[-1] if any(footer.rows for footer in footers or ()) else None


def found_here(spark: SparkSession, source: Source, storage: Storage) -> Here | None:
    """The table at the path of a source; None if Spark has to say what it is."""
    named = {name.lower(): value for name, value in source.options.items()}
    try:
        check_source(source, named)
        if source.where or set(named) - UNDERSTOOD or not _is_reached(spark, source.path, storage):
            return None
        table = Table.of(placed(spark, source.path), (), storage, None)
    except Exception:  # a storage raises whatever its library has; Spark may know more of it
        return None
    if PurePosixPath(table.listing.first).name in SUMMARIES or "timestamp" in dict(table.listing.columns).values():
        return None  # a time in a path is one of the session's zone
    first = _footers(table, [table.listing.files[0]])
    return None if first is None else Here(source, table, first[0])


def planned_here(spark: SparkSession, here: Here, by: tuple[str, ...], only: str | None, how: How) -> Plan | None:
    """The work of reading the files of all runs, or of the one labelled `only`; None if Spark is to be asked.

    As `byhistory.spark.plan.planned`, which may also decline.
    """
    if not set(by) <= set(here.table.in_path):
        return None
    table = here.table.with_runs_by(by)
    pieces = [replace(piece, run=table.label(piece) if by else "") for piece in table.listing.files]
    if only is not None:
        pieces = [replace(piece, run="") for piece in pieces if piece.run == only]
    footers = _footers(table, pieces) if len(pieces) <= MOST_FILES else None
    if footers is None:
        return None
    own = footers[0] if footers and only is not None else here.first  # one run has the columns of its own files
    if any(footer.schema != own.schema for footer in footers):
        return None
    columns = _columns(table, own, how)
    if columns is None:
        return None
    named = {name.lower(): value for name, value in here.source.options.items()}
    check_settings(spark)
    reading = reading_of(spark, named, columns.reading.columns, columns.reading.from_path)
    groups = sum(footer.groups for footer in footers)
    tasks = cut(pieces, max(1, min(tasks_for(spark, pieces, len(columns.fields)), groups)))
    labels = [piece.run for piece in pieces if piece.run is not None]
    return Plan(
        measured=Measured(columns.fields),
        by_run=bool(by) and only is None,
        reading=reading,
        tasks=tuple(map(tuple, tasks)),
        files=len(pieces),
        last=max(labels, key=run_key) if labels else None,
    )


def _columns(table: Table, footer: Footer, how: How) -> Columns | None:
    """What is measured; None where names are alike, or Spark has something of its own to say of a column."""
    names = [name.lower() for name, _, _ in footer.schema.fields]
    if len(set(names)) < len(names):
        return None
    try:
        columns = table.columns(footer.schema, how)
    except ByHistoryError:
        return None
    return None if columns.unread else columns


def _footers(table: Table, pieces: list[Piece]) -> list[Footer] | None:
    """Of some files of a table; None if one of them has none that can be read."""
    if not all(piece.bytes for piece in pieces):
        return None
    try:
        return footers_of([piece.path for piece in pieces], table.storage, "")
    except ByHistoryError:
        return None


def _is_reached(spark: SparkSession, path: str, storage: Storage) -> bool:
    """Whether a path means the same to this process as to Spark and its workers, and is no pattern."""
    if _PATTERN.search(path) or not _is_as_usual(spark, AS_THEY_ARE):
        return False
    if scheme_of(path) != "file":
        return bool(storage)
    return Path(plain_path(path)).is_dir() and _is_here(spark)


def _is_here(spark: SparkSession) -> bool:
    """Whether Spark and its workers are on this machine, and take plain paths for those of its files."""
    try:
        context = spark.sparkContext
        is_local = (context.master or "").startswith("local")
        files: Any = context._jsc.hadoopConfiguration().get("fs.defaultFS")
    except Exception:  # Spark Connect has no context, and a guarded cluster does not give it out
        return False
    return is_local and str(files).startswith("file:")


def _is_as_usual(spark: SparkSession, settings: Mapping[str, str]) -> bool:
    return all(setting(spark, name, usual) == usual for name, usual in settings.items())
