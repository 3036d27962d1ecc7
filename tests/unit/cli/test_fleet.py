"""Many tables side by side: none is lost, none stops the others."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.shell import byhistory
from tests.strategies import seeded

from byhistory.cli import RARELY
from byhistory.cli._fleet import Pace, chosen, side_by_side
from byhistory.cli._processes import Processes
from byhistory.cli._timing import Stopwatch
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


def test_tables_that_are_read_here_are_judged_in_other_processes_as_in_this_one(fleet, monkeypatch, tmp_path):
    def checked(store: str) -> tuple[int, str, str]:
        told = ("--config", fleet / "byhistory.toml", "--store", f"sqlite:///{tmp_path}/{store}.db")
        brought = byhistory("backfill", "--all", *told)
        found = byhistory("check", "--all", "--latest", "--json", "--timing", *told)
        assert "judge " in found.err, "the time that other processes took"
        return brought.code, brought.last, found.out

    here = checked("here")
    monkeypatch.setattr("byhistory.cli._processes.FROM", 2)
    assert checked("there") == here


def _killed_once(guard, watch, table, *, spark=None):
    mark = Path(guard.config.store.removeprefix("sqlite:///")).with_name(f"{table}.killed")
    if table == "heavy" and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_a_table_whose_process_is_killed_is_tried_again_and_stops_no_other(tmp_path):
    config = replace(parse_config(""), store=f"sqlite:///{tmp_path}/h.db")
    with Processes(config, 2, Stopwatch()) as processes:
        done, waited = run(["a", "heavy", "b", "c"], partial(processes.run, _killed_once), at_once=2, retries=2)
    assert [one.error for one in done] == [None] * 4
    assert done[1].tries == 2
    assert 1.0 in waited
    assert os.getpid() not in {one.value for one in done}


def _thresholds(guard, watch, table, *, spark=None):
    return gc.get_threshold()


def test_a_worker_looks_for_cycles_as_rarely_as_the_command(tmp_path):
    with Processes(replace(parse_config(""), store=f"sqlite:///{tmp_path}/h.db"), 1, Stopwatch()) as processes:
        assert processes.run(_thresholds, "a") == RARELY


def _silent_forever(guard, watch, table, *, spark=None):
    Path(table).write_text(str(os.getpid()))
    time.sleep(600)


_COMMAND = """
from byhistory.cli._processes import Processes
from byhistory.cli._timing import Stopwatch
from byhistory.config import Config
from tests.unit.cli.test_fleet import _silent_forever
if __name__ == "__main__":
    with Processes(Config(store="memory:"), 1, Stopwatch()) as processes:
        processes.run(_silent_forever, {mark!r})
"""


def test_a_command_that_is_killed_leaves_no_process_behind(tmp_path):
    mark, script = tmp_path / "pid", tmp_path / "command.py"
    script.write_text(_COMMAND.format(mark=str(mark)))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen([sys.executable, str(script)], env=environment) as command:
        until(lambda: mark.exists() and mark.read_text() != "")
        command.kill()
    worker = Path("/proc") / mark.read_text()
    until(lambda: not worker.exists() or "\nState:\tZ" in (worker / "status").read_text())


def until(holds) -> None:
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.05)
    assert holds(), "it did not come to hold within a minute"
