"""Any table in any file gives the same, read directly, by Spark, or without Spark."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.same import assert_same
from tests.spark.direct import CORRECTED, DIRECT, KEYED, assert_both_ways, written
from tests.spark.test_file_paths import NULL
from tests.strategies import seeded

from byhistory.files.local import profile_run_files as profile_local_runs
from byhistory.profile import to_bytes
from byhistory.spark.files import LABEL, profile_run_files
from byhistory.spark.profiler import profile_runs
from byhistory.spark.read import Source, read_merged, with_label

pytestmark = pytest.mark.spark

_MAKERS: dict[str, Callable[[Any, int], pa.Array]] = {
    "int8": lambda r, n: pa.array(r.integers(-9, 9, n).astype("int8")),
    "uint32": lambda r, n: pa.array(r.integers(0, 2**32, n).astype("uint32")),
    "int64": lambda r, n: pa.array(r.integers(-(2**62), 2**62, n)),
    "float": lambda r, n: pa.array(r.normal(size=n).astype("float32")),
    "double": lambda r, n: pa.array(r.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), 1e300], n)),
    "bool": lambda r, n: pa.array(r.random(n) < 0.5),
    "decimal": lambda r, n: pa.array([Decimal(int(v)).scaleb(-3) for v in r.integers(-(10**6), 10**6, n)]).cast(
        pa.decimal128(int(r.integers(10, 30)), 3)
    ),
    "date": lambda r, n: pa.array(r.integers(-30_000, 60_000, n).astype("int32")).cast(pa.date32()),
    "at": lambda r, n: pa.array(r.integers(-(10**15), 10**16, n)).cast(pa.timestamp("us", "UTC")),
    "wall": lambda r, n: pa.array(r.integers(-(10**12), 10**13, n)).cast(pa.timestamp("ms")),
    "few": lambda r, n: pa.array([f"v{v}" for v in r.integers(0, 4, n)]),
    "many": lambda r, n: pa.array([f"Ä-{v}" for v in r.integers(0, 10**9, n)]),
    "bytes": lambda r, n: pa.array([r.bytes(int(k)) for k in r.integers(0, 5, n)]),
    "list": lambda r, n: pa.array([[1] * int(k) for k in r.integers(0, 4, n)], pa.list_(pa.int16())),
    "map": lambda r, n: pa.array([[("k", 1)][: int(k)] for k in r.integers(0, 2, n)], pa.map_(pa.string(), pa.int32())),
}


def any_array(random: Any, rows: int, depth: int = 0) -> pa.Array:
    if depth < 2 and random.random() < 0.2:
        fields = [any_array(random, rows, depth + 1) for _ in range(random.integers(1, 4))]
        array = pa.StructArray.from_arrays(fields, [f"f{i}" for i in range(len(fields))])
    else:
        array = _MAKERS[random.choice(list(_MAKERS))](random, rows)
    present = pa.array([i if v else None for i, v in enumerate((random.random(rows) < 0.8).tolist())], pa.int64())
    return array.take(present) if random.random() < 0.7 else array


@pytest.mark.parametrize("seed", range(3))
def test_any_table_in_any_file_is_the_same_both_ways(spark, tmp_path, seed):
    random = seeded(seed)
    rows = int(random.integers(1, 300))
    table = pa.table({f"C{i}": any_array(random, rows) for i in range(25)})
    written(
        tmp_path,
        table,
        use_dictionary=bool(random.random() < 0.5),
        data_page_version=str(random.choice(["1.0", "2.0"])),
        compression=str(random.choice(["snappy", "zstd", "none"])),
        row_group_size=int(random.integers(1, 300)),
        store_decimal_as_integer=bool(random.random() < 0.5),
        store_schema=bool(random.random() < 0.5),
    )
    assert_both_ways(spark, tmp_path)


SAME_TYPE = [name for name in _MAKERS if name not in ("decimal", "wall")]
"""Without decimals, which have another precision each time, and times without a zone, which have one as INT96."""


def any_folders(random: Any, path: Path, is_merged: bool) -> None:
    """Some runs in folders, whose files have some of the columns, in any case, order, encoding and number of rows.

    Spark 3 merges no files of zero bytes, and no columns whose names differ in case: without `is_merged` none are made.
    """
    makers = {f"Col{i}": str(random.choice(SAME_TYPE)) for i in range(8)}
    for n, value in enumerate(random.permutation(["2026-01-01", "a%2Fb", "%C3%A4 1", "x=y", "None", NULL])):
        for part in range(int(random.integers(1, 3))):
            names = [str(name) for name in random.permutation(list(makers))[: random.integers(2, 9)]]
            rows = int(random.choice([0, 1, 7, 60]))
            columns = {name: _MAKERS[makers[name]](random, rows + 1).slice(1) for name in names}
            written(
                path / f"day={value}" / f"hour={n:02d}",
                pa.table(
                    {
                        (name if random.random() < 0.7 or not is_merged else name.lower()): c
                        for name, c in columns.items()
                    }
                ),
                f"{part}.parquet",
                use_dictionary=bool(random.random() < 0.5),
                row_group_size=int(random.choice([1, 5, 100])),
                use_deprecated_int96_timestamps=bool(random.random() < 0.3),
                compression=str(random.choice(["snappy", "zstd", "gzip", "none"])),
            )
        if is_merged:
            (path / f"day={value}" / f"hour={n:02d}" / "empty.parquet").touch()
        (path / f"day={value}" / "_hidden.parquet").write_bytes(b"no Parquet")


@pytest.mark.parametrize("seed", range(3))
def test_any_folders_of_files_are_the_same_both_ways_and_here(spark, tmp_path, seed):
    any_folders(seeded(seed), tmp_path, spark.version >= "4")
    spark.conf.set("spark.sql.session.timeZone", "UTC")  # as in the session that the command starts
    try:
        source, told = Source(path=str(tmp_path), options=CORRECTED), list[str]()
        mine = profile_run_files(spark, source, ["day"], options=KEYED, tell=told.append)
        assert told[0].startswith(DIRECT), told
        whole, notices = read_merged(spark, source)
        assert not notices
        other = profile_runs(with_label(whole, ["day"], LABEL), LABEL, options=KEYED)
    finally:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    assert list(mine) == list(other)
    for run, frame in other.items():
        for name in frame:
            if name in mine[run]:
                assert_same(mine[run][name], frame[name])
            else:  # a run has the columns of its own files
                assert frame[name].nulls == frame[name].rows == mine[run].rows
    here = profile_local_runs(str(tmp_path), ["day"], options=KEYED)
    assert list(here) == list(mine)
    for run, local in here.items():
        assert {n: to_bytes(local[n]) for n in local} == {n: to_bytes(mine[run][n]) for n in mine[run]}, run
