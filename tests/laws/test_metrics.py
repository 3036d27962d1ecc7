"""What holds for every metric there is."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.metrics_page import page
from tests import strategies
from tests.strategies import examples

from byhistory import metrics
from byhistory.bounds import CANTELLI, CHEBYSHEV, CLT
from byhistory.metrics import ALL, PAIR, SINGLE, by_name, measure, of_kind
from byhistory.profile import ColumnProfile, Kind
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.local import profile_table

PAPER_NUMERIC = [
    "emd",
    "js_div",
    "kl_div",
    "ks_dist",
    "cohen_d",
    "min",
    "max",
    "mean",
    "median",
    "sum",
    "range",
    "row_count",
    "unique_ratio",
    "complete_ratio",
]
PAPER_CATEGORICAL = [
    "l1",
    "l_inf",
    "cosine",
    "chi_squared",
    "js_div",
    "kl_div",
    "pat_l1",
    "pat_l_inf",
    "pat_cosine",
    "pat_chi_squared",
    "pat_js_div",
    "pat_kl_div",
    "str_len",
    "char_len",
    "digit_len",
    "punc_len",
    "row_count",
    "unique_ratio",
    "complete_ratio",
    "dist_val_count",
]
PAPER_CLT = {"row_count", "mean", "str_len", "char_len", "digit_len", "punc_len", "complete_ratio"}
ROOT = Path(__file__).parents[2]


def name(metric):
    return metric.name


def profile(values, kind, parts=1):
    """The profile of a column, read in so many parts that are added before they are sealed."""
    array = pa.array(values, strategies.TYPES[kind])
    field = Field("x", kind, str(array.type))
    size = -(-len(array) // parts) or 1
    slices = [array.slice(i * size, size) for i in range(parts)]
    return ColumnProfile.sum_of([profile_array(part, field, Options()) for part in slices]).sealed(b"")


def same(x, y):
    return (math.isnan(x) and math.isnan(y)) or x == y or math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9)


# --- completeness ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "listed"), [("single", SINGLE), ("pair", PAIR)])
def test_every_file_is_a_metric_in_all(folder, listed):
    files = {f.stem for f in (Path(metrics.__file__).parent / folder).glob("*.py") if not f.stem.startswith("_")}
    assert files == {m.name for m in listed}
    assert len(ALL) == len({m.name for m in ALL}) == len(SINGLE) + len(PAIR)


def test_every_metric_of_the_paper_is_there_by_name():
    assert {m.name for m in of_kind(Kind.NUMERIC, in_paper=True)} == set(PAPER_NUMERIC)
    assert {m.name for m in of_kind(Kind.CATEGORICAL, in_paper=True)} == set(PAPER_CATEGORICAL)
    assert {m.name for m in ALL if m.in_paper} == {*PAPER_NUMERIC, *PAPER_CATEGORICAL}


@pytest.mark.parametrize("metric", ALL, ids=name)
def test_a_metric_has_the_bound_that_the_paper_gives_it(metric):
    assert metric.bound is (CLT if metric.name in PAPER_CLT else CANTELLI if metric in PAIR else CHEBYSHEV)


@pytest.mark.parametrize("metric", ALL, ids=name)
def test_a_metric_is_found_by_its_name_and_says_what_it_is(metric):
    assert by_name(metric.name) is metric
    assert metric.title
    assert metric.title[0].islower()
    assert metric.low < metric.high
    assert metric.kinds


@pytest.mark.parametrize("kind", list(Kind), ids=str)
def test_numbers_that_are_discrete_get_more_metrics_and_others_do_not(kind):
    assert set(of_kind(kind, discrete=True)) >= set(of_kind(kind))
    assert (len(of_kind(kind, discrete=True)) > len(of_kind(kind))) is (kind is Kind.NUMERIC)
    assert {*of_kind(kind, True), *of_kind(kind, False)} == {*of_kind(kind)}


def test_the_reference_page_is_what_the_metrics_say():
    assert (ROOT / "docs/reference/metrics.md").read_text(encoding="utf-8") == page()


# --- laws ------------------------------------------------------------------------------------------------------------


@given(strategies.batches(runs=2))
def test_a_metric_stays_within_its_range(batch):
    kind, runs = batch
    now, before = (profile(values, kind) for values in runs)
    for metric in of_kind(kind, discrete=True):
        x = metric(now) if metric in SINGLE else metric(now, before)
        assert isinstance(x, float)
        assert math.isnan(x) or metric.low <= x <= metric.high, metric.name


@given(st.lists(st.none() | strategies.extreme, max_size=20), st.lists(st.none() | strategies.extreme, max_size=20))
def test_numbers_at_the_ends_of_what_a_float_holds_leave_no_metric_out_of_its_range(x, y):
    now, before = profile(x, Kind.NUMERIC), profile(y, Kind.NUMERIC)
    for metric in of_kind(Kind.NUMERIC, discrete=True):
        for value in (metric(now),) if metric in SINGLE else (metric(now, before), metric(before, now)):
            assert math.isnan(value) or metric.low <= value <= metric.high, metric.name


@given(strategies.batches(runs=2))
def test_now_and_before_can_change_places_where_a_distance_is_symmetric(batch):
    kind, runs = batch
    now, before = (profile(values, kind) for values in runs)
    for metric in PAIR:
        if metric.symmetric:
            assert same(metric(now, before), metric(before, now)), metric.name


@given(strategies.batches())
def test_a_run_is_at_distance_zero_from_itself(batch):
    kind, (values,) = batch
    p = profile(values, kind)
    for metric in PAIR:
        distance = metric(p, p)
        assert math.isnan(distance) or distance == pytest.approx(0.0, abs=1e-12), metric.name
        if kind in metric.kinds and p.present:
            assert not math.isnan(distance), metric.name


@pytest.mark.parametrize("kind", list(Kind), ids=str)
def test_everything_but_the_number_of_rows_is_undefined_without_rows(kind):
    empty, full = profile([], kind), profile([None, *_SOME[kind]], kind)
    for metric in of_kind(kind, discrete=True):
        if metric in SINGLE:
            assert math.isnan(metric(empty)) is not metric.always, metric.name
        else:
            assert all(math.isnan(metric(*pair)) for pair in ((empty, full), (full, empty), (empty, empty))), (
                metric.name
            )
    assert [m.name for m in SINGLE if m.always] == ["row_count"]


_SOME = {
    Kind.NUMERIC: [1.0, 2.0],
    Kind.CATEGORICAL: ["a", "b"],
    Kind.TEMPORAL: [0, 1],
    Kind.BINARY: [b"a", b""],
    Kind.NESTED: [[1], []],
}


@pytest.mark.parametrize("kind", list(Kind), ids=str)
def test_a_column_of_nulls_only_has_rows_and_nothing_else(kind):
    nulls = profile([None, None], kind)
    defined = {m.name: m(nulls) for m in SINGLE if not math.isnan(m(nulls))}
    counts = {m: 0.0 for m in ("dist_val_count", "pattern_count") if kind in by_name(m).kinds}
    assert {k: v for k, v in defined.items() if k != "dist_val_count" or kind in by_name(k).kinds} == {
        "row_count": 2.0,
        "complete_ratio": 0.0,
        **counts,
    }


@given(strategies.batches(runs=2), st.randoms(use_true_random=False), st.integers(1, 5))
def test_the_order_of_rows_and_the_parts_they_are_read_in_do_not_matter(batch, random, parts):
    kind, (x, y) = batch
    before = profile(y, kind)
    whole = profile(x, kind)
    random.shuffle(x)
    pieces = profile(x, kind, parts)
    for metric in of_kind(kind, discrete=True):
        if metric in SINGLE:
            assert same(metric(whole), metric(pieces)), metric.name
        else:
            assert same(metric(whole, before), metric(pieces, before)), metric.name
            assert same(metric(before, whole), metric(before, pieces)), metric.name


@given(
    strategies.kinds.flatmap(lambda k: st.tuples(st.just(k), st.lists(st.none() | strategies.columns(k), max_size=6)))
)
def test_measuring_many_runs_is_measuring_each(batch):
    kind, runs = batch
    profiles = [None if values is None else profile(values, kind) for values in runs]
    table = measure(profiles, ALL)
    assert table.shape == (len(ALL), len(runs))
    before = None
    for run, now in enumerate(profiles):
        for place, metric in enumerate(ALL):
            known = now is not None and (metric in SINGLE or before is not None)
            expected = (metric(now) if metric in SINGLE else metric(now, before)) if known else math.nan
            assert same(table[place, run], expected), metric.name
        before = before if now is None else now


def test_a_change_of_kind_is_compared_with_nothing():
    number, text = profile_table({"x": [1, 2]})["x"], profile_table({"x": ["1", "2"]})["x"]
    table = measure([number, text, text], ALL)
    for place, metric in enumerate(ALL):
        if metric in PAIR:
            assert math.isnan(table[place, 1]), metric.name
            assert math.isnan(metric(text, number)), metric.name
            assert math.isnan(table[place, 2]) is (Kind.CATEGORICAL not in metric.kinds), metric.name


# --- what a distance must see ----------------------------------------------------------------------------------------

BOUNDED = [m for m in PAIR if math.isfinite(m.high)]
WRITTEN = ("pat_", "new_pattern", "new_format", "len_")
"""What other values may have in common: how they are written, and how long they are."""
APART = {m.name for m in BOUNDED if not m.name.startswith(WRITTEN) and m.name != "l_inf"}


@given(
    st.lists(strategies.moderate, min_size=1, max_size=400),
    st.lists(strategies.moderate, min_size=1, max_size=400),
    st.booleans(),
)
@examples(50)
def test_numbers_that_do_not_overlap_are_as_far_apart_as_can_be(x, y, above):
    shift = (2e6 + 1) * (1 if above else -1)
    now, before = profile([v + shift for v in x], Kind.NUMERIC), profile(y, Kind.NUMERIC)
    for metric in of_kind(Kind.NUMERIC, discrete=True):
        if metric.name in APART:
            assert metric(now, before) == pytest.approx(metric.high), metric.name


@given(st.lists(strategies.texts, min_size=1), st.lists(strategies.texts, min_size=1))
def test_texts_without_a_common_value_are_as_far_apart_as_can_be(x, y):
    now, before = profile(["new" + v for v in x], Kind.CATEGORICAL), profile(["old" + v for v in y], Kind.CATEGORICAL)
    for metric in of_kind(Kind.CATEGORICAL):
        if metric.name in APART:
            assert metric(now, before) == pytest.approx(metric.high), metric.name


@pytest.mark.parametrize("rows", [50, 5_000, 100_000])
@pytest.mark.parametrize("factor", [1000.0, 10.0, 0.001])
def test_a_change_of_unit_is_seen_by_every_distance_of_numbers(rows, factor):
    random = np.random.default_rng(3)  # noqa: TID251 - a fixed seed: the same data every time
    before, now = random.lognormal(3, 0.5, rows), random.lognormal(3, 0.5, rows)
    p, same_unit, other_unit = (profile_table({"x": x})["x"] for x in (before, now, now * factor))
    for metric in (by_name(n) for n in ("emd", "ks_dist", "js_div", "kl_div", "cohen_d")):
        assert metric(other_unit, p) > 0.8 * min(metric.high, 1.0), metric.name
        assert metric(other_unit, p) > 2 * metric(same_unit, p), metric.name
