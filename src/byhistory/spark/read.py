"""Where do the rows of a table come from?"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from byhistory.errors import BadInput, ByHistoryError
from byhistory.files.choice import single
from byhistory.files.folders import NO_VALUE
from byhistory.files.pattern import RUN
from byhistory.files.pattern import labels_of as labels_of_paths
from byhistory.profile.past import run_key
from byhistory.rows.local import listed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

FORMATS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".orc": "orc",
    ".avro": "avro",
    ".txt": "text",
}
_PACKED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")
_LOOKED_AT = 2_000  # Files and folders below a path that are looked at to tell its format.

CSV_DEFAULTS = {"header": "true", "inferSchema": "true"}
"""How a CSV file is read unless an option says otherwise: by default, Spark expects no header and infers no types."""


_PLAIN_LABEL = re.compile(r"[\w.+-]+")
"""Labels that Spark writes into the name of a folder as they are."""
_PATTERN = re.compile(r"[*?\[\]{}\\]")
"""Characters that make a path a pattern."""
_MARKER = ":byhistory_run"
_ROWS = "byhistory_rows"
_ASKING = threading.Lock()
"""A lock, because tables are read side by side in one session, and a name in a query means one thing at a time."""
_LITERAL = re.compile(
    r"""--[^\n]*|/\*.*?\*/|\b[rR](?:'[^']*'|"[^"]*")|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`""", re.DOTALL
)
"""A text or a name in quotes, or a comment, as Spark reads them: in a raw text (`r'\\d'`) a backslash is no escape."""


@dataclass(frozen=True, slots=True)
class Source:
    """A path (or glob), a table of the catalog, or a query; a query may name the rows of `path` by `name`."""

    path: str = ""
    catalog: str = ""
    query: str = ""
    name: str = ""
    format: str = ""
    """The format as Spark names it; if empty, by the names of the files, and Parquet if these do not tell."""
    options: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""
    """Names and types as in SQL, for formats that carry none."""
    where: str = ""
    run: str = ""
    """The label for `{run}` in the query and the condition, which is passed as a parameter of the SQL."""

    def __str__(self) -> str:
        """The source in words, for a message.

        >>> str(Source(path="lake/orders")), str(Source(catalog="shop.orders"))
        ('lake/orders', 'the catalog table shop.orders')
        """
        if self.query:
            return f"the query {self.query!r}"
        return self.path or f"the catalog table {self.catalog}"


def read(spark: SparkSession, source: Source) -> DataFrame:
    """The rows of a source as a DataFrame; no job runs, except to infer types of CSV and JSON without a schema."""
    if not (source.path or source.catalog or source.query):
        raise ByHistoryError(
            f"read the rows of {source.name or 'a table'}",
            "no path, catalog table or query",
            "give a path after the table's name, --catalog or --query, or write one into byhistory.toml",
        )
    if source.query:
        if source.path and source.name:
            with _named(spark, _from_path(spark, source), source.name):
                df = _asked(spark, source.query, source.run)
        else:
            with _ASKING:  # not while a name in it stands for the rows of another table
                df = _asked(spark, source.query, source.run)
    else:
        df = spark.table(source.catalog) if source.catalog else _from_path(spark, source)
    if not source.where:
        return df
    if RUN not in source.where:
        return df.where(source.where)
    # A name of its own, which Spark Connect looks up again whenever the rows are asked for.
    view = f"{_ROWS}_{secrets.token_hex(8)}"
    with _named(spark, df, view):
        return _asked(spark, f"SELECT * FROM {view} WHERE {source.where}", source.run)  # noqa: S608 - the user's own SQL


MERGE = "mergeSchema"


def read_merged(spark: SparkSession, source: Source) -> tuple[DataFrame, tuple[str, ...]]:
    """The rows with the columns of all Parquet files, not only of the first, and a notice if their types conflict."""
    is_parquet = (source.format or format_of(source.path)) == "parquet" if source.path else False
    is_given = source.schema or source.query or MERGE.lower() in {name.lower() for name in source.options}
    if not is_parquet or is_given:
        return read(spark, source), ()
    try:
        df = read(spark, replace(source, options={**source.options, MERGE: "true"}))
        df.schema  # noqa: B018 - Connect looks at the files only now
    except Exception as why:  # each version of Spark reports types that cannot be merged in its own way
        found = " ".join(str(why).split())[:160]
        notice = f"the columns of its files cannot be merged, so that those of the first are learned ({found}…)"
        return read(spark, source), (notice,)
    return df, ()


def read_folder_of_run(spark: SparkSession, source: Source, by: tuple[str, ...], run: str) -> DataFrame | None:
    """The rows in the folder of one run, with the columns of its own files; None where there is no such folder.

    Of a folder of Parquet, Spark takes the columns of the first file for those of all: a column that came later would
    never be seen, and one that is gone would be all null.
    """
    is_parquet = bool(source.path) and (source.format or format_of(source.path)) == "parquet"
    is_more = source.query or source.schema or source.where or source.options or _PATTERN.search(source.path)
    if len(by) != 1 or not is_parquet or is_more or not _PLAIN_LABEL.fullmatch(run):
        return None
    whole = placed(spark, source.path.rstrip("/"))
    try:
        df = spark.read.format("parquet").option("basePath", whole).load(f"{whole}/{by[0]}={run}")
        is_there = by[0] in df.columns
    except Exception:  # each version of Spark says in its own way that there is no such folder
        return None
    return df if is_there else None


def labels_read(spark: SparkSession, pattern: str) -> list[str]:
    """The labels of all runs whose paths match a pattern with `{run}`, listed by Spark, wherever the files are."""
    listed_by_spark = spark.read.format("binaryFile").load(placed(spark, pattern.replace(RUN, "*")))
    return labels_of_paths(pattern, [path for (path,) in listed_by_spark.select("path").collect()])


def _asked(spark: SparkSession, sql: str, run: str) -> DataFrame:
    return spark.sql(with_marker(sql), args={_MARKER[1:]: run}) if RUN in sql else spark.sql(sql)


@contextmanager
def _named(spark: SparkSession, rows: DataFrame, view: str) -> Iterator[None]:
    """Let SQL find rows under a name; then the name means what it meant before to the user, and to other tables.

    Spark Connect looks names up only when rows are asked for, so there the name stays.
    """
    with _ASKING:
        is_asked_later = _is_asked_later(spark)
        before = None if is_asked_later else _temporary(spark, view)
        rows.createOrReplaceTempView(view)
        try:
            yield
        finally:
            if not is_asked_later:
                spark.catalog.dropTempView(view)
            if before is not None:
                before.createOrReplaceTempView(view)


def _temporary(spark: SparkSession, view: str) -> DataFrame | None:
    """The temporary view of a name, taken away; None if there is none."""
    try:
        found = spark.table(quoted(view))
    except Exception:  # each version of Spark says in its own way that there is no such table
        return None
    return found if spark.catalog.dropTempView(view) else None


def _is_asked_later(spark: SparkSession) -> bool:
    """Whether the names in a query are looked up only when its rows are asked for, as Spark Connect does."""
    try:
        return spark.sparkContext is None
    except Exception:  # Spark Connect has no context
        return True


def with_marker(sql: str) -> str:
    """The SQL with a parameter in place of every `{run}`, so that no label is ever read as SQL.

    >>> with_marker("ds = '{run}' and name like 'x{run}%'")
    "ds = :byhistory_run and name like concat('x', :byhistory_run, '%')"
    """
    return _LITERAL.sub(lambda m: _concatenated(m[0]), sql).replace(RUN, _MARKER)


def _concatenated(literal: str) -> str:
    """A text in quotes as an expression that joins its parts and the label; a comment without it."""
    if RUN not in literal:
        return literal
    if literal.startswith(("--", "/*")):
        return literal.replace(RUN, "")  # Spark would look for a parameter in it, and find none to give
    start = 2 if literal[0] in "rR" else 1
    mark, end = literal[:start], literal[-1]
    if mark == "`":
        todo = "write the name out, or give a path with {run} in it"
        raise ByHistoryError("read the rows of a run", f"{RUN} in a name ({literal})", todo)
    parts = [f"{mark}{part}{end}" if part else "" for part in literal[start:-1].split(RUN)]
    pieces = [piece for i, part in enumerate(parts) for piece in ((_MARKER, part) if i else (part,)) if piece]
    return f"concat({', '.join(pieces)})" if len(pieces) > 1 else pieces[0]


def _from_path(spark: SparkSession, source: Source) -> DataFrame:
    format_ = source.format or format_of(source.path)
    reader = spark.read.format(format_)
    for name, value in with_defaults(format_, source).items():
        reader = reader.option(name, value)
    if source.schema:
        reader = reader.schema(source.schema)
    return reader.load(placed(spark, source.path))


def placed(spark: SparkSession, path: str) -> str:
    """A relative path made absolute: a JVM on this machine may have been started in another directory."""
    if ":" in path or Path(path).is_absolute():
        return path
    try:
        is_here = (spark.sparkContext.master or "").startswith("local")
    except Exception:  # Spark Connect: the path is the server's, which does not tell where it runs
        is_here = False
    return str(Path.cwd() / path) if is_here else path


def with_defaults(format_: str, source: Source) -> dict[str, str]:
    """The options for a format: the user's, and for CSV those that fit nearly every file.

    >>> with_defaults("csv", Source(options={"HEADER": "false"}))
    {'inferSchema': 'true', 'HEADER': 'false'}
    """
    given = dict(source.options)
    if format_ != "csv":
        return given
    named = {name.lower() for name in given}  # Spark does not look at case
    defaults = {k: v for k, v in CSV_DEFAULTS.items() if k.lower() not in named}
    if source.schema:
        defaults.pop("inferSchema", None)
    if source.path.lower().endswith(".tsv") and not named & {"sep", "delimiter"}:
        defaults["sep"] = "\t"
    return defaults | given


def format_of(path: str) -> str:
    """The format that the names of the files tell; Parquet if they tell none.

    Only files of this machine are looked for: elsewhere the path itself must tell.

    >>> format_of("in/orders.csv.gz"), format_of("s3://lake/orders")
    ('csv', 'parquet')
    """
    plain = path.removeprefix("file://").removeprefix("file:")
    by_name = _by_suffix(plain)
    if by_name or "://" in plain:
        return by_name or "parquet"
    folder = Path(plain)
    if not folder.is_dir():
        return "parquet"
    if (folder / "_delta_log").is_dir():
        return "delta"
    if any(islice((folder / "metadata").glob("*.metadata.json"), 1)):
        return "iceberg"
    below = islice(folder.rglob("*"), _LOOKED_AT)
    # Spark itself does not read files whose names begin like this.
    files = (f.name for f in below if not f.name.startswith(("_", ".")))
    return next((kind for name in files if (kind := _by_suffix(name))), "parquet")


def _by_suffix(name: str) -> str:
    lower = name.lower().rstrip("/")
    for packed in _PACKED:
        lower = lower.removesuffix(packed)
    return next((kind for suffix, kind in FORMATS.items() if lower.endswith(suffix)), "")


# --------------------------------------------------------------------------------------------------- runs in the rows


def with_label(df: DataFrame, columns: Iterable[str], name: str) -> DataFrame:
    """The rows with one more column, the label of their run; the columns it is made of are dropped.

    The values of several columns (year, month, day) are joined by "-", each with at least two characters, so that
    labels from a path (`month=05`) and from numbers (5) agree.
    """
    wanted = tuple(columns)
    label = label_of(df, wanted)
    return df.withColumn(name, label).drop(*(c for c in wanted if c != name))


def label_of(df: DataFrame, columns: tuple[str, ...]) -> Column:
    """The label of the run of each row."""
    from pyspark.sql import functions as F

    for column in columns:
        if column not in df.columns:
            raise BadInput(
                f"take the runs from the column {column!r}", f"the columns {listed(df.columns)}", "name one of them"
            )
    texts = [F.col(quoted(c)).cast("string") for c in columns]
    texts = [F.when(t != NO_VALUE, t) for t in texts]  # Spark reads that folder as null, other servers as a text
    if len(texts) == 1:
        return texts[0]
    return F.concat_ws("-", *(F.when(F.length(t) < 2, F.lpad(t, 2, "0")).otherwise(t) for t in texts))


def labels_in(df: DataFrame, columns: tuple[str, ...]) -> list[str]:
    """The labels of all runs among the rows, in run order. One job, over these columns only."""
    found = df.select(label_of(df, columns).alias("run")).distinct().collect()
    return sorted((row["run"] for row in found if row["run"] is not None), key=run_key)


def only_run(df: DataFrame, columns: tuple[str, ...], run: str) -> DataFrame:
    """The rows of one run, without the columns that tell runs apart."""
    return df.where(label_of(df, columns) == run).drop(*columns)


def single_label(df: DataFrame, columns: tuple[str, ...], source: Source, *, latest: bool = False) -> str:
    """The label of the only run among the rows, or of the latest; an error if there is none, or if there are
    several.
    """
    asked = f"take the run from the column {','.join(columns)!r} of {source}"
    return single(labels_in(df, columns), asked, "no row with a value in it", latest=latest)


def quoted(column: str) -> str:
    """A column's name quoted for Spark, whatever is in it."""
    return "`" + column.replace("`", "``") + "`"
