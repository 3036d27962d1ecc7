"""Characters and patterns against a reference that looks at one character after another."""

import unicodedata
from itertools import groupby

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import unicode_texts

from byhistory.profile import ColumnProfile, Kind
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.local import profile_table

FIELD = Field("c", Kind.CATEGORICAL, "string")


def profiled(values: list[str | None] | pa.Array, **options: object) -> ColumnProfile:
    array = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    return profile_table({"c": array}, **options)["c"]


def symbol(char: str) -> str:
    category = unicodedata.category(char)
    if category[0] in "LM":
        return "l"
    if category[0] == "N":
        return "d"
    if category[0] in "PS":
        return "-"
    return "_" if category[0] == "Z" or char in "\t\n\r\v\f" else "?"


def pattern(text: str) -> str:
    return "".join(s for s, _ in groupby(map(symbol, text)))[:64]


def assert_as_the_reference(profile: ColumnProfile, texts: list[str]) -> None:
    found = profile.text
    assert found is not None
    classes = [symbol(c) for t in texts for c in t]
    assert found.count == len(texts)
    assert found.chars == len(classes)
    counted = (found.letters, found.digits, found.punctuation, found.spaces)
    assert counted == tuple(classes.count(s) for s in "ld-_")
    assert found.uppers == sum(unicodedata.category(c) in ("Lu", "Lt") for t in texts for c in t)
    assert found.empties == sum(not t for t in texts)
    assert found.edge_spaces == sum(bool(t) and "_" in (symbol(t[0]), symbol(t[-1])) for t in texts)
    assert profile.distinct == len(set(texts))
    assert profile.lengths is not None
    assert sorted(np.repeat(profile.lengths.values, profile.lengths.weights).tolist()) == sorted(map(len, texts))
    patterns = [pattern(t) for t in texts]
    assert profile.patterns is not None
    assert profile.patterns.labels is not None
    table = dict(zip(profile.patterns.labels.tolist(), profile.patterns.counts.tolist(), strict=True))
    assert table == {p: patterns.count(p) for p in set(patterns)}


@given(st.lists(st.none() | unicode_texts, max_size=12), st.integers(1, 5))
def test_text_is_counted_as_one_would_by_hand(values, times):
    assert_as_the_reference(profiled(values * times), [v for v in values * times if v is not None])


def test_values_that_repeat_only_after_the_first_few_are_counted_as_one_would_by_hand():
    texts = [f"{i} ä" for i in range(1100)] + ["A-1", "", " b"] * 1500
    assert_as_the_reference(profiled(texts), texts)


@pytest.mark.parametrize("texts", [["ab-1", "c-22"], ["a1-", "b-1"], ["a-1", "aa-11"], ["a", "-1-"]])
def test_texts_that_are_nearly_alike_keep_their_own_patterns(texts):
    assert_as_the_reference(profiled(texts), texts)


@pytest.mark.parametrize("length", [1, 7, 8, 9, 33, 300])
def test_a_value_has_the_same_hash_whatever_stands_beside_it(length):
    alike = [f"{i:0{length}d}" for i in range(5)]
    mixed = profile_array(pa.array([*alike, "of another length"]), FIELD, Options()).values
    even = profile_array(pa.array(alike), FIELD, Options()).values
    assert set(even.ids.tolist()) < set(mixed.ids.tolist())


@given(st.lists(st.binary(max_size=8), max_size=10), st.integers(1, 4))
def test_bytes_that_are_not_utf8_are_characters_of_no_class(values, times):
    array = pa.array(values * times, pa.binary())
    texts = [v.decode("utf-8", "surrogateescape") for v in values * times]
    assert_as_the_reference(profiled(array, kinds={"c": Kind.CATEGORICAL}), texts)


def test_a_broken_end_does_not_join_the_next_value():
    euro = "€".encode()
    profile = profiled(pa.array([euro[:1], euro[1:], b"a"]), kinds={"c": Kind.CATEGORICAL})
    assert_as_the_reference(profile, ["\udce2", "\udc82\udcac", "a"])


def test_a_lone_surrogate_is_three_bytes_of_no_class():
    lone = b"x\xed\xa0\x80y"
    profile = profiled(pa.array([lone]), kinds={"c": Kind.CATEGORICAL})
    assert profile.text is not None
    assert (profile.text.chars, profile.text.letters) == (5, 2)
    assert profile.patterns is not None
    assert profile.patterns.labels is not None
    assert profile.patterns.labels.tolist() == ["l?l"]


def test_every_character_there_is_has_the_class_of_the_reference():
    points = [chr(p) for p in range(0x110000) if not 0xD800 <= p < 0xE000]
    found = profiled(["".join(points)]).text
    assert found is not None
    classes = [symbol(c) for c in points]
    assert (found.letters, found.digits, found.punctuation, found.spaces) == tuple(map(classes.count, "ld-_"))


@pytest.mark.parametrize("unit", ["x", "é", "😀", "a1-"], ids=["ascii", "two bytes", "four bytes", "mixed"])
def test_strings_of_10_megabytes(unit):
    size = 10_000_000 // len(unit.encode())
    profile = profiled([unit * size, "short", unit * size])
    assert profile.text is not None
    assert profile.text.chars == 2 * size * len(unit) + 5
    assert profile.distinct == 2
    assert profile.lengths is not None
    assert profile.lengths.at(1.0) == size * len(unit)


def test_long_strings_that_differ_in_one_place_are_different():
    long = "x" * 300
    assert profiled([long + "a", long + "b", "y" + long[1:] + "a", long + "a"]).distinct == 3


def test_a_zero_byte_and_its_absence_are_different():
    assert profiled(["a", "a\0", "a\0\0", ""]).distinct == 4


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_all_arrow_types_of_text_are_the_same_column(type_):
    values = ["a", None, "bé", "a", ""]
    one, other = profiled(pa.array(values, type_)), profiled(values)
    assert (one.text, one.values, one.patterns, one.nulls) == (other.text, other.values, other.patterns, other.nulls)


def test_a_slice_of_an_array_is_only_its_own_rows():
    array = pa.array([f"value {i}" for i in range(1000)])
    assert profiled(array[100:103]).values == profiled(["value 100", "value 101", "value 102"]).values


def test_booleans_are_the_words_true_and_false():
    flags = profiled(pa.array([True, None, False, True]))
    words = profiled(["true", None, "false", "true"])
    assert flags.trues == 2
    assert (flags.text, flags.values, flags.patterns, flags.lengths) == (
        words.text,
        words.values,
        words.patterns,
        words.lengths,
    )


def test_binary_columns_have_sizes_and_distinct_values_only():
    profile = profiled(pa.array([b"", b"\0\xff", None, b"\0\xff"]))
    assert (profile.kind, profile.distinct, profile.text, profile.patterns) == (Kind.BINARY, 2, None, None)
    assert profile.lengths is not None
    assert profile.lengths.values.tolist() == [0.0, 2.0]


LISTS = [[1], None, [], [1, 2, None]]
MAPS = [[("a", 1)], None, [], [("a", 1), ("b", 2), ("c", 3)]]


@pytest.mark.parametrize(
    "array",
    [pa.array(LISTS), pa.array(MAPS, pa.map_(pa.string(), pa.int64())), pa.array(LISTS, pa.large_list(pa.int64()))],
    ids=["list", "map", "large list"],
)
@pytest.mark.parametrize("start", [0, 1])
def test_arrays_and_maps_have_sizes_only(array, start):
    profile = profiled(array[start:])
    assert (profile.kind, profile.rows, profile.nulls, profile.values) == (Kind.NESTED, 4 - start, 1, None)
    assert profile.lengths is not None
    assert profile.lengths.values.tolist() == ([0.0, 3.0] if start else [0.0, 1.0, 3.0])


def test_labels_of_values_are_cut_and_readable():
    options = Options(keep_values=True)
    labels = profiled(["é" * 300, "b"], options=options).values
    assert labels is not None
    assert labels.labels is not None
    assert sorted(map(len, labels.labels.tolist())) == [1, 100]
