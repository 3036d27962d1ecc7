"""Files of lines: what is not sure to be read as Spark reads it is an error that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from byhistory.errors import ByHistoryError
from byhistory.files import csv
from byhistory.files.choice import ChosenRun
from byhistory.files.lines import Lines
from byhistory.files.local import profile_files, profile_run_files
from byhistory.files.rows import read_rows

CSV, JSON = Lines("csv"), Lines("json")
NOT_PLAIN = {
    "quotes in quotes": (CSV, 'a,b\n"x""y",1\n', "within quotes"),
    "a backslash in quotes": (CSV, 'a,b\n"x\\",1\n', "within quotes"),
    "a line break in quotes": (CSV, 'a,b\n"x\ny",1\n', "within quotes"),
    "text after quotes": (CSV, 'a,b\n"x"y,1\n', "within quotes"),
    "a row that is short": (CSV, "a,b\n1,2\n3\n", "no plain CSV"),
    "a row that is long": (CSV, "a,b\n1,2\n3,4,5\n", "no plain CSV"),
    "a name twice": (CSV, "a,A\n1,2\n", "a name twice"),
    "no name": (CSV, "a,\n1,2\n", "without one"),
    "another alphabet": (CSV, b"a,b\n\xe4,1\n", "no plain CSV"),
    "a blank line of one column": (CSV, "a\nx\n  \n", "is blank"),
    "a number beyond 64 bits": (CSV, "a\n99999999999999999999\n", "only Spark tells their type"),
    "dates and times": (CSV, "a\n2026-01-01\n2026-01-01 10:00:00\n", "only Spark tells their type"),
    "broken objects": (JSON, '{"a": 1}\n{"a": \n', "not one plain object per line"),
    "two objects a line": (JSON, '{"a": 1}{"a": 2}\n', "2 objects on 1 lines"),
    "an object of two lines": (JSON, '{"a":\n 1}\n', "1 objects on 2 lines"),
    "numbers and texts": (JSON, '{"a": 1}\n{"a": "x"}\n', "not one plain object per line"),
    "a whole number beyond 64 bits": (JSON, '{"a": 99999999999999999999}\n', "beyond 64 bits"),
    "names that differ in case": (JSON, '{"a": 1, "A": 2}\n', "differ only in case"),
    "objects without fields": (JSON, '{"a": {}}\n', "without fields"),
}


@pytest.mark.parametrize("name", NOT_PLAIN)
def test_what_spark_reads_in_its_own_way_is_declined(tmp_path, name):
    lines, text, found = NOT_PLAIN[name]
    path = tmp_path / f"x.{lines.kind}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ByHistoryError, match=found) as error:
        profile_files(str(path), lines=lines)
    assert "--engine spark" in str(error.value)


@pytest.mark.parametrize("value", ["2026-02-30", "0000-00-00", "2026-01-01 24:00:00", "2026-01-01T10:00:60Z"])
def test_a_day_or_time_that_there_is_not_is_text(tmp_path, value):
    path = tmp_path / "x.csv"
    path.write_text(f"at,n\n2026-01-01,1\n{value},2\n", encoding="utf-8")
    assert profile_files(str(path), lines=CSV)["at"].type == "string"


def written(folder: Path, days: int = 3) -> Path:
    for day in range(1, days + 1):
        at = folder / f"day=2026-01-0{day}"
        at.mkdir(parents=True)
        (at / "x.csv").write_text(f'id,name\n{day},"a, b"\n{day}0,c\n', encoding="utf-8")
    return folder


def test_lines_are_taken_apart_alike_however_they_are_cut(tmp_path, monkeypatch):
    written(tmp_path)
    whole = profile_run_files(str(tmp_path), ["day"], lines=CSV)
    monkeypatch.setattr(csv, "BLOCK", 7)
    cut = profile_run_files(str(tmp_path), ["day"], lines=CSV)
    assert [(run, list(p), p.rows, p["name"].values) for run, p in cut.items()] == [
        (run, list(p), p.rows, p["name"].values) for run, p in whole.items()
    ]
    assert {p["id"].type for p in whole.values()} == {"int"}


def test_a_type_is_that_of_all_files_whichever_run_is_asked_for(tmp_path):
    written(tmp_path)
    (tmp_path / "day=2026-01-02" / "y.csv").write_text("id,name\n2.5,d\n", encoding="utf-8")
    one = profile_files(str(tmp_path), only=(["day"], "2026-01-03"), lines=CSV)
    assert (one.rows, one["id"].type, one["id"].numbers.high) == (2, "double", 30.0)
    (tmp_path / "day=2026-01-02" / "z.csv").write_text("name,id\n2.5,d\n", encoding="utf-8")
    with pytest.raises(ByHistoryError, match="names other columns"):
        profile_files(str(tmp_path), lines=CSV)


def test_rows_of_lines_can_be_looked_at(tmp_path):
    rows = read_rows(str(written(tmp_path)), ChosenRun("2026-01-02", (("day",), "2026-01-02")), {}, CSV)
    assert rows.to_pylist() == [{"id": 2, "name": "a, b"}, {"id": 20, "name": "c"}]
