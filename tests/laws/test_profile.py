"""A profile is a sum."""

from itertools import pairwise
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.same import assert_same
from tests.strategies import TYPES, columns, examples, extreme, kinds, seeded, unicode_texts

from byhistory.profile import ColumnProfile, Frequencies, Kind, Quantiles, from_bytes, to_bytes
from byhistory.profile.quantiles import heights
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.fold import Fold

OPTIONS = Options(key=b"a key")


def profiled(array: pa.Array, kind: Kind, options: Options = OPTIONS) -> ColumnProfile:
    return profile_array(array, Field("c", kind, "?"), options)


def in_parts(array: pa.Array, cuts: list[int]) -> list[pa.Array]:
    ends = [0, *sorted(min(c, len(array)) for c in cuts), len(array)]
    return [array[a:b] for a, b in pairwise(ends)]


@st.composite
def split_columns(draw: st.DrawFn) -> tuple[Kind, pa.Array, list[int], Random]:
    kind = draw(kinds)
    values = draw(columns(kind))
    if kind is Kind.NUMERIC:
        values = draw(st.just(values) | st.lists(st.none() | extreme, max_size=40))
    if kind is Kind.CATEGORICAL:
        values = draw(st.just(values) | st.lists(st.none() | unicode_texts, max_size=20))
    cuts = draw(st.lists(st.integers(0, 40), max_size=6))
    return kind, pa.array(values, TYPES[kind]), cuts, draw(st.randoms(use_true_random=False))


@given(split_columns())
def test_profile_of_the_whole_is_the_sum_of_the_parts(case):
    kind, array, cuts, random = case
    whole = profiled(array, kind)
    rows = list(range(len(array)))
    random.shuffle(rows)
    parts = [profiled(part, kind) for part in in_parts(array.take(pa.array(rows, pa.int64())), cuts)]
    random.shuffle(parts)
    at_once = ColumnProfile.sum_of(parts)
    one_by_one = parts[0]
    for part in parts[1:]:
        one_by_one = one_by_one + part
    assert whole.is_exact
    assert_same(at_once, whole)
    assert_same(one_by_one, whole)
    assert_same(at_once.sealed(b"k"), whole.sealed(b"k"))


@given(split_columns())
def test_the_sum_of_sealed_runs_is_the_sealed_sum_while_they_are_complete(case):
    kind, array, cuts, _ = case
    parts = [profiled(part, kind) for part in in_parts(array, cuts)]
    after, before = ColumnProfile.sum_of([p.sealed(b"k") for p in parts]), ColumnProfile.sum_of(parts).sealed(b"k")
    assert after.distinct == before.distinct
    for one, other in ((after.values, before.values), (after.patterns, before.patterns)):
        if one is not None and other is not None:
            assert one.ids.tolist() == other.ids.tolist()
            assert one.counts.tolist() == other.counts.tolist()


@given(split_columns(), st.booleans())
def test_a_profile_survives_being_stored(case, keep_values):
    kind, array, _, _ = case
    profile = profiled(array, kind, Options(b"k", keep_values))
    for state in (profile, profile.packed(), profile.sealed(b"k")):
        back = from_bytes(to_bytes(state))
        assert back == state or back.numbers != back.numbers  # NaN is not itself
        assert to_bytes(back) == to_bytes(state)


@given(split_columns())
def test_a_fold_gives_what_the_rows_at_once_give(case):
    kind, array, cuts, _ = case
    fold = Fold((Field("c", kind, "?"),), OPTIONS)
    for part in in_parts(array, cuts):
        fold.add(pa.RecordBatch.from_arrays([part], names=["c"]))
        fold.flush()
    assert_same(fold.result()[0], profiled(array, kind))
    assert fold.rows == len(array)


# --- beyond the exact regime ----------------------------------------------------------------------------------------

MANY = 60_000
SHAPES = {
    "uniform": lambda r: r.random(MANY),
    "lognormal": lambda r: r.lognormal(0, 3, MANY),
    "cauchy": lambda r: r.standard_cauchy(MANY),
    "magnitudes": lambda r: np.exp(r.uniform(-600, 600, MANY)),
    "half zeros": lambda r: np.where(r.random(MANY) < 0.5, 0.0, r.normal(0, 1, MANY)),
    "prices": lambda r: np.round(r.lognormal(3, 1, MANY), 2),
    "clusters": lambda r: r.choice([0.0, 1e9, -5.0], MANY) + r.random(MANY),
    "zipf": lambda r: r.zipf(1.2, MANY).clip(0, 1e15).astype(np.float64),
    "sorted": lambda _: np.arange(MANY) ** 1.5,
    "huge": lambda r: r.uniform(-1, 1, MANY) * 1.7e308,
}
PARTS = {"one": 1, "seven": 7, "two hundred": 200}


def summed(arrays: list[pa.Array], kind: Kind) -> ColumnProfile:
    fold = Fold((Field("c", kind, "?"),), OPTIONS)
    for array in arrays:
        fold.add(pa.RecordBatch.from_arrays([array], names=["c"]))
        fold.flush()
    return fold.result()[0]


def rank_error(shape: Quantiles, values: np.ndarray) -> float:
    """How far the distribution function is off, at most, at the values themselves."""
    ordered = np.sort(values)
    at = np.unique(ordered)
    left, right = heights(shape.knots(), at)
    below = np.searchsorted(ordered, at, "left") / len(values)
    upto = np.searchsorted(ordered, at, "right") / len(values)
    return float(max(np.max(left - upto), np.max(below - right), 0.0))


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_ranks_are_off_by_no_more_than_stated(shape, parts):
    values = shape(seeded(1))
    whole = summed([pa.array(part) for part in np.array_split(values, parts)], Kind.NUMERIC)
    for profile in (whole, whole.sealed(b"k")):
        assert profile.quantiles is not None
        assert profile.quantiles.count == MANY
        assert rank_error(profile.quantiles, values) <= profile.quantiles.error + 1e-12
    assert profile.quantiles.error < 0.01
    assert profile.quantiles.at(0.0) == values.min()
    assert profile.quantiles.at(1.0) == values.max()


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("seed", range(3))
def test_tables_keep_their_promises_when_there_are_too_many_values(parts, seed):
    random = seeded(seed)
    values = np.where(random.random(MANY) < 0.5, random.zipf(1.3, MANY).clip(0, 10**6), random.integers(0, 10**6, MANY))
    whole = summed([pa.array(part) for part in np.array_split(values, parts)], Kind.NUMERIC)
    distinct, counts = np.unique(values, return_counts=True)
    every = Frequencies.of(*_by_hash(distinct, counts), room=1 << 30).sealed(b"k", 1 << 30)
    table = whole.sealed(b"k").values
    assert table is not None
    truth = dict(zip(every.ids.tolist(), every.counts.tolist(), strict=True))
    mine = dict(zip(table.ids.tolist(), table.counts.tolist(), strict=True))
    sampled = {i for i, z in zip(every.ids.tolist(), every.zeros.tolist(), strict=True) if z >= table.level}
    assert not table.is_complete
    assert table.total == MANY
    assert len(mine) <= 512
    # The sample of values is whole and exact; a frequent value may be low by `missed`; no more frequent one is missing.
    assert sampled <= mine.keys()
    assert all(mine[i] == truth[i] for i in sampled)
    assert all(truth[i] - table.missed <= n <= truth[i] for i, n in mine.items())
    assert max(n for i, n in truth.items() if i not in mine) <= table.missed
    assert table.distinct == pytest.approx(len(distinct), rel=4 * table.distinct_error)


def _by_hash(distinct: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hashes that a column of these integers has, in rising order, and the counts."""
    one_each = profile_array(pa.array(distinct[:1]), Field("c", Kind.NUMERIC, "?"), OPTIONS).values
    assert one_each is not None
    from byhistory.rows.hashing import hash_words

    hashes = hash_words((distinct.astype(np.float64) + 0.0).view(np.uint64), OPTIONS.seed)
    assert hashes[0] == one_each.ids[0]
    order = np.argsort(hashes)
    return hashes[order], counts[order]


@pytest.mark.parametrize("cut", [1, 30_000, 59_000])
def test_the_sample_of_values_and_the_distinct_count_do_not_depend_on_the_split(cut):
    values = seeded(5).integers(0, 200_000, MANY)
    one = summed([pa.array(values)], Kind.NUMERIC).sealed(b"k").values
    other = summed([pa.array(values[cut:]), pa.array(values[:cut])], Kind.NUMERIC).sealed(b"k").values
    assert one is not None
    assert other is not None
    level = max(one.level, other.level)
    mine, yours = (
        dict(zip(t.ids[t.zeros >= level].tolist(), t.counts[t.zeros >= level].tolist(), strict=True))
        for t in (one, other)
    )
    assert mine == yours
    assert len(mine) > 100
    assert one.distinct == other.distinct


@examples(20)
@given(st.integers(4000, 4200), st.integers(1, 5))
def test_distinct_values_are_exact_up_to_the_stated_number(distinct, parts):
    values = np.tile(np.arange(distinct), 2)
    profile = summed([pa.array(part) for part in np.array_split(values, parts)], Kind.NUMERIC).sealed(b"k")
    assert profile.values is not None
    if distinct <= 4096:
        assert profile.distinct == distinct
        assert profile.values.distinct_error == 0.0
    else:
        assert profile.distinct == pytest.approx(distinct, rel=0.02)
