"""Rows of a run for an answer: a sample of two runs in one job, a segment and the rest, a few examples."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byhistory.rows.local import flattened
from byhistory.why import Sample, Segment
from byhistory.why.ask import MASK
from byhistory.why.local import CELLS, FEWEST, SAMPLED, paths_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SIDE = "__byhistory_side"
_PARTS = 1 << 30
"""The hash of a key is taken modulo this, so that a share of the keys can be taken by it."""
_MORE = 1.05
"""Rows asked for beyond those wanted: how many a random share gives is not known before."""


def sample_runs(
    now: DataFrame, before: DataFrame | None, rows: tuple[int, int], key: str = "", seed: int = 0
) -> tuple[Sample, Sample | None]:
    """Random rows of a run and of the one before, in one Spark job; how many rows each has is known from its profile.

    With a `key`, rows are taken by the hash of it: the same keys in both runs, and those that came twice together.
    """
    limit = max(FEWEST, min(SAMPLED, CELLS // max(1, len(now.columns))))
    parts = [_thinned(now, rows[0], limit, key, seed)]
    if before is not None:
        parts.append(_thinned(before, rows[1], limit, key, seed + 1))
    if len(parts) == 2 and _can_be_united(now, before):
        tables = _in_one_job(parts)
    else:
        tables = [_collected(part) for part in parts]
    zone = str(now.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC")
    samples = [_sample(t, n, zone) for t, n in zip(tables, rows, strict=False)]
    return samples[0], samples[1] if before is not None else None


def _thinned(df: DataFrame, rows: int, limit: int, key: str, seed: int) -> DataFrame:
    from pyspark.sql import functions as F

    share = _MORE * limit / max(1, rows)
    if share >= 1:
        return df
    if key in df.columns:
        return df.where(F.pmod(F.xxhash64(F.col(_quoted(key))), F.lit(_PARTS)) < F.lit(int(share * _PARTS)))
    return df.where(F.rand(seed) < share)


def _can_be_united(now: DataFrame, before: DataFrame | None) -> bool:
    """Whether the columns that both have are of the same types; names that differ only in case are kept apart."""
    if before is None:
        return False
    types = {f.name: f.dataType for f in before.schema.fields}
    names = {n.lower() for n in (*now.columns, *before.columns)}
    distinct = len(names) == len({*now.columns, *before.columns})
    return distinct and all(types.get(f.name, f.dataType) == f.dataType for f in now.schema.fields)


def _in_one_job(parts: list[DataFrame]) -> list[Any]:
    from pyspark.sql import functions as F

    marked = [part.withColumn(SIDE, F.lit(i)) for i, part in enumerate(parts)]
    both = _collected(marked[0].unionByName(marked[1], allowMissingColumns=True))
    side = both.column(SIDE).to_numpy()
    return [both.filter(pa.array(side == i)).select(part.columns) for i, part in enumerate(parts)]


def _collected(df: DataFrame) -> Any:
    """All rows as an Arrow table, in one job."""
    if hasattr(df, "toArrow"):  # Spark 4.0
        return df.toArrow()
    rows = [row.asDict(recursive=True) for row in df.collect()]
    columns = {name: [row[name] for row in rows] for name in df.columns}
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _sample(table: Any, rows: int, zone: str) -> Sample:
    names, columns, _ = flattened(table)
    flat = pa.table([_in_zone(c, zone) for c in columns], names=names)
    rows = max(rows, flat.num_rows)
    weights = np.full(flat.num_rows, rows / max(1, flat.num_rows))
    return Sample(flat, weights, rows, paths_of(table.schema))


def _in_zone(column: Any, zone: str) -> Any:
    """Times in the session's zone, in which Spark's own `hour` reads them."""
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return column.cast(pa.timestamp(column.type.unit, zone))
    return column


def inside(df: DataFrame, segment: Segment) -> DataFrame:
    """The rows of a segment."""
    return df.where(segment.sql())


def outside(df: DataFrame, segment: Segment) -> DataFrame:
    """All other rows, also those of which it cannot be told."""
    return df.where(f"({segment.sql()}) IS NOT TRUE")


def examples(df: DataFrame, rows: int, masked: Collection[str] = ()) -> list[dict[str, Any]]:
    """A few rows as they are, but for masked columns."""
    found = [row.asDict(recursive=True) for row in df.limit(rows).collect()]
    return [{name: MASK if name in masked else value for name, value in row.items()} for row in found]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
