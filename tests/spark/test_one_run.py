"""A run is the same with Spark and without, whether its label is in a folder, in the rows, or in both."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.direct import assert_equal

from byhistory.config import Config, TableConfig
from byhistory.errors import ByHistoryError
from byhistory.validator import Validator
from byhistory.validator.reading.run import AskedRun, profile_of_run

pytestmark = pytest.mark.spark

DAY = "2026-05-02"


def profile(spark, path: Path, run_column: str, run: str = "") -> Any:
    store = path.parents[1] / "history.db"  # the same key for both
    config = TableConfig(path=str(path), run_column=run_column, run=run)
    told: list[str] = []
    with Validator(f"sqlite:///{store}", config=Config(tables={"t": config})) as guard:
        found = profile_of_run(AskedRun(guard, spark, "t", config, tell=told.append))
    return found, told[-1]


@pytest.mark.parametrize(
    ("folder", "own", "label"),
    [
        (f"ds={DAY}", {"ds": [DAY] * 3}, ("ds", "")),
        (f"ds={DAY}", {"ds": ["else"] * 3}, ("ds", "")),
        (f"ds={DAY}", {"ds": [dt.date(2026, 5, 2)] * 3}, ("ds", DAY)),
        (f"ds={DAY}", {"DS": ["else"] * 3}, ("ds", "")),
        (f"ds={DAY}", {}, ("ds", "")),
        ("year=2026/month=5", {"month": [5, 5, 5]}, ("year,month", "")),
        ("year=2026/month=5", {"month": [5, 5, 5], "year": [1, 2, 3]}, ("year,month", "")),
        ("flat", {"ds": [DAY] * 3}, ("ds", "")),
        ("flat", {"ds": [dt.date(2026, 5, 2)] * 3}, ("ds", DAY)),
        ("flat", {"ds": [7, 7, 7]}, ("ds", "7")),
        ("flat", {"ds": [7, 7, 7]}, ("other", "7")),
    ],
)
def test_both_engines_measure_the_same_columns_of_the_same_rows(spark, tmp_path, folder, own, label):
    by, run = label
    path = tmp_path / "lake" / "t" / folder
    path.mkdir(parents=True)
    pq.write_table(pa.table({"a": [1, 2, 2], **own, "b": ["x", None, "y"]}), path / "part-0.parquet")
    (mine, _), (theirs, way) = profile(None, path, by, run), profile(spark, path, by, run)
    assert mine.run == theirs.run
    assert_equal(mine, theirs)
    asks_rows = folder == "flat" and by in own
    assert way.startswith("rows come" if asks_rows else "files are read directly"), way


def test_a_run_among_others_is_found_by_spark_only(spark, tmp_path):
    path = tmp_path / "lake" / "t"
    path.mkdir(parents=True)
    pq.write_table(pa.table({"a": [1, 2], "ds": [DAY, "2026-05-03"]}), path / "a.parquet")
    assert profile(spark, path, "ds", DAY)[0].rows == 1
    with pytest.raises(ByHistoryError, match="--engine spark"):
        profile(None, path, "ds", DAY)
