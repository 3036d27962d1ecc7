"""Files whose rows say which run they are of, read without Spark: right, or an error that says what to do."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from tests.shell import byhistory

from byhistory.config import parse_config
from byhistory.validator import Validator

LOCAL = '[tables.t]\nengine = "local"\nrun_column = "{columns}"\n'


def written(path: Path, table: pa.Table) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        pc.write_csv(table, path)
    else:
        pq.write_table(table, path)
    return path


def rows_of(**columns: Any) -> pa.Table:
    return pa.table({"amount": range(20), **{name: [value] * 20 for name, value in columns.items()}})


def guard_of(columns: str) -> Validator:
    return Validator("memory:", config=parse_config(LOCAL.format(columns=columns)))


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("columns", "label"),
    [
        ({"ds": "2026-01-05"}, "2026-01-05"),
        ({"ds": date(2026, 1, 5)}, "2026-01-05"),
        ({"ds": 20260105}, "20260105"),
        ({"ds": datetime.fromisoformat("2026-01-05T07:00")}, "2026-01-05 07:00:00"),
        ({"year": 2026, "month": 1, "day": 5}, "2026-01-05"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_column_that_names_the_run_is_no_data(tmp_path, columns, label, ending):
    file, by = written(tmp_path / f"one.{ending}", rows_of(**columns)), ",".join(columns)
    with guard_of(by) as guard:
        assert list(guard.sources.check("t", None, path=str(file), run=label).profile) == ["amount"]
        assert guard.sources.check("t", None, path=str(file)).run == label, "the rows name their run"


def test_rows_of_another_run_or_of_many_are_not_judged_as_the_run_that_is_asked_for(tmp_path):
    one = written(tmp_path / "one.parquet", rows_of(ds="2026-01-05"))
    many = written(tmp_path / "many.parquet", pa.concat_tables([rows_of(ds="2026-01-05"), rows_of(ds="2026-01-06")]))
    none = written(tmp_path / "none.parquet", rows_of(ds=None).cast(pa.schema([("amount", "int64"), ("ds", "string")])))
    asked = ("--engine", "local", "--run-column", "ds", "--store", f"sqlite:///{tmp_path}/history.db")
    given = (*asked, "--run", "2026-01-06")
    assert byhistory("check", "t", one, *given).explains("rows of the run '2026-01-05'", "--engine spark")
    assert byhistory("check", "t", many, *given).explains("rows of 2 runs", "--engine spark")
    assert byhistory("check", "t", many, *asked).explains("rows of 2 runs", "--engine spark")
    assert byhistory("check", "t", none, *given).explains("rows without a run", "--engine spark")
    named = written(tmp_path / "ds=2026-01-07" / "one.parquet", rows_of(amount=1))
    assert byhistory("check", "t", named.parent, *asked).code == 0


def test_a_path_that_names_its_run_is_that_run_whatever_the_column_in_it_says(tmp_path):
    file = written(tmp_path / "in" / "2026-01-08.parquet", rows_of(ds="2026-01-05"))
    with Validator("memory:", config=parse_config(LOCAL.format(columns="ds") + 'path = "in/{run}.parquet"')) as guard:
        judged = guard.sources.check("t", None, path=str(file), run="2026-01-05")
        assert (judged.run, list(judged.profile)) == ("2026-01-05", ["amount"])
