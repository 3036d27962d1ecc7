"""The rows of a segment: a few to look at, or all of them written to a folder of their own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from byhistory.files.storage import Storage
from byhistory.why import Segment


def example_rows(rows: Any, segment: Segment, count: int, masked: Collection[str] = ()) -> list[dict[str, Any]]:
    """A few rows of a segment, from a DataFrame or an Arrow table, as they are except for masked columns."""
    if hasattr(rows, "sparkSession"):
        from byhistory.spark import why as spark

        return spark.examples(spark.inside(rows, segment), count, masked)
    from byhistory.why.local import examples

    return examples(rows.filter(segment.inside(rows)), count, masked)


def put_apart(rows: Any, segment: Segment, path: str, storage: Storage) -> tuple[str, str]:
    """Write the rows of a segment and all others as Parquet, each into a new folder; gives the two folders."""
    inside, outside = f"{path.rstrip('/')}/quarantined", f"{path.rstrip('/')}/passed"
    if hasattr(rows, "sparkSession"):
        from byhistory.spark import why as spark

        spark.inside(rows, segment).write.parquet(inside)
        spark.outside(rows, segment).write.parquet(outside)
    else:
        from byhistory.files.rows import write_rows

        write_rows(rows.filter(segment.inside(rows)), inside, storage)
        write_rows(rows.filter(segment.outside(rows)), outside, storage)
    return inside, outside
