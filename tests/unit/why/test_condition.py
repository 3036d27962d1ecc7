"""A condition says, asks and tests the same."""

import datetime as dt
import math
import re

import numpy as np
import pyarrow as pa
import pytest

from byhistory.why.condition import Condition, expression, quoted
from byhistory.why.features import features, separator
from byhistory.why.scan import Tally, evidence, growth

AT = pa.array([dt.datetime(2026, 1, 1, h, tzinfo=dt.timezone.utc) for h in (0, 13, 23)] + [None])
CASES = [
    (Condition(("t",), "text", values=("it's",)), pa.array(["it's", "its", None]), [True, False, False]),
    (Condition(("t",), "text", "null", (True,)), pa.array(["a", None]), [False, True]),
    (Condition(("t",), "text", "pattern", ("l-d",)), pa.array(["ab-12", "ab12", None]), [True, False, False]),
    (Condition(("n",), "whole", low=2.0), pa.array([1, 2, None]), [False, True, False]),
    (Condition(("n",), "number", low=1.0, high=2.0), pa.array([1.0, 2.0, math.nan]), [True, False, False]),
    (Condition(("n",), "whole", values=(1, 3)), pa.array([1, 2, 3]), [True, False, True]),
    (Condition(("b",), "boolean", values=(True,)), pa.array([True, False, None]), [True, False, False]),
    (Condition(("at",), "time", "hour", (), 13.0, 24.0), AT, [False, True, True, False]),
    (Condition(("at",), "time", low=1767225601.0), AT, [False, True, True, False]),
]


@pytest.mark.parametrize(
    ("condition", "array", "kept"), CASES, ids=lambda c: str(c) if isinstance(c, Condition) else ""
)
def test_a_condition_keeps_the_rows_that_it_says(condition, array, kept):
    assert condition.holds(array).tolist() == kept


def test_values_are_quoted_so_that_no_value_ends_the_literal():
    hostile = "x' OR 1=1 --\\\n"
    assert quoted(hostile) == "'x\\' OR 1=1 --\\\\\\u000a'"
    acting = "##[error] \u202e\u2028\U000e0041 ::stop-commands::x"
    assert quoted(acting) == "'#\\u0023[error] \\u202e\\u2028\\udb40\\udc41 \\u003a:stop-commands::x'"
    assert Condition(("a`b", "c"), "text", values=(hostile,)).sql().startswith("`a``b`.`c` = ")


@pytest.mark.parametrize("name", ["a\nb", "\u202eb", "a ::error::x", "##[x]", "${env:HOME}", "a`\0'\\"])
def test_a_name_that_would_act_is_written_as_a_text(name):
    sql = Condition((name,), "whole", low=2.0).sql()
    assert sql.startswith("IDENTIFIER('`")
    assert sql.isprintable()
    assert "${" not in sql + quoted(name)
    assert not re.search(r"(?<!\S)::|##\[", sql)


def test_a_pattern_is_asked_as_a_regular_expression():
    assert expression("d_l") == r"^\p{N}+[\p{Z}\t\n\r\x0B\f]+[\p{L}\p{M}]+$"


@pytest.mark.parametrize(("below", "above"), [(0.0, 1.0), (-3.25, -3.2), (1e9, 1e9 + 7), (0.1, 0.1 + 1e-9)])
def test_a_separator_is_above_the_one_and_not_above_the_other(below, above):
    assert below < separator(below, above) <= above


def test_what_moves_on_with_the_runs_has_no_past():
    (ids,) = features(("id",), pa.array(np.arange(1000, 2000)), pa.array(np.arange(1000)))
    (same,) = features(("n",), pa.array(np.arange(1000)), pa.array(np.arange(1000)))
    assert (ids.has_past, same.has_past) == (False, True)


def tally(*numbers):
    return Tally(*(np.asarray(float(n)) for n in numbers))


def test_evidence_grows_with_the_rows_and_is_none_for_what_fell():
    few, many = tally(100, 30, 100, 1), tally(1000, 300, 1000, 10)
    assert 0 < evidence(few) < evidence(many)
    assert evidence(few.swapped()) == 0
    assert growth(tally(100, 1, 100, 30)) == 0


def test_a_change_is_clearer_in_its_segment_than_with_rows_around_it_or_without_some_of_it():
    whole = tally(10_000, 310, 10_000, 10).settled()
    exact, wider, narrower = (
        tally(*n).completed(whole) for n in ((1000, 301, 1000, 1), (2000, 302, 2000, 2), (500, 151, 500, 1))
    )
    assert growth(exact) > max(growth(wider), growth(narrower), growth(whole))


def test_a_separator_of_the_smallest_numbers_is_the_upper_one():
    assert separator(0.0, 5e-324) == 5e-324
    assert separator(-5e-324, 5e-324) == 5e-324


def test_whole_numbers_beyond_the_digits_of_a_float_are_compared_exactly():
    numbers = pa.array([2**53, 2**53 + 1, -(2**63), 2**63 - 1, None])
    assert Condition(("n",), "whole", low=2.0**53 + 2).holds(numbers).tolist() == [False, False, False, True, False]
    assert Condition(("n",), "whole", high=2.0**53 + 2).holds(numbers).tolist() == [True, True, True, False, False]
    assert Condition(("n",), "whole", low=-(2.0**63), high=2.0**63).holds(numbers).tolist() == [True] * 4 + [False]
    large = pa.array([2**64 - 1, 3], pa.uint64())
    assert Condition(("n",), "whole", low=4.0).holds(large).tolist() == [True, False]


def test_a_range_without_an_upper_end_has_the_infinite_and_no_nan():
    numbers = pa.array([float("nan"), float("inf"), 1e308, 5.0, None])
    assert Condition(("n",), "number", low=1e300).holds(numbers).tolist() == [False, True, True, False, False]
    assert Condition(("n",), "number", high=10.0).holds(numbers).tolist() == [False, False, False, True, False]
