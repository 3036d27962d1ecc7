"""A check as a process of its own, and what a host learns of it."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from tests.integrations.lake import BAD, GOOD, make_lake

from byhistory.errors import ByHistoryError
from byhistory.integrations.command import Command, check


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("command")
    make_lake(folder, "orders")
    return folder


def command(lake, day: str, **changes) -> Command:
    store = f"sqlite:///{lake / 'byhistory.db'}"
    path = str(lake / "lake" / "orders" / f"ds={day}")
    return Command("orders", path, day, ("--engine", "local"), store, **changes)


@pytest.mark.slow
def test_a_host_learns_the_verdict_and_where_its_page_is(lake):
    lines: list[str] = []
    good = check(command(lake, GOOD), lines.append)
    assert (good.status, good.is_stopped, good.report) == ("as usual", False, "")
    assert good.sentence == lines[-1]
    bad = check(command(lake, BAD, reports=str(lake / "pages"), reports_url="https://reports.example/a/"), lines.append)
    assert (bad.run, bad.level, bad.is_stopped) == (BAD, "stop", True)
    assert bad.verdict["findings"]
    assert bad.report == f"https://reports.example/a/orders-{BAD}.html"
    assert (lake / "pages" / f"orders-{BAD}.html").stat().st_size > 1000


def test_what_could_not_run_is_an_error_that_says_why(tmp_path):
    program = (sys.executable, "-c", "import sys; print('no Spark', file=sys.stderr); sys.exit(2)")
    with pytest.raises(ByHistoryError, match="exit code 2: no Spark"):
        check(Command("orders", program=program))
    with pytest.raises(ByHistoryError, match="give the path of the byhistory command"):
        check(Command("orders", program=(str(tmp_path / "nowhere"),)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["-h", "--version", "--all", "--store=elsewhere.db", "-v"])
def test_a_label_or_a_table_that_looks_like_an_option_is_a_name(lake, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for asked in (replace(command(lake, GOOD), run=name), replace(command(lake, GOOD), table=name)):
        told = check(replace(asked, reports="pages", store="sqlite:///here.db"), [].append)
        assert (told.table, told.run) == (asked.table, asked.run)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["here.db", "pages"], "and names no other store"
