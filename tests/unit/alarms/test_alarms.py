from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byhistory.alarms import ROWS, Alarm, Cause, Entry, Policy, Reply, follow, lessons, with_alarms
from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.always import ALWAYS
from byhistory.verdict import Finding, Verdict

START = datetime(2026, 11, 6, 18)  # noqa: DTZ001 - labels are times of the user's own calendar
UP = Cause("constraint", ("n",), "mean", 1)
DOWN = Cause("constraint", ("n",), "mean", -1)
NULLS = Cause("constraint", ("n",), "complete_ratio", -1, always=True)
OTHER = Cause("constraint", ("m",), "max", 1)
WARNED = Cause("constraint", ("n",), "mean", 1, level="warn")

answers = st.sampled_from([(), (Reply("accept"),), (Reply("usual"),), (Reply("new normal"),), (Reply("reject"),)])
entries = st.builds(
    lambda causes, said, judged: (tuple(dict.fromkeys(causes)) if judged else (), said, judged),
    st.lists(st.sampled_from([UP, DOWN, NULLS, OTHER, WARNED]), max_size=2),
    answers,
    st.booleans(),
)


def ledger(*runs: Sequence[Cause] | Entry) -> list[Entry]:
    """Runs labelled 00, 01, …, each given by its causes."""
    return [e if isinstance(e, Entry) else Entry(f"{i:02}", tuple(e)) for i, e in enumerate(runs)]


def one(alarms: Sequence[Alarm]) -> Alarm:
    (alarm,) = alarms
    return alarm


@given(st.lists(entries, max_size=12), st.booleans(), st.integers(1, 4))
def test_every_cause_of_every_run_belongs_to_one_alarm(drawn: list, hold: bool, patience: int) -> None:
    runs = [Entry(f"{i:02}", causes, said, judged) for i, (causes, said, judged) in enumerate(drawn)]
    alarms = follow(runs, Policy(hold, patience))
    assert sum(len(a.runs) for a in alarms) == sum(len(e.causes) for e in runs)


@given(st.lists(entries, max_size=12), st.booleans(), st.integers(1, 4))
def test_what_was_as_usual_is_learned_from_unless_the_run_was_rejected(drawn: list, hold: bool, patience: int) -> None:
    runs = [Entry(f"{i:02}", causes, said, judged) for i, (causes, said, judged) in enumerate(drawn)]
    learned = lessons(runs, follow(runs, Policy(hold, patience)))
    for e in runs:
        stopped = {c for cause in e.causes if cause.level == "stop" for c in cause.columns}
        rejected = any(a.what == "reject" for a in e.answers)
        for column in ("n", "m", "k"):
            assert learned.uses(e.run, column) or rejected or column in stopped


@given(st.integers(1, 20), st.integers(1, 5))
def test_what_always_stops_never_becomes_normal_by_itself(runs: int, patience: int) -> None:
    alarm = one(follow(ledger(*[[NULLS]] * runs), Policy(patience=patience)))
    assert alarm.state == "open"
    assert not alarm.levelled


def test_the_same_change_in_the_next_runs_is_the_same_alarm() -> None:
    alarm = one(follow(ledger([], [UP], [UP], [UP]), Policy(hold=True)))
    assert (alarm.opened, len(alarm.runs), alarm.state) == ("01", 3, "open")


def test_a_run_that_is_as_usual_again_ends_it() -> None:
    alarm = one(follow(ledger([UP], [UP], []), Policy(hold=True)))
    assert (alarm.state, alarm.ended) == ("back", "02")


def test_a_run_that_nobody_judged_ends_nothing() -> None:
    alarm = one(follow(ledger([UP], Entry("01", is_judged=False), [UP]), Policy(hold=True)))
    assert (len(alarm.runs), alarm.state) == (2, "open")


def test_a_change_the_other_way_is_another_alarm() -> None:
    assert len(follow(ledger([UP], [DOWN]), Policy())) == 2


def test_an_alarm_that_nobody_answers_becomes_normal_after_a_few_alike_runs() -> None:
    runs = ledger([UP], [UP], [UP])
    alarm = one(follow(runs, Policy(patience=3)))
    assert alarm.state == "adapted"
    assert alarm.is_waiting
    learned = lessons(runs, [alarm])
    assert learned.levels == {"n": (("00", "01", "02"),)}
    assert all(learned.uses(e.run, "n") for e in runs)


def test_a_held_alarm_goes_on_and_teaches_nothing() -> None:
    runs = ledger(*[[UP]] * 9)
    alarm = one(follow(runs, Policy(hold=True)))
    assert alarm.state == "open"
    assert not any(lessons(runs, [alarm]).uses(e.run, "n") for e in runs)


def test_shadow_mode_adapts_even_where_alarms_are_held() -> None:
    runs = [Entry(f"{i:02}", (UP,), is_shadow=True) for i in range(3)]
    assert one(follow(runs, Policy(hold=True))).state == "adapted"


def test_after_a_new_level_the_same_column_may_alarm_again() -> None:
    alarms = follow(ledger([UP], [UP], [UP], [UP]), Policy(patience=3))
    assert [(a.opened, a.state) for a in alarms] == [("00", "adapted"), ("03", "open")]


def test_an_accepted_run_is_forgiven_and_not_learned_from() -> None:
    runs = ledger([], Entry("01", (UP,), (Reply("accept"),)), [])
    alarm = one(follow(runs, Policy()))
    learned = lessons(runs, [alarm])
    assert (alarm.state, alarm.is_waiting) == ("accepted", False)
    assert not learned.uses("01", "n")
    assert learned.uses("01", "m")
    assert not learned.levels


def test_an_accepted_change_that_goes_on_waits_again() -> None:
    runs = ledger([], Entry("01", (UP,), (Reply("accept"),)), [UP])
    assert one(follow(runs, Policy())).is_waiting


def test_what_is_called_usual_is_a_level_of_its_own_beside_the_usual_one() -> None:
    runs = ledger([], Entry("01", (UP,), (Reply("usual"),)), [], [])
    usual, again = (lessons(runs, follow(runs, Policy()), back) for back in ((), ("n",)))
    assert [e.run for e in runs if usual.uses(e.run, "n")] == ["00", "02", "03"]
    assert [e.run for e in runs if again.uses(e.run, "n")] == ["00", "01"]
    assert (usual.levels_of("n"), again.levels_of("n")) == ((), (("01",),))


def test_a_new_normal_begins_where_the_alarm_opened_and_takes_in_what_was_judged_before_it_was_declared() -> None:
    runs = ledger([UP], Entry("01", (UP,), (Reply("new normal", until="02"),)), [UP], [UP])
    first, second = follow(runs, Policy(hold=True))
    assert (first.runs, first.state, second.runs, second.state) == (("00", "01", "02"), "new normal", ("03",), "open")
    learned = lessons(runs, [first, second])
    assert learned.levels == {"n": (("00", "01", "02"),)}
    assert [learned.uses(e.run, "n") for e in runs] == [True, True, True, False]


def test_a_new_normal_of_one_column_leaves_the_alarm_of_the_other_open() -> None:
    both = Cause("constraint", ("n", "m"), "mean", 1)
    runs = ledger(Entry("00", (both,), (Reply("new normal", ("n",)),)))
    alarm = one(follow(runs, Policy()))
    assert (alarm.state, lessons(runs, [alarm]).levels) == ("open", {"n": (("00",),)})


def test_a_new_normal_of_a_run_without_findings_is_that_of_the_named_columns() -> None:
    runs = ledger(Entry("00", (), (Reply("new normal", ("n",)),)))
    assert lessons(runs, follow(runs, Policy())).levels == {"n": (("00",),)}


def test_a_rejected_alarm_never_becomes_normal_by_itself() -> None:
    runs = ledger(Entry("00", (UP,), (Reply("reject"),)), *[[UP]] * 9)
    alarm = one(follow(runs, Policy(patience=2)))
    assert (alarm.state, len(alarm.runs), alarm.levelled) == ("rejected", 10, ())


def test_an_answer_that_is_not_understood_keeps_the_run_out() -> None:
    runs = ledger(Entry("00", (), (Reply("akzept"),)))
    assert not lessons(runs, follow(runs, Policy())).uses("00", "n")


def test_a_warning_is_learned_from() -> None:
    runs = ledger([WARNED])
    assert lessons(runs, follow(runs, Policy())).uses("00", "n")


def test_a_column_that_moved_is_no_beginning_of_rows_that_are_lost() -> None:
    rows = Cause("constraint", (ROWS, "n", "m"), "row_count", -1)
    first, second = follow(ledger([UP], [rows]), Policy())
    assert (first.state, first.ended, second.runs) == ("back", "01", ("01",))


@given(st.integers(1, 20), st.integers(1, 9))
def test_what_always_stops_warns_once_nobody_has_answered_for_long(runs: int, longer: int) -> None:
    alarm = one(follow(ledger(*[[NULLS]] * runs), Policy(patience=1, longer=longer)))
    assert Policy(patience=1, longer=longer).only_warns(alarm) == (runs >= longer)
    assert not Policy(hold=True, patience=1, longer=longer).only_warns(alarm)
    assert not Policy(patience=runs + 1, longer=longer).only_warns(alarm), "never before others are taken over"


@given(st.integers(1, 120), st.sampled_from([1, 6, 24, 24 * 7]), st.integers(1, 6))
@example(2, 24 * 7, 3)
@example(2, 24 * 7, 4)
@example(3, 24, 3)
def test_where_labels_name_times_it_stops_for_two_runs_and_three_days(runs: int, hours: int, patience: int) -> None:
    labels = [f"{START + i * timedelta(hours=hours):%Y-%m-%dT%H:%M}" for i in range(runs)]
    policy = Policy(patience=patience)
    alarm = one(follow([Entry(label, (NULLS,)) for label in labels], policy))
    assert policy.only_warns(alarm) == (runs >= (2 if patience <= 3 else patience) and (runs - 1) * hours >= 72)


@pytest.mark.parametrize(
    ("days", "patience", "runs"), [(7, 3, 2), (3, 3, 2), (2, 3, 3), (1, 3, 3), (7, 5, 5), (7, 1, 1)]
)
def test_a_change_is_taken_over_after_three_alike_runs_or_two_that_are_three_days_apart(
    days: int, patience: int, runs: int
) -> None:
    labels = [f"{START + i * timedelta(days=days):%Y-%m-%d}" for i in range(9)]
    policy = Policy(patience=patience)
    moved = [Entry(label, (UP,)) for label in labels]
    states = [one(follow(moved[:n], policy)).state for n in range(1, runs + 1)]
    assert states == ["open"] * (runs - 1) + ["adapted"]
    up = Finding("constraint", "n", "mean is 9", outcome=_up())
    before = one(follow(moved[: runs - 1], policy)) if runs > 1 else None
    if before is not None:  # the run that is taken over says so
        (told,) = with_alarms(Verdict(labels[runs - 1], (up,), {}), [before], policy=policy).findings
        assert "nobody has answered, so the next run is judged by the new level" in told.again


def test_a_stop_after_a_warning_is_an_alarm_of_its_own_with_its_own_patience() -> None:
    labels = [f"{START + i * timedelta(days=7):%Y-%m-%d}" for i in range(3)]
    runs = [Entry(labels[0], (WARNED,)), Entry(labels[1], (UP,)), Entry(labels[2], (UP,))]
    warned, stopped = follow(runs[:2], Policy())
    assert (warned.state, stopped.state, stopped.runs) == ("back", "open", (labels[1],))
    assert follow(runs, Policy())[1].state == "adapted"
    up = Finding("constraint", "n", "mean is 9", outcome=_up())
    told = with_alarms(Verdict(labels[1], (up,), {}), follow(runs[:1], Policy()))
    assert [f.again for f in told.findings] == [""], "it is news, and what was warned about is not called back to usual"


@pytest.mark.parametrize(("count", "state"), [(2, "open"), (3, "adapted")])
def test_two_warnings_are_not_enough_to_move_a_level(count: int, state: str) -> None:
    labels = [f"{START + i * timedelta(days=7):%Y-%m-%d}" for i in range(count)]
    assert one(follow([Entry(label, (WARNED,)) for label in labels], Policy())).state == state


def test_a_weekend_has_an_end_before_the_gate_opens() -> None:
    friday_to_monday = [Entry(f"2026-11-{day:02}", (NULLS,)) for day in range(6, 10)]
    stopped = [one(follow(friday_to_monday[:n], Policy())) for n in (1, 2, 3)]
    assert not any(map(Policy().only_warns, stopped)), "Monday's run is stopped"
    assert Policy().only_warns(one(follow(friday_to_monday, Policy()))), "Tuesday's is not"


def test_a_further_column_makes_it_stop_anew() -> None:
    wider = Cause("constraint", ("n", "m"), "complete_ratio", -1, always=True)
    policy = Policy(longer=3)
    assert policy.only_warns(one(follow(ledger([NULLS], [NULLS], [NULLS]), policy)))
    grown = one(follow(ledger([NULLS], [NULLS], [NULLS], [wider]), policy))
    assert (len(grown.runs), grown.alike) == (4, 1)
    assert not policy.only_warns(grown)


def test_new_levels_of_one_column_that_wait_are_one_line_and_many_are_counted() -> None:
    causes = [Cause("constraint", (c,), "mean", 1) for c in ("a", "b", "c", "d", "e")]
    taken = [Alarm(cause, ("01", "02", "03"), cause.columns, "adapted") for cause in causes]
    again = Alarm(causes[0], ("07", "08", "09"), causes[0].columns, "adapted")
    told = [f.sentence for f in with_alarms(Verdict("10", (), {}), [taken[0], again]).findings]
    assert told == ["a: a new level since 01, and nobody has said that this is right (see `byhistory inbox`)"]
    many = [f.sentence for f in with_alarms(Verdict("10", (), {}), taken).findings]
    assert many == [
        "5 changes were taken over, and nobody has said that they are right: a since 01, b since 01, c since 01 and 2"
        " more (see `byhistory inbox`)"
    ]


def test_a_column_of_zeros_and_a_value_too_small_the_day_after_are_two_alarms() -> None:
    zeros = Cause("constraint", ("n",), "zero_ratio", 1, always=True, sentence="every number is zero")
    found = follow(ledger([], [zeros], [DOWN]), Policy())
    assert [(a.opened, a.ended) for a in found] == [("01", "02"), ("02", "")]


def test_where_rows_are_lost_the_columns_are_not_counted_up() -> None:
    lost = Alarm(Cause("constraint", (ROWS, "a", "b"), "row_count", -1), ("01",), (ROWS, "a", "b"))
    assert [f.sentence for f in with_alarms(Verdict("02", (), {}), [lost]).findings] == [
        "the number of rows is back to usual after 1 run (01)"
    ]


def test_a_column_that_joins_is_told_and_an_old_alarm_only_warns_until_one_does() -> None:
    more = replace(NULLS, columns=("n", "m"))
    runs = [[], *[[NULLS]] * 9]
    assert one(follow(ledger(*runs[:3]), Policy())).level == "stop"
    old = one(follow(ledger(*runs), Policy()))
    assert old.level == "warn", "as the run itself was judged"
    assert one(follow(ledger(*runs, [more]), Policy())).level == "stop"
    null = Finding("constraint", "n", "every value is null", outcome=_null())
    told = with_alarms(Verdict("10", (null, replace(null, column="m")), {}), [old], policy=Policy()).findings
    assert {f.again for f in told} == {"the same alarm since 01, run 10, now also in m"}


def _up() -> Outcome:
    return Outcome(Constraint("mean", 0.0, 5.0), "broken", 9.0, 0.0, 5.0)


def _null() -> Outcome:
    return Outcome(Constraint("complete_ratio", 0.02, math.inf, bound=ALWAYS), "broken", 0.0, 0.02, math.inf)


def test_what_ends_in_one_run_is_told_in_one_line() -> None:
    ended = [Alarm(Cause("constraint", (c,), "mean", 1), ("01",), (c,)) for c in "abcde"]
    assert [f.sentence for f in with_alarms(Verdict("02", (), {}), ended).findings] == [
        "a, b, c and 2 more are back to usual after 1 run (01)"
    ]


def test_runs_of_a_level_that_nobody_confirmed_and_those_that_went_back_are_two_pasts():
    runs = [*ledger([], [UP], [UP], [UP], []), Entry("05", returned=("n",)), Entry("06")]
    alarm = one(follow(runs, Policy()))
    assert (alarm.state, alarm.levelled, alarm.returned, alarm.away) == ("adapted", ("n",), (("05", "n"),), ())
    assert one(follow(runs[:-1], Policy())).away == ("n",)
    new, old = (lessons(runs, [alarm], back) for back in ((), ("n",)))
    assert [e.run for e in runs if new.uses(e.run, "n")] == ["00", "01", "02", "03", "04", "06"]
    assert [e.run for e in runs if old.uses(e.run, "n")] == ["00", "05"]
    assert (len(new.levels_of("n")), len(old.levels_of("n"))) == (1, 0)
    assert all(of.uses(e.run, "m") for of in (new, old) for e in runs)


@pytest.mark.parametrize("labels", [["2014", "2015", "2016"], ["2026-w01", "2026-w02", "2026-w03"], ["2026-Q1"] * 3])
def test_weeks_quarters_and_years_tell_how_long_nobody_has_answered(labels):
    labels = [*labels[:-1], "2026-Q3"] if labels[0].endswith("Q1") else labels
    alarm = one(follow([Entry(label, (NULLS,)) for label in labels], Policy()))
    assert Policy().only_warns(alarm)
    assert not Policy().only_warns(one(follow([Entry(f"{i}", (NULLS,)) for i in range(3)], Policy())))


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (Cause("repeated run", (ROWS,)), ["the change of data from run to run is back to usual after 1 run (01)"]),
        (Cause("run order", (), level="warn"), []),
    ],
    ids=lambda x: x.about if isinstance(x, Cause) else "",
)
def test_the_end_of_an_alarm_without_a_column_says_what_ended_if_anything(cause, told):
    ended = [Alarm(cause, ("01",), cause.columns)]
    assert [f.sentence for f in with_alarms(Verdict("02", (), {}), ended).findings] == told
