"""The learner `calibrated` from the file to every answer."""

from datetime import timedelta

import pytest

from byhistory import report
from byhistory.cli._overriding import named
from byhistory.config import parse_config
from byhistory.demo import INCIDENTS, orders
from byhistory.demo.orders import FIRST_DAY
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

RUNS = 21


def day(guard, number, incident=None):
    table = orders(FIRST_DAY + timedelta(days=number), rows_a_day=300)
    table = INCIDENTS[incident][1](table) if incident else table
    return profile_table(table, run=f"{number:03}", options=Options(guard.store.key()))


@pytest.fixture(scope="module")
def guard():
    config = parse_config('learner = "calibrated"\nbudget = 0.01')
    with Validator("memory:", config=config) as guard:
        guard.remember([day(guard, d) for d in range(RUNS)], "orders")
        yield guard


def test_good_days_pass_and_an_incident_is_stopped_and_told_in_every_form(guard):
    assert guard.judge(day(guard, RUNS), "orders").ok
    verdict = guard.judge(day(guard, RUNS + 1, "cents"), "orders")
    assert not verdict.ok
    told = str(verdict)
    assert "amount" in told
    assert "this unlike its past" in told
    story = guard.story("orders", f"{RUNS + 1:03}")
    for write in (report.to_text, report.to_markdown, report.to_html, report.to_json, report.to_junit):
        assert "amount" in write(story)


def test_the_programs_are_kept_and_explained(guard):
    programs = guard.programs("orders")
    assert all(1 <= len(p.clauses) <= 4 for p in programs.values())
    assert "surprise of all metrics together" in guard.explain("orders")


def test_the_clause_on_all_metrics_can_be_muted(guard):
    named(guard, "orders", "amount", "joint", "mute")  # the command knows its name
    guard.mute("orders", "amount", "joint")
    config = parse_config('learner = "calibrated"\nbudget = 0.01\ncolumns.country.mute = ["joint"]')
    with Validator(guard.store, config=config) as other:
        programs = other.programs("orders")
    for column in ("amount", "country"):
        assert all(c.metric != "joint" for c in programs[column].clauses)
