"""What runs in Spark's workers, run without Spark."""

import subprocess
import sys
from collections import Counter
from dataclasses import astuple

import numpy as np
import pyarrow as pa
import pytest
from tests.same import assert_same

import byhistory
from byhistory.profile import ColumnProfile, from_bytes
from byhistory.rows.field import Options
from byhistory.rows.fold import unpack
from byhistory.rows.local import profile_table
from byhistory.spark import ship, worker

FIELDS = (("n", "numeric", "long", True, 0), ("s", "categorical", "string", True, 1))


def task(by_run: bool = True) -> worker.Task:
    return worker.Task(byhistory.__version__, {}, FIELDS, astuple(Options(b"k")), by_run, 16, 0)


def batches(rows: int, runs: int, size: int) -> list[pa.RecordBatch]:
    n = np.arange(rows)
    table = pa.table(
        {"n": n, "s": [f"v{i % 50}" for i in range(rows)], "run": [f"r{i % runs:02d}" for i in range(rows)]}
    )
    return table.to_batches(max_chunksize=size)


def results(done: list[pa.RecordBatch]) -> list[dict[str, object]]:
    return [row for batch in done for row in batch.to_pylist()]


@pytest.mark.parametrize("held", [8192, 100, 8], ids=["all held", "added up early", "sent early"])
def test_runs_are_whole_however_few_can_be_held(held, monkeypatch):
    monkeypatch.setattr(worker, "HELD_PROFILES", held)
    monkeypatch.setattr(worker, "BUFFERED_BYTES", 1000)
    rows = results(list(task()(batches(3000, 30, 100))))
    parts: dict[tuple[str, int], list[ColumnProfile]] = {}
    counted: Counter[str] = Counter()
    for row in rows:
        if row["column"] == worker.ROWS:
            counted[row["run"]] += int(row["part"])
        elif row["column"] >= 0:
            parts.setdefault((row["run"], row["column"]), []).append(from_bytes(unpack(row["part"])))
    assert set(counted.values()) == {100}
    assert len(parts) == 60
    assert (max(map(len, parts.values())) > 1) == (held == 8)
    for run in range(30):
        whole = profile_table(
            {"n": np.arange(run, 3000, 30), "s": [f"v{i % 50}" for i in range(run, 3000, 30)]}, options=Options(b"k")
        )
        for number, name in enumerate("ns"):
            assert_same(ColumnProfile.sum_of(parts[f"r{run:02d}", number]).sealed(b"k"), whole[name])


def test_a_run_in_one_part_comes_sealed_as_well():
    for row in results(list(task()(batches(100, 2, 30)))):
        if row["column"] >= 0:
            assert_same(from_bytes(unpack(row["part"])).sealed(b"k"), from_bytes(row["alone"]))


def test_a_partition_without_rows_sends_nothing():
    assert list(task()([])) == []
    assert list(task(by_run=False)(iter(batches(0, 1, 10)))) == []


def test_the_worker_runs_where_byhistory_is_not_installed():
    """In a Python that has numpy and pyarrow but neither finds byhistory nor is told where it is."""
    script = """
import pickle, sys
from importlib.machinery import PathFinder
task, batch = pickle.loads(sys.stdin.buffer.read())
assert PathFinder.find_spec("byhistory", [p for p in sys.path if p]) is None
import pyarrow as pa
out = list(task(pa.ipc.open_stream(batch)))
assert sum(b.num_rows for b in out) == 4, out
assert sys.modules["byhistory.rows.fold"].__spec__.origin is None
"""
    from pyspark import cloudpickle

    from byhistory.rows.sample import to_ipc

    ship.send_by_value()
    sent = worker.Task("another version", ship.sources_of(), FIELDS, astuple(Options()), False, 16, 0)
    rows = to_ipc(pa.Table.from_batches(batches(10, 1, 10)).drop_columns(["run"]))
    # The editable install puts src on the path of this very Python, so the other one is started without its sites.
    site_packages = [p for p in sys.path if p.endswith("site-packages")]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path += {site_packages!r}\n" + script],
        input=cloudpickle.dumps((sent, rows)),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def test_the_sources_that_are_sent_are_whole():
    sources = ship.sources_of()
    assert {"byhistory", "byhistory.errors", "byhistory.profile.column", "byhistory.rows.fold"} <= sources.keys()
    for name, source in sources.items():
        for line in source.splitlines():
            if line.startswith(("from byhistory", "import byhistory")):
                assert line.split()[1] in sources, f"{name} imports {line.split()[1]}, which is not sent"
