"""The contract, against every store."""

import json
import secrets
from datetime import timedelta, timezone

import pytest
from tests.e2e.records import AT, a_run, programs_of

from byhistory.errors import StoreError
from byhistory.history import Decision, Setting, is_by_arrival, open_store, runs_after, runs_before


def test_a_new_store_is_empty(store):
    assert store.tables() == []
    assert store.runs("orders") == []
    assert store.load("orders", ["2026-11-15"]) == []
    assert store.measures("orders") == {}
    assert store.programs("orders") is None
    assert store.decisions("orders") == []
    assert store.settings("orders") == {}
    assert store.setting_changes("orders") == []
    assert store.forget("orders", "2026-11-15") is False


def test_what_was_recorded_is_loaded(store):
    assert store.record(a_run(), programs_of()) is False
    assert store.load("orders", ["2026-11-15"]) == [a_run()]
    assert list(store.load("orders", ["2026-11-15"])[0].columns) == list(a_run().columns), "the order of the schema"
    assert store.programs("orders") == programs_of()
    assert store.measures("orders") == {"2026-11-15": a_run().measures}
    (line,) = store.runs("orders")
    assert (line.run, line.at, line.outcome, line.rows, line.columns, line.note) == (
        "2026-11-15",
        AT,
        "as usual",
        1234,
        4,
        "fine",
    )
    assert line.decision is None
    assert store.tables() == ["orders"]


def test_only_the_columns_that_are_asked_for_are_loaded(store):
    store.record(a_run())
    store.record(a_run("2026-11-16", columns={"price": b"new"}))
    both = store.load("orders", ["2026-11-16", "2026-11-15", "no such run"], ["Price", "price", "no such column"])
    assert [r.run for r in both] == ["2026-11-15", "2026-11-16"]
    assert list(both[0].columns) == ["price", "Price"], "the order of the schema"
    assert both[1].columns == {"price": b"new"}
    assert [r.columns for r in store.load("orders", ["2026-11-15"], ())] == [{}]
    assert store.load("orders", []) == []
    assert store.load("orders", ["2026-11-15"], [f"c{i}" for i in range(1500)] + ["id"])[0].columns == {"id": b"I"}
    assert store.measures("orders", ["2026-11-16"]) == {"2026-11-16": b"\0\1measures of 2026-11-16"}


def test_a_run_without_columns_and_one_with_many_are_kept(store):
    wide = {f"column {i}": secrets.token_bytes(i % 300) for i in range(700)}
    store.record(a_run("empty", columns={}, rows=0, measures=b"", verdict="", note=""))
    store.record(a_run("wide", columns=wide))
    empty, loaded = store.load("orders", ["wide", "empty"])
    assert empty.columns == {}
    assert loaded.columns == wide
    assert list(loaded.columns) == list(wide)
    assert store.load("orders", ["wide"], ["column 650", "column 3"])[0].columns == {
        n: wide[n] for n in ("column 3", "column 650")
    }


def test_runs_are_kept_in_run_order_however_they_arrive(store):
    labels = ["10", "9", "2026-11-15", "2026-9-1", "late 2", "late 10", "A", "a"]
    for label in labels:
        store.record(a_run(label))
    expected = ["9", "10", "2026-9-1", "2026-11-15", "A", "a", "late 2", "late 10"]
    assert [line.run for line in store.runs("orders")] == expected
    assert [r.run for r in store.load("orders", labels, ())] == expected
    assert list(store.measures("orders")) == expected
    assert list(store.measures("orders", labels[::-1])) == expected


def test_runs_whose_labels_cannot_be_ordered_stay_in_the_order_of_arrival(store):
    for label in ["03/04/2026", "02/04/2026", "04/03/2026"]:
        store.record(a_run(label))
    store.record(a_run("02/04/2026", note="delivered again"))
    expected = ["03/04/2026", "02/04/2026", "04/03/2026"]
    lines = store.runs("orders")
    assert [line.run for line in lines] == expected
    assert [line.run for line in store.runs("orders", last=2)] == expected[1:]
    assert [r.run for r in store.load("orders", expected[::-1], ())] == expected
    assert list(store.measures("orders")) == expected
    assert is_by_arrival(lines)
    assert [line.run for line in runs_before(lines, "02/04/2026")] == expected[:1]
    assert runs_before(lines, "01/01/2020") == lines, "what has not come yet comes last"
    assert runs_after(lines, "01/01/2020") == []


def test_dates_are_ordered_by_date_however_they_are_written(store):
    for label in ["01.02.2026", "31.01.2026", "15.11.2025"]:
        store.record(a_run(label))
    lines = store.runs("orders")
    assert [line.run for line in lines] == ["15.11.2025", "31.01.2026", "01.02.2026"]
    assert [line.run for line in store.runs("orders", last=1)] == ["01.02.2026"]
    assert [line.run for line in runs_before(lines, "01.01.2026")] == ["15.11.2025"]
    assert [line.run for line in runs_after(lines, "31.01.2026")] == ["01.02.2026"]


def test_more_runs_than_one_question_takes(store):
    for i in range(3):
        store.record(a_run(str(i), columns={"c": b"x"}))
    asked = [str(i) for i in range(2000)]
    assert len(store.load("orders", asked)) == 3
    assert len(store.measures("orders", asked)) == 3


def test_a_run_recorded_twice_replaces_itself_and_says_so(store):
    store.record(a_run(), programs_of())
    store.record(a_run("2026-11-14"))
    again = a_run(columns={"new": b"only"}, outcome="unusual", at=AT + timedelta(days=1), verdict="{}", note="again")
    assert store.record(again) is True
    assert store.load("orders", ["2026-11-15"]) == [again]
    assert [line.outcome for line in store.runs("orders")] == ["as usual", "unusual"]
    assert store.programs("orders") == programs_of(), "they are the table's, not the run's"
    assert store.record(again, programs_of(text="later")) is True
    assert store.programs("orders") == programs_of(text="later")
    assert store.load("orders", ["2026-11-14"]) == [a_run("2026-11-14")]


def test_scores_and_causes_come_with_the_list(store):
    store.record(a_run(scores='{"table": 3.1}', causes='{"level": "warn"}'))
    (line,) = store.runs("orders")
    assert (line.scores, line.causes) == ('{"table": 3.1}', '{"level": "warn"}')
    assert store.load("orders", ["2026-11-15"])[0] == a_run(scores='{"table": 3.1}', causes='{"level": "warn"}')


def test_the_last_runs_can_be_listed_alone(store):
    for run in ("9", "10", "8", "11"):
        store.record(a_run(run))
    store.decide(Decision("orders", "10", "accept", "ann", AT))
    assert [line.run for line in store.runs("orders", last=2)] == ["10", "11"]
    assert store.runs("orders", last=2) == store.runs("orders")[-2:]
    assert store.runs("orders", last=9) == store.runs("orders")


def test_tables_do_not_mix(store):
    names = ["orders", "Orders", "a/b", "a-b", "../orders", "übel'; drop table x; --", "x" * 300, "%", "."]
    for i, name in enumerate(names):
        store.record(a_run(table=name, rows=i), programs_of(name, text=str(i)))
    assert store.tables() == sorted(names)
    for i, name in enumerate(names):
        assert [line.rows for line in store.runs(name)] == [i]
        assert store.programs(name) == programs_of(name, text=str(i))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"table": ""}, "an empty table"),
        ({"run": ""}, "an empty run"),
        ({"run": "a\0b"}, "a run that is no plain text"),
        ({"note": "\ud800"}, "a note that is no plain text"),
        ({"columns": {"a\0": b""}}, "a column that is no plain text"),
        ({"columns": {"é" * 1_301: b""}}, "a column whose name has 2,602 bytes"),
        ({"outcome": "great"}, "the outcome 'great'"),
        ({"rows": -1}, "-1 rows"),
        ({"rows": True}, "a field 'rows' of type bool, where int belongs"),
        ({"id": 5}, "a field 'id' of type int, where str belongs"),
        ({"digest": "a\0"}, "a digest that is no plain text"),
        ({"columns": {"a": "b"}}, r"a field 'columns' of type dict, where Mapping\[str, bytes\] belongs"),
        ({"at": AT.replace(year=9999)}, "set the clock: years are 1900 to 2999"),
        ({"at": AT.replace(tzinfo=None)}, "the time 2026-11-15T03:12:05.123456"),
        ({"at": AT.astimezone(timezone(timedelta(hours=1)))}, r"\+01:00. To go on: give it in UTC"),
    ],
)
def test_what_not_every_store_can_keep_is_refused_by_all(store, changes, found):
    with pytest.raises(StoreError, match=found):
        store.record(a_run(**changes))
    assert store.tables() == []


def test_other_records_are_checked_as_well(store):
    store.record(a_run())
    with pytest.raises(StoreError, match="programs of 'other'"):
        store.record(a_run("2"), programs_of("other"))
    with pytest.raises(StoreError, match=r"the decision 'Acc3pt'\. To go on: give one of accept, usual, reject, new"):
        store.decide(Decision("orders", "2026-11-15", "Acc3pt", "ann", AT))
    with pytest.raises(StoreError, match="an empty who"):
        store.decide(Decision("orders", "2026-11-15", "accept", "", AT))
    with pytest.raises(StoreError, match="an empty name"):
        store.put_setting(Setting("orders", "", "{}", "ann", AT))
    assert [line.run for line in store.runs("orders")] == ["2026-11-15"]


def test_the_key_is_secret_long_and_stays(url, store):
    assert len(store.key()) == 32
    assert store.key() == store.key()
    if url != "memory:":
        with open_store(url) as again:
            assert again.key() == store.key()
    with open_store("memory:") as other:
        assert other.key() != store.key()


def test_everything_is_there_after_closing_and_opening(url):
    if url == "memory:":
        pytest.skip("gone with the process, as it says")
    with open_store(url) as store:
        store.record(a_run(), programs_of())
        store.decide(Decision("orders", "2026-11-15", "accept", "ann", AT, "why", ("price",)))
        store.put_setting(Setting("orders", "budget", "0.01", "bob", AT))
    with open_store(url) as store:
        assert store.load("orders", ["2026-11-15"]) == [a_run()]
        assert store.programs("orders") == programs_of()
        assert [d.columns for d in store.decisions("orders")] == [("price",)]
        assert store.settings("orders")["budget"].text == "0.01"


def test_two_open_stores_see_what_the_other_does(url, store):
    if url == "memory:":
        pytest.skip("each has its own")
    with open_store(url) as other:
        assert other.runs("orders") == []
        store.record(a_run(), programs_of())
        assert other.load("orders", ["2026-11-15"]) == [a_run()]
        assert other.record(a_run(note="again"), programs_of(text="2")) is True
        assert store.load("orders", ["2026-11-15"]) == [a_run(note="again")]
        assert store.programs("orders") == programs_of(text="2")
        other.forget("orders", "2026-11-15")
        assert store.runs("orders") == []


def test_what_a_store_keeps_is_what_it_was_given(store):
    columns = {"a": b"1"}
    run = a_run(columns=columns)
    store.record(run)
    columns["b"] = b"2"
    assert store.load("orders", ["2026-11-15"])[0].columns == {"a": b"1"}


def test_a_store_shows_no_password(store):
    assert "not a secret" not in repr(store)
    assert "not%20a%20secret" not in repr(store)
    assert repr(store).startswith("<store ")


def test_a_verdict_may_be_long(store):
    verdict = json.dumps({"findings": ["x" * 1000] * 1000})
    store.record(a_run(verdict=verdict, measures=secrets.token_bytes(500_000)))
    assert store.load("orders", ["2026-11-15"], ())[0].verdict == verdict


def test_what_is_read_together_is_what_is_there(store):
    store.record(a_run(), programs_of())
    with store.snapshot():
        assert [line.run for line in store.runs("orders")] == ["2026-11-15"]
        with store.snapshot():  # inside another
            assert store.load("orders", ["2026-11-15"]) == [a_run()]
        assert store.programs("orders") == programs_of()
        with pytest.raises(StoreError):
            store.decide(Decision("orders", "never", "accept", "ann", AT))
    store.record(a_run("2026-11-16"))
    assert [line.run for line in store.runs("orders")] == ["2026-11-15", "2026-11-16"]
