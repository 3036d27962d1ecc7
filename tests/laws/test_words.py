"""Laws of numbers in print."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from byhistory.constraints import Constraint, Evidence, Outcome
from byhistory.constraints.words import MOST_DIGITS, amount, digits_apart, must, number, percent, whole_within
from byhistory.metrics import ALL, Metric
from byhistory.profile import Kind
from byhistory.series.transform import Transform
from byhistory.verdict.sentence import outcome_in_words

NUMBER = re.compile(r"-?\d{1,3}(,\d{3})*(\.\d*[1-9])?|-?\d(\.\d+)?[eE][+-]?\d+")
"""Digits of ASCII, commas between thousands, a dot, no zeros at the end of a fraction; or a power of ten."""

finite = st.floats(allow_nan=False, allow_infinity=False)
human = st.floats(-1e7, 1e7) | st.integers(-(10**12), 10**12).map(float) | st.decimals(-9999, 9999, places=3).map(float)
any_number = human | finite
shares = st.floats(0.0, 1.0)
metrics = st.sampled_from(ALL)
by_name = {m.name: m for m in ALL}


@given(any_number, st.integers(5, MOST_DIGITS))
def test_a_number_is_written_with_digits_commas_and_a_dot_whatever_the_locale(x: float, digits: int) -> None:
    assert NUMBER.fullmatch(number(x, digits)), number(x, digits)


@given(any_number, st.integers(5, MOST_DIGITS))
def test_what_is_printed_is_the_number_to_the_last_digit_shown(x: float, digits: int) -> None:
    text = number(x, digits)
    assert abs(_read(text) - Decimal(x)) <= _last_place(text) / 2


@given(shares, st.integers(5, MOST_DIGITS))
def test_what_is_printed_of_a_share_is_the_share_to_the_last_digit_shown(x: float, digits: int) -> None:
    text = percent(x, digits).removesuffix(" %")
    assert NUMBER.fullmatch(text), text
    assert abs(_read(text) - 100 * Decimal(x)) <= _last_place(text) / 2 + Decimal("1e-26")  # 28 digits are calculated


@given(any_number)
def test_five_significant_digits_are_kept(x: float) -> None:
    assert abs(_read(number(x)) - Decimal(x)) <= abs(Decimal(x)) * Decimal("5.0001e-5")


@given(st.integers(-(2**53) + 1, 2**53 - 1))
def test_whole_numbers_keep_all_their_digits(n: int) -> None:
    assert int(number(float(n)).replace(",", "")) == n


@given(shares)
def test_only_all_is_a_hundred_per_cent_and_only_none_is_zero(x: float) -> None:
    if percent(x) == "100 %":
        assert x >= 1 - 1e-6
    assert (percent(x) == "0 %") == (x == 0)


@given(metrics, st.sampled_from(list(Kind)), any_number | shares, any_number | shares)
def test_a_value_and_a_limit_that_differ_never_print_alike(metric: Metric, kind: Kind, x: float, limit: float) -> None:
    _printed_apart(metric, kind, x, limit)


@given(metrics, st.sampled_from(list(Kind)), any_number | shares, st.booleans())
def test_not_even_the_next_number_there_is_prints_alike(metric: Metric, kind: Kind, x: float, up: bool) -> None:
    _printed_apart(metric, kind, x, math.nextafter(x, math.inf if up else -math.inf))


def _printed_apart(metric: Metric, kind: Kind, x: float, limit: float) -> None:
    assume(x != limit and math.isfinite(limit))
    digits = digits_apart(x, [limit], metric, kind)
    assert amount(x, metric, kind, digits) != amount(limit, metric, kind, digits)


@given(metrics, any_number | shares, st.floats(1e-15, 1e-3))
def test_no_sentence_says_that_a_value_breaks_a_limit_that_reads_the_same(
    metric: Metric, limit: float, beyond: float
) -> None:
    value = limit + abs(limit) * beyond
    assume(value > limit and math.isfinite(value))
    kind = next(iter(metric.kinds))
    broken = Outcome(Constraint(metric.name, -math.inf, limit), "broken", value, -math.inf, limit)
    now, usual = re.fullmatch(
        r".* is (.*), where at most (.*) is usual", outcome_in_words(broken, metric, kind)
    ).groups()
    assert now != usual


@pytest.mark.parametrize(
    ("x", "written"),
    [
        (407_889.98, "407,890"),
        (10_000.4, "10,000"),
        (-0.0, "0"),
        (1e9 + 0.5, "1,000,000,000"),
        (123_456_789.0, "123,456,789"),
        (99_999.96, "100,000"),
    ],
)
def test_zeros_of_whole_numbers_stay(x: float, written: str) -> None:
    assert number(x) == written


def test_too_small_a_distance_is_too_much_like_the_run_before() -> None:
    alike = Outcome(Constraint("ks_dist", 0.0175, 0.2), "broken", 0.0, 0.0175, 0.2)
    said = outcome_in_words(alike, by_name["ks_dist"], Kind.NUMERIC)
    assert said.startswith("too much like the run before: change of the distribution (KS)")


def _read(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def _last_place(text: str) -> Decimal:
    """What one unit of the last digit shown is worth."""
    mantissa, _, power = text.lower().partition("e")
    return Decimal(10) ** (int(power or 0) - len(mantissa.partition(".")[2]))


def test_a_limit_that_no_run_can_reach_is_none():
    seen = Evidence(12, 160.0, 10.0, 3.0, 140.0, 180.0)
    rows = by_name["row_count"]
    vast = Constraint("row_count", -math.inf, 67.0, Transform(0, log=True), evidence=seen)
    assert must(vast, rows, Kind.NUMERIC) == "anything"
    assert must(replace(vast, high=math.log(360.0)), rows, Kind.NUMERIC) == "at most 360"
    warns = replace(vast, high=math.inf, warn_high=50.0)
    assert must(warns, rows, Kind.NUMERIC) == "anything"


@given(st.sampled_from([m for m in ALL if m.unit in ("rows", "values")]), st.floats(0, 1e6), st.floats(1, 1e4), human)
def test_limits_of_a_count_are_whole_and_a_value_outside_stays_outside(
    metric: Metric, low: float, width: float, other: float
) -> None:
    value = float(round(other))
    first, last = whole_within(low, low + width, metric, value)
    if value < low:
        assert value < first
    if value > low + width:
        assert value > last
    if (first, last) != (low, low + width):
        assert first.is_integer() and last.is_integer()  # noqa: PT018 - one claim
