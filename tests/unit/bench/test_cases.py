"""What methods are asked: nothing of the future, the same every time, and faults that are faults."""

import json

import numpy as np
import pyarrow as pa
import pytest
from bench import run
from bench.cases import unseen
from bench.cases.build import Rows, cases_key, column_cases
from bench.cases.cases import Store, windows_of
from bench.corpus import Incident, tables
from bench.judge import judge, questions, responses_of
from bench.methods import mad
from bench.slice import cut
from hypothesis import given
from hypothesis import strategies as st
from scripts.make_corpus import INCIDENT, RUNS, write_corpus

from byhistory.profile import Kind
from byhistory.rows.local import profile_table

# --- the corpus -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus")


def test_a_corpus_is_read_with_or_without_its_lists(corpus, tmp_path):
    full, bare = list(tables(corpus)), list(tables(write_corpus(tmp_path / "bare", lists=False)))
    assert [t.name for t in full] == [t.name for t in bare] == ["shop_a__orders", "web_b__visits"]
    assert [t.labels for t in full] == [t.labels for t in bare]
    assert (full[0].source, full[0].domain, bare[0].domain) == ("shop_a", "shop", "shop")
    assert set(full[0].volume) == {2.0}
    assert set(bare[0].volume) == {1.0}


def test_runs_of_an_incident_are_not_good(corpus):
    table = next(tables(corpus))
    assert INCIDENT not in table.good
    assert len(table.good) == RUNS - 1


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ("amount", True),
        ("id, amount.", True),
        ("all", True),
        ("id, all columns", True),
        ("*ount", True),
        ("amounts", False),
        ("id", False),
        ("", False),
    ],
)
def test_an_incident_names_columns_by_name_by_ending_or_all(columns, named):
    assert Incident("t", "l", "", columns, "", "").names("amount") is named


@given(st.integers(0, 400), st.integers(2, 40), st.integers(1, 40))
def test_windows_are_few_full_and_reach_from_the_first_to_the_last(runs, most, window):
    found = windows_of(runs, most, window)
    assert len(found) == min(most, max(0, runs - window))
    assert list(found) == sorted(set(found))
    if found:
        assert (found[0], found[-1]) == (window, runs - 1)


# --- the past -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cases(corpus):
    """The cases of the first table, from profiles made here instead of by Spark."""
    return made(next(tables(corpus)))


def made(table):
    rows = Rows(table)
    runs = {i: profile_table(rows.of(i).drop_columns(["_run", "_run_label"]), run=str(i)) for i in range(RUNS)}
    kinds = table.columns()
    return {name: column_cases(table, runs, rows, (name, kind), []) for name, kind in kinds.items()}


def test_a_past_ends_before_the_run_to_judge(cases):
    for column in cases.values():
        for at, asked in questions(column).items():
            past = column.past(at)
            assert past.series.shape[1] == 30
            same = np.array_equal(past.series[:, 1:], column.series[:, at - 29 : at], equal_nan=True)
            assert same
            assert past.labels[-2] < past.labels[-1] or at == len(column.labels)
            assert all(len(q.now) == len(q.places) for q in asked)


def test_no_change_of_the_future_changes_a_past(cases):
    column = cases["amount"]
    before = column.past(31).series.copy()
    kept = column.series[:, 31:].copy()
    column.series[:, 31:] = -1.0
    after = column.past(31).series
    column.series[:, 31:] = kept
    assert np.array_equal(before, after, equal_nan=True)


def test_a_shorter_window_is_the_end_of_a_longer_one(cases):
    short, long = cases["amount"].past(32, 7), cases["amount"].past(32, 30)
    alone = ~long.is_pair
    assert np.array_equal(short.series[alone], long.series[alone][:, -7:], equal_nan=True)
    assert np.isnan(short.series[short.is_pair, 0]).all()  # the run before the first is not known


def test_cases_are_the_same_every_time(corpus, cases):
    again = made(next(tables(corpus)))
    for name, column in cases.items():
        other = again[name]
        assert column.windows == other.windows
        assert np.array_equal(column.series, other.series, equal_nan=True)
        for of, bad in column.bad.items():
            assert bad.names == other.bad[of].names
            assert np.array_equal(bad.values, other.bad[of].values, equal_nan=True)


def test_rows_are_counted_as_delivered(cases):
    column = cases["amount"]
    row_count = column.metrics.index("row_count")
    assert set(column.series[row_count]) == {120.0}  # 60 are here, 120 were delivered


def test_an_incident_is_asked_with_the_good_runs_before_it(cases):
    assert cases["amount"].incidents_at == (INCIDENT,)
    assert cases["amount"].bad["incident"].types == ("named",)
    assert cases["id"].bad["incident"].types == ("beside",)


# --- faults ---------------------------------------------------------------------------------------------------------


def table_of_all_kinds():
    random = np.random.default_rng(3)  # noqa: TID251 - a fixed seed: the table is the same every time
    rows = 200
    texts = [
        "Île-de-France 2026-03-04",
        "O'Brien, Kate",
        "lower case text of some length",
        "UPPER CASE TEXT, LONG ENOUGH",
    ]
    columns = {
        "region": pa.array(np.array(["north", "south", "east"])[random.integers(0, 3, rows)]),
        "number": pa.array(np.round(random.lognormal(6, 1, rows), 3)),
        "text": pa.array([f"{texts[i]} {j}" for i, j in zip(random.integers(0, 4, rows), range(rows), strict=True)]),
        "price": pa.array([f"{i / 100:06.2f}" for i in random.integers(0, 9999, rows)]),
        "flag": pa.array(random.random(rows) < 0.3),
        "other_number": pa.array(random.normal(-50, 3, rows)),
        "other_text": pa.array([f"{i}" for i in random.integers(0, 9, rows)]),
    }
    return pa.table(columns), {
        "flag": Kind.CATEGORICAL,
        "number": Kind.NUMERIC,
        "text": Kind.CATEGORICAL,
        "price": Kind.CATEGORICAL,
    }


TABLE, TARGETS = table_of_all_kinds()
BEFORE = TABLE.take(pa.array(np.arange(199, -1, -1)))


@pytest.mark.parametrize("fault", unseen.ALL, ids=lambda fault: fault.name)
def test_an_unseen_fault_changes_some_column_and_says_so_where_it_cannot(fault):
    happened = []
    for name, kind in TARGETS.items():
        after = unseen.happen(fault, TABLE, (name, kind), BEFORE, seed=1)
        again = unseen.happen(fault, TABLE, (name, kind), BEFORE, seed=1)
        assert (after is None) == (again is None)
        if after is not None:
            assert isinstance(after, pa.Array)
            assert kind in fault.kinds
            assert after.equals(again)
            assert not after.equals(TABLE.column(name).combine_chunks())
            happened.append(name)
    assert happened


@pytest.mark.parametrize("fault", unseen.ALL, ids=lambda fault: fault.name)
def test_an_unseen_fault_happens_to_whole_numbers_that_no_float_holds(fault):
    huge = pa.table({"x": pa.array([2**53 + 1 + i for i in range(200)], pa.int64()), "z": pa.array([7] * 200)})
    for table in (huge, huge.set_column(0, "x", huge["x"].cast(pa.uint64()))):
        after = unseen.happen(fault, table, ("x", Kind.NUMERIC), table, seed=1)
        assert after is None or len(after) > 0


def test_unseen_faults_have_names_of_their_own():
    names = [(f.name, kind) for f in unseen.ALL for kind in f.kinds]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("fault", unseen.ALL, ids=lambda fault: fault.name)
def test_nothing_happens_to_a_column_without_values_or_rows(fault):
    empty = pa.table({"x": pa.nulls(5, pa.float64()), "y": pa.array(list("abcde"))})
    assert unseen.happen(fault, empty, ("x", Kind.NUMERIC), None, seed=1) is None
    assert unseen.happen(fault, empty.slice(0, 0), ("y", Kind.CATEGORICAL), None, seed=1) is None


# --- all of it ------------------------------------------------------------------------------------------------------


@pytest.mark.spark
@pytest.mark.slow
def test_a_corpus_of_the_same_form_runs_from_end_to_end(corpus, tmp_path):
    said: list[str] = []
    prepared = run.prepare(corpus, tmp_path / "cache", 1, said.append)
    assert [t.name for t in prepared.tables] == ["shop_a__orders", "web_b__visits"]
    assert any("profiles of shop_a__orders" in line for line in said)
    by_spark = {c.column: c for c in prepared.cases[0]}
    local = made(prepared.tables[0])
    for name, column in by_spark.items():  # Spark equals local
        assert np.allclose(column.series, local[name].series, equal_nan=True)
        assert column.bad["seen"].names == local[name].bad["seen"].names
        assert len(column.bad["real"].names) > 0

    answers = responses_of(prepared.tables[0], prepared.cases[0], tmp_path / "cache" / "profiles", tmp_path / "cache")
    assert {at for name, at in answers if name == "amount"} == set(questions(by_spark["amount"]))

    arguments = ["--corpus", str(corpus), "--methods", "mad", "--cache", str(tmp_path / "cache")]
    assert run.main([*arguments, "--out", str(tmp_path / "out" / "evaluation")]) == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["cases"]["numeric"]["columns"] == 4
    assert summary["methods"]["mad"]["numeric"]["recall"]["seen"]["0.05"]["n"] > 0

    kept = sorted((tmp_path / "cache" / "scores" / "mad").iterdir())
    before = [path.stat().st_mtime_ns for path in kept]
    assert run.main([*arguments, "--out", str(tmp_path / "out" / "evaluation")]) == 0  # a second run asks nothing again
    assert [path.stat().st_mtime_ns for path in kept] == before
    assert len((tmp_path / "out" / "evaluation.jsonl").read_text().splitlines()) == 2


def test_what_a_method_says_does_not_depend_on_how_it_is_kept(cases, tmp_path):
    store = Store(tmp_path)
    store.write("key", list(cases.values()))
    once, again = (judge(mad.METHOD, columns) for columns in (list(cases.values()), store.read("key")))
    for name, scores in once.scores.items():
        assert np.array_equal(scores, again.scores[name], equal_nan=True)


def test_a_slice_is_a_corpus(corpus, tmp_path):
    found = list(tables(cut(list(tables(corpus)), tmp_path / "slice")))
    assert [t.name for t in found] == ["shop_a__orders", "web_b__visits"]
    assert len(found[0].labels) == RUNS - 1  # without the bad run
    assert found[0].good == tuple(range(RUNS - 1))
    assert found[0].volume == (2.0,) * (RUNS - 1)
    assert cases_key(found[0]) != cases_key(next(tables(corpus)))
