"""A table on this machine is planned without a job of Spark, and only where Spark would say the same of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byhistory import Config, Validator
from byhistory.config import TableConfig
from byhistory.rows.how import How
from byhistory.spark import here
from byhistory.spark.files import profile_files, profile_run_files
from byhistory.spark.here import found_here, planned_here
from byhistory.spark.read import Source

pytestmark = pytest.mark.spark

ROWS = pa.table({"n": [1, 2, None], "s": ["a", "b", "b"]})


def lake(path: Path, days: tuple[str, ...] = ("2026-01-01", "2026-01-02"), rows: pa.Table = ROWS) -> Path:
    for day in days:
        (path / f"ds={day}").mkdir(parents=True)
        pq.write_table(rows, path / f"ds={day}" / "part-0.parquet")
    return path


def is_planned_here(spark, path: Path | str, by: tuple[str, ...] = (), **source: Any) -> bool:
    found = found_here(spark, Source(path=str(path), **source), {})
    return found is not None and planned_here(spark, found, by, None, How()) is not None


def test_reading_files_of_this_machine_is_one_job_and_no_other(spark, tmp_path, jobs):
    path = lake(tmp_path / "orders")
    assert jobs(lambda: profile_files(spark, str(path))) == 1
    assert jobs(lambda: profile_run_files(spark, str(path), ["ds"])) == 1
    guard = Validator("memory:", config=Config(tables={"orders": TableConfig(run_column="ds")}))
    for asked in ({"path": f"{path}/ds=2026-01-02"}, {"run": "2026-01-01"}, {"latest": True}):
        judged = []
        check = partial(guard.sources.check, "orders", spark, **{"path": str(path), **asked})
        assert jobs(lambda check=check, judged=judged: judged.append(check())) == 1
        assert (judged[0].run, judged[0].profile.rows) == (asked.get("run", "2026-01-02"), 3)


@pytest.mark.parametrize(
    "change", ["where", "pattern", "option", "setting", "columns", "empty file", "summary", "time"]
)
def test_where_spark_might_say_something_else_it_is_asked(spark, tmp_path, change):
    path = lake(tmp_path / "orders")
    assert is_planned_here(spark, path)
    source: dict[str, Any] = {}
    first = path / "ds=2026-01-01"
    if change == "where":
        source = {"where": "ds > '2026-01-01'"}
    elif change == "option":
        source = {"options": {"pathGlobFilter": "*.parquet"}}
    elif change == "columns":
        pq.write_table(ROWS.append_column("more", ROWS["n"]), first / "part-1.parquet")
    elif change == "empty file":
        (first / "part-1.parquet").touch()
    elif change == "summary":
        pq.write_metadata(ROWS.schema, path / "_metadata")
    elif change == "time":
        lake(path, ("2026-01-03 10:00:00",))
    if change == "setting":
        spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert not is_planned_here(spark, tmp_path / "*" if change == "pattern" else path, **source)
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_of_more_files_than_are_worth_it_spark_reads_the_footers(spark, tmp_path, monkeypatch):
    path = lake(tmp_path / "orders")
    monkeypatch.setattr(here, "MOST_FILES", 1)
    assert not is_planned_here(spark, path, ("ds",))


def test_the_latest_run_is_that_of_the_last_folder_with_rows(spark, tmp_path):
    path = lake(lake(tmp_path / "orders"), ("2026-01-03",))
    found = found_here(spark, Source(path=str(path)), {})
    assert found is not None
    assert (found.last_label(("ds",), latest=True), found.last_label(("ds",), latest=False)) == ("2026-01-03", None)
    lake(path, ("2026-01-04",), ROWS.slice(0, 0))
    assert found_here(spark, Source(path=str(path)), {}).last_label(("ds",), latest=True) is None  # Spark looks at rows
