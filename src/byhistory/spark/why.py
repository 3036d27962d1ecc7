"""Rows that an answer is made from: a sample of two runs in one job, a segment and the rest, a few examples."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byhistory.rows.local import flattened
from byhistory.why import Answer, Sample, Segment
from byhistory.why.keys import Key
from byhistory.why.local import hidden, limit_of, paths_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SIDE = "__byhistory_side"
_PARTS = 1 << 30
"""The hash of a key is taken modulo this number, to select a share of the keys."""
_MORE = 1.05
"""A random share is this much larger than needed, by choice: how many rows it gives is not known before."""


def sample_runs(
    now: DataFrame, before: DataFrame | None, rows: tuple[int, int], key: Key = (), seed: int = 0
) -> tuple[Sample, Sample | None]:
    """Random rows of a run and of the one before, in one Spark job; `rows` are their numbers, known from the profiles.

    With a `key`, rows are chosen by its hash: the same keys in both runs, and all rows of a key together.
    """
    limit, by = (
        limit_of(len(now.columns)),
        all(set(key) <= set(df.columns) for df in (now, now if before is None else before)),
    )
    frames = [now] if before is None else [now, before]
    parts = []
    for i, df in enumerate(frames):
        share = _MORE * limit / max(1, max(rows) if key and by else rows[i])  # the same share of both runs' keys
        parts.append(_thinned(df, share, key if by else (), seed + i))
    tables = _in_one_job(parts) if len(parts) == 2 else [_collected(part) for part in parts]
    zone = str(now.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC")
    samples = [_sample(t, n, zone) for t, n in zip(tables, rows, strict=False)]
    return samples[0], samples[1] if before is not None else None


def _thinned(df: DataFrame, share: float, key: Key, seed: int) -> DataFrame:
    from pyspark.sql import functions as F

    if share >= 1:
        return df
    if key:
        hashed = F.xxhash64(*(F.col(_quoted(name)) for name in key))
        return df.where(F.pmod(hashed, F.lit(_PARTS)) < F.lit(int(share * _PARTS)))
    return df.where(F.rand(seed) < share)


def _in_one_job(parts: list[DataFrame]) -> list[Any]:
    """The rows of two DataFrames; each travels as a struct, because columns may differ in type, or only in case."""
    from pyspark.sql import functions as F

    marked = []
    for i, part in enumerate(parts):
        row = F.struct(*(F.col(_quoted(name)) for name in part.columns))
        sides = [row if i == j else F.lit(None).cast(other.schema) for j, other in enumerate(parts)]
        marked.append(part.select(F.lit(i).alias(SIDE), *(s.alias(f"side{j}") for j, s in enumerate(sides))))
    found = _collected(marked[0].unionAll(marked[1]))
    side = found.column(SIDE).to_numpy()
    return [_fields(found.column(f"side{i}").filter(pa.array(side == i)), part) for i, part in enumerate(parts)]


def _fields(rows: Any, part: DataFrame) -> Any:
    """A table from rows that are structs."""
    if not pa.types.is_struct(rows.type):  # where Spark 3.5 has no rows, it tells no types
        return pa.table({name: pa.nulls(0) for name in part.columns})
    fields = pa.schema([rows.type.field(i) for i in range(rows.type.num_fields)])
    batches = [pa.RecordBatch.from_struct_array(chunk) for chunk in rows.chunks]  # of a table, only from pyarrow 15 on
    return pa.Table.from_batches(batches, fields).select(part.columns)


def _collected(df: DataFrame) -> Any:
    """All rows as an Arrow table, in one job."""
    if hasattr(df, "toArrow"):  # Spark 4.0
        return df.toArrow()

    # As rows, times would come in the zone of this process instead of the session's, and structs in another order.
    def as_bytes(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # all that it needs: it is sent to workers without byhistory

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["part"])

    names = df.columns
    numbered = df.toDF(*(f"c{i}" for i in range(len(names))))  # Spark 3.5 looks names up, and none with a backtick
    rows = numbered.mapInArrow(as_bytes, "part binary").collect()
    parts = [pa.ipc.open_stream(row["part"]).read_all() for row in rows]
    return pa.concat_tables(parts).rename_columns(names) if parts else pa.table({n: pa.nulls(0) for n in names})


def _sample(table: Any, rows: int, zone: str) -> Sample:
    names, columns, _ = flattened(table)
    flat = pa.table([_in_zone(c, zone) for c in columns], names=names)
    rows = max(rows, flat.num_rows)
    weights = np.full(flat.num_rows, rows / max(1, flat.num_rows))
    return Sample(flat, weights, rows, paths_of(table.schema))


def _in_zone(column: Any, zone: str) -> Any:
    """Times in the zone of the session, in which Spark's own `hour` reads them."""
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return column.cast(pa.timestamp(column.type.unit, zone))
    return column


def inside(df: DataFrame, segment: Segment) -> DataFrame:
    """The rows of a segment."""
    return df.where(segment.sql())


def outside(df: DataFrame, segment: Segment) -> DataFrame:
    """All other rows, including those for which the condition is unknown."""
    return df.where(f"({segment.sql()}) IS NOT TRUE")


def mended(now: DataFrame, before: DataFrame | None, answer: Answer, key: Key) -> DataFrame | None:
    """A run as it would be without what an answer found; None if that cannot be made."""
    from pyspark.sql import functions as F

    segment, way = answer.segment, answer.way
    if way == "without copies":
        return _without_copies(now, segment, list(key) if answer.view == "key" else None)
    if segment is None or way is None or (way == "with the rows before" and before is None):
        return None
    rest = outside(now, segment)
    if way == "without surplus":
        return rest.unionAll(inside(now, segment).where(F.rand(0) < 1 / segment.rate_now))
    if before is None or way == "without":
        return rest
    return rest.unionByName(inside(before, segment.before()), allowMissingColumns=True)


def _without_copies(now: DataFrame, segment: Segment | None, by: list[str] | None) -> DataFrame | None:
    if by is None and "map<" in now.schema.simpleString():  # Spark compares no maps
        return None
    if segment is None:
        return now.dropDuplicates(by)
    return outside(now, segment).unionAll(inside(now, segment).dropDuplicates(by))


def examples(df: DataFrame, rows: int, masked: Collection[str] = ()) -> list[dict[str, Any]]:
    """A few rows as they are, except for masked columns."""
    found = [row.asDict(recursive=True) for row in df.limit(rows).collect()]
    return [hidden(row, masked) for row in found]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
