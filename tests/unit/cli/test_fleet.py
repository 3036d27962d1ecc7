"""Many tables side by side: none is lost, none stops the others."""

from __future__ import annotations

import threading
from datetime import date, datetime, timedelta, timezone

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.shell import byhistory
from tests.strategies import seeded

from byhistory.cli._fleet import Pace, chosen, side_by_side
from byhistory.config import parse_config
from byhistory.errors import ByHistoryError

NOW = datetime(2026, 11, 15, 4, tzinfo=timezone.utc)
FIRST = date(2026, 9, 1)


def busy(is_transient: bool) -> ByHistoryError:
    return ByHistoryError("read", "a busy server", "wait", is_transient=is_transient)


def run(tables, work, **pace):
    waited: list[float] = []
    return side_by_side(tables, work, "testing", lambda: NOW, Pace(pause=waited.append, **pace)), waited


def test_the_answers_come_in_the_order_of_the_tables_and_never_more_at_once_than_allowed():
    lock, here, most = threading.Lock(), 0, 0
    together = threading.Barrier(3)

    def work(table: str) -> str:
        nonlocal here, most
        with lock:
            here += 1
            most = max(most, here)
        together.wait(20)  # three at a time get through only if three run at a time
        with lock:
            here -= 1
        return table.upper()

    tables = [f"t{i}" for i in range(12)]
    done, _ = run(tables, work, at_once=3)
    assert [(d.table, d.value) for d in done] == [(t, t.upper()) for t in tables]
    assert most == 3


def test_what_is_transient_is_tried_again_and_what_fails_stops_no_other():
    tries: dict[str, int] = {}

    def work(table: str) -> str:
        tries[table] = tries.get(table, 0) + 1
        if table == "flaky" and tries[table] < 3:
            raise busy(is_transient=True)
        if table == "down":
            raise busy(is_transient=True)
        if table == "wrong":
            raise busy(is_transient=False)
        if table == "bug":
            raise ZeroDivisionError("oops")
        return "fine"

    done, waited = run(["flaky", "down", "wrong", "bug", "good"], work, at_once=1, retries=2)
    assert [d.tries for d in done] == [3, 3, 1, 1, 1]
    assert [d.value for d in done] == ["fine", None, None, None, "fine"]
    assert "ZeroDivisionError: oops" in done[3].error.found
    assert waited == [1.0, 5.0, 1.0, 5.0]


def test_tables_are_chosen_by_name_and_tag():
    config = parse_config('[tables."a.x"]\ntags = ["gold"]\n[tables."a.y"]\n[tables.b]\ntags = ["gold"]')
    assert chosen(config, "check") == ["a.x", "a.y", "b"]
    assert chosen(config, "check", "a.*") == ["a.x", "a.y"]
    assert chosen(config, "check", "a.*", "gold") == ["a.x"]
    with pytest.raises(ByHistoryError, match=r"no table with the name c\* and the tag gold"):
        chosen(config, "check", "c*", "gold")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Three tables of ten days in a lake, one that is broken, and what is written about them."""
    folder = tmp_path_factory.mktemp("fleet")
    random = seeded(3)
    for name in ("orders", "items", "users"):
        for day in range(10):
            path = folder / "lake" / name / f"ds={FIRST + timedelta(days=day)}"
            path.mkdir(parents=True)
            pq.write_table(pa.table({"n": random.normal(50, 5, 80)}), path / "part-0.parquet")
    (folder / "byhistory.toml").write_text(
        f'store = "sqlite:///{folder}/h.db"\nengine = "local"\nrun_column = "ds"\n'
        f'[tables."*"]\npath = "{folder}/lake/{{table}}"\nowner = "ann"\n'
        '[tables.orders]\n[tables.items]\ntags = ["gold"]\n[tables.users]\n[tables.missing]\n'
    )
    return folder


def test_a_fleet_is_brought_in_goes_on_where_it_was_and_is_checked_with_one_summary(fleet):
    told = ("--config", fleet / "byhistory.toml")
    first = byhistory("backfill", "--all", "--tables", "orders", *told)
    assert first.code == 0, first.err
    assert first.last == "backfilled: 1 table with 10 runs of 800 rows"
    rest = byhistory("backfill", "--all", *told)
    assert rest.code == 2
    assert "1 table brought in before, 3 left" in rest.err
    assert rest.last.startswith("backfilled: 2 tables with 20 runs of 1,600 rows; could not run: 1 table")
    assert "missing" in rest.out
    checked = byhistory("check", "--all", "--latest", *told)
    assert checked.code == 2
    assert "ann" in checked.out
    assert checked.last.startswith("could not run: 3 of 4 tables pass")
    gold = byhistory("check", "--all", "--latest", "--tag", "gold", "--at-once", "1", *told)
    assert (gold.code, gold.last.partition(";")[0]) == (0, "as usual: 1 of 1 table pass")
