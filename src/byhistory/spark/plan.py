"""Which files does a table have, which task reads which of them, and would Spark's reader give the same?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byhistory.files.pattern import RUN
from byhistory.files.piece import OPENING, Piece, cut
from byhistory.files.reader import Declined, Reading
from byhistory.files.types import arrow_type, from_json, leaves
from byhistory.plain import plural
from byhistory.profile.past import run_key
from byhistory.spark.columns import Measured, Selection
from byhistory.spark.profiler import MOST_TASKS, PARTS
from byhistory.spark.read import Source, format_of, label_of, placed, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TASK_BYTES = 64 << 20
"""Bytes that a task reads at most, by choice, so that a task that fails or lags is no great loss."""
LEAST_TASK_BYTES = 2 << 20
"""Bytes that a task reads at least, by choice: its own cost is then a small part of it."""
DEFAULT_PARALLELISM = 16
"""Tasks at once if Spark does not tell (Connect), by choice: enough for most clusters, not too many for two cores."""

LISTING = {"recursivefilelookup", "pathglobfilter", "modifiedbefore", "modifiedafter", "basepath"}
"""Options about which files to read; Spark lists the files for us with the same options."""
READING = {"mergeschema", "datetimerebasemode", "int96rebasemode"}
"""Options of the Parquet reader that we understand."""
AS_IT_IS = {
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}
"""Settings with which our reader gives the same as Spark's; all of them are Spark's defaults."""
_NOT_OF_A_PATH = re.compile(
    r"\b(rand|randn|random|uuid|shuffle|input_file\w*|monotonically\w*|spark_partition_id)\s*\("
)
"""Functions in a condition that do not depend on the values in a path alone."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is read, and by which tasks."""

    measured: Measured
    by_run: bool
    reading: Reading
    tasks: tuple[tuple[Piece, ...], ...]
    files: int
    last: str | None

    @property
    def shared(self) -> frozenset[str | None]:
        """The runs that are in more than one task."""
        tasks = Counter(run for task in self.tasks for run in {piece.run for piece in task})
        return frozenset(run for run, count in tasks.items() if count > 1)

    @property
    def in_words(self) -> str:
        """The line that tells which way was taken."""
        files, tasks = plural(self.files, "file"), plural(len(self.tasks), "task")
        return f"files are read directly: {files} of plain Parquet in {tasks}"


def planned(whole: DataFrame, source: Source, selection: Selection, label: tuple[str, ...], only: str | None) -> Plan:
    """The plan for reading the files of a source; declined if the result would differ from that of Spark's reader.

    `whole` is the source as Spark reads it, `label` the columns that make a run's label, which are not measured, and
    `only` the label of the one run that is meant.
    """
    spark, schema = whole.sparkSession, whole.schema
    named = {name.lower(): value for name, value in source.options.items()}
    check_source(source, named)
    check_settings(spark)
    listing = _Listing.of(spark, source, {f.name: f.dataType for f in schema.fields})
    if label and not set(label) <= set(listing.columns):
        raise Declined(f"the run is not in the path but in the rows ({', '.join(label)})")
    pieces = listing.pieces(source.where, label if only is None else (), (label, only))
    columns = []
    rest = from_json(_without(schema, label).json())
    at = leaves(rest)
    from_path = []
    for number, field in enumerate(selection.measured.fields):
        leaf = at[field.position]
        if (leaf.name, leaf.type) != (field.name, field.type) or arrow_type(leaf.type, "UTC") is None:
            raise Declined(f"{field.name!r} is {field.type}, which only Spark reads")
        if len(leaf.path) == 1 and leaf.path[0] in listing.columns:
            from_path.append((number, listing.columns.index(leaf.path[0])))
        columns.append((leaf.path, leaf.type))
    reading = reading_of(spark, named, tuple(columns), tuple(from_path))
    labels = [piece.run for piece in pieces if piece.run is not None]
    tasks = cut(pieces, tasks_for(spark, pieces, len(columns)))
    last = max(labels, key=run_key) if labels else None
    return Plan(selection.measured, selection.by_run, reading, tuple(map(tuple, tasks)), len(pieces), last)


def reading_of(
    spark: SparkSession,
    options: Mapping[str, str],
    columns: tuple[tuple[tuple[str, ...], str], ...],
    from_path: tuple[tuple[int, int], ...],
) -> Reading:
    """How columns are read under the settings of a session, and the options of a reader by their names in small."""
    return Reading(
        columns=columns,
        from_path=from_path,
        zone=setting(spark, "spark.sql.session.timeZone", "UTC"),
        case_sensitive=setting(spark, "spark.sql.caseSensitive", "false") == "true",
        nanos="long" if setting(spark, "spark.sql.legacy.parquet.nanosAsLong", "false") == "true" else "",
        rebase=_rebase(spark, options, "datetimeRebaseMode"),
        rebase_int96=_rebase(spark, options, "int96RebaseMode"),
    )


def check_source(source: Source, options: Mapping[str, str]) -> None:
    """Only plain Parquet files, and only options that we understand."""
    if source.query or source.catalog or not source.path:
        raise Declined("the source is no path")
    if (source.format or format_of(source.path)) != "parquet":
        raise Declined(f"the files are {source.format or format_of(source.path)}, not Parquet")
    if source.schema:
        raise Declined("a schema was given")
    unknown = sorted(set(options) - LISTING - READING)
    if unknown:
        raise Declined(f"of the option {unknown[0]}")
    if RUN in source.where:
        raise Declined("the condition takes the label of the run as a parameter")
    if _NOT_OF_A_PATH.search(source.where.lower()):
        raise Declined("the condition is not about values in the path")


def check_settings(spark: SparkSession) -> None:
    """Only settings under which our reader gives what Spark's gives."""
    for name, usual in AS_IT_IS.items():
        if setting(spark, name, usual) != usual:
            raise Declined(f"of the setting {name}")


def setting(spark: SparkSession, name: str, unknown: str) -> str:
    """How Spark is set, by the user or by itself; `unknown` if this Spark has no such setting."""
    try:
        value = spark.conf.get(name)
    except Exception:  # each Spark has its own way to say that it does not know a name
        return unknown
    return unknown if value is None else value


def _rebase(spark: SparkSession, options: Mapping[str, str], name: str) -> str:
    """What is done with times of files that do not tell their calendar; Spark 3 and 4 differ in what is usual."""
    return (options.get(name.lower()) or setting(spark, f"spark.sql.parquet.{name}InRead", "EXCEPTION")).upper()


def _without(schema: Any, names: Collection[str]) -> Any:
    from pyspark.sql.types import StructType

    return StructType([f for f in schema.fields if f.name not in names])


def tasks_for(spark: SparkSession, pieces: Sequence[Piece], columns: int) -> int:
    """How many tasks: every core has two, none has much more than it should, and the driver can add up the parts."""
    total = sum(piece.bytes + OPENING for piece in pieces)
    try:
        cores = spark.sparkContext.defaultParallelism
    except Exception:  # Spark Connect has no context
        cores = DEFAULT_PARALLELISM
    share = min(TASK_BYTES, max(LEAST_TASK_BYTES, total // (2 * cores)))
    return min(MOST_TASKS, max(8, PARTS // max(1, columns)), max(1, round(total / share)))


# -------------------------------------------------------------------------------------------- what files there are

_FILE, _BYTES = "__byhistory_file", "__byhistory_bytes"
_OWN = ("path", "modificationTime", "length", "content")
"""The columns of Spark's listing of files."""
_OWN_KEY = re.compile(rf"/({'|'.join(_OWN)})=", re.IGNORECASE)
"""One of them is in the path of a file."""
_ADDRESS = re.compile(r"\w[\w+.-]*:/")
"""How the path of a file begins, unless it is the value of a column of that name, or the server is none of Apache's."""


@dataclass(frozen=True)
class _Listing:
    """The files of a source as Spark lists them, with the columns that are in their paths."""

    df: DataFrame
    columns: tuple[str, ...]
    types: tuple[Any, ...]

    @staticmethod
    def of(spark: SparkSession, source: Source, types: Mapping[str, Any]) -> _Listing:
        """Spark's reader of binary files lists the same files, with the same values in the path, and reads none."""
        from pyspark.sql import functions as F

        reader = spark.read.format("binaryFile")
        for name, value in source.options.items():
            if name.lower() in LISTING:
                reader = reader.option(name, value)
        df = reader.load(placed(spark, source.path))
        in_path = [f for f in df.schema.fields if f.name not in _OWN]
        for field in in_path:
            if types.get(field.name) != field.dataType or arrow_type(field.dataType.simpleString(), "UTC") is None:
                raise Declined(f"{field.name!r}, which is in the path, is read by Spark only")
        names = tuple(f.name for f in in_path)
        own = [F.col("path").alias(_FILE), F.col("length").alias(_BYTES)]
        return _Listing(df.select(*own, *map(quoted, names)), names, tuple(f.dataType for f in in_path))

    def pieces(self, where: str, label: tuple[str, ...], only: tuple[tuple[str, ...], str | None]) -> list[Piece]:
        """The files whose paths fulfil a condition, with their values and the label of their run. One small job."""
        from pyspark.errors import AnalysisException
        from pyspark.sql import functions as F
        from pyspark.sql.types import DateType, TimestampType

        df = self.df
        if where:
            try:
                df = df.where(where)
                df.schema  # noqa: B018 - Connect looks at the condition only now
            except AnalysisException:
                raise Declined("the condition is about rows, not about values in the path") from None
        if only[1] is not None:
            df = df.where(label_of(df, only[0]) == only[1])
        run = label_of(df, label) if label else F.lit("")
        # As numbers, because Spark has days and times that Python does not have.
        numbers = {DateType: lambda of: F.datediff(of, F.lit("1970-01-01")), TimestampType: F.unix_micros}
        values = [
            numbers.get(type(type_), F.col)(quoted(name)) for name, type_ in zip(self.columns, self.types, strict=True)
        ]
        rows = df.select(_FILE, _BYTES, run, *values).collect()
        if any(_OWN_KEY.search(str(path)) for path, *_ in rows):
            raise Declined("a column in the path has the name of a property of files")
        if not all(_ADDRESS.match(str(path)) for path, *_ in rows):
            raise Declined("what it lists as files has no addresses")
        return [Piece(path, size, label_, tuple(rest)) for path, size, label_, *rest in rows]
