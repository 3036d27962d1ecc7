"""One cause, one message."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.histories import demo, demo_table, label
from tests.tables import emptied

from byhistory.constraints import Constraint, Evidence, Outcome
from byhistory.learners import learn
from byhistory.rows.local import profile_table
from byhistory.verdict import Finding, Resemblance, check
from byhistory.verdict.group import grouped, rows_in_words

ROWS = 2_000


@pytest.fixture(scope="module")
def learned():
    runs = demo(21, ROWS)
    return learn(runs, 0.001, "paper"), runs


def judged(learned, table):
    return check(profile_table(table, run=label(21)), *learned)


@pytest.mark.parametrize("share", [0.5, 0.01, 1.1])
def test_a_table_whose_rows_are_emptied_is_one_message(learned, share):
    verdict = judged(learned, emptied(demo_table(21, ROWS), share))
    assert len(verdict.findings) >= 8
    (cause,) = verdict.causes
    assert len(cause.columns) >= 8
    is_all = share > 1.0
    assert ("every value is null" if is_all else "share of values present") in cause.sentence
    assert " columns moved at once (order_id, created_at, country and " in cause.sentence


@pytest.mark.parametrize("times", [3, 10])
def test_a_table_loaded_several_times_is_one_message(learned, times):
    verdict = judged(learned, pa.concat_tables([demo_table(21, ROWS)] * times))
    assert len(verdict.findings) >= 9
    (cause,) = verdict.causes
    assert cause.column == ""
    assert len(cause.columns) == 9
    assert "columns" not in cause.sentence, "that there are more rows is said of the table"


def test_forty_columns_that_are_half_empty_are_one_message():
    def make(random, _):
        return {f"c{i}": random.normal(i, 1 + i, 200) for i in range(20)} | {
            f"s{i}": random.choice([f"{i}a", f"{i}b", f"{i}c"], 200) for i in range(20)
        }

    random = np.random.default_rng(3)  # noqa: TID251 - a fixed example
    runs = [profile_table(make(random, i), run=f"{i:02}") for i in range(9)]
    bad = emptied(pa.table(make(random, 9)), 0.5)
    verdict = check(profile_table(bad, run="09"), learn(runs, 0.001, "paper"), runs)
    assert len(verdict.findings) >= 40
    assert len(verdict.causes) == 1
    assert len(str(verdict)) < 1_000


def test_an_empty_table_is_one_message_that_says_it_of_every_column(learned):
    verdict = judged(learned, demo_table(21, ROWS).slice(0, 0))
    assert [f.about for f in verdict.causes] == ["empty batch"]
    assert any(c.not_evaluable for c in verdict.columns.values()), "what could not be judged is kept for machines"
    assert str(verdict).splitlines()[0].endswith("is not as usual: 1 cause in the number of rows.")
    assert len(str(verdict).splitlines()) == 2


def test_two_causes_stay_two_messages(learned):
    table = demo_table(21, ROWS)
    table = table.set_column(4, "amount", pa.array(np.asarray(table["amount"]) * 100))
    table = table.set_column(7, "email", pa.nulls(table.num_rows, pa.string()))
    verdict = judged(learned, table)
    assert {f.column for f in verdict.causes} == {"amount", "email"}
    assert {f.resembles.fault for f in verdict.causes} == {"unit_change×100", "increased_nulls_null_100%"}


def broken(column, metric, value=0.0, fault=""):
    like = Resemblance(fault, fault, 0.9, fault.partition(":")[0]) if fault else None
    outcome = Outcome(Constraint(metric, 1.0, 2.0), "broken", value, 1.0, 2.0)
    return Finding("constraint", column, f"{metric} of {column}", "stop", outcome, resembles=like)


def test_several_findings_of_one_column_are_told_in_one_sentence():
    (cause,) = grouped([broken("a", "mean"), broken("a", "max"), broken("a", "min")])
    assert cause.sentence == "mean of a; also max of a; min of a"
    assert cause.columns == ("a",)


def test_columns_that_look_like_the_same_fault_are_one_cause_and_others_are_not():
    same = [broken(c, "mean", i * 100.0, "unit change:×10") for i, c in enumerate("abc")]
    assert [f.columns for f in grouped([*same, broken("d", "mean"), broken("e", "max")])] == [
        ("a", "b", "c"),
        ("d",),
        ("e",),
    ]


def test_shares_that_differ_are_different_causes():
    found = [
        broken("a", "complete_ratio", 0.5),
        broken("b", "complete_ratio", 0.51),
        broken("c", "complete_ratio", 0.9),
    ]
    assert [f.columns for f in grouped(found)] == [("a", "b"), ("c",)]


def test_nothing_is_lost_and_the_order_is_that_of_the_first():
    schema = Finding("missing column", "x", "column 'x' is missing")
    found = [schema, broken("a", "mean"), broken("b", "row_count"), broken("a", "max"), broken("a", "row_count")]
    causes = grouped(found)
    assert [f.sentence for f in causes] == ["column 'x' is missing", "mean of a", "row_count of b"] or len(causes) == 2
    assert {c for f in causes for c in f.columns} == {"x", "a", "b"}


def moved(column: str, metric: str, value: float, low: float = 90.0, high: float = 110.0) -> Finding:
    outcome = Outcome(Constraint(metric, low, high), "broken", value, low, high)
    return Finding("constraint", column, f"{metric} of {column}", "stop", outcome)


def test_siblings_that_moved_together_are_one_cause():
    fell = [moved("beds", "mean", 50.0), moved("beds used", "mean", 505.0, 900.0, 1100.0)]
    others = [moved("rose", "mean", 200.0), moved("fell more", "mean", 5.0), moved("fell", "sum", 50.0)]
    assert [c.columns for c in grouped([*fell, *others])] == [
        ("beds", "beds used"),
        ("rose",),
        ("fell more",),
        ("fell",),
    ]


def test_the_number_of_rows_is_a_headline_of_the_table():
    (cause,) = grouped([moved("id", "row_count", 149.0, 120.0, 136.0)])
    assert (cause.column, cause.columns, cause.sentence) == ("", ("id",), "149 rows, usually 120 to 136")


def test_what_columns_say_because_there_are_fewer_rows_belongs_to_the_rows():
    fewer = [moved("id", "row_count", 69.0), moved("a", "unique_ratio", 200.0), moved("b", "top_value_ratio", 200.0)]
    (cause,) = grouped(fewer)
    assert (cause.sentence, cause.columns) == ("69 rows, usually 90 to 110", ("id", "a", "b"))
    cents = [moved("amount", "sum", 9e6), moved("kind", "new_value_ratio", 200.0)]
    assert [c.columns for c in grouped([*fewer, *cents])][1:] == [("amount",), ("kind",)]
    warned = [replace(fewer[0], level="warn"), *fewer[1:]]
    assert len(grouped(warned)) == 3, "what is worse than the rows is told by itself"
    assert len(grouped(fewer[1:])) == 2


def test_many_new_columns_are_one_line():
    added = [Finding("added column", f"c{i}", f"column 'c{i}' is new", level="as usual") for i in range(16)]
    (cause,) = grouped(added)
    assert cause.sentence == "16 new columns: c0, c1, c2, c3 and 12 more"
    assert grouped(added[:1])[0].sentence == "column 'c0' is new"


def test_what_stops_and_what_does_not_are_not_one_cause():
    gone = [
        Finding("missing column", c, f"column {c!r} is missing", level="stop" if c != "c" else "as usual")
        for c in "abc"
    ]
    assert [(c.columns, c.stops) for c in grouped(gone)] == [(("a", "b"), True), (("c",), False)]


def test_a_column_under_another_name_is_told_as_renamed(learned):
    table = demo_table(21, ROWS)
    names = ["total" if name == "amount" else name for name in table.column_names]
    verdict = judged(learned, table.rename_columns(names))
    told = [c.sentence for c in verdict.causes]
    assert told == ["column 'amount' is gone, and 'total' is new with the same content: probably renamed"]
    assert not verdict.ok


def test_a_column_with_other_content_is_not_taken_for_the_one_that_is_gone(learned):
    table = demo_table(21, ROWS)
    other = pa.array(np.arange(table.num_rows, dtype=np.float64))
    changed = table.drop_columns(["amount"]).append_column("total", other)
    assert [c.about for c in judged(learned, changed).causes] == ["missing column", "added column"]


@given(st.integers(0, 10**9), st.floats(0, 10**9), st.floats(0, 10**6))
def test_the_number_of_rows_never_reads_like_what_is_usual(rows: int, low: float, width: float) -> None:
    high = low + width
    assume(not low <= rows <= high)
    said = rows_in_words(Outcome(Constraint("row_count", low, high), "broken", float(rows), low, high))
    value, _, usual = said.partition(" rows, usually ")
    assert value not in usual.split(" to ")
    if math.floor(high) >= math.ceil(low):
        assert "." not in said, "rows come whole"


def test_usual_rows_are_the_limits_where_the_past_had_as_many() -> None:
    evidence = Evidence(30, 414.0, 1.0, 1.0, 413.0, 416.0)
    told = Outcome(Constraint("row_count", 413.2, 415.6, evidence=evidence), "broken", 416.0, 413.2, 415.6)
    assert rows_in_words(told) == "416 rows, usually 414 to 415"
