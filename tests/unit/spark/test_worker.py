"""What runs in Spark's workers, run without Spark."""

import io
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.same import assert_same
from tests.spark.learning import learning_tasks

import byhistory
from byhistory.files.piece import Piece
from byhistory.files.reader import Reading
from byhistory.profile import ColumnProfile, from_bytes
from byhistory.rows.field import Options
from byhistory.rows.fold import unpack
from byhistory.rows.local import profile_table
from byhistory.spark import ship, worker
from byhistory.validator.learning import learned_there

FIELDS = (("n", "numeric", "long", True, 0), ("s", "categorical", "string", True, 1))


def task(by_run: bool = True) -> worker.Task:
    return worker.Task(worker.Work(byhistory.__version__, b"", FIELDS, astuple(Options(b"k")), by_run, 16, 0))


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
    monkeypatch.setattr("byhistory.rows.runs.HELD_PROFILES", held)
    monkeypatch.setattr("byhistory.rows.runs.BUFFERED_BYTES", 1000)
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


ALONE = """
import pickle, sys
from importlib.machinery import PathFinder
sys.path += {paths!r}
assert PathFinder.find_spec("byhistory", [p for p in sys.path if p]) is None
sent = pickle.loads(sys.stdin.buffer.read())
"""


def run_alone(script: str, *sent: object, without: tuple[str, ...] = ()) -> None:
    """Run a script in a Python that has our libraries but neither finds byhistory nor is told where it is."""
    from pyspark import cloudpickle

    ship.send_by_value()
    hidden = "".join(f"sys.modules[{name!r}] = None\n" for name in without)
    # An editable install puts src on the path of this very Python, and any other is among its libraries. So the other
    # one is started without its sites, and finds links to every library but us.
    with TemporaryDirectory() as libraries:
        for library in (entry for p in sys.path if p.endswith("site-packages") for entry in Path(p).iterdir()):
            link = Path(libraries) / library.name
            if "byhistory" not in library.name and not link.exists():
                link.symlink_to(library)
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", ALONE.format(paths=[libraries]) + hidden + script],
            input=cloudpickle.dumps(sent),
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()


def test_the_worker_runs_where_byhistory_is_not_installed():
    from byhistory.rows.sample import to_ipc

    task = worker.Task(worker.Work("another version", ship.archive_of(), FIELDS, astuple(Options()), False, 16, 0))
    rows = to_ipc(pa.Table.from_batches(batches(10, 1, 10)).drop_columns(["run"]))
    run_alone(
        """
import pyarrow as pa
out = list(sent[0](pa.ipc.open_stream(sent[1])))
assert sum(b.num_rows for b in out) == 4, out
assert sys.modules["byhistory.rows.fold"].__spec__.origin is None
""",
        task,
        rows,
    )


def test_a_column_is_learned_where_byhistory_is_not_installed_as_it_is_here():
    tasks = learning_tasks()
    expected = [learned_there(task.to_bytes()) for task in tasks]
    assert b'"clauses": [{' in expected[0], "nothing was learned: the test proves nothing"
    call = worker.Call("another version", ship.archive_of((learned_there.__module__,)), named(learned_there))
    run_alone(
        """
import pyarrow as pa
call, payloads, expected = sent
batch = pa.RecordBatch.from_arrays([pa.array([0, 1], pa.int32()), pa.array(payloads, pa.binary())], ["place", "data"])
(done,) = call([batch])
assert done.column(1).to_pylist() == expected
""",
        call,
        [task.to_bytes() for task in tasks],
        expected,
        without=("jinja2", "pyspark", "rich", "sqlalchemy", "typer"),  # as on a cluster
    )


def test_a_worker_that_profiled_can_be_sent_more_for_learning():
    call = worker.Call(byhistory.__version__, ship.archive_of((learned_there.__module__,)), named(learned_there))
    run_alone(
        """
import pyarrow as pa
call, profiling, payload = sent
load = type(call).__call__.__globals__["load"]
load(call.version, profiling)
load(call.version, profiling)
import byhistory.rows.fold
batch = pa.RecordBatch.from_arrays([pa.array([0], pa.int32()), pa.array([payload], pa.binary())], ["place", "data"])
(done,) = call([batch])
assert done.column(1).to_pylist()[0]
assert sum(hasattr(finder, "byhistory_archive") for finder in sys.meta_path) == 2
""",
        call,
        ship.archive_of(),
        learning_tasks()[0].to_bytes(),
    )


def test_a_worker_without_a_library_leaves_the_work_undone():
    call = worker.Call("another version", ship.archive_of((learned_there.__module__,)), named(learned_there))
    run_alone(
        """
import pyarrow as pa
call, payload = sent
batch = pa.RecordBatch.from_arrays([pa.array([0], pa.int32()), pa.array([payload], pa.binary())], ["place", "data"])
(done,) = call([batch])
assert done.column(1).to_pylist() == [None]
""",
        call,
        learning_tasks()[0].to_bytes(),
        without=("scipy",),
    )


def named(function: Callable[..., object]) -> str:
    return f"{function.__module__}:{function.__name__}"


def test_data_files_travel_with_the_package_that_reads_them():
    with zipfile.ZipFile(io.BytesIO(ship.archive_of((learned_there.__module__,)))) as archive:
        names = set(archive.namelist())
    assert any(name.endswith(".json") for name in names)
    assert not any(name.startswith("byhistory/spark/") for name in names)


def test_what_is_sent_is_the_same_bytes_every_time():
    ship._archive_of.cache_clear()
    first = ship.archive_of()
    ship._archive_of.cache_clear()
    assert ship.archive_of() == first


def test_of_a_run_in_one_task_only_what_it_comes_to_is_sent(tmp_path):
    pieces = []
    for number, run in enumerate(("a", "b", "b")):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table({"n": [number], "s": ["x"]}), path)
        pieces.append(astuple(Piece(str(path), path.stat().st_size, run)))
    reading = Reading(((("n",), "bigint"), (("s",), "string")))
    tasks = ((pieces[0], pieces[1]), (pieces[2],))
    work = worker.Work(byhistory.__version__, b"", FIELDS, astuple(Options(b"k")), True, 16, 0)
    task = worker.FilesTask(work, "b", frozenset({"b"}), astuple(reading), (), tasks)
    numbers = pa.RecordBatch.from_arrays([pa.array([0, 1])], names=["id"])
    sent = results(list(task([numbers])))
    columns = [row for row in sent if row["column"] >= 0]
    assert [(row["run"], bool(row["part"]), row["alone"] is not None) for row in columns] == [
        ("a", False, True), ("a", False, True), *[("b", True, True)] * 4,
    ]  # fmt: skip
    assert {row["run"] for row in sent if row["column"] == worker.SAMPLE} == {"b"}
    parts = [from_bytes(unpack(row["part"])) for row in columns if row["run"] == "b" and row["column"] == 0]
    assert ColumnProfile.sum_of(parts).numbers.sum == 3
