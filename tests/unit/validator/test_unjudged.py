"""A pass is earned: a verdict names what it did not look at."""

import json
from datetime import datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.shell import byhistory as shell

from byhistory.cli.check import exit_code
from byhistory.config import Config
from byhistory.errors import ByHistoryError
from byhistory.history import Decision
from byhistory.report import to_html, to_json, to_text
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

START = datetime(2026, 9, 1, tzinfo=timezone.utc)


def label(day):
    return str((START + timedelta(days=day)).date())


def run(day, times=1.0, **more):
    random = np.random.default_rng(abs(day))  # noqa: TID251 - a test names its seed
    return profile_table({"amount": times * random.gamma(9.0, 10.0, 300), **more}, run=label(day))


@pytest.fixture
def guard():
    with Validator("memory:", config=Config(), clock=lambda: START) as made:
        made.remember([run(day) for day in range(20)], "orders")
        yield made


def named(judged):
    return {(u.column, u.why) for u in judged.verdict.not_judged}


def test_a_run_of_which_all_was_judged_passes_strictly(guard):
    judged = guard.judge(run(20), "orders")
    assert named(judged) == set()
    assert exit_code(judged.verdict, "stop", strict=True) == 0


def test_a_column_that_is_judged_by_fewer_runs_than_there_are_is_named_everywhere(guard):
    for day in range(20, 30):
        guard.judge(run(day, fee=np.arange(300.0)), "orders")
    judged = guard.judge(run(30, fee=np.arange(300.0)), "orders")
    assert named(judged) == {("fee", "judged by 10 of 30 runs")}
    assert exit_code(judged.verdict, "stop", strict=True) == 3
    assert exit_code(judged.verdict, "stop", strict=False) == 0
    assert json.loads(to_json(judged.story()))["unjudged"] == [{"column": "fee", "why": "judged by 10 of 30 runs"}]
    for shown in (str(judged), to_text(judged.story()), to_html(judged.story())):
        assert "judged by 10 of 30 runs" in shown
    assert guard.records.story("orders").verdict.unjudged == judged.verdict.unjudged, "it is kept with the run"


def test_who_asks_for_all_to_be_judged_is_told_what_was_not(tmp_path):
    for day in range(9):
        more = {"fee": pa.array([float(day), 2.0])} if day > 1 else {}
        pq.write_table(pa.table({"n": [1.5, float(day)], **more}), tmp_path / f"{label(day)}.parquet")
    asked = ("--engine", "local", "--store", tmp_path / "h.db", "--strict")
    (tmp_path / "byhistory.toml").write_text(
        f'[tables.orders]\npath = "{tmp_path}/{{run}}.parquet"\nengine = "local"\n'
    )
    paths = [tmp_path / f"{label(day)}.parquet" for day in range(9)]
    first, *_, last = (shell("check", "orders", path, "--run", path.stem, *asked) for path in paths)
    assert (first.code, last.code) == (3, 3)
    assert "not all was judged (too few runs to judge by)" in first.err
    assert "not all was judged (fee: not judged: not enough history yet: have 6, need 7)" in last.err
    every = shell(
        *("check", "--all", "--run", label(8), "--strict"),
        *("--config", tmp_path / "byhistory.toml", "--store", tmp_path / "h.db"),
    )
    assert every.code == 3
    assert "fee: not judged" in every.out
    assert every.last.startswith("not all judged: 0 of 1 table pass; not all judged: orders")


def test_a_new_column_is_named_until_it_is_judged(guard):
    guard.judge(run(20, fee=np.arange(300.0)), "orders")
    assert named(guard.judge(run(21, fee=np.arange(300.0)), "orders")) == {
        ("fee", "not judged: not enough history yet: have 1, need 7")
    }


def test_what_was_called_usual_is_named(guard):
    guard.judge(run(20, 100.0), "orders")
    guard.decisions.accept("orders", label(20), usual=True)
    assert ("amount", f"may also be as in run {label(20)}, which was called usual") in named(
        guard.judge(run(21), "orders")
    )


def test_a_new_level_is_named_until_it_has_runs_enough(guard):
    guard.judge(run(20, 100.0), "orders")
    guard.decisions.accept("orders", label(20), new_normal=True)
    found = guard.judge(run(21, 100.0), "orders")
    assert ("amount", f"judged on a new level since run {label(20)}, its only run so far") in named(found)
    for day in range(22, 28):
        guard.judge(run(day, 100.0), "orders")
    assert not [why for _, why in named(guard.judge(run(28, 100.0), "orders")) if "new level" in why]


@pytest.mark.parametrize("type_", [pa.time64("us"), pa.duration("us"), pa.month_day_nano_interval()], ids=str)
def test_a_type_that_nothing_is_measured_on_has_presence_nulls_and_size_judged(type_, guard):
    def odd(day, nulls=0):
        value = pa.scalar((1, 2, 3), type_) if "interval" in str(type_) else pa.scalar(5, type_)
        return {"odd": pa.array([None if i < nulls else value.as_py() for i in range(300)], type_)}

    guard.remember([run(day, **odd(day)) for day in range(20)], "times")
    judged = guard.judge(run(20, **odd(20)), "times")
    assert judged.ok
    assert named(judged) == {("odd", f"only presence, nulls and size are judged, of {type_}")}
    assert not guard.judge(run(21, **odd(21, nulls=300)), "times").ok
    assert not guard.judge(run(22), "times").ok, "the column is gone"


def test_a_history_of_which_nothing_is_left_is_an_error_and_not_learning(guard):
    guard.store.decide(Decision("orders", label(3), "accept", "ann", START))
    kept = guard.store.programs("orders")
    for line in guard.store.runs("orders"):
        guard.records.forget("orders", line.run)
    guard.store.save_programs(kept)
    with pytest.raises(ByHistoryError, match="an empty history where there was one"):
        guard.judge(run(20), "orders")
    guard.remember([run(day) for day in range(20)], "orders")
    assert guard.judge(run(20), "orders").ok


def test_runs_of_which_none_may_be_learned_from_are_no_reason_to_pass(guard):
    for line in guard.store.runs("orders"):
        guard.store.decide(Decision("orders", line.run, "reject", "ann", START))
    with pytest.raises(ByHistoryError, match="20 runs, none of which may be learned from"):
        guard.judge(run(20), "orders")
