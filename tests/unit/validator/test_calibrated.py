"""The learner `calibrated` from the file to every answer."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from tests.strategies import seeded

from byhistory import report
from byhistory.cli._overriding import named
from byhistory.config import TableConfig, parse_config
from byhistory.demo import INCIDENTS, orders
from byhistory.demo.orders import FIRST_DAY
from byhistory.history import RunLine
from byhistory.learners import from_json
from byhistory.learners.calibrated import CALIBRATED
from byhistory.metrics import by_name
from byhistory.profile import TableProfile
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.validator.learning import fits
from byhistory.validator.memory import Memory, _reach

RUNS = 21


def day(guard, number, incident=None):
    table = orders(FIRST_DAY + timedelta(days=number), rows_a_day=300)
    table = INCIDENTS[incident][1](table) if incident else table
    return profile_table(table, run=f"{number:03}", options=Options(guard.store.key()))


@pytest.fixture(scope="module")
def guard():
    config = parse_config('learner = "calibrated"\nbudget = 0.01\nwarn_budget = 0\nper = "column"')
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
    story = guard.records.story("orders", f"{RUNS + 1:03}")
    for write in (report.to_text, report.to_markdown, report.to_html, report.to_json, report.to_junit):
        assert "amount" in write(story)


def test_the_programs_are_kept_and_explained(guard):
    programs = guard.learning.programs("orders")
    assert all(1 <= len(p.clauses) <= 4 for p in programs.values())
    assert "surprise of all metrics together" in guard.learning.explain("orders")


def test_the_clause_on_all_metrics_can_be_muted(guard):
    named(guard, "orders", "amount", "joint", "mute")  # the command knows its name
    guard.overrides.mute("orders", "amount", "joint")
    config = parse_config('learner = "calibrated"\nbudget = 0.01\ncolumns.country.mute = ["joint"]')
    with Validator(guard.store, config=config) as other:
        programs = other.learning.programs("orders")
    for column in ("amount", "country"):
        assert all(c.metric != "joint" for c in programs[column].clauses)


def test_a_muted_metric_does_not_count_among_all_either(guard):
    every = guard.learning.programs("orders")["quantity"].model.metrics
    guard.overrides.mute("orders", "quantity", "mean")
    guard.overrides.set_threshold("orders", "quantity", "max", high=1e9)
    program = guard.learning.programs("orders")["quantity"]
    assert set(every) - set(program.model.metrics) == {"mean", "max"}
    assert guard.judge(day(guard, RUNS), "orders").ok


def test_a_threshold_of_the_users_own_is_judged_beside_the_joint_clause(guard):
    guard.overrides.set_threshold("orders", "quantity", "min", low=1e6)
    verdict = guard.judge(day(guard, RUNS), "orders", shadow=True)
    assert [f.outcome.constraint.metric for f in verdict.findings] == ["min"]
    guard.overrides.clear("orders", "quantity", "min")


def test_the_rows_of_the_table_are_judged_once_and_more_sharply(guard):
    programs = guard.learning.programs("orders")
    assert [name for name, p in programs.items() if p.carries_rows] == ["order_id"]
    clause = programs["order_id"].clauses[0]
    assert (clause.metric, clause.price) == ("row_count", 0.0025)
    assert programs["order_id"].price == pytest.approx(0.01)
    assert clause.low > max(c.low for n in ("amount",) for c in programs[n].clauses if c.metric == "row_count")
    table = orders(FIRST_DAY + timedelta(days=RUNS), rows_a_day=300)
    some = profile_table(table.take(list(range(0, table.num_rows, 20))), run="500", options=Options(guard.store.key()))
    verdict = guard.judge(some, "orders", shadow=True)
    assert [f.outcome.constraint.metric for f in verdict.findings if f.column == "order_id"][:1] == ["row_count"]
    assert len([cause for cause in verdict.causes if cause.about != "alarm"]) == 1


def test_backtest_counts_the_joint_clause_and_what_is_muted(guard):
    guard.overrides.mute("orders", "amount", "joint")
    replay = guard.learning.backtest("orders", budget=0.9)
    assert any(metric == "joint" for run in replay.runs for _, metric in run.broken)
    assert not any(pair == ("amount", "joint") for run in replay.runs for pair in run.broken), "it was muted"
    assert replay.caught["unit change"] > 0.3


def test_what_had_a_value_and_has_none_now_is_no_silent_pass(guard):
    batch = day(guard, RUNS)
    quiet = profile_table({"amount": [None] * batch.rows}, run="501", kinds={"amount": batch["amount"].kind})
    columns = {**batch.columns, "amount": quiet["amount"]}
    verdict = guard.judge(type(batch)("501", batch.rows, columns), "orders", shadow=True)
    assert verdict.columns["amount"].not_evaluable or verdict.columns["amount"].broken


@pytest.mark.parametrize("learner", ["calibrated", "paper"])
def test_after_a_stopped_run_good_ones_pass_again(learner):
    with Validator("memory:", config=parse_config(f'learner = "{learner}"')) as guard:
        guard.remember([day(guard, d) for d in range(RUNS)], "orders")
        assert not guard.judge(day(guard, RUNS, "cents"), "orders").ok
        said = [guard.judge(day(guard, RUNS + d), "orders").ok for d in range(1, 6)]
    assert said[1:] == [True] * 4, "dates go on as before, and Mondays are compared with Mondays"
    assert said[0] or learner == "paper"


def test_a_run_that_is_not_good_leaves_a_gap_in_the_series():
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([day(guard, d) for d in range(10)], "orders")
        guard.decisions.reject("orders", "004")
        guard.decisions.reject("orders", "009")
        memory = Memory.of(guard.store, "orders")
        rows = memory.with_gaps(memory.series("amount", [by_name("row_count")]))[0]
    assert np.isnan(rows).tolist() == [i in (4, 9) for i in range(10)]
    assert memory.gap == 1
    assert len(memory.until(5, TableConfig()).runs) == 5
    assert memory.until(5, TableConfig()).with_gaps(np.zeros((1, 5))).shape == (1, 6), "the fifth good run is the sixth"


def test_a_share_that_is_always_nothing_is_as_usual():
    runs = [profile_table({"word": seeded(i).choice(["yes", "no"], 40)}, run=f"{i:03}") for i in range(62)]
    with Validator("memory:", config=parse_config("per = 'column'")) as guard:
        guard.remember(runs[:61], "words")
        assert "upper_ratio" in [c.metric for c in guard.learning.programs("words")["word"].clauses]
        assert guard.judge(runs[61], "words").ok
        assert "upper_ratio" in guard.learning.explain("words")


def test_programs_are_those_of_the_configuration_of_now(guard):
    strict = parse_config("budget = 0.0001\nper = 'column'")
    with Validator(guard.store, config=strict) as other:
        assert {p.budget for p in other.learning.programs("orders").values()} == {0.0001}
        caught = [g.learning.backtest("orders").caught["increased nulls"] for g in (other, guard)]
        assert caught[0] < caught[1]


@pytest.mark.parametrize("learner", ["calibrated", "paper"])
def test_a_stopped_run_that_was_mended_passes(learner):
    with Validator("memory:", config=parse_config(f'learner = "{learner}"')) as guard:
        guard.remember([day(guard, d) for d in range(RUNS)], "orders")
        assert not guard.judge(day(guard, RUNS, "cents"), "orders").ok
        guard.decisions.reject("orders", f"{RUNS:03}")  # learns again; the next is the run after, or this one mended
        assert guard.judge(day(guard, RUNS), "orders").ok
        assert guard.judge(day(guard, RUNS + 1), "orders").ok


def test_a_day_that_never_came_does_not_make_the_next_one_odd():
    def dated(guard: Validator, number: int) -> TableProfile:
        return replace(day(guard, number), run=f"{FIRST_DAY + timedelta(days=number)}")

    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([dated(guard, d) for d in range(RUNS)], "orders")
        assert guard.judge(dated(guard, RUNS + 1), "orders").ok, "dates are a day on, and so is the calendar"
        memory = Memory.of(guard.store, "orders")
        assert (memory.seasons, memory.gap, memory.places[-3:]) == ((7,), 0, (RUNS - 1, RUNS + 1, RUNS + 2))
        assert guard.judge(dated(guard, RUNS + 2), "orders").ok


def test_hours_look_back_three_weeks_and_a_window_of_the_users_own_is_kept():
    def hour(number: int, rows: int | None = None) -> TableProfile:
        at = datetime(2026, 3, 2, tzinfo=timezone.utc) + timedelta(hours=number)
        busy = 8 <= at.hour < 20 and at.weekday() < 5
        values = seeded(number).standard_normal(rows or (400 if busy else 40))
        return profile_table({"amount": values}, run=f"{at:%Y-%m-%d %H:%M}")

    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([hour(h) for h in range(520)], "clicks")
        assert len(Memory.of(guard.store, "clicks").runs) == 504
        assert len(Memory.of(guard.store, "clicks", None, parse_config("window = 50").defaults).runs) == 50
        rows = next(c for c in guard.learning.programs("clicks")["amount"].clauses if c.metric == "row_count")
        assert rows.transform.lag == 168
        assert all(guard.judge(hour(h), "clicks").ok for h in range(520, 560))
        said = guard.judge(hour(560, rows=40), "clicks")
    assert not said.ok, "a busy hour with the rows of a night"
    assert "row_count" in [f.outcome.constraint.metric for f in said.findings]


def test_runs_stopped_for_months_are_still_stopped():
    def of(guard: Validator, number: int, scale: float = 1.0) -> TableProfile:
        values = scale * (100 + seeded(number).standard_normal(200))
        return profile_table({"amount": values}, run=f"{number:03}", options=Options(guard.store.key()))

    with Validator("memory:", config=parse_config('unanswered = "hold"')) as guard:
        guard.remember([of(guard, d) for d in range(30)], "prices")
        assert not any(guard.judge(of(guard, d, scale=100), "prices").ok for d in range(30, 105))
        assert guard.judge(of(guard, 105), "prices").ok


def test_a_column_that_stopped_a_run_is_judged_on_the_next_by_its_day_of_the_week():
    def of(guard: Validator, number: int, scale: float = 1.0) -> TableProfile:
        day, random = datetime(2026, 1, 5, tzinfo=timezone.utc) + timedelta(number), seeded(number)
        values = scale * ((100 if day.weekday() < 5 else 20) + random.standard_normal(200))
        frame = {"amount": values, "other": random.standard_normal(200)}
        return profile_table(frame, run=day.date().isoformat(), options=Options(guard.store.key()))

    with Validator("memory:") as guard:
        guard.remember([of(guard, d) for d in range(39)], "prices")
        friday = guard.judge(of(guard, 39, scale=100), "prices")
        assert {f.column for f in friday.findings if f.level == "stop"} == {"amount"}
        assert guard.judge(of(guard, 40), "prices").level == "as usual", "a Saturday, low as always"
        assert guard.judge(of(guard, 41, scale=5), "prices").level != "as usual", "a Sunday like a Friday"


def busy(label: datetime, run: str, rows: int | None = None) -> TableProfile:
    usual = 400 if label.weekday() < 5 else 40
    return profile_table({"amount": seeded(label.toordinal()).standard_normal(rows or usual)}, run=run)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y-%m-%dT06:00", "%Y-%m-%d-rerun"])
def test_an_odd_label_is_judged_as_the_next_day_and_spoils_nothing(form):
    start = datetime(2026, 3, 2, tzinfo=timezone.utc)
    days = [start + timedelta(days=d) for d in range(50) if d != 36]
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([busy(d, f"{d:%Y-%m-%d}") for d in days[:39]], "sales")
        saturday = days[39]
        assert guard.judge(busy(saturday, saturday.strftime(form)), "sales").ok
        assert all(guard.judge(busy(d, f"{d:%Y-%m-%d}"), "sales").ok for d in days[40:])
        assert Memory.of(guard.store, "sales").seasons == (7,)
        assert not guard.judge(busy(days[-1] + timedelta(days=1), "2026-04-21", rows=40), "sales").ok


def test_working_hours_look_back_three_weeks_and_wide_tables_less_far():
    store = Validator("memory:", config=parse_config("")).store
    start = datetime(2026, 3, 2, tzinfo=timezone.utc)
    hours = [start + timedelta(hours=h) for h in range(24 * 35) if h % 24 in range(8, 20) and h // 24 % 7 < 5]
    for columns, table in ((1, "narrow"), (2500, "wide")):
        lines = [RunLine(table, f"{h:%Y-%m-%d %H:%M}", h, "backfilled", 9, columns) for h in hours]
        assert _reach(lines, TableConfig()) == (252 if columns == 1 else 100)
        assert _reach(lines, TableConfig(window=33)) == 33
        assert _reach(lines, TableConfig(learner="paper")) == 60
    assert Memory.of(store, "nothing").runs == ()


def test_beyond_the_window_the_oldest_run_is_forgotten_and_nothing_is_learned_twice():
    def of(number: int) -> TableProfile:
        return profile_table({"n": seeded(number).standard_normal(50)}, run=f"{number:03}")

    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([of(d) for d in range(61)], "t")
        for d in range(61, 64):
            assert guard.judge(of(d), "t").ok
            (kept,) = guard.store.programs("t").by_column.values()
            assert from_json(kept).runs == 60
            assert fits({"n": from_json(kept)}, TableConfig(), Memory.of(guard.store, "t"), CALIBRATED)
