import numpy as np
import pyarrow as pa
from tests.histories import history, run

from byhistory.learners import learn
from byhistory.verdict import check


def make(random, _):
    return {"a": random.normal(9, 1, 40), "b": ["x", "y"] * 20, "c": random.integers(0, 9, 40)}


RUNS = history(make, 9)
PROGRAMS = learn(RUNS)
GOOD = make(np.random.default_rng(9), 9)  # noqa: TID251 - a fixed example


def found(columns):
    return check(run(columns, 9), PROGRAMS, RUNS)


def test_the_same_schema_is_no_finding():
    assert found(GOOD).findings == ()


def test_a_missing_column_stops_the_run():
    verdict = found({n: v for n, v in GOOD.items() if n != "b"})
    assert [(f.about, f.column, f.stops) for f in verdict.findings] == [("missing column", "b", True)]
    assert verdict.findings[0].sentence == "column 'b' is missing; it has always been there"
    assert verdict.columns["b"].state == "not in this run"
    assert not verdict.ok


def test_an_added_column_is_told_and_stops_nothing():
    verdict = found({**GOOD, "d": [1] * 40})
    assert [(f.about, f.column, f.stops) for f in verdict.findings] == [("added column", "d", False)]
    assert verdict.ok
    assert verdict.columns["d"].state == "no program yet: the column is new"
    assert "column 'd' is new" in str(verdict)


def test_a_retyped_column_stops_the_run_also_within_a_kind():
    text = found({**GOOD, "c": [str(v) for v in GOOD["c"]]})
    assert text.findings[0].sentence == "column 'c' changed its type from int64 to string"
    narrow = found({**GOOD, "c": pa.array(GOOD["c"], pa.int32())})
    assert [(f.about, f.stops) for f in narrow.findings] == [("type change", True)]


def test_what_arrow_calls_differently_is_no_other_type():
    long_texts = {**GOOD, "b": pa.array(GOOD["b"], pa.large_string())}
    assert found(long_texts).findings == ()
    assert found({**GOOD, "b": pa.array(GOOD["b"]).dictionary_encode()}).findings == ()


def test_a_column_without_a_value_has_no_type():
    gone = found({**GOOD, "b": pa.nulls(40)})
    assert [f.about for f in gone.findings if f.about == "type change"] == []
    assert "every value is null" in gone.causes[0].sentence
    assert not gone.ok


def test_a_column_that_has_values_again_is_of_the_type_that_it_had():
    runs = [*RUNS, run({**GOOD, "b": pa.nulls(40)}, 9)]
    assert [f for f in check(run(GOOD, 10), PROGRAMS, runs).findings if f.about == "type change"] == []
    numbers = check(run({**GOOD, "b": list(range(40))}, 10), PROGRAMS, runs)
    assert [(f.column, f.stops) for f in numbers.findings if f.about == "type change"] == [("b", True)]


def test_another_order_is_told_and_stops_nothing():
    verdict = found({n: GOOD[n] for n in ("a", "c", "b")})
    assert [(f.about, f.column, f.stops) for f in verdict.findings] == [("order change", "c", False)]
    assert verdict.ok


def test_a_column_in_between_is_no_other_order():
    assert [f.about for f in found({"a": GOOD["a"], "new": [1] * 40, "b": GOOD["b"], "c": GOOD["c"]}).findings] == [
        "added column"
    ]


def test_what_changed_in_the_schema_comes_first():
    columns = {"d": [1] * 40, "c": [str(v) for v in GOOD["c"]], "a": np.asarray(GOOD["a"]) * 1000}
    abouts = [f.about for f in found(columns).findings]
    assert abouts[:4] == ["missing column", "added column", "type change", "order change"]
    assert "constraint" in abouts[4:]
    assert abouts == sorted(abouts, key=lambda about: about == "constraint")


def test_columns_that_come_and_go_are_told_and_stop_nothing():
    runs = history(lambda random, i: make(random, i) | ({"s": ["x"] * 40} if i % 3 else {}), 9)
    programs = learn(runs)
    gone = check(run(GOOD, 9), programs, runs)
    assert [(f.about, f.stops) for f in gone.findings] == [("missing column", False)]
    assert gone.findings[0].sentence == "column 's' is missing; 6 of 9 past runs had it"
    back = history(lambda random, i: make(random, i) | ({"s": ["x"] * 40} if i != 8 else {}), 9)
    again = check(run({**GOOD, "s": ["x"] * 40}, 9), learn(back), back)
    assert again.findings == (), "a column that comes back is not new"


def test_the_first_run_of_all_has_nothing_to_differ_from():
    verdict = check(run(GOOD, 0), {}, [])
    assert (verdict.findings, verdict.status) == ((), "learning")
