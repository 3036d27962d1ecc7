"""`byhistory init`: from a lake to a file that a backfill can use."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.shell import byhistory

from byhistory.config import parse_config, read_config
from byhistory.files.found import FoundTable
from byhistory.report.answers.init import sentence, small_shares, to_toml
from byhistory.validator.proposal import proposed, proposed_below

DAYS = tuple((f"2026-11-{day:02}",) for day in range(1, 13))


@pytest.mark.parametrize(
    ("table", "column", "rhythm"),
    [
        (FoundTable("a.days", ("ds",), DAYS), "ds", "daily"),
        (FoundTable("a.parts", ("country", "dt"), tuple(("DE", day) for (day,) in DAYS)), "dt", "daily"),
        (FoundTable("months", ("year", "month"), (("2026", "9"), ("2026", "10"))), "year,month", "monthly"),
        (
            FoundTable("hours", ("date", "hour"), tuple((d, f"{h:02}") for (d,) in DAYS for h in range(24))),
            "date,hour",
            "several a day",
        ),
        (FoundTable("parted", ("hour", "date"), tuple(("07", day) for (day,) in DAYS)), "date", "daily"),
        (FoundTable("named", ("batch",), (("x",), ("y",))), "batch", "no calendar"),
        (FoundTable("flat", dates=("born", "load_date")), "load_date", ""),
        (FoundTable("none"), "", ""),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_columns_that_tell_time_tell_runs_apart(table, column, rhythm):
    found = proposed(table)
    assert (found.run_column, found.rhythm) == (column, rhythm)


def test_what_is_written_is_read_and_says_what_a_group_has_in_common_once():
    tables = [
        FoundTable("shop.orders", ("ds",), DAYS, catalog="shop.orders"),
        FoundTable("shop.items", ("ds",), DAYS, catalog="shop.items"),
        FoundTable('odd "name"', ("dt",), DAYS, catalog='odd "name"'),
    ]
    text = to_toml([proposed(t) for t in tables], "memory:", owner="ann", tags=["gold"], budget=0.05)
    config = parse_config(text)
    assert list(config.tables) == ['odd "name"', "shop.orders", "shop.items"]
    shop, odd = config.table("shop.orders"), config.table('odd "name"')
    assert (shop.run_column, shop.owner, shop.tags, shop.catalog) == ("ds", "ann", ("gold",), "{table}")
    assert (odd.run_column, odd.owner) == ("dt", "ann")
    assert 1 - (1 - shop.budget) ** 2 == pytest.approx(0.05)
    assert text.count("run_column") == 2


@pytest.mark.parametrize(("budget", "is_said"), [(0.05, True), (0.1, False)])
def test_a_table_that_gets_less_of_a_budget_than_is_promised_is_told_so(budget: float, is_said: bool) -> None:
    tables = [proposed(FoundTable(f"shop.t{i}", ("ds",), DAYS, catalog=f"shop.t{i}")) for i in range(8)]
    said = small_shares(tables, budget)
    assert said.startswith("of the budget each of 8 tables gets 0.639 %: below 1 % of a table nothing") == is_said
    assert bool(said) == is_said


def test_a_lake_is_looked_at_written_down_and_brought_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("sales/orders", "sales/items", "users"):
        for (day,) in DAYS:
            folder = tmp_path / "lake" / name / f"ds={day}"
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"n": [1, 2, 3]}), folder / "part-0.parquet")
    shown = byhistory("init", "lake", "--engine", "local", "--dry-run")
    assert shown.code == 0, shown.err
    assert "36 runs to bring in" in shown.out
    assert not (tmp_path / "byhistory.toml").exists()
    written = byhistory("init", "lake", "--engine", "local", "--owner", "ann")
    assert written.last == "wrote byhistory.toml: 3 tables; read it, then `byhistory backfill --all`"
    assert set(read_config().tables) == {"sales.orders", "sales.items", "users"}
    assert byhistory("init", "lake").code == 2, "a file that is there is left as it is"
    assert byhistory("backfill", "--all").last == "backfilled: 3 tables with 36 runs of 108 rows"


def test_a_column_of_dates_in_a_folder_without_others_is_a_guess(tmp_path):
    place = tmp_path / "lake" / "ref" / "ledger"
    place.mkdir(parents=True)
    booked = pa.array([date(2026, 11, day) for day in range(1, 13)])
    pq.write_table(pa.table({"booked_on": booked, "amount": range(12)}), place / "all.parquet")
    (found,) = proposed_below(str(tmp_path / "lake"), {})
    assert (found.run_column, sentence(found)) == ("booked_on", "a guess: its dates may tell the runs apart")
    config = parse_config(to_toml([found], "memory:", engine="local"))
    assert config.table("ref.ledger").engine == "spark", "which alone selects rows by a column"
    assert config.defaults.engine == "local"


def test_a_place_is_named_once_and_has_tables(tmp_path):
    assert "neither" in byhistory("init").err
    assert "no file there" in byhistory("init", tmp_path, "--dry-run").err
