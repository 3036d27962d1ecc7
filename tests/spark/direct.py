"""What it takes to compare files read directly with what Spark's reader gives."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.same import assert_same

from byhistory.files.local import profile_files as profile_here
from byhistory.profile import TableProfile, to_bytes
from byhistory.rows.field import Options
from byhistory.spark.files import LABEL, profile_files, profile_run_files
from byhistory.spark.profiler import profile, profile_runs
from byhistory.spark.read import Source, read, with_label

DIRECT = "files are read directly"


KEYED = Options(b"a key", keep_values=True)


CORRECTED = {"datetimeRebaseMode": "CORRECTED", "int96RebaseMode": "CORRECTED"}  # Spark 3 asks


def assert_both_ways(spark, path: Path | str, direct: bool = True, **asked: Any) -> TableProfile:
    """The profile, after looking that both ways give the same and that the expected way was taken, whoever plans it."""
    source = asked.pop("source", Source(path=str(path)))
    told: list[str] = []
    df = read(spark, source)
    mine = profile_files(spark, source, options=KEYED, tell=told.append, **asked)
    by_spark = profile_files(spark, source, options=KEYED, tell=told.append, frame=df, **asked)
    assert [line.startswith(DIRECT) for line in told] == [direct, direct], told
    assert {name: to_bytes(mine[name]) for name in mine} == {name: to_bytes(by_spark[name]) for name in by_spark}
    assert_equal(mine, profile(df, options=KEYED, **asked))
    return mine


def assert_equal(mine: TableProfile, spark: TableProfile, in_order: bool = True) -> None:
    assert mine.rows == spark.rows
    assert list(mine) == list(spark)
    for name in spark:
        assert (mine[name].type, mine[name].nullable) == (spark[name].type, spark[name].nullable), name
        if in_order:
            assert to_bytes(mine[name]) == to_bytes(spark[name]), f"{name}: {mine[name]} is not {spark[name]}"
        else:
            assert_same(mine[name], spark[name])
    if mine.sample is not None and spark.sample is not None:
        assert mine.sample.schema.types == spark.sample.schema.types


def written(path: Path, table: pa.Table, name: str = "part-0.parquet", **how: Any) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    known = inspect.signature(pq.write_table).parameters  # old Arrow cannot write decimals as integers
    pq.write_table(table, path / name, **{option: value for option, value in how.items() if option in known})
    return path


def assert_here(spark, path: Path, in_order: bool = True) -> None:
    """Without Spark the profile has the same bytes; its session is to be in the zone that the command starts it in."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        mine, theirs = profile_here(str(path), options=KEYED), profile(read(spark, Source(str(path))), options=KEYED)
        assert_equal(mine, theirs, in_order)
    finally:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")


def assert_both_ways_by_run(spark, path: Path, by: list[str], direct: bool = True, **asked: Any) -> dict[str, Any]:
    source = Source(path=str(path), **asked)
    told: list[str] = []
    df = read(spark, source)
    mine = profile_run_files(spark, source, by, options=KEYED, tell=told.append)
    by_spark = profile_run_files(spark, source, by, options=KEYED, tell=told.append, frame=df)
    assert [line.startswith(DIRECT) for line in told] == [direct, direct], told
    other = profile_runs(with_label(df, by, LABEL), LABEL, options=KEYED)
    assert list(mine) == list(by_spark) == list(other)
    for run, frame in other.items():
        assert_equal(mine[run], frame)
        assert_equal(by_spark[run], frame)
    return mine
