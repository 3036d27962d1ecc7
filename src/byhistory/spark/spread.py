"""Work that is not about rows, spread over Spark's workers: bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import byhistory
from byhistory.spark import worker
from byhistory.spark.ship import archive_of, send_by_value

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RESULT = "place int, data binary"
TASKS = 64
"""How many tasks at most, by choice: one takes seconds to start on a cluster, so each has 50 columns or more."""


def spread(spark: SparkSession, function: str, payloads: Sequence[bytes]) -> list[bytes | None]:
    """Call a function of ours, named `module:function`, on each payload, on Spark's workers, in one action.

    Workers need the libraries that the function imports (numpy, scipy, pyarrow), but not byhistory, whose modules are
    sent along. The result is None where a worker lacks such a library: that work is left to the caller.
    """
    module = function.partition(":")[0]
    task = worker.Call(byhistory.__version__, archive_of((module,)), function)
    send_by_value()
    rows = spark.createDataFrame([(i, bytearray(data)) for i, data in enumerate(payloads)], RESULT)
    done = rows.repartition(min(TASKS, max(1, len(payloads) // 50))).mapInArrow(task, RESULT).collect()
    ordered = sorted(done, key=lambda row: row["place"])
    return [None if data is None else bytes(data) for _, data in ordered]
