"""Work that is not about rows, spread over Spark's workers: bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import byhistory
from byhistory.spark import worker
from byhistory.spark.ship import FOR_LEARNING, send_by_value, sources_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RESULT = "place int, data binary"
TASKS = 64


def spread(spark: SparkSession, function: str, payloads: Sequence[bytes]) -> list[bytes]:
    """Call a function of ours, named `module:function`, on each payload, on Spark's workers, in one action.

    Workers need what the function needs (numpy, scipy, pyarrow), not byhistory: its sources are sent along.
    """
    task = worker.Call(byhistory.__version__, sources_of(FOR_LEARNING), function)
    send_by_value()
    rows = spark.createDataFrame([(i, bytearray(data)) for i, data in enumerate(payloads)], RESULT)
    done = rows.repartition(min(TASKS, max(1, len(payloads) // 50))).mapInArrow(task, RESULT).collect()
    return [bytes(data) for _, data in sorted(done, key=lambda row: row["place"])]
