"""The same rows look the same in any order and in any parts; other rows do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import extreme

from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.look import look_of
from byhistory.rows.local import profile_table


@given(values=st.lists(extreme, max_size=40), data=st.data())
def test_rows_in_any_order_look_the_same(values, data):
    order = data.draw(st.permutations(values))
    one, other = ({"n": np.array(v, np.float64), "t": [f"{x}" for x in v]} for v in (values, order))
    assert look_of(profile_table(one)) == look_of(profile_table(other))


@given(values=st.lists(st.integers(-9, 9), min_size=1, max_size=20), other=st.integers(-9, 9))
def test_another_value_or_another_number_of_rows_looks_otherwise(values, other):
    there = look_of(profile_table({"n": values}))
    assert (look_of(profile_table({"n": [*values[:-1], other]})) == there) == (values[-1] == other)
    assert look_of(profile_table({"n": [*values, other]})) != there
    assert look_of(profile_table({"m": values})) != there


@pytest.mark.parametrize("rows", [2_000, 60_000])
def test_many_rows_in_any_order_and_any_parts_look_the_same(rows):
    random = np.random.default_rng(11)  # noqa: TID251 - a test names its seed
    columns = {
        "gamma": random.gamma(2.0, 3.0, rows),
        "around zero": random.normal(0.0, 1e9, rows),
        "tiny": random.normal(0.0, 1e-300, rows),
        "huge": random.normal(0.0, 1e300, rows),
        "whole": random.integers(0, 10**6, rows),
        "skewed": random.zipf(1.5, rows).astype(np.float64),
        "text": np.array([f"v{x}" for x in random.integers(0, rows, rows)]),
    }
    order = random.permutation(rows)
    whole = profile_table(columns)
    mixed = profile_table({name: values[order] for name, values in columns.items()})
    assert look_of(mixed) == look_of(whole)
    changed = columns["gamma"].copy()
    changed[5] += 1.0
    assert look_of(profile_table({**columns, "gamma": changed})) != look_of(whole)


def test_what_is_not_in_a_table_is_no_part_of_its_look():
    empty = TableProfile("1", 0, {})
    assert look_of(empty) == look_of(TableProfile("2", 0, {})), "the label is no data"
    kind = profile_table({"n": [1]})["n"].kind
    assert look_of(TableProfile("1", 1, {"n": ColumnProfile(kind, "n", rows=1, nulls=1)})) != look_of(empty)
