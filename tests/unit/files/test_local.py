"""Files in this process: the profile of the table that is in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.effort import calls
from tests.same import assert_same
from tests.strategies import seeded

from byhistory.config import Config
from byhistory.errors import BadInput, ByHistoryError
from byhistory.files.local import profile_files, profile_run_files
from byhistory.profile import Kind, to_bytes
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

OPTIONS = Options(b"k", keep_values=True)


def table(rows: int, seed: int = 1) -> pa.Table:
    random = seeded(seed)
    words = [f"v{i}" for i in random.integers(0, 50, rows)]
    return pa.table(
        {
            "n": pa.array(random.integers(0, 1000, rows)),
            "x": pa.array(random.normal(size=rows), mask=random.random(rows) < 0.1),
            "s": pa.array(words, mask=random.random(rows) < 0.1),
            "free": [f"{w} {i}" for i, w in enumerate(words)],
            "l": [[1] * (i % 3) for i in range(rows)],
            "t": [{"a": i, "b": w} for i, w in enumerate(words)],
        }
    )


def written(path: Path, rows: pa.Table, name: str = "part-0.parquet") -> Path:
    path.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, path / name)
    return path


def test_a_file_has_the_profile_of_its_table(tmp_path):
    rows = table(3000)
    mine = profile_files(str(written(tmp_path, rows)), options=OPTIONS)
    local = profile_table(rows, options=OPTIONS)
    assert (mine.rows, list(mine)) == (3000, list(local))
    for name in local:
        assert_same(mine[name], local[name])
    assert [mine[name].type for name in mine] == [
        "bigint", "double", "string", "string", "array<bigint>", "bigint", "string",
    ]  # fmt: skip
    assert mine.sample.num_rows == 3000


def test_files_of_many_threads_are_their_table(tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.files.local.WORTH_A_THREAD", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    parts = [table(200, seed) for seed in range(5)]
    for number, part in enumerate(parts):
        written(tmp_path, part, f"part-{number}.parquet")
    mine, local = profile_files(str(tmp_path)), profile_table(pa.concat_tables(parts))
    for name in local:
        assert_same(mine[name], local[name])
    assert mine.sample.num_rows == 1000


def test_a_folder_is_a_run(tmp_path):
    parts = {day: table(200, day) for day in range(1, 5)}
    for day, part in parts.items():
        written(tmp_path / f"day=2026-01-0{day}", part)
    written(tmp_path / "day=__HIVE_DEFAULT_PARTITION__", table(7))
    (tmp_path / "_SUCCESS").touch()
    runs = profile_run_files(str(tmp_path), ["day"], options=OPTIONS)
    assert list(runs) == [f"2026-01-0{day}" for day in parts]
    assert runs["2026-01-01"].notices == ("7 rows have no 'day' and belong to no run",)
    assert [run.sample is not None for run in runs.values()] == [False, False, False, True]
    for day, part in parts.items():
        one = profile_files(str(tmp_path / f"day=2026-01-0{day}"), options=OPTIONS)
        only = profile_files(str(tmp_path), only=(["day"], f"2026-01-0{day}"), options=OPTIONS)
        assert one.rows == only.rows == part.num_rows
        for name in one:
            assert to_bytes(runs[f"2026-01-0{day}"][name]) == to_bytes(one[name]) == to_bytes(only[name])


def test_a_column_of_the_path_is_a_column(tmp_path):
    written(tmp_path / "year=2026" / "kind=a%2Fb", pa.table({"n": [1]}))
    written(tmp_path / "year=2027" / "kind=c", pa.table({"n": [2, 3]}))
    mine = profile_files(str(tmp_path))
    assert [(name, mine[name].type, mine[name].distinct) for name in mine] == [
        ("n", "bigint", 3.0), ("year", "int", 2.0), ("kind", "string", 2.0),
    ]  # fmt: skip
    runs = profile_run_files(str(tmp_path), ["year", "kind"])
    assert list(runs) == ["2026-a/b", "2027-0c"]
    assert list(profile_files(str(tmp_path / "*" / "kind=c"))) == ["n"]


def test_the_user_chooses_columns_and_kinds(tmp_path):
    path = str(written(tmp_path, table(50)))
    mine = profile_files(path, include=["n", "t.a"], kinds={"n": Kind.CATEGORICAL})
    assert [(name, mine[name].kind) for name in mine] == [("n", Kind.CATEGORICAL), ("t.a", Kind.NUMERIC)]
    with pytest.raises(BadInput, match="'gone'"):
        profile_files(path, exclude=["gone"])


def test_what_cannot_be_read_is_a_clear_error(tmp_path):
    with pytest.raises(ByHistoryError, match="no file there"):
        profile_files(str(tmp_path / "gone"))
    written(tmp_path, pa.table({"n": [1]}), "a.parquet")
    with pytest.raises(BadInput, match="folders that say nothing"):
        profile_run_files(str(tmp_path), ["day"])
    (tmp_path / "b.parquet").write_bytes(b"no Parquet")
    with pytest.raises(ByHistoryError, match=r"b\.parquet\. Found: no Parquet file that can be read"):
        profile_files(str(tmp_path))
    (tmp_path / "b.parquet").rename(tmp_path / "A.parquet")
    with pytest.raises(ByHistoryError, match=r"A\.parquet.* no Parquet file"):
        profile_files(str(tmp_path))
    written(tmp_path / "deep" / "day=1", pa.table({"n": [1]}))
    (tmp_path / "A.parquet").unlink()
    with pytest.raises(BadInput, match="different columns in their paths"):
        profile_files(str(tmp_path))


def test_a_column_has_one_name_and_one_place_in_all_runs(tmp_path):
    written(tmp_path / "day=1", pa.table({"Amount": [1, 2], "b": ["x", "y"]}))
    written(tmp_path / "day=2", pa.table({"c": [1.5], "b": ["x"], "amount": [3]}))
    written(tmp_path / "day=2", pa.table({"gone": pa.array([], pa.int64())}), "no-rows.parquet")
    written(tmp_path / "day=3", pa.table({"gone": pa.array([], pa.int64())}))
    runs = profile_run_files(str(tmp_path), ["day"])
    assert {run: {name: p[name].position for name in p} for run, p in runs.items()} == {
        "1": {"Amount": 0, "b": 1},
        "2": {"Amount": 0, "b": 1, "c": 3},  # "gone" has the place before
    }


def test_a_time_before_the_first_year_makes_a_label_and_is_not_measured(tmp_path):
    for day in ("0000-01-01", "2026-01-01"):
        written(tmp_path / f"at={day}" / "n=99999999999999999999", pa.table({"x": [1]}))
    assert list(profile_run_files(str(tmp_path), ["at"])) == ["0000-01-01", "2026-01-01"]
    whole = profile_files(str(tmp_path))
    assert [(name, whole[name].type) for name in whole] == [
        ("x", "bigint"),
        ("n", "decimal(20,0)"),
        ("at", "time of a path"),
    ]
    assert "only Spark reads time of a path" in whole.notices[0]


def test_of_a_column_of_a_type_that_nobody_reads_it_is_known_that_it_is_there(tmp_path):
    pq.write_table(pa.table({"at": pa.array([1], pa.time64("ns")), "n": [1]}), tmp_path / "a.parquet")
    found = profile_files(str(tmp_path))
    assert list(found) == ["n", "at"]
    assert (found["at"].rows, found.unread) == (1, (("at", "unknown"),))
    assert found.notices == (
        "column 'at': only that it is there is judged: Spark does not read its type from files either",
    )


def test_a_column_that_nobody_reads_is_missed_when_it_is_gone(tmp_path):
    with Validator("memory:", config=Config()) as guard:
        for day in range(1, 12):
            columns = {"n": pa.array([float(day + i) for i in range(40)]), "half": pa.array([np.float16(1)] * 40)}
            folder = tmp_path / f"ds=2026-01-{day:02}"
            folder.mkdir()
            pq.write_table(pa.table({k: v for k, v in columns.items() if k == "n" or day < 11}), folder / "a.parquet")
            judged = guard.check_files(None, str(folder), "orders")
            if day < 11:
                assert judged.ok
                told = [one.why for one in judged.verdict.unjudged if one.column == "half"]
                assert told == ["only that it is there is judged: its values could not be read (type: unknown)"]
    assert [f.about for f in judged.findings if f.column == "half"] == ["missing column"]


def test_nanoseconds_are_times_of_the_microsecond_they_are_in(tmp_path):
    nanos = pa.array([1, -1, None, 1_700_000_000_000_000_999], pa.int64())
    times = pa.table({"at": nanos.cast(pa.timestamp("ns", "UTC")), "wall": nanos.cast(pa.timestamp("ns"))})
    pq.write_table(times, tmp_path / "a.parquet")
    found = profile_files(str(tmp_path), options=OPTIONS)
    micros = pa.array([0, -1, None, 1_700_000_000_000_000], pa.int64())
    same = pa.table({"at": micros.cast(pa.timestamp("us", "UTC")), "wall": micros.cast(pa.timestamp("us"))})
    pq.write_table(same, tmp_path / "a.parquet")
    assert [found[name].type for name in found] == ["timestamp", "timestamp_ntz"]
    assert {n: to_bytes(found[n]) for n in found} == {
        n: to_bytes(column) for n, column in profile_files(str(tmp_path), options=OPTIONS).columns.items()
    }


def test_text_may_be_encoded_otherwise_in_every_file(tmp_path):
    parts = [pa.table({"s": ["same"] * 500, "n": range(500)}), pa.table({"s": [f"free {i}" for i in range(50)]})]
    pq.write_table(parts[0], tmp_path / "a.parquet")
    pq.write_table(parts[1], tmp_path / "b.parquet", use_dictionary=False)
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "c.parquet")
    mine = profile_files(str(tmp_path), options=OPTIONS)
    whole = profile_table(pa.concat_tables([*parts, pa.table({"n": [1, 2]})], promote_options="default"))
    assert (mine.rows, mine["s"].nulls, mine["s"].distinct) == (552, 2, 51)
    assert mine["s"].text == whole["s"].text


@pytest.mark.parametrize("name", ["ds", "DS"])
def test_a_column_in_path_and_file_is_that_of_the_path_at_the_place_of_the_file(tmp_path, name):
    for day in (1, 2):
        folder = tmp_path / f"ds=2026-01-0{day}"
        folder.mkdir()
        pq.write_table(pa.table({"a": [1, 2], name: ["x", "y"], "b": [3, 4]}), folder / "0.parquet")
    whole = profile_files(str(tmp_path))
    assert [(n, whole[n].type) for n in whole] == [("a", "bigint"), ("ds", "date"), ("b", "bigint")]
    assert whole["ds"].distinct == 2
    assert [list(run) for run in profile_run_files(str(tmp_path), ["ds"]).values()] == [["a", "b"]] * 2


def test_files_that_are_not_alike_are_told_apart(tmp_path):
    for i, table in enumerate(
        [{"a": [1], "s": [{"x": 1}]}, {"a": [2], "s": [{"x": 2}]}, {"a": [3], "t": [{"x": 3}]}, {"s": [{"x": 4}]}]
    ):
        pq.write_table(pa.table(table), tmp_path / f"{i}.parquet")
    found = profile_files(str(tmp_path))
    assert {n: (found[n].rows, found[n].nulls) for n in found} == {"a": (4, 1), "s.x": (4, 1), "t.x": (4, 3)}


@pytest.mark.parametrize("odd", [None, 0, 7, 19, "empty"])
def test_many_files_are_their_table_whether_or_not_one_of_them_has_other_columns(tmp_path, odd):
    tables = [pa.table({"a": [i, i + 1], "s": [f"v{i}", None]}) for i in range(20)]
    if odd == "empty":
        tables[3] = pa.table({"a": pa.array([], pa.int64()), "more": pa.array([], pa.string())})
    elif odd is not None:
        tables[odd] = pa.table({"s": ["x", "y"], "b": [True, False]})
    for i, table in enumerate(tables):
        pq.write_table(table, tmp_path / f"{i:02d}.parquet")
    mine = profile_files(str(tmp_path), options=OPTIONS)
    whole = profile_table(pa.concat_tables(tables, promote_options="default"), options=OPTIONS)
    wanted = {name for name in whole if whole[name].present}
    assert set(mine) == wanted
    assert all(mine[name].values == whole[name].values and mine[name].nulls == whole[name].nulls for name in wanted)


def test_one_more_small_file_is_opened_once_and_taken_as_it_is(tmp_path):
    def of(files: int) -> int:
        folder = tmp_path / str(files)
        for i in range(files):
            written(folder, table(10, seed=i), f"{i:02d}.parquet")
        return calls(lambda: profile_files(str(folder), sample_rows=0))

    of(20)
    each = (of(60) - of(40)) / 20
    assert each < 150, each  # 248 where each footer was read twice
