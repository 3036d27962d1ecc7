"""One Spark session for all Spark tests of a process, started when the first of them asks for it.

The battery (`test_battery.py`) knows nothing of where its session comes from: `test_connect.py` and `test_cluster.py`
run it again in processes of their own, with these variables set.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byhistory.spark.session import SETTINGS, own_environment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

REMOTE = "BYHISTORY_TEST_REMOTE"
"""A Spark Connect server, or local[2] for one of our own."""
MASTER = "BYHISTORY_TEST_MASTER"
"""The master of a cluster."""
WORKER_PYTHON = "BYHISTORY_TEST_WORKER_PYTHON"
"""The Python that the cluster's workers run."""
COLUMNS = "BYHISTORY_TEST_COLUMNS"
"""How many columns are learned at once."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    own_environment()
    if WORKER_PYTHON in os.environ:
        os.environ["PYSPARK_PYTHON"] = os.environ[WORKER_PYTHON]
    builder = SparkSession.builder.appName("byhistory tests")
    if REMOTE in os.environ:
        builder = builder.remote(os.environ[REMOTE])
    else:
        # Two cores are what every machine that runs these tests has.
        builder = builder.master(os.environ.get(MASTER, "local[2]"))
    own = {
        # Enough for two executors beside the tests on a small machine.
        "spark.executor.memory": "1g",
        # The strings of 10 MB and the 5,000 columns need more than the default of 1g.
        "spark.driver.memory": "3g",
        # A time that is not UTC would hide a mistake with zones less often than one that is.
        "spark.sql.session.timeZone": "America/New_York",
    }
    for name, value in (SETTINGS | own).items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        # A Connect server of our own is started with these settings, and then asked again for those it cannot change.
        warnings.filterwarnings("ignore", "Failed to set", UserWarning)
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def frame(spark: SparkSession, tmp_path: Path) -> Callable[..., DataFrame]:
    """A local table as a DataFrame, read from Parquet files that hold so many of its rows each."""

    def make(table: pa.Table, cuts: tuple[int, ...] = ()) -> DataFrame:
        ends = [0, *cuts, table.num_rows]
        for number, (start, stop) in enumerate(pairwise(ends)):
            pq.write_table(table.slice(start, stop - start), tmp_path / f"part-{number}.parquet")
        return spark.read.option("datetimeRebaseMode", "CORRECTED").parquet(str(tmp_path))  # Spark 3.5 asks

    return make


@pytest.fixture
def jobs(spark) -> Callable[[Callable[[], object]], int]:
    """How many Spark jobs something takes."""

    def count(work: Callable[[], object]) -> int:
        group = uuid4().hex
        context = spark.sparkContext
        context.setJobGroup(group, "counted")
        try:
            work()
            time.sleep(0.5)  # the tracker hears of a job a little later
            return len(context.statusTracker().getJobIdsForGroup(group))
        finally:
            context.setLocalProperty("spark.jobGroup.id", None)

    return count
