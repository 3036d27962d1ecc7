"""Files in an object store: a real S3 server (SeaweedFS) on loopback, read with pyarrow's own file system."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import astuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from tests.integrations.hosts import host
from tests.same import assert_same

import byhistory
from byhistory.errors import ByHistoryError
from byhistory.files.local import profile_files, profile_run_files
from byhistory.files.piece import Piece
from byhistory.files.reader import Reading
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.spark import worker

pytestmark = pytest.mark.integration

IDENTITY = {"name": "tests", "credentials": [{"accessKey": "any", "secretKey": "any"}], "actions": ["Admin"]}
PATIENCE = 60
"""Seconds that the server may take to answer its first request."""


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    # The server takes the port ten thousand above each of these for itself.
    return [port % 20_000 + 20_000 for port in ports]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("seaweed")
    weed = host("s3").with_name("weed")
    (folder / "s3.json").write_text(json.dumps({"identities": [IDENTITY]}))
    names = ("s3", "master", "volume", "filer")
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    options = [f"-{name}.port={port}" for name, port in ports.items()]
    with (folder / "log").open("wb") as log:
        command = [weed, "server", f"-dir={folder}", "-ip=127.0.0.1", "-s3", f"-s3.config={folder}/s3.json", *options]
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    said = {
        "endpoint_override": f"127.0.0.1:{ports['s3']}",
        "scheme": "http",
        "access_key": "any",
        "secret_key": "any",
        "region": "us-east-1",
    }
    try:
        write_lake(said, time.monotonic() + PATIENCE)
        yield said
    finally:
        server.kill()
        server.wait()


def rows(day: int) -> pa.Table:
    return pa.table({"n": [day, day + 1, None], "s": ["a", "b", "b"]})


def write_lake(said: dict[str, str], until: float) -> None:
    """Three runs, as soon as the server answers."""
    system = fs.S3FileSystem(**said, allow_bucket_creation=True)
    while True:
        try:
            system.create_dir("lake")
            for day in (1, 2, 3):
                with system.open_output_stream(f"lake/orders/ds=2026-01-0{day}/part-0.parquet") as file:
                    pq.write_table(rows(day), file)
            return
        except OSError:  # noqa: PERF203 - it waits anyway
            if time.monotonic() > until:
                raise
            time.sleep(1)


def test_runs_in_an_object_store_are_read_in_this_process(storage):
    runs = profile_run_files("s3://lake/orders", ["ds"], storage=storage)
    assert list(runs) == ["2026-01-01", "2026-01-02", "2026-01-03"]
    for day, run in enumerate(runs.values(), 1):
        for name, column in profile_table(rows(day)).columns.items():
            assert_same(run[name], column)
    assert profile_files("s3a://lake/orders/ds=2026-01-02", storage=storage).rows == 3


def results(storage: dict[str, str], path: str) -> list[dict[str, object]]:
    """What a worker of Spark sends back."""
    fields = (("n", "numeric", "bigint", True, 0),)
    reading = astuple(Reading(((("n",), "bigint"),)))
    piece = astuple(Piece(path, 1))
    plain = (fields, astuple(Options()), False, 0, 0, "", frozenset({""}), reading, tuple(storage.items()), ((piece,),))
    numbers = pa.RecordBatch.from_arrays([pa.array([0])], names=["id"])
    done = worker.FilesTask(byhistory.__version__, b"", *plain)([numbers])
    return [row for batch in done for row in batch.to_pylist()]


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
