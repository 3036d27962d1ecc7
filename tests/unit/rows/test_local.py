"""The local reference: which columns, which kinds, and what it says when it cannot."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from tests.same import assert_same
from tests.strategies import seeded

from byhistory.errors import BadInput
from byhistory.profile import Kind
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.hashing import group, hash_strings, hash_words
from byhistory.rows.local import profile_table
from byhistory.rows.sample import PRIORITY, Sampler, from_ipc, merged_sample, to_ipc

STRUCT = pa.array([{"x": 1, "y": {"z": "a"}}, None, {"x": None, "y": None}])


def test_structs_are_flattened_by_dotted_path_and_a_null_struct_is_null_below():
    profile = profile_table({"s": STRUCT, "n": [1, 2, 3]})
    assert list(profile) == ["s.x", "s.y.z", "n"]
    assert (profile["s.x"].nulls, profile["s.y.z"].nulls, profile["s.y.z"].distinct) == (2, 2, 1)
    assert [profile[c].position for c in profile] == [0, 1, 2]


def test_a_dotted_name_beside_a_struct_of_that_path_is_a_clear_error():
    with pytest.raises(BadInput, match=r"s\.x"):
        profile_table({"s": STRUCT, "s.x": [1, 2, 3]})


def test_duplicate_names_are_a_clear_error():
    table = pa.table([pa.array([1]), pa.array([2])], names=["price", "price"])
    with pytest.raises(BadInput, match=r"'price'.*2 columns.*rename"):
        profile_table(table)


def test_include_and_exclude_choose_columns():
    table = {"a": [1], "b": [2], "c": [3]}
    assert list(profile_table(table, include=["a", "c"], exclude=["c"])) == ["a"]
    assert profile_table(table, include=["c"])["c"].position == 2


@pytest.mark.parametrize("asked", [{"include": ["nope"]}, {"exclude": ["nope"]}, {"kinds": {"nope": Kind.NUMERIC}}])
def test_a_name_that_is_not_there_is_a_clear_error(asked):
    with pytest.raises(BadInput, match="'nope'"):
        profile_table({"a": [1]}, **asked)


def test_of_what_has_no_kind_presence_is_measured_and_that_is_said():
    profile = profile_table({"a": [1], "t": pa.array([dt.time(1)]), "d": pa.array([dt.timedelta(1)])})
    assert [profile[name].rows for name in profile] == [1, 1, 1]
    assert [notice.split()[1] for notice in profile.notices] == ["'t':", "'d':"]


@pytest.mark.parametrize(
    ("values", "kind", "distinct"),
    [
        ([1, 2, 2], Kind.CATEGORICAL, 2),
        ([1.5, 2.0, None], Kind.CATEGORICAL, 2),
        (["1", "2"], Kind.NUMERIC, 2),
        ([True, False], Kind.NUMERIC, 2),
        ([dt.date(2026, 1, 1)], Kind.CATEGORICAL, 1),
        (["a", "b"], Kind.BINARY, 2),
        ([b"a", b"\xff"], Kind.CATEGORICAL, 2),
        ([None, None], Kind.NUMERIC, 0),
    ],
)
def test_the_user_may_know_the_kind_better(values, kind, distinct):
    profile = profile_table({"c": values}, kinds={"c": kind})["c"]
    assert (profile.kind, profile.distinct) == (kind, distinct)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], Kind.NESTED),
        ([1, 2], Kind.TEMPORAL),
        ([dt.date(2026, 1, 1)], Kind.NUMERIC),
        (["a"], Kind.TEMPORAL),
        ([[1]], Kind.CATEGORICAL),
        ([1], "a kind of its own"),
    ],
)
def test_a_kind_that_makes_no_sense_is_a_clear_error_naming_the_column(values, kind):
    with pytest.raises(BadInput, match="Column 'c'"):
        profile_table({"c": values}, kinds={"c": kind})


def test_an_empty_table_and_one_without_columns_have_profiles():
    assert profile_table(pa.table({})).rows == 0
    assert profile_table(pa.table({"a": [1, 2]}).select([])).rows == 2
    empty = profile_table(pa.table({"a": pa.array([], pa.int64()), "s": pa.array([], pa.string())}))
    assert (empty.rows, empty["a"].distinct, empty["s"].rows) == (0, 0, 0)


def test_names_are_taken_as_they_are():
    names = ["a b", "a.b", "`", '"', "'", "ä漢", "A", "a", "", "\n"]
    assert list(profile_table({n: [1] for n in names})) == names


# --- hashing ----------------------------------------------------------------------------------------------------------


def test_hashes_that_agree_in_their_upper_bits_are_kept_apart():
    hashes = np.array([1 << 20 | 2, 1 << 20 | 1, 1 << 20 | 2, 5 << 40], np.uint64)
    distinct, counts, places = group(hashes)
    assert distinct.tolist() == [1 << 20 | 1, 1 << 20 | 2, 5 << 40]
    assert counts.tolist() == [1, 2, 1]
    assert hashes[places].tolist() == distinct.tolist()


def test_bits_of_hashes_are_even():
    words = hash_words(np.arange(100_000, dtype=np.uint64), np.uint64(7))
    texts = [f"user{i}" for i in range(100_000)]
    data = np.frombuffer("".join(texts).encode(), np.uint8)
    lengths = np.array([len(t) for t in texts])
    for hashes in (words, hash_strings(data, np.cumsum(lengths) - lengths, lengths, np.uint64(7))):
        assert len(np.unique(hashes)) == 100_000
        for bit in range(64):
            share = np.mean(hashes >> np.uint64(bit) & np.uint64(1))
            assert abs(share - 0.5) < 0.01, bit


# --- sample -----------------------------------------------------------------------------------------------------------


def sampled(rows: int, size: int, batch: int, seed: int) -> list[int]:
    sampler = Sampler(size, seed)
    table = pa.table({"i": np.arange(rows)})
    for part in table.to_batches(max_chunksize=batch):
        sampler.add(part)
    return sampler.result(table.schema).column("i").to_pylist()


@pytest.mark.parametrize("batch", [7, 100, 1000])
def test_every_row_is_as_likely_as_any_other_to_be_in_the_sample(batch):
    times = np.zeros(200)
    for seed in range(600):
        rows = sampled(200, 20, batch, seed)
        assert len(set(rows)) == 20
        times[rows] += 1
    assert stats.chisquare(times).pvalue > 1e-4
    assert stats.chisquare(times.reshape(10, 20).sum(axis=1)).pvalue > 1e-4  # early batches are not preferred


def test_a_sample_of_parts_is_a_sample_of_the_whole():
    times = np.zeros(100)
    for seed in range(600):
        parts = []
        for number, (start, stop) in enumerate([(0, 10), (10, 100)]):
            sampler = Sampler(10, (seed, number))
            batch = pa.RecordBatch.from_arrays([pa.array(np.arange(start, stop))], names=["i"])
            sampler.add(batch)
            parts.append(from_ipc(to_ipc(sampler.with_priorities(batch.schema))))
        merged = merged_sample(parts, 10)
        assert PRIORITY not in merged.column_names
        times[merged.column("i").to_numpy()] += 1
    assert times.sum() == 6000
    assert stats.chisquare(times).pvalue > 1e-4


def test_a_small_table_is_its_own_sample():
    assert sorted(sampled(50, 4096, 10, 0)) == list(range(50))


def test_a_sample_of_huge_rows_is_smaller():
    sampler = Sampler(64, 0)
    table = pa.table({"s": ["x" * 3_000_000 + str(i) for i in range(130)]})
    for part in table.to_batches(max_chunksize=10):
        sampler.add(part)
    assert sampler.result(table.schema).nbytes <= 64 << 20


def test_the_same_seed_gives_the_same_sample():
    assert sampled(1000, 10, 100, 5) == sampled(1000, 10, 100, 5)
    assert sampled(1000, 10, 100, 5) != sampled(1000, 10, 100, 6)


def test_a_slice_of_booleans_without_nulls_is_measured():
    flags = pa.array(["true", "false", "true"]).cast(pa.bool_())[1:]  # with pyarrow 14 it ended the process
    assert profile_array(flags, Field("flag", Kind.CATEGORICAL, "boolean"), Options()).trues == 1


@pytest.mark.parametrize("rows", [1, 70_000, 200_000])
def test_chunked_and_sliced_tables_are_the_same_table(rows):
    values = seeded(2).integers(0, 1000, rows)
    whole = profile_table({"c": values})["c"]
    chunked = pa.chunked_array([values[i : i + 999] for i in range(0, rows, 999)])
    assert profile_table({"c": chunked})["c"].values == whole.values


def test_parts_with_huge_rows_are_not_rarer_in_the_sample_of_the_whole(monkeypatch):
    monkeypatch.setattr("byhistory.rows.sample.SAMPLE_BYTES", 1 << 16)
    times = np.zeros(2)
    for seed in range(200):
        parts = []
        for number, size in enumerate([5, 5000]):
            sampler = Sampler(64, (seed, number))
            table = pa.table({"part": [number] * 100, "s": ["x" * size] * 100})
            for batch in table.to_batches(max_chunksize=10):
                sampler.add(batch)
            parts.append(sampler.with_priorities(table.schema))
        chosen = merged_sample(parts, 64).column("part").to_numpy()
        times += np.bincount(chosen, minlength=2)
    assert stats.binomtest(int(times[0]), int(times.sum())).pvalue > 1e-4


class Capsule:
    """Knows nothing of us but how to hand rows over."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def tables_in_memory() -> dict[str, object]:
    duckdb, pandas, polars = (pytest.importorskip(name) for name in ("duckdb", "pandas", "polars"))
    columns = {"n": [1, 2, 2], "s": ["a", None, "b"], "x": [1.5, 2.5, 3.5]}
    table = pa.table(columns)
    return {
        "arrow": table,
        "reader": table.to_reader(),
        "capsule": Capsule(table),
        "pandas": pandas.DataFrame(columns, index=[5, 6, 7]),
        "polars": polars.DataFrame(columns),
        "polars, lazy": polars.LazyFrame(columns),
        "duckdb": duckdb.sql(
            "select * from (values (1, 'a', 1.5::double), (2, null, 2.5), (2, 'b', 3.5)) as t(n, s, x)"
        ),
    }


def test_a_table_in_memory_is_the_same_whoever_made_it():
    expected = profile_table({"n": [1, 2, 2], "s": ["a", None, "b"], "x": [1.5, 2.5, 3.5]})
    for whose, table in tables_in_memory().items():
        mine = profile_table(table)
        assert list(mine) == ["n", "s", "x"], whose
        for name in mine:
            assert_same(mine[name], expected[name])


def test_what_is_no_table_is_a_clear_error():
    with pytest.raises(BadInput, match=r"a builtins\.int.*pandas, polars or DuckDB"):
        profile_table(7)


@pytest.mark.parametrize("values", [[1, "SECRET"], ["SECRET", 1], [{"SECRET": 1}, "SECRET"], [10**400, "SECRET"]])
def test_what_arrow_takes_for_no_type_names_the_column_and_shows_no_value(values):
    pandas = pytest.importorskip("pandas")
    for table in ({"s": values}, pandas.DataFrame({"s": values})):
        with pytest.raises(BadInput, match="Column 's'") as refused:
            profile_table(table)
        assert "SECRET" not in str(refused.value)
        assert refused.value.__suppress_context__


def test_columns_of_different_length_are_a_clear_error():
    with pytest.raises(BadInput, match="columns of different length, from 1 to 2"):
        profile_table({"a": [1], "b": [1, 2]})
