"""Files in an object store: a real S3 server (SeaweedFS) on loopback, read with pyarrow's own file system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from tests.integrations.seaweed import serving
from tests.same import assert_same

import byhistory
from byhistory import Config, Validator
from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.files.local import profile_files, profile_run_files
from byhistory.files.piece import Piece
from byhistory.files.reader import Reading
from byhistory.profile import TableProfile, to_bytes
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.spark import worker
from byhistory.spark.files import profile_run_files as profile_by_spark
from byhistory.spark.session import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with serving(tmp_path_factory.mktemp("seaweed"), "lake") as said:
        write_lake(said)
        yield said


def rows(day: int) -> pa.Table:
    return pa.table({"n": [day, day + 1, None], "s": ["a", "b", "b"]})


def write_lake(said: dict[str, str]) -> None:
    """Three runs."""
    system = fs.S3FileSystem(**said)
    for day in (1, 2, 3):
        with system.open_output_stream(f"lake/orders/ds=2026-01-0{day}/part-0.parquet") as file:
            pq.write_table(rows(day), file)


def test_runs_in_an_object_store_are_read_in_this_process(storage):
    runs = profile_run_files("s3://lake/orders", ["ds"], storage=storage)
    assert list(runs) == ["2026-01-01", "2026-01-02", "2026-01-03"]
    for day, run in enumerate(runs.values(), 1):
        for name, column in profile_table(rows(day)).columns.items():
            assert_same(run[name], column)
    assert profile_files("s3a://lake/orders/ds=2026-01-02", storage=storage).rows == 3


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A Spark of its own, which has never heard of S3."""
    session = local_session("files in S3", **{"spark.ui.enabled": "false"})
    yield session
    session.stop()


def test_the_workers_of_a_spark_that_knows_no_s3_read_it_by_themselves(spark, storage, tmp_path):
    told: list[str] = []
    runs = profile_by_spark(spark, "s3a://lake/orders", ["ds"], storage=storage, tell=told.append)
    here = profile_run_files("s3a://lake/orders", ["ds"], storage=storage)
    assert told == ["files are read directly: 3 files of plain Parquet in 1 task"]
    assert {run: bytes_of(of) for run, of in runs.items()} == {run: bytes_of(of) for run, of in here.items()}
    config = Config(tables={"orders": TableConfig(path="s3a://lake/orders", run_column="ds", storage=storage)})
    guard = Validator(f"sqlite:///{tmp_path}/history.db", config=config)
    guard.sources.backfill("orders", spark)
    judged = guard.sources.check("orders", spark, latest=True, tell=told.append)
    assert (judged.run, judged.profile.rows) == ("2026-01-03", 3)
    assert told[-1].startswith("files are read directly: 1 file of plain Parquet")
    with pytest.raises(ByHistoryError, match="cannot read s3a:// addresses"):  # it has no other way
        guard.sources.check("other", spark, path="s3a://lake/nowhere", run="x")


def bytes_of(profile: TableProfile) -> dict[str, bytes]:
    return {name: to_bytes(profile[name]) for name in profile}


def results(storage: dict[str, str], path: str) -> list[dict[str, object]]:
    """What a worker of Spark sends back."""
    fields = (("n", "numeric", "bigint", True, 0),)
    reading = astuple(Reading(((("n",), "bigint"),)))
    piece = astuple(Piece(path, 1))
    work = worker.Work(byhistory.__version__, b"", fields, astuple(Options()), False, 0, 0)
    task = worker.FilesTask(work, "", frozenset({""}), reading, tuple(storage.items()), ((piece,),))
    numbers = pa.RecordBatch.from_arrays([pa.array([0])], names=["id"])
    return [row for batch in task([numbers]) for row in batch.to_pylist()]


def test_a_worker_reads_an_object_store_and_declines_what_it_cannot_reach(storage):
    there = "s3a://lake/orders/ds=2026-01-01/part-0.parquet"
    first = results(storage, there)[0]
    assert (first["column"], first["part"]) == (worker.ROWS, b"3")
    (gone,) = results(storage, there + ".gone")
    assert gone["column"] == worker.DECLINED
    assert b".gone cannot be read" in gone["part"]
    (refused,) = results(storage | {"secret_key": "wrong"}, there)
    assert refused["column"] == worker.DECLINED


def test_a_store_that_cannot_be_reached_is_a_clear_error(storage):
    with pytest.raises(ByHistoryError, match=r"s3://lake/nowhere.*no file there"):
        profile_files("s3://lake/nowhere", storage=storage)
