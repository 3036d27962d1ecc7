"""Stories to show: a good run, an unusual one, a first one, an empty one, a wide one, one with hostile names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from tests.histories import demo, demo_table, label

from byhistory.config import Config
from byhistory.constraints import Constraint, Evidence, Outcome
from byhistory.demo.orders import INCIDENTS
from byhistory.learners import Program, learn
from byhistory.metrics import by_name
from byhistory.profile import Kind, TableProfile
from byhistory.report import Story, make_story
from byhistory.report.composing import line
from byhistory.report.story import ClauseStory, ColumnStory
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.verdict import ColumnVerdict, Finding, Past, Resemblance, Verdict, check

DAYS = 21
HOSTILE = (
    "<script>alert('name')</script>",
    "\"'><img src=x onerror=alert(1)>",
    "red\x1b[31m\x07\x9b2J\r\nnext",
    "\u202egnirts\u2066",
    "👩‍👩‍👧 עברית",
    "x" * 1_000_000,
    "a|b`c`*d*_e_[f](http://example.org)",
    "=HYPERLINK(1)",
    "@everyone ::error::x%0A",
    "::stop-commands::x ##[group]y ##vso[task.setvariable variable=x]z",
    "{{ 7 * 7 }}{% raw %}",
    "]]><!--",
    "half \ud800 pair \uffff",
)


@cache
def story_of(incident: str) -> Story:
    """The day after the history of the demo, with what happened to it."""
    table = demo_table(DAYS)
    if incident == "empty":
        table = table.slice(0, 0)
    elif incident != "good":
        table = INCIDENTS[incident][1](table)
    made = Validator("memory:", config=Config())
    made.remember(demo(DAYS), "orders")
    made.judge(profile_table(table, run=label(DAYS)), "orders")
    return made.records.story("orders")


@cache
def first() -> Story:
    made = Validator("memory:", config=Config())
    made.remember(demo(2), "orders")
    made.judge(profile_table(demo_table(2), run=label(2)), "orders")
    return made.records.story("orders")


def renamed(names: Sequence[str], table: str = "orders", run: str = "") -> Story:
    """The amounts in cents, in columns of these names."""
    runs, bad, program = _amounts()
    programs: Mapping[str, Program] = {name: replace(program, column=name) for name in names}
    past, now = Past.of(_under(r, names) for r in runs), replace(_under(bad, names), run=run or bad.run)
    return make_story(check(now, programs, past, table=table), now, past, programs)


@cache
def _amounts() -> tuple[list[TableProfile], TableProfile, Program]:
    bad = profile_table(INCIDENTS["cents"][1](demo_table(DAYS)), run=label(DAYS), include=["amount"])
    runs = [TableProfile(r.run, r.rows, {"amount": r["amount"]}, sample=r.sample) for r in demo(DAYS)]
    return runs, bad, learn(runs)["amount"]


def _under(run: TableProfile, names: Sequence[str]) -> TableProfile:
    return TableProfile(run.run, run.rows, {n: replace(run["amount"], name=n) for n in names})


@cache
def wide() -> Story:
    return renamed([f"column {i}" for i in range(300)])


@cache
def hostile() -> Story:
    return renamed(HOSTILE, table="<u>t</u>\x1b[2J", run="<i>99\u202e|")


def small() -> Story:
    """An alarm made by hand, so that what is learned elsewhere does not change how it reads."""
    clause = Constraint("mean", 33.7, 42.98, bound="clt", price=1e-6, evidence=Evidence(5, 38.34, 0.9, 5.0, 37.0, 39.9))
    outcome = Outcome(clause, "broken", 3878.05, 33.7, 42.98, rarity=1e-9, sigmas=4266.0)
    like = Resemblance("unit_change×100", "values multiplied by 100", 0.99, "unit change")
    found = Finding(
        "constraint", "amount", "average is 3,878.1, where at most 42.98 is usual", "stop", outcome, "06", like
    )
    new = Finding("added column", "note", "column 'note' is new", level="as usual")
    columns = {
        "amount": ColumnVerdict("amount", (outcome,), "learned from 5 runs"),
        "note": ColumnVerdict("note", state="no program yet: the column is new"),
    }
    verdict = Verdict("06", (new, found), columns, table="orders")
    runs = tuple(f"0{i}" for i in range(1, 7))
    drawn = line(outcome, [37.0, 38.5, 39.9, 38.0, 38.3], runs)
    told = ClauseStory(outcome, by_name("mean"), Kind.NUMERIC, "mean between 33.7 and 42.98", drawn)
    return Story(
        "orders",
        "06",
        verdict,
        (
            ColumnStory("amount", Kind.NUMERIC, "double", columns["amount"], (found,), (told,)),
            ColumnStory("note", Kind.CATEGORICAL, "string", columns["note"], (new,)),
        ),
        2089,
        runs[:-1],
        (2000,) * 5,
    )


CASES = {
    "small": small,
    "good": lambda: story_of("good"),
    "unusual": lambda: story_of("cents"),
    "learning": first,
    "empty": lambda: story_of("empty"),
    "wide": wide,
    "hostile": hostile,
}
