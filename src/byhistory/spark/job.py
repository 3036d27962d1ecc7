"""One Spark job whose tasks are given nothing but their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from byhistory.spark.ship import send_by_value
from byhistory.spark.worker import FilesTask

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

RESULT = "run string, column int, part binary, alone binary"
"""What comes back of a task, row by row."""


def results_of(spark: SparkSession, task: FilesTask, count: int) -> Iterable[Any]:
    """Run this many tasks, and give what they send back.

    As an RDD where there is one: of a job that has no rows to begin with, Spark then needs nothing of its SQL, which on
    a session that has just begun takes longer to load than a small run to read.
    """
    send_by_value()
    rdd = _numbers(spark, task, count)
    if rdd is not None:
        found: list[Any] = rdd.collect()
        return found
    # A partition for each task, without a shuffle, so that it is one job and one stage.
    return rows_of(spark.range(0, count, 1, count).mapInArrow(task, RESULT))


def _numbers(spark: SparkSession, task: FilesTask, count: int) -> RDD[Any] | None:
    """The tasks as an RDD; None where Spark has none (Connect), or where a guarded cluster does not give it out."""
    try:
        rdd = spark.sparkContext.parallelize(range(count), count).mapPartitions(task.rows)
        rdd.getNumPartitions()  # now Java has heard of it
    except Exception:
        return None
    return rdd


def rows_of(df: DataFrame) -> Iterator[tuple[Any, ...]]:
    """The rows; as Arrow where this Spark can (4.0), which takes megabytes of bytes to the driver in half the time."""
    if not hasattr(df, "toArrow"):
        yield from df.collect()
        return
    batches = df.toArrow().to_batches()[::-1]
    while batches:
        yield from zip(*(column.to_pylist() for column in batches.pop().columns), strict=True)
