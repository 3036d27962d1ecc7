"""`byhistory due` on histories of labels and times only."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.shell import byhistory

from byhistory.history import Run, open_store

NOON = datetime(2026, 11, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def store(tmp_path: Path) -> tuple[str, str]:
    url = f"sqlite:///{tmp_path}/h.db"
    with open_store(url) as history:
        for days, table in ((range(60), "stopped long ago"), (range(40, 60), "new"), (range(2), "first")):
            for day in days:
                at = NOON - timedelta(days=60 - day)
                history.record(Run(table, f"{at:%Y-%m-%d}", at, "as usual", 1, {}))
    return "--store", url


def test_late_runs_are_listed_and_the_exit_code_says_so(store: tuple[str, str]) -> None:
    answer = byhistory("due", *store)
    assert answer.code == 1
    rows = [line.split("  ")[:2] for line in answer.out.splitlines() if line.startswith("stopped long ago")]
    assert rows[0] == ["stopped long ago", "2026-11-01"]
    assert "too few arrivals to know when the next is due: first" in answer.out
    assert answer.last.startswith("due: ")
    assert "in 3 tables" in answer.last


def test_nothing_late_is_exit_code_0(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/h.db"
    now = datetime.now(timezone.utc)  # noqa: TID251 - the command has its own clock
    with open_store(url) as history:
        for day in range(1, 40):
            at = now - timedelta(days=40 - day)
            history.record(Run("orders", f"{at:%Y-%m-%d}", at, "as usual", 1, {}))
    answer = byhistory("due", "--store", url)
    assert (answer.code, answer.out.startswith("due: nothing is late or missing in 1 table; next is orders ")) == (
        0,
        True,
    )


def test_a_run_that_never_came_is_missing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/h.db"
    now = datetime.now(timezone.utc)  # noqa: TID251 - as above
    days = [now - timedelta(days=60 - day) for day in range(1, 60)]
    with open_store(url) as history:
        for at in (*days[:-3], *days[-1:]):
            history.record(Run("orders", f"{at:%Y-%m-%d}", at, "as usual", 1, {}))
    answer = byhistory("due", "--store", url, "--json")
    body = json.loads(answer.out)
    assert answer.code == 1
    assert [(r["run"], r["state"]) for r in body["runs"]] == [(f"{at:%Y-%m-%d}", "missing") for at in days[-3:-1]]


def test_a_table_that_is_not_there_is_an_error(store: tuple[str, str]) -> None:
    assert byhistory("due", "nothing", *store).explains("nothing")
