"""Parquet files without Spark: the same commands, no JVM."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.shell import byhistory
from tests.strategies import seeded

from byhistory.config import Config
from byhistory.validator import Validator

DAYS = 12


def rows(day: int, count: int = 300, null: float = 0.05) -> pa.Table:
    random = seeded(day)
    amounts, countries = random.normal(100, 10, count), [f"c{i}" for i in random.integers(0, 5, count)]
    return pa.table({"amount": amounts, "country": pa.array(countries, pa.string(), mask=random.random(count) < null)})


@pytest.fixture
def lake(tmp_path) -> Path:
    for day in range(1, DAYS + 1):
        folder = tmp_path / "orders" / f"ds=2026-01-{day:02d}"
        folder.mkdir(parents=True)
        pq.write_table(rows(day), folder / "part-0.parquet")
    return tmp_path / "orders"


def test_backfill_and_check_without_spark(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)  # a JVM would be an error
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    answer = byhistory("backfill", "orders", lake, "--run-column", "ds", "--timing", *asked)
    assert answer.code == 0, answer.err
    assert f"orders: {DAYS} runs from 2026-01-01 to 2026-01-{DAYS}" in answer.out
    assert "orders: files are read in this process: the engine is local" in answer.err
    for day, table in ((13, rows(13)), (14, rows(14, null=1.0))):
        (lake / f"ds=2026-01-{day}").mkdir()
        pq.write_table(table, lake / f"ds=2026-01-{day}" / "part-0.parquet")
    fine = byhistory("check", "orders", lake, "--run", "2026-01-13", *asked)
    assert (fine.code, fine.last.split(":")[0]) == (0, "as usual"), fine.out
    bad = byhistory("check", "orders", lake, "--latest", "--timing", "--fail-on", "warn", *asked)
    assert bad.code == 1, bad.out
    assert "country" in bad.out
    assert "timing: load the program " in bad.err
    assert "profile 0." in bad.err
    same = byhistory("check", "orders", lake / "ds=2026-01-13", *asked)
    assert same.code == 0, same.err
    assert byhistory("check", "orders", lake, *asked).explains("14 runs", "--latest")
    assert byhistory("check", "orders", lake, "--run", "2027-01-01", *asked).explains("no row whose ds is that")


def test_folders_that_tell_time_need_no_run_column(lake, tmp_path):
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    answer = byhistory("backfill", "orders", lake, *asked)
    assert answer.code == 0, answer.err
    assert f"orders: {DAYS} runs from 2026-01-01 to 2026-01-{DAYS}" in answer.out
    assert "orders: runs are told apart by the folders (ds); --run-column names others" in answer.err
    (lake / "ds=2026-01-13").mkdir()
    pq.write_table(rows(13), lake / "ds=2026-01-13" / "part-0.parquet")
    latest = byhistory("check", "orders", lake, "--latest", *asked)
    assert (latest.code, latest.last.split(":")[0]) == (0, "as usual"), latest.out
    assert "2 columns" in latest.out, "the folders' column is no data"
    two = tmp_path / "by country"
    for country in ("DE", "FR"):
        (two / f"country={country}").mkdir(parents=True)
        pq.write_table(rows(1), two / f"country={country}" / "part-0.parquet")
    assert byhistory("backfill", "t", two, *asked).explains("no column that tells", "--run-column ds")


def test_nothing_is_recorded_where_the_answer_cannot_be_written(lake, tmp_path):
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    (tmp_path / "folder.json").mkdir()
    config = tmp_path / "byhistory.toml"
    config.write_text(f'[tables.orders]\npath = "{lake}/ds=2026-01-12"\nengine = "local"\n')
    for out in ("no/such/folder.json", "folder.json"):
        one = ("check", "orders", lake / "ds=2026-01-12", *asked)
        many = ("check", "--all", "--config", config, *asked[2:])
        for command in (one, many, ("calibrate", *asked[2:])):
            assert byhistory(*command, "-o", tmp_path / out).explains(f"write {tmp_path / out}", "can be written")
    assert not (tmp_path / "history.db").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"folder.json", "orders", "byhistory.toml"}


def test_a_pipe_or_a_device_is_written_into_and_not_replaced(lake, tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe.json")
    with ThreadPoolExecutor() as pool:
        said = pool.submit(pipe.read_text)
        asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
        assert byhistory("check", "orders", lake / "ds=2026-01-12", *asked, "-o", pipe).code == 0
        assert json.loads(said.result(20))["run"] == "2026-01-12"
    assert pipe.is_fifo()


def test_a_path_is_remembered_and_may_have_the_run_in_it(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)  # a JVM would be an error
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    assert byhistory("check", "orders", "--run", "2026-01-12", *asked).explains("no path", "byhistory.toml")
    late = (lake / f"ds=2026-01-{DAYS}").rename(tmp_path / "late")
    answer = byhistory("backfill", "orders", f"{lake}/ds={{run}}", *asked)
    assert answer.code == 0, answer.err
    assert f"orders: {DAYS - 1} runs" in answer.out
    late.rename(lake / f"ds=2026-01-{DAYS}")
    assert byhistory("check", "orders", "--run", f"2026-01-{DAYS}", *asked).last.startswith("as usual: orders")


def test_runs_whose_order_nobody_can_tell_are_brought_in_with_a_word(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)  # a JVM would be an error
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    sure = byhistory("backfill", "sure", lake, "--run-column", "ds", *asked)
    assert "order of these runs" not in sure.err
    for day in range(1, DAYS + 1):
        (lake / f"ds=2026-01-{day:02d}").rename(lake / f"ds={day:02d}-Jan-26")
    told = byhistory("backfill", "orders", lake, "--run-column", "ds", *asked)
    assert told.code == 0, told.err
    assert "orders: the order of these runs is not certain: the label of the first has the name of a month" in told.err


def test_a_path_from_which_nothing_was_read_is_not_remembered(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)  # a JVM would be an error
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    assert byhistory("backfill", "orders", f"{lake}/ds={{run}}", *asked).code == 0
    for wrong in (f"{tmp_path}/nothing", f"{tmp_path}/nothing/ds=2026-01-12"):
        assert byhistory("check", "orders", wrong, "--run", "2026-01-12", *asked).code == 2
    assert byhistory("check", "new", f"{tmp_path}/nothing", "--run", "1", *asked).code == 2
    with Validator(f"sqlite:///{tmp_path}/history.db", config=Config()) as guard:
        assert guard.store.settings("new") == {}
    assert byhistory("check", "orders", "--run", f"2026-01-{DAYS}", *asked).last.startswith("as usual: orders")


def test_csv_and_json_lines_without_spark(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)  # a JVM would be an error
    for day in range(1, DAYS + 3):
        table = rows(day, null=0.05 if day < DAYS + 2 else 1.0)
        lines = [f"{a:.2f};{c or ''}" for a, c in zip(*(table[n].to_pylist() for n in table.column_names), strict=True)]
        (tmp_path / f"2026-01-{day:02d}.csv").write_text("\n".join(["amount;country", *lines]) + "\n", encoding="utf-8")
        objects = [json.dumps({k: v for k, v in row.items() if v is not None}) for row in table.to_pylist()]
        (tmp_path / f"2026-01-{day:02d}.jsonl").write_text("\n".join(objects), encoding="utf-8")
    for suffix, more in (("csv", ("--option", "sep=;")), ("jsonl", ())):
        asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/{suffix}.db", *more)
        answer = byhistory("backfill", "orders", f"{tmp_path}/{{run}}.{suffix}", *asked)
        assert answer.code == 0, answer.err
        last = f"2026-01-{DAYS + 2}"
        bad = byhistory("check", "orders", tmp_path / f"{last}.{suffix}", "--run", last, "--why", *asked)
        assert (bad.code, "country" in bad.last) == (1, True), bad.out + bad.err


def test_all_tables_of_the_file_without_spark(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)
    orders = f'[tables.orders]\npath = "{lake}"\nrun_column = "ds"\n'
    (tmp_path / "byhistory.toml").write_text(f'store = "sqlite:///{tmp_path}/h.db"\nengine = "local"\n{orders}')
    answer = byhistory("check", "--all", "--latest", "--config", tmp_path / "byhistory.toml", "--timing")
    assert answer.code == 0, answer.err
    assert "orders: files are read in this process" in answer.err


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--where", "amount > 1"), "a condition (where)"),
        (("--query", "select 1"), "a query"),
        (("--format", "orc"), "files of orc"),
        (("--format", "csv", "--option", "quote='"), "the option quote"),
        (("--format", "csv"), "read them with Spark"),
        (("--engine", "duck"), "--engine duck"),
    ],
)
def test_what_only_spark_reads_is_a_clear_error(lake, tmp_path, more, why):
    store = ("--store", f"sqlite:///{tmp_path}/history.db")
    asked = ("check", "orders", lake, "--run", "2026-01-01", "--engine", "local", *more, *store)
    assert byhistory(*asked).explains(why)


def test_the_facade_takes_files_and_tables_in_memory(lake):
    with Validator("memory:", config=Config()) as guard:
        for day in range(1, DAYS + 1):
            guard.sources.check("orders", path=str(lake / f"ds=2026-01-{day:02d}"))
        assert guard.sources.check("orders", path=str(lake / "ds=2026-01-01"), run="2026-01-13").status == "as usual"
    with Validator("memory:", config=Config()) as guard:
        for day in range(1, DAYS + 1):
            guard.check(rows(day), "orders", f"2026-01-{day:02d}")
        assert guard.check(rows(13), "orders", "2026-01-13").ok
        assert not guard.check(rows(14, null=1.0).to_pandas(), "orders", "2026-01-14").ok


def test_neither_spark_nor_what_is_slow_to_load_is_imported(lake):
    script = (
        "import sys\nfrom byhistory.validator import Validator\nfrom byhistory.config import Config\n"
        f"Validator('memory:', config=Config()).sources.check('t', path={str(lake / 'ds=2026-01-01')!r}, run='r')\n"
        "assert not {'pyspark', 'pandas', 'scipy.stats'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def broken(day: int) -> pa.Table:
    table = rows(day)
    mask = pc.equal(pc.fill_null(table["country"], ""), "c3")
    return table.set_column(0, "amount", pc.if_else(mask, pa.scalar(-1.0), table["amount"]))


def test_a_check_says_why_when_asked_or_by_setting(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)  # a JVM would be an error
    store = ("--store", f"sqlite:///{tmp_path}/history.db")
    assert byhistory("backfill", "orders", lake, "--run-column", "ds", "--engine", "local", *store).code == 0
    for day, table in ((13, rows(13)), (14, broken(14))):
        (lake / f"ds=2026-01-{day}").mkdir()
        pq.write_table(table, lake / f"ds=2026-01-{day}" / "part-0.parquet")
    asked = ("--engine", "local", *store)
    fine = byhistory("check", "orders", lake / "ds=2026-01-13", "--why", "--json", *asked)
    assert "why" not in json.loads(fine.out), "nothing is to be said of a run that is as usual"
    bad = byhistory("check", "orders", lake / "ds=2026-01-14", "--why", *asked)
    assert "are in rows with country = 'c3'" in bad.out
    assert "██████████ 100%" in bad.out
    assert "the run is as usual" in bad.out
    assert "why" not in byhistory("check", "orders", lake / "ds=2026-01-14", *asked).out
    settings = tmp_path / "byhistory.toml"
    settings.write_text(f'[tables.orders]\npath = "{lake}"\nrun_column = "ds"\nengine = "local"\nwhy = true\n')
    page, config = tmp_path / "orders.html", ("--config", settings, *store)
    assert byhistory("check", "orders", "--run", "2026-01-14", "-o", page, *config).code == 1
    assert "Which rows" in page.read_text()
    assert "country = &#39;c3&#39;" in page.read_text()
    assert "share it as you would share the table" in page.read_text()
    told = json.loads(byhistory("check", "--all", "--run", "2026-01-14", "--json", *config).out)
    assert told["tables"][0]["verdict"]["why"]["segments"][0]["sql"] == "(`country` = 'c3')"
    assert told["tables"][0]["verdict"]["why"]["before"] == "2026-01-13"


def test_why_reads_files_here_and_puts_the_rows_of_the_segment_apart(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)
    settings = tmp_path / "byhistory.toml"
    settings.write_text(f'[tables.orders]\npath = "{lake}"\nrun_column = "ds"\nengine = "local"\nmasked = ["amount"]\n')
    asked = ("--config", settings, "--store", f"sqlite:///{tmp_path}/history.db")
    assert byhistory("backfill", "orders", *asked).code == 0
    (lake / "ds=2026-01-13").mkdir()
    pq.write_table(broken(13), lake / "ds=2026-01-13" / "part-0.parquet")
    assert byhistory("check", "orders", "--latest", *asked).code == 1
    said = byhistory("why", "orders", "2026-01-13", "--rows", "2", *asked)
    assert (said.code, said.out.count("amount=•••, country=c3")) == (0, 2), said.out
    assert byhistory("why", "orders", "2026-01-13", "--query", *asked).out.strip() == "(`country` = 'c3')"
    assert len(json.loads(byhistory("why", "orders", "2026-01-13", "--rows", "2", "--json", *asked).out)["rows"]) == 2
    apart = tmp_path / "apart"
    assert byhistory("why", "orders", "2026-01-13", "--quarantine", apart, *asked).code == 0
    inside, outside = (pq.read_table(apart / name) for name in ("quarantined", "passed"))
    assert inside["country"].unique().to_pylist() == ["c3"]
    assert inside.num_rows + outside.num_rows == 300
    again = byhistory("why", "orders", "2026-01-13", "--quarantine", apart, *asked)
    assert (again.code, "something there already" in again.err) == (2, True)


def test_missing_rows_cannot_be_put_apart_and_the_message_says_so(lake, tmp_path):
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    assert byhistory("backfill", "orders", lake, "--run-column", "ds", *asked).code == 0
    (lake / "ds=2026-01-13").mkdir()
    kept = rows(13).filter(pc.fill_null(pc.not_equal(rows(13)["country"], "c3"), True))
    pq.write_table(kept, lake / "ds=2026-01-13" / "part-0.parquet")
    assert byhistory("check", "orders", lake / "ds=2026-01-13", "--run", "2026-01-13", *asked).code == 1
    apart = tmp_path / "apart"
    said = byhistory("why", "orders", "2026-01-13", "--quarantine", apart, *asked)
    assert "there are no rows with country = 'c3'" in said.out
    assert (said.code, "nothing to write apart" in said.err, "load the missing rows" in said.err) == (2, True, True)
    assert not apart.exists()


def test_why_reads_the_rows_where_check_has_read_them(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("byhistory.spark.session.open_session", None)
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    assert byhistory("backfill", "orders", lake, "--run-column", "ds", *asked).code == 0
    (lake / "ds=2026-01-13").mkdir()
    pq.write_table(broken(13), lake / "ds=2026-01-13" / "part-0.parquet")
    assert byhistory("check", "orders", lake / "ds=2026-01-13", "--run", "2026-01-13", *asked).code == 1
    said = byhistory("why", "orders", "2026-01-13", *asked)
    assert (said.code, "country = 'c3'" in said.out, "Not known" in said.out) == (0, True, False), said


def with_channel(day: int) -> pa.Table:
    """From the seventh day on with one column more, and from the ninth on without another."""
    table = rows(day)
    if day >= 7:
        table = table.append_column("channel", pa.array([f"k{i % 3}" for i in range(table.num_rows)]))
    return table.drop_columns(["country"]) if day >= 9 else table


def write_days(lake: Path, days: int = DAYS) -> None:
    for day in range(1, days + 1):
        (lake / f"ds=2026-01-{day:02d}").mkdir(parents=True)
        pq.write_table(with_channel(day), lake / f"ds=2026-01-{day:02d}" / "part-0.parquet")


def assert_each_run_has_its_own_columns(store: str) -> None:
    with Validator(store, config=Config()) as guard:
        had = {
            line.run: set(guard.records.profile_of("orders", line.run).columns) for line in guard.records.runs("orders")
        }
        assert set(guard.learning.programs("orders")) >= {"amount", "channel"}
    assert had["2026-01-01"] == {"amount", "country"}
    assert had["2026-01-08"] == {"amount", "country", "channel"}
    assert had["2026-01-12"] == {"amount", "channel"}


def test_a_backfill_learns_the_columns_of_all_files_not_only_of_the_first(tmp_path):
    write_days(tmp_path / "orders")
    store = f"sqlite:///{tmp_path}/history.db"
    answer = byhistory(
        "backfill", "orders", tmp_path / "orders", "--run-column", "ds", "--store", store, "--engine", "local"
    )
    assert answer.code == 0, answer.err
    assert "column 'channel' is in 6 of 12 runs, 2026-01-07 to 2026-01-12" in answer.err
    assert "column 'country' is in 8 of 12 runs, 2026-01-01 to 2026-01-08" in answer.err
    assert_each_run_has_its_own_columns(store)


def test_a_column_that_changed_its_type_has_in_each_run_the_type_of_its_files(tmp_path):
    for day, type_ in ((1, pa.int32()), (2, pa.int64())):
        (tmp_path / "t" / f"ds=2026-01-{day:02d}").mkdir(parents=True)
        pq.write_table(pa.table({"n": pa.array([1, 2], type_)}), tmp_path / "t" / f"ds=2026-01-{day:02d}" / "a.parquet")
    store = f"sqlite:///{tmp_path}/history.db"
    asked = ("--run-column", "ds", "--store", store, "--engine", "local")
    answer = byhistory("backfill", "t", tmp_path / "t", *asked)
    assert answer.code == 0, answer.err
    with Validator(store, config=Config()) as guard:
        assert [guard.records.profile_of("t", line.run)["n"].type for line in guard.records.runs("t")] == [
            "int",
            "bigint",
        ]


@pytest.mark.parametrize("pattern", ["{run}/rows.parquet", "orders-{run}.parquet", "{run}/*.parquet", "{run}"])
def test_a_backfill_finds_the_runs_of_any_path_with_the_run_in_it(pattern, tmp_path):
    is_folder = pattern == "{run}"
    for day in range(1, DAYS + 1):
        path = tmp_path / "in" / pattern.replace("{run}", f"2026-01-{day:02d}").replace("*", "part-0")
        file = path / "part-0.parquet" if is_folder else path
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows(day), file)
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    answer = byhistory("backfill", "orders", f"{tmp_path}/in/{pattern}", *asked)
    assert answer.code == 0, answer.err
    assert f"orders: {DAYS} runs from 2026-01-01 to 2026-01-{DAYS}" in answer.out
    again = byhistory("check", "orders", "--run", f"2026-01-{DAYS}", *asked)
    assert again.last.startswith(f"as usual: orders 2026-01-{DAYS}"), again.out


def test_a_run_that_lies_alone_is_not_compared_with_itself(lake, tmp_path):
    asked = ("--engine", "local", "--store", f"sqlite:///{tmp_path}/history.db")
    assert byhistory("backfill", "orders", lake, "--run-column", "ds", *asked).code == 0
    table = rows(13)
    odd = pc.if_else(
        pc.fill_null(pc.equal(table["country"], "c1"), False), pa.scalar(None, pa.float64()), table["amount"]
    )
    alone = tmp_path / "alone"
    alone.mkdir()
    pq.write_table(table.set_column(0, "amount", odd), alone / "part-0.parquet")
    answer = byhistory("check", "orders", alone, "--run", "2026-01-13", "--why", *asked)
    assert "missing values in 'amount' are in rows with country = 'c1'" in " ".join(answer.out.split())
    assert "so its stored profile stands in" in " ".join(answer.out.split())
