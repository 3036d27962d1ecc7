"""Which run of the files at a path is meant, and which of their columns only say so."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byhistory.errors import ByHistoryError
from byhistory.files.choice import ChosenRun, run_in_files
from byhistory.files.lines import Lines


def chosen(path, columns: tuple[str, ...], given: str = "", named: str = "") -> ChosenRun:
    return run_in_files(str(path), columns, given=given, named=named, storage={})


@pytest.mark.parametrize(
    ("days", "label"),
    [
        (["2026-05-02"] * 3, "2026-05-02"),
        ([dt.date(2026, 5, 2)] * 3, "2026-05-02"),
        ([20260502] * 3, "20260502"),
        (pa.array(["2026-05-02"] * 3).dictionary_encode(), "2026-05-02"),
    ],
)
def test_a_file_whose_rows_are_all_of_one_run_is_that_run_and_its_column_is_no_data(tmp_path, days, label):
    pq.write_table(pa.table({"n": [1, 2, 3], "ds": days}), tmp_path / "a.parquet")
    assert chosen(tmp_path, ("ds",)) == ChosenRun(label, without=("ds",))
    assert chosen(tmp_path, ("ds",), given=label) == ChosenRun(label, without=("ds",))
    with pytest.raises(ByHistoryError, match=r"rows of the run .*--engine spark"):
        chosen(tmp_path, ("ds",), given="2026-05-03")


def test_several_columns_make_one_label(tmp_path):
    pq.write_table(pa.table({"month": [5, 5], "year": [2026, 2026], "n": [1, 2]}), tmp_path / "a.parquet")
    assert chosen(tmp_path, ("year", "month")) == ChosenRun("2026-05", without=("year", "month"))


@pytest.mark.parametrize("given", ["", "2026-05-02"])
@pytest.mark.parametrize("days", [["2026-05-02", "2026-05-03"], ["2026-05-02", None]])
def test_a_run_among_the_rows_of_others_is_not_taken_for_all_of_them(tmp_path, given, days):
    pq.write_table(pa.table({"n": [1, 2], "ds": days}), tmp_path / "a.parquet")
    with pytest.raises(ByHistoryError, match=r"(rows of 2 runs|rows without a run).*--engine spark"):
        chosen(tmp_path, ("ds",), given=given)


def test_a_type_that_only_spark_writes_down_is_an_error(tmp_path):
    pq.write_table(pa.table({"n": [1], "ds": [1.5]}), tmp_path / "a.parquet")
    with pytest.raises(ByHistoryError, match="double, which only Spark writes as a label"):
        chosen(tmp_path, ("ds",), given="1.5")


def test_the_path_is_the_run_whatever_its_rows_say(tmp_path):
    pq.write_table(pa.table({"n": [1, 2], "ds": ["x", "y"]}), tmp_path / "a.parquet")
    assert chosen(tmp_path, ("ds",), named="2026-05-02") == ChosenRun("2026-05-02", without=("ds",))
    assert chosen(tmp_path, ("day",), given="2026-05-02") == ChosenRun("2026-05-02")
    assert chosen(tmp_path, (), named="2026-05-02") == ChosenRun("2026-05-02")


def test_lines_tell_their_run_as_well(tmp_path):
    (tmp_path / "a.csv").write_text("n,ds\n1,2026-05-02\n2,2026-05-02\n")
    found = run_in_files(str(tmp_path), ("ds",), storage={}, lines=Lines("csv"))
    assert found == ChosenRun("2026-05-02", without=("ds",))
