"""The main job from a shell, on a real Spark."""

import json
import shlex
import shutil
import tempfile
from datetime import date
from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from tests.shell import byhistory

from byhistory.config import Config
from byhistory.demo import INCIDENTS, orders, write_lake
from byhistory.validator import Validator

pytestmark = pytest.mark.spark

GOOD, BAD = "2026-09-21", "2026-09-22"


@pytest.fixture(scope="module", autouse=True)
def session():
    """Made before the commands ask for one, so that they find one that starts fast; not stopped if it is another's."""
    from pyspark.sql import SparkSession

    from byhistory.spark.session import SHORT_LIVED, hushed, open_session

    others = SparkSession.getActiveSession()
    with hushed():
        own = open_session("byhistory tests", master="local[2]", compiler=SHORT_LIVED)
    yield own
    if others is None:
        own.stop()


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Twenty good days, then one more good day and one in cents, beside the lake."""
    folder = tmp_path_factory.mktemp("shop")
    write_lake(folder / "orders", 22, 400, incident="cents")
    (folder / "new").mkdir()
    for day in (GOOD, BAD):
        (folder / "orders" / f"ds={day}").rename(folder / "new" / f"ds={day}")
    return folder


@pytest.fixture(scope="module")
def filled(lake):
    """The address of a store that knows the twenty days."""
    store = f"sqlite:///{lake}/filled.db"
    answer = byhistory("backfill", "orders", lake / "orders", "--run-column", "ds", "--store", store)
    assert answer.code == 0, answer.err
    return store


@pytest.fixture
def store(filled, lake, tmp_path):
    """A copy of it to write to."""
    shutil.copy(lake / "filled.db", tmp_path / "history.db")
    return f"sqlite:///{tmp_path}/history.db"


def test_the_main_job_from_backfill_to_backtest(lake, store, tmp_path):
    answer = byhistory("check", "orders", lake / "new" / f"ds={GOOD}", "--store", store)
    assert (answer.code, answer.err) == (0, "")
    assert answer.last.startswith(f"as usual: orders {GOOD}, ")

    answer = byhistory("check", "orders", lake / "new" / f"ds={BAD}", "--store", store, "--timing")
    assert answer.code == 1
    assert answer.last.startswith(f"stop: orders {BAD}, 1 cause in 1 column (amount)")
    assert "multiplied by 100" in answer.out
    for step in ("JVM start", "read", "profile", "load history", "judge", "learn", "store"):
        assert f"{step} " in answer.err

    answer = byhistory("runs", "orders", "--store", store)
    assert f"{BAD} *" in answer.out
    assert answer.last == "orders: 22 runs, 21 of them learned from"

    answer = byhistory("explain", "orders", "amount", "--store", store)
    assert answer.code == 0
    assert "amount (numeric, measure): " in answer.out
    assert "a good run breaks this less than" in answer.out

    answer = byhistory("report", "orders", "-o", tmp_path / "orders.html", "--store", store)
    assert answer.code == 0
    assert answer.last.startswith(f"report: orders {BAD}, ")

    answer = byhistory("accept", "orders", BAD, "--new-normal", "--why", "cents now", "--who", "ann", "--store", store)
    assert answer.code == 0
    assert "about: amount" in answer.out
    told = byhistory("runs", "orders", "--store", store).out
    assert "new normal for amount by ann" in told
    assert "cents now" in told

    answer = byhistory("reject", "orders", BAD, "--why", "no, it was a bug", "--store", store)
    assert answer.last.endswith("learned again from 21 runs")

    answer = byhistory("backtest", "orders", "--store", store)
    assert answer.code == 0
    assert "unit change" in answer.out
    assert "95 % interval" in answer.out
    assert answer.last.startswith("within the budget: orders")

    answer = byhistory("tables", "--store", store)
    assert "orders" in answer.out


def test_a_run_may_be_named_by_the_path_by_the_column_or_by_the_user(lake, store):
    by_option = byhistory(
        "check", "orders", lake / "orders", "--run-column", "ds", "--run", "2026-09-20", "--store", store
    )
    assert by_option.last.startswith("as usual: orders 2026-09-20")
    assert "was recorded before" in by_option.err
    latest = byhistory("check", "orders", lake / "orders", "--latest", "--store", store)
    assert latest.last.startswith("as usual: orders 2026-09-20")
    several = byhistory("check", "orders", lake / "orders", "--store", store)
    assert several.explains("column 'ds'", "20 runs", "2026-09-20", "--run")
    nothing = byhistory("check", "orders", lake / "orders", "--run", "2026-12-24", "--store", store)
    assert nothing.explains("2026-12-24", "no row whose ds is that", "2026-09-20")
    other = byhistory("check", "other", lake / "orders", "--store", store)
    assert other.explains("key=value", "--run")
    with_glob = byhistory("check", "other", f"{lake}/orders/ds=2026-09-1*", "--store", store)
    assert with_glob.explains("key=value", "--run")


def test_what_the_file_pins_is_judged_as_it_was(lake, store, tmp_path):
    def clauses(*options):
        told = json.loads(byhistory("explain", "orders", "amount", "--json", "--store", store, *options).out)
        return {c["metric"]: c for c in told["columns"]["amount"]["clauses"]}

    before = clauses()
    metric = next(iter(before))
    file = tmp_path / "byhistory.toml"
    file.write_text(f'[tables.orders.columns.amount]\npin = ["{metric}"]\n')
    check = ("check", "orders", lake / "new" / f"ds={GOOD}", "--store", store, "--config", file, "--json")
    told = json.loads(byhistory(*check).out)["columns"]["amount"]["clauses"]
    assert [c["metric"] for c in told if c["clause"]["pinned"]] == [metric]
    after = clauses("--config", file)[metric]
    assert (after["low"], after["high"], after["is_pinned"]) == (before[metric]["low"], before[metric]["high"], True)
    file.write_text('[tables.orders.columns.amount]\npin = ["averge"]\n')
    assert byhistory(*check[:-1]).explains("judge 'amount' as byhistory.toml says", "no metric 'averge'", "name one")


@pytest.mark.parametrize("format_", ["json", "csv", "orc"])
def test_a_format_is_told_by_the_names_of_the_files(format_, session, lake, tmp_path):
    df = session.read.parquet(str(lake / "orders")).drop("created_at")
    writer = df.coalesce(1).write.option("header", "true")
    writer.format(format_).save(str(tmp_path / "orders"))
    store = f"sqlite:///{tmp_path}/h.db"
    answer = byhistory("backfill", "orders", tmp_path / "orders", "--run-column", "ds", "--store", store)
    assert answer.code == 0, answer.err
    assert "20 runs from 2026-09-01 to 2026-09-20" in answer.out
    again = byhistory("check", "orders", tmp_path / "orders", "--run", "2026-09-20", "--store", store)
    assert again.code == 0, again.err
    told = byhistory("check", "orders", tmp_path / "orders", "--run", "2026-09-20", "--store", store, "--json")
    assert "ds" not in json.loads(told.out)["columns"]


def test_options_choose_rows_columns_and_how_they_are_read(tmp_path):
    table = orders(date(2026, 9, 1), 200)
    pc.write_csv(table.drop(["created_at"]), tmp_path / "day.csv", pc.WriteOptions(delimiter=";"))
    store = f"sqlite:///{tmp_path}/h.db"
    answer = byhistory(
        *("check", "orders", tmp_path / "day.csv", "--run", "1", "--option", "sep=;", "--store", store),
        *("--where", "country = 'DE'", "--columns", "country,amount", "--json"),
    )
    assert answer.code == 0, answer.err
    told = json.loads(answer.out)
    assert set(told["columns"]) == {"country", "amount"}
    assert "learning: orders 1, 1 of 7 runs" in answer.err
    answer = byhistory(
        *("check", "orders", tmp_path / "day.csv", "--run", "2", "--option", "sep=;", "--store", store, "--strict"),
        *("--query", "select country, amount * 2 as amount from orders"),
    )
    assert answer.code == 3
    assert answer.last == "learning: orders 2, 2 of 7 runs"
    runs = json.loads(byhistory("runs", "orders", "--json", "--store", store).out)["runs"]
    assert [r["run"] for r in runs] == ["1", "2"]
    assert runs[0]["rows"] < runs[1]["rows"]


def test_a_backfill_learns_the_columns_of_all_files_not_only_of_the_first(tmp_path):
    for day in range(1, 9):
        columns = {"n": [day, 2, 3]} | ({"later": ["a", None, "b"]} if day > 2 else {"gone": [True, False, None]})
        (tmp_path / "t" / f"ds=2026-01-0{day}").mkdir(parents=True)
        pq.write_table(pa.table(columns), tmp_path / "t" / f"ds=2026-01-0{day}" / "a.parquet")
    store = f"sqlite:///{tmp_path}/history.db"
    answer = byhistory("backfill", "t", tmp_path / "t", "--run-column", "ds", "--store", store)
    assert answer.code == 0, answer.err
    assert "column 'later' is in 6 of 8 runs, 2026-01-03 to 2026-01-08" in answer.err
    with Validator(store, config=Config()) as guard:
        had = {line.run: set(guard.records.profile_of("t", line.run)) for line in guard.records.runs("t")}
    assert (had["2026-01-01"], had["2026-01-08"]) == ({"n", "gone"}, {"n", "later"})


def test_a_backfill_says_so_where_the_types_of_files_are_at_odds(tmp_path):
    for day, values in ((1, ["a"]), (2, [1.5])):
        (tmp_path / "t" / f"ds=2026-01-0{day}").mkdir(parents=True)
        pq.write_table(pa.table({"n": [1], "v": values}), tmp_path / "t" / f"ds=2026-01-0{day}" / "a.parquet")
    asked = ("--run-column", "ds", "--store", f"sqlite:///{tmp_path}/history.db")
    answer = byhistory("backfill", "t", tmp_path / "t", *asked)
    assert answer.explains("a column has different types", "--engine local")
    assert byhistory("backfill", "t", tmp_path / "t", *asked, "--engine", "local").code == 0


def test_parts_of_a_calendar_make_one_label(tmp_path):
    for month in (9, 10):
        for day in (1, 2):
            folder = tmp_path / "t" / "year=2026" / f"month={month:02d}" / f"day={day:02d}"
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"n": [1, 2, 3]}), folder / "p.parquet")
    store = f"sqlite:///{tmp_path}/h.db"
    byhistory("backfill", "t", tmp_path / "t", "--run-column", "year,month,day", "--store", store)
    answer = byhistory("check", "t", tmp_path / "t" / "year=2026" / "month=10" / "day=02", "--store", store)
    assert "was recorded before" in answer.err
    runs = json.loads(byhistory("runs", "t", "--json", "--store", store).out)["runs"]
    assert [r["run"] for r in runs] == ["2026-09-01", "2026-09-02", "2026-10-01", "2026-10-02"]


def test_outputs_for_machines(lake, store, tmp_path):
    bad = ("check", "orders", lake / "new" / f"ds={BAD}", "--store", store)
    answer = byhistory(*bad, "--json")
    told = json.loads(answer.out)
    assert (answer.code, told["ok"], told["status"]) == (1, False, "stop")
    assert "amount" in {finding["column"] for finding in told["findings"]}
    answer = byhistory(*bad, "--output", "junit")
    assert answer.code == 1
    assert list(ET.fromstring(answer.out).iter("failure"))  # noqa: S314 - we wrote it
    answer = byhistory(*bad, "--output", "github")
    assert "::error" in answer.out
    assert answer.last.startswith("stop: ")
    assert "amount" in byhistory(*bad, "--output", "markdown").out
    answer = byhistory(*bad, "-o", tmp_path / "v.json")
    assert answer.last.startswith("stop: ")
    assert json.loads((tmp_path / "v.json").read_text())["run"] == BAD
    answer = byhistory(*bad, "--shadow")
    assert answer.code == 0
    assert answer.last.startswith(f"stop (shadow, nothing is stopped): orders {BAD}")


def test_all_tables_one_summary_and_the_worst_exit_code(lake, store, tmp_path):
    file = tmp_path / "byhistory.toml"
    file.write_text(
        f'store = "{store}"\n'
        f'[tables.missing]\npath = "{lake}/nowhere/ds={{run}}"\n'
        f'[tables.orders]\npath = "{lake}/new/ds={{run}}"\n'
        f'[tables.fresh]\npath = "{lake}/new/ds={{run}}"\n'
    )
    answer = byhistory("check", "--all", "--run", BAD, "--config", file)
    assert answer.code == 2
    assert answer.last == "could not run: 1 of 3 tables pass; stop: orders; could not run: missing"
    assert "no such path" in answer.out
    answer = byhistory("check", "--all", "--run", BAD, "--config", file, "--json")
    told = json.loads(answer.out)
    assert told["exit_code"] == answer.code == 2
    assert {t["table"]: t["status"] for t in told["tables"]} == {
        "missing": "could not run",
        "orders": "stop",
        "fresh": "learning",
    }
    assert set(told["tables"][0]["error"]) == {"asked", "found", "todo"}
    for output, tell_tale in (("junit", "<error"), ("github", "::error title=missing"), ("markdown", "**missing**")):
        answer = byhistory("check", "--all", "--run", BAD, "--config", file, "--output", output)
        assert tell_tale in answer.out
    answer = byhistory("check", "--all", "--run", BAD, "--config", file, "-o", tmp_path / "all.xml")
    assert len(list(ET.fromstring((tmp_path / "all.xml").read_text()).iter("testsuite"))) == 3  # noqa: S314
    assert answer.code == 2


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["{lake}/nowhere/ds=1"], ["read {lake}/nowhere/ds=1", "no such path", "a path that exists"]),
        (["{lake}/orders", "--run", "1", "--where", "no_such > 1"], ["no column `no_such`", "--where"]),
        (["{lake}/orders", "--run", "1", "--where", "amount >>>> 1 )"], ["SQL that Spark does not understand"]),
        (["--catalog", "shop.orders", "--run", "1"], ["no table `shop`.`orders`", "--conf"]),
        (["--query", "select * from nothing", "--run", "1"], ["no table `nothing`"]),
        (["{lake}/orders/ds=2026-09-01", "--format", "delta"], ["without a reader for delta", "spark.jars.packages"]),
        (["{empty}/ds=1"], ["no Parquet file", "--format"]),
        (["{broken}/ds=1"], ["a damaged file", "--format"]),
        (["{lake}/orders/ds=2026-09-01", "--columns", "amuont"], ["column 'amuont'", "'amount'"]),
        (["{lake}/orders/ds=2026-09-01", "--option", "sep"], ["--option 'sep'", "name=value"]),
        (["{lake}/orders/ds={{run}}"], ["{{run}} in its path", "--run"]),
        ([], ["no path, catalog table or query", "--query"]),
        (["{lake}/orders", "--catalog", "a.b", "--run", "1"], ["both a path", "one of them"]),
        (["{lake}/orders", "--run", "1", "--conf", "x"], ["--conf 'x'", "name=value"]),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(args, words, lake, tmp_path):
    places = {"lake": lake, "empty": tmp_path / "empty", "broken": tmp_path / "broken"}
    (tmp_path / "empty" / "ds=1").mkdir(parents=True)
    (tmp_path / "broken" / "ds=1").mkdir(parents=True)
    (tmp_path / "broken" / "ds=1" / "p.parquet").write_bytes(b"PAR1 this is no Parquet file at all PAR1")
    answer = byhistory("check", "t", *(a.format(**places) for a in args), "--store", f"sqlite:///{tmp_path}/h.db")
    assert answer.explains(*(word.format(**places) for word in words))


def test_a_failing_backfill_says_why(lake, tmp_path):
    store = ("--store", f"sqlite:///{tmp_path}/h.db")
    one = lake / "orders" / "ds=2026-09-01"
    assert byhistory("backfill", "t", one, *store).explains("no column that tells", "--run-column ds")
    answer = byhistory("backfill", "t", lake / "orders", "--run-column", "day", *store)
    assert answer.explains("column 'day'", "'amount'", "name one of them")
    answer = byhistory("backfill", "t", lake / "orders", "--run-column", "ds", "--where", "amount < 0", *store)
    assert answer.explains("no rows", "--where")


def test_verbose_shows_the_whole_error(lake, tmp_path):
    answer = byhistory("check", "t", lake / "nowhere", "--run", "1", "-v", "--store", f"sqlite:///{tmp_path}/h.db")
    assert answer.code == 2
    assert "Traceback" in answer.err
    assert "PATH_NOT_FOUND" in answer.err


def test_hostile_names_do_not_command_the_terminal(tmp_path):
    folder = tmp_path / "t" / "ds=1"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"a\x1b[31m\nstop: fake": ["\x1b]0;owned\x07"] * 9}), folder / "p.parquet")
    store = f"sqlite:///{tmp_path}/h.db"
    for command in (("check", "x\x1b[2J", folder), ("explain", "x\x1b[2J"), ("runs", "x\x1b[2J"), ("tables",)):
        answer = byhistory(*command, "--store", store)
        assert answer.code == 0, answer.err
        assert not {"\x1b", "\x07"} & set(answer.out + answer.err)


@pytest.mark.slow
def test_the_demo_shows_all_of_it_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    answer = byhistory("demo", "--keep", tmp_path / "kept")
    assert answer.code == 0, answer.err
    for words in (
        "as usual: orders",
        "stop: orders",
        "warn: orders",
        "amount is back to usual after 1 run",
        "due: 1 late, 0 missing in 1 table",
        "were skipped",
        "probably renamed",
        "inbox: 1 alarm in 1 table",
        INCIDENTS["cents"][0],
        "█",
        "$ byhistory explain orders amount",
    ):
        assert words in answer.out
    assert answer.last.startswith("demo: everything worked")
    assert {"lake", "byhistory.db", "orders.html"} <= {f.name for f in (tmp_path / "kept").iterdir()}
    monkeypatch.chdir(tmp_path / "kept")
    shown = [shlex.split(line)[2:] for line in answer.out.splitlines() if line.startswith("$ byhistory")]
    looking = [args for args in shown if args[0] in ("explain", "due", "inbox", "report")]
    assert len(looking) >= 4
    assert {byhistory(*args).code for args in looking} <= {0, 1}, "what it shows can be run"
    again = byhistory("demo", "--keep", tmp_path / "kept")
    assert again.explains("keep the demo", "not empty")
    assert byhistory("demo", "--incident", "fire").explains("fire", "cents")
