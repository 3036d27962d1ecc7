"""An alarm from its first run to its answer, through the facade."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from byhistory.config import parse_config
from byhistory.errors import ByHistoryError
from byhistory.profile import TableProfile
from byhistory.report import to_text
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.verdict import Finding, Verdict

PAST = 20
ROWS = 200


def label(day: int) -> str:
    return f"2026-{3 + day // 28:02}-{1 + day % 28:02}"


@cache
def run(day: int, factor: float = 1.0, null: bool = False, rows: int = ROWS) -> TableProfile:
    """A day of a small table: amounts, perhaps times a factor or all null, and a country."""
    random = np.random.default_rng(day)  # noqa: TID251 - a test names its seed
    amount = np.round(random.normal(50, 5, rows) * factor, 2)
    values = pa.nulls(rows, pa.float64()) if null else pa.array(amount)
    table = pa.table({"amount": values, "country": pa.array(random.choice(["DE", "FR", "PL"], rows))})
    return profile_table(table, run=label(day))


@pytest.fixture
def guard():
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([run(day) for day in range(PAST)], "t")
        yield guard


def levels(guard: Validator, days: range, **change: float) -> list[str]:
    return [guard.judge(run(day, **change), "t").level for day in days]


def sentences(judged) -> str:
    return " | ".join(f.sentence for f in judged.findings if f.about == "alarm")


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y"])
def test_a_snooze_until_a_run_that_never_comes_ends_all_the_same(form):
    days = [datetime(2026, 11, 1) + timedelta(days=day) for day in range(60)]  # noqa: DTZ001 - days of a calendar
    with Validator("memory:", config=parse_config('unanswered = "hold"')) as guard:
        guard.remember([replace(run(i), run=day.strftime(form)) for i, day in enumerate(days[:PAST])], "t")
        stopped = days[PAST].strftime(form)
        assert guard.judge(replace(run(PAST, 3.0), run=stopped), "t").level == "stop"
        guard.decisions.snooze("t", stopped, days[29].strftime(form))
        found = {}
        for i in (*range(PAST + 1, 29), *range(30, 45)):
            found[i] = guard.judge(replace(run(i, 3.0), run=days[i].strftime(form)), "t").level
        assert {i for i, level in found.items() if level == "stop"} == set(range(30, 45))
        assert guard.decisions.inbox()[0].alarm.snoozed_until == "", "it is told and sent again"


@pytest.mark.parametrize(
    ("labels", "until", "match"),
    [
        (label, "2026-01-01", "an end before it"),
        (label, "next week", "no number and no date"),
        (label, " ", "nothing to see"),
        (label, "", "no end of it"),
        (lambda day: f"{1 + day:02}/03/2026", "30/03/2026", "in the order in which they come"),
    ],
)
def test_a_snooze_that_ends_nowhere_is_refused(labels, until, match):
    with Validator("memory:", config=parse_config("")) as guard:
        for day in range(PAST):
            guard.judge(replace(run(day), run=labels(day)), "t")
        guard.judge(replace(run(PAST, 3.0), run=labels(PAST)), "t")
        with pytest.raises(ByHistoryError, match=match):
            guard.decisions.snooze("t", labels(PAST), until)
        guard.decisions.snooze("t", labels(PAST), labels(PAST))


def test_a_format_that_nobody_answers_is_taken_over_and_a_lost_column_never_is(guard):
    def written(day: int, form: str) -> TableProfile:
        table = pa.table({"phone": [form.format(n, n % 7) for n in range(day, day + ROWS)]})
        return profile_table(table, run=label(day))

    old, new, third = "+49 {} {}", "+49-{}-{}", "(49) {}/{}"
    guard.remember([written(day, old) for day in range(30)], "calls")
    stopped = [guard.judge(written(day, new), "calls") for day in range(30, 33)]
    assert [(j.level, {f.column for f in j.findings if f.level == "stop"}) for j in stopped] == [
        ("stop", {"phone"})
    ] * 3
    assert "stop" not in [guard.judge(written(day, new), "calls").level for day in range(33, 37)]
    assert guard.judge(written(37, third), "calls").level == "stop"


def test_an_unanswered_change_is_taken_over_after_a_few_alike_runs_and_faults_are_still_caught(guard):
    assert levels(guard, range(20, 23), factor=3.0) == ["stop"] * 3
    assert "stop" not in levels(guard, range(23, 27), factor=3.0)
    (waiting,) = guard.decisions.inbox()
    assert (waiting.alarm.state, waiting.alarm.opened, waiting.alarm.columns) == ("adapted", label(20), ("amount",))
    late = guard.judge(run(27, factor=3.0), "t")
    assert "nobody has said that this is right" in sentences(late)
    assert guard.judge(run(28, factor=9.0), "t").level == "stop"


def test_a_level_that_nobody_confirmed_may_go_and_come_again_and_what_is_neither_stops(guard):
    assert levels(guard, range(20, 27), factor=3.0) == ["stop"] * 3 + ["as usual"] * 4
    back = guard.judge(run(27), "t")
    assert (back.level, "amount is back to usual, as before 2026-03-21" in sentences(back)) == ("as usual", True)
    assert levels(guard, range(28, 31)) == ["as usual"] * 3
    assert "is gone again, and nobody has said" in sentences(guard.judge(run(31), "t"))
    for factor in (0.3, 2.0, 9.0):
        assert guard.judge(run(32, factor=factor), "t").level == "stop", factor
        guard.decisions.reject("t", label(32))
    again = guard.judge(run(33, factor=3.0), "t")
    assert (again.level, "amount is as since 2026-03-21 again" in sentences(again)) == ("as usual", True)
    assert levels(guard, range(34, 36), factor=9.0) == ["stop"] * 2
    assert [(w.alarm.opened, w.alarm.state) for w in guard.decisions.inbox()][:1] == [(label(20), "adapted")]


def test_a_level_that_somebody_confirmed_is_the_only_one(guard):
    assert levels(guard, range(20, 24), factor=3.0) == ["stop"] * 3 + ["as usual"]
    assert guard.judge(run(24), "t").level == "as usual"
    guard.decisions.accept("t", label(22), new_normal=True)
    assert guard.judge(run(25), "t").level == "stop", "the old level is a change now"
    assert guard.judge(run(26, factor=3.0), "t").level == "as usual"


def test_the_number_of_rows_may_go_back_to_what_it_was(guard):
    assert levels(guard, range(20, 24), rows=3000) == ["stop"] * 3 + ["as usual"]
    back = guard.judge(run(24), "t")
    assert back.level == "as usual"
    assert "the number of rows, amount, country are back to usual" in sentences(back)
    assert levels(guard, range(25, 27)) == ["as usual"] * 2
    assert levels(guard, range(27, 28), rows=20) == ["stop"]


@pytest.mark.parametrize("runs", [7, 14, 21, 25, 30, 60])
def test_rows_that_were_always_as_many_stop_when_they_are_fifteen_times_as_many(runs):
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([run(day) for day in range(runs)], "t")
        found = [guard.judge(run(runs + again, rows=3000), "t").level for again in range(2)]
        assert found == ["stop", "stop"]
        assert guard.judge(run(runs + 2), "t").level == "as usual"


def test_held_alarms_go_on_to_stop():
    with Validator("memory:", config=parse_config('unanswered = "hold"')) as guard:
        guard.remember([run(day) for day in range(PAST)], "t")
        assert levels(guard, range(20, 27), factor=3.0) == ["stop"] * 7


def test_what_always_stops_never_becomes_normal_by_itself(guard):
    assert [guard.judge(run(day, null=True), "t").level for day in range(20, 24)] == ["stop"] * 4
    late = [guard.judge(run(day, null=True), "t") for day in range(24, 40)]
    assert [j.level for j in late] == ["warn"] * 16, "told in every run, and never taken over"
    assert "nobody has answered, so it only warns now" in {f.again.partition("; ")[2] for f in late[0].findings}
    assert guard.learning.programs("t")["amount"].runs == PAST
    assert guard.judge(run(40), "t").level == "as usual"
    assert guard.judge(run(41, null=True), "t").level == "stop", "once back, it is a new alarm"


def test_what_always_stops_goes_on_to_stop_if_alarms_are_held():
    with Validator("memory:", config=parse_config('unanswered = "hold"')) as guard:
        guard.remember([run(day) for day in range(PAST)], "t")
        assert [guard.judge(run(day, null=True), "t").level for day in range(20, 32)] == ["stop"] * 12


def test_the_same_change_is_the_same_alarm_and_its_end_is_told(guard):
    guard.judge(run(20, 3.0), "t")
    again = guard.judge(run(21, 3.0), "t")
    assert f"the same alarm since {label(20)}, run 2" in {f.again for f in again.findings}
    assert "usual" not in to_text(again.story()).split("✗")[1].splitlines()[0], "told in one line, and not as news"
    third = to_text(guard.judge(run(22, 3.0), "t").story())
    assert "run 3; nobody has answered, so the next run is judged by the new level" in " ".join(third.split())
    guard.records.forget("t", label(22))
    back = guard.judge(run(22), "t")
    assert back.level == "as usual"
    assert "amount is back to usual after 2 runs" in sentences(back)
    assert not guard.decisions.inbox()
    assert [w.alarm.state for w in guard.decisions.inbox(ended=True)] == ["back"]


def test_the_columns_of_a_stopped_run_that_were_as_usual_are_learned_from(guard):
    guard.judge(run(20, 3.0), "t")
    programs = guard.learning.programs("t")
    assert (programs["amount"].runs, programs["country"].runs) == (PAST, PAST + 1)


@pytest.mark.parametrize("factor", [1.5, 2.0, 10.0, 100.0])
def test_an_accepted_run_blinds_nothing(guard, factor):
    assert guard.judge(run(20, 100.0), "t").level == "stop"
    guard.decisions.accept("t", label(20), why="a test")
    assert guard.judge(run(21), "t").level == "as usual"
    assert guard.judge(run(22, factor), "t").level == "stop"


@pytest.mark.parametrize("factor", [2.0, 3.0, 100.0])
def test_what_may_happen_again_passes_then_and_nothing_else_does(guard, factor):
    assert guard.judge(run(20, factor), "t").level == "stop"
    guard.decisions.accept("t", label(20), usual=True)
    assert guard.decisions.verdict_if_repeated("t", label(20)).level == "as usual", "as the answer says"
    assert guard.learning.programs("t")["amount"].runs == PAST, "limits do not widen"
    assert levels(guard, range(21, 24)) == ["as usual"] * 3
    again = guard.judge(run(24, factor), "t")
    assert (again.level, f"as in {label(20)}, which was called usual" in sentences(again)) == ("as usual", True)
    assert levels(guard, range(25, 27)) == ["as usual"] * 2
    for other in (factor / 1.5, factor * 2.0, 0.5):
        assert guard.judge(run(27, other), "t").level == "stop", other
        guard.decisions.reject("t", label(27))
    assert guard.judge(run(28, factor), "t").level == "as usual"
    guard.decisions.undo("t", label(20))
    assert guard.judge(run(29, factor), "t").level == "stop"


def test_what_is_as_somebody_called_usual_is_not_called_back_to_usual(guard):
    assert levels(guard, range(20, 22), factor=3.0) == ["stop", "stop"]
    guard.decisions.accept("t", label(21), usual=True)
    again = guard.judge(run(22, 3.0), "t")
    assert sentences(again) == f"amount is as in {label(21)}, which was called usual"
    assert not any("new level" in u.why for u in again.verdict.unjudged), "it is the second level, for once"
    assert guard.judge(run(23, 9.0), "t").level == "stop"
    assert sentences(guard.judge(run(24, 3.0), "t")) == f"amount is as in {label(21)}, which was called usual"


def test_what_lies_between_what_is_usual_and_what_may_happen_again_is_neither(guard):
    assert guard.judge(run(20, 100.0), "t").level == "stop"
    guard.decisions.accept("t", label(20), usual=True)
    for factor in (5.0, 20.0, 70.0):
        assert guard.judge(run(21, factor), "t").level == "stop", factor
        guard.decisions.reject("t", label(21))


def test_a_new_normal_is_judged_from_the_very_next_run(guard):
    assert guard.judge(run(20, 3.0), "t").level == "stop"
    guard.decisions.accept("t", label(20), new_normal=True)
    assert guard.judge(run(21, 3.0), "t").level == "as usual"
    assert guard.judge(run(22, 1.0), "t").level == "stop"
    assert guard.judge(run(23, 9.0), "t").level == "stop"


def test_the_run_that_began_a_new_normal_would_pass_again(guard):
    assert levels(guard, range(20, 22), factor=3.0) == ["stop", "stop"]
    guard.decisions.accept("t", label(20), usual=True)
    guard.judge(run(22, 3.0), "t")
    guard.decisions.undo("t", label(20))
    guard.decisions.accept("t", label(20), new_normal=True, columns=["amount"])
    assert guard.decisions.verdict_if_repeated("t", label(20)).level == "as usual"


def test_the_number_of_rows_never_stops_being_judged(guard):
    guard.judge(run(20, 3.0), "t")
    guard.decisions.accept("t", label(20), new_normal=True)
    assert guard.judge(run(21, 3.0, rows=20), "t").level == "stop"


def test_a_new_normal_of_a_run_without_findings_asks_what_is_meant(guard):
    guard.judge(run(20), "t")
    with pytest.raises(ByHistoryError, match="name the columns"):
        guard.decisions.accept("t", label(20), new_normal=True)
    guard.decisions.accept("t", label(20), new_normal=True, columns=["amount"])
    with pytest.raises(ByHistoryError, match="no column 'amuont'"):
        guard.decisions.accept("t", label(20), new_normal=True, columns=["amuont"])


def test_what_was_said_can_be_undone(guard):
    guard.judge(run(20, 3.0), "t")
    guard.decisions.accept("t", label(20), new_normal=True)
    guard.decisions.undo("t", label(20))
    assert guard.judge(run(21, 3.0), "t").level == "stop"
    with pytest.raises(ByHistoryError, match="nothing that was said"):
        guard.decisions.undo("t", label(20))


def test_a_snoozed_alarm_is_told_and_stops_nothing_until_then(guard):
    guard.judge(run(20, 3.0), "t")
    guard.decisions.snooze("t", label(20), until=label(21))
    snoozed = guard.judge(run(21, 3.0), "t")
    assert snoozed.level == "as usual"
    assert "snoozed until" in sentences(snoozed)
    assert guard.judge(run(22, 3.0), "t").level == "stop"


def test_a_rejected_run_goes_on_to_stop_and_is_never_taken_over(guard):
    guard.judge(run(20, 3.0), "t")
    guard.decisions.reject("t", label(20))
    assert levels(guard, range(21, 27), factor=3.0) == ["stop"] * 6
    again = guard.judge(run(27, 3.0), "t").findings[0].again
    assert again == f"the same alarm since {label(20)}, which was rejected, run 8"


def test_a_retry_of_an_accepted_run_passes_and_is_still_forgiven_only(guard):
    guard.judge(run(20, 100.0), "t")
    guard.decisions.accept("t", label(20))
    assert guard.judge(run(20, 100.0), "t").ok
    assert guard.learning.programs("t")["amount"].runs == PAST
    assert guard.judge(run(21, 2.0), "t").level == "stop"


def test_shadow_mode_always_adapts():
    with Validator("memory:", config=parse_config('unanswered = "hold"\nshadow = true')) as guard:
        guard.remember([run(day) for day in range(PAST)], "t")
        assert levels(guard, range(20, 23), factor=3.0) == ["stop"] * 3
        assert "stop" not in levels(guard, range(23, 26), factor=3.0)


def test_an_answer_tells_what_becomes_of_the_same_again(guard):
    assert guard.judge(run(20, 3.0), "t").level == "stop"
    guard.decisions.accept("t", label(20))
    assert guard.decisions.verdict_if_repeated("t", label(20)).level == "stop", "forgiven, and nothing widens"
    guard.decisions.accept("t", label(20), new_normal=True)
    assert guard.decisions.verdict_if_repeated("t", label(20)).level == "as usual"
    assert [line.run for line in guard.records.runs("t")][-1] == label(20), "nothing is recorded"
    with pytest.raises(ByHistoryError, match="no such run"):
        guard.decisions.verdict_if_repeated("t", "nothing")


def test_two_alarms_that_end_in_one_run_are_two_notes():
    ended = ("amount is back to usual after 1 run (1)", "country is back to usual after 1 run (1)")
    notes = tuple(Finding("alarm", "", sentence, "as usual") for sentence in ended)
    assert [f.sentence for f in Verdict("2", notes, {}).causes] == list(ended)


def rain(day: int, wet: float) -> TableProfile:
    """A day on which this share of the hours had some rain."""
    random = np.random.default_rng(day)  # noqa: TID251 - a test names its seed
    fell = np.where(random.random(ROWS) < wet, random.gamma(2.0, 1.0, ROWS), 0.0)
    return profile_table(pa.table({"rain": fell}), run=label(day))


def test_what_was_so_before_a_new_level_never_always_stops():
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([rain(day, 0.0) for day in range(PAST)], "t")
        assert guard.judge(rain(20, 0.4), "t").level == "stop", "it had never rained"
        guard.decisions.accept("t", label(20), new_normal=True)
        dry = guard.judge(rain(21, 0.0), "t")
        told = " ".join(f.sentence for f in dry.findings)
        assert "in all" not in told, "twenty runs were dry"
        assert not any(c.always for a in guard.decisions.alarms("t") for c in [a.cause] if label(21) in a.runs)


def test_a_new_level_of_its_own_is_kept_by_what_always_stops():
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([rain(day, 0.0) for day in range(PAST)], "t")
        guard.judge(rain(20, 0.4), "t")
        guard.decisions.accept("t", label(20), new_normal=True)
        assert "stop" not in [guard.judge(rain(day, 0.4), "t").level for day in range(21, 29)], "it was answered"
        dry = guard.judge(rain(29, 0.0), "t")
        assert dry.level == "stop"
        assert "in all 9 good runs before" in " ".join(f.sentence for f in dry.findings)


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (1.15, "amount: the change of 2026-03-21 has stayed, and is usual by now"),
        (1.0, "amount is back to usual after 1 run (2026-03-21)"),
    ],
)
def test_a_change_that_stays_after_a_warning_is_not_called_back_to_usual(guard, then, words):
    assert guard.judge(run(PAST, 1.15), "t").level == "warn"
    after = guard.judge(run(PAST + 1, then), "t")
    assert (after.level, sentences(after)) == ("as usual", words)


def test_what_only_warns_by_now_is_listed_and_told_so(guard):
    days = range(PAST, PAST + 9)
    assert levels(guard, days, null=True)[-1] == "warn"
    (waiting,) = guard.decisions.inbox()
    assert (waiting.alarm.level, waiting.alarm.cause.level) == ("warn", "stop")
    assert guard.decisions.verdict_if_repeated("t", label(days[-1])).level == "warn", "an answer says the same"


def test_a_new_normal_of_one_line_of_the_inbox_leaves_the_others():
    def two(day: int, factor: float) -> TableProfile:
        random = np.random.default_rng(day)  # noqa: TID251 - a test names its seed
        price, size = random.normal(50, 5, ROWS) * factor, random.normal(9, 1, ROWS) / factor
        return profile_table({"price": price, "size": size, "n": list(range(ROWS))}, run=label(day))

    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([two(day, 1.0) for day in range(PAST)], "t")
        guard.judge(two(PAST, 5.0), "t")
        lines = guard.decisions.inbox()
        assert sorted(line.alarm.columns for line in lines) == [("price",), ("size",)]
        guard.decisions.answer(lines[0], "new normal", who="ann")
        (left,) = guard.decisions.inbox()
        assert left.alarm.columns == lines[1].alarm.columns
