"""No value of a single row can be read off what is kept, and what is kept still says what the column looks like."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.metrics import by_name
from byhistory.metrics._match import Match
from byhistory.profile.coarse import LEAST, coarsened
from byhistory.rows.local import profile_table

numbers = st.lists(
    st.one_of(st.floats(-(2.0**40), 2.0**40, width=32), st.sampled_from([0.0, 1.0, 7.5])), min_size=8, max_size=400
)


def both(values):
    exact = profile_table({"n": np.array(values, float)})["n"]
    return exact, coarsened(exact)


@given(numbers)
def test_every_number_that_is_kept_speaks_for_several_rows_but_the_ends(values):
    _, kept = both(values)
    between = kept.quantiles.weights[1:-1].tolist()
    # So few rows between the ends that these and the sum tell their mean anyway: docs/how-to/privacy.md says so.
    assert sum(between) < LEAST or all(weight >= LEAST for weight in between)


@given(numbers)
def test_how_many_there_are_their_ends_and_unless_a_value_is_frequent_their_mean_stay(values):
    exact, kept = both(values)
    assert kept.quantiles.count == exact.quantiles.count
    shape = kept.quantiles
    if exact.quantiles.weights[1:-1].max(initial=0) < LEAST:
        assert np.average(shape.values, weights=shape.weights) == pytest.approx(np.mean(values), rel=1e-6, abs=1e-3)
    assert shape.values[[0, -1]].tolist() == exact.quantiles.values[[0, -1]].tolist()
    assert (np.diff(shape.values) >= 0).all()
    assert kept.numbers == exact.numbers


@given(numbers, st.floats(0.05, 0.95))
def test_a_rank_is_off_by_no_more_than_the_profile_says(values, share):
    _, kept = both(values)
    ordered, at = np.sort(values), kept.quantiles.at(share)
    below, above = np.searchsorted(ordered, at, "left"), np.searchsorted(ordered, at, "right")
    slack = kept.quantiles.error + 1.5 / len(values)
    assert below / len(values) - slack <= share <= above / len(values) + slack


def test_rare_values_between_frequent_ones_join_the_rarer():
    _, kept = both([0.0] * 9 + [1.0] * 90 + [2.0] * 2 + [3.0] * 7 + [4.0] * 9)
    assert kept.quantiles.weights.tolist() == [9, 90, 9, 9]
    assert kept.quantiles.atoms.tolist() == [True, True, True, True]
    assert kept.quantiles.values.tolist() == [0.0, 1.0, 3.0, 4.0], "their mean would tell where the rare ones are"


def test_three_large_values_move_no_median_off_zero():
    _, kept = both([-1.0] + [0.0] * 900 + [1e6] * 3 + [2e6])
    assert kept.quantiles.at(0.5) == 0.0


@given(st.lists(st.integers(0, 30), min_size=5, max_size=300))
def test_digests_stay_of_values_that_several_rows_have_and_of_no_others(values):
    exact, kept = both(values)
    known = dict(zip(exact.values.ids.tolist(), exact.values.counts.tolist(), strict=True))
    listed = dict(zip(kept.values.ids.tolist(), kept.values.counts.tolist(), strict=True))
    assert listed == {digest: count for digest, count in known.items() if count >= LEAST}
    assert (kept.distinct, kept.values.total) == (exact.distinct, exact.values.total)
    for metric in ("top_value_ratio", "unique_ratio", "dist_val_count"):
        assert by_name(metric).compute(kept) == by_name(metric).compute(exact)


@given(st.lists(st.integers(0, 9), min_size=9, max_size=300), st.lists(st.integers(0, 9), min_size=9, max_size=300))
def test_distances_of_few_values_are_defined_and_within_their_ends(now, before):
    match = Match(both(now)[1], both(before)[1])
    for metric in ("l1", "l_inf", "cosine", "chi_squared", "new_value_ratio", "lost_value_ratio"):
        found = by_name(metric)
        assert found.low <= found.compute(match) <= found.high + 1e-9


def test_a_rare_value_is_new_where_all_values_were_known():
    now, before = both([1] * 40 + [2] * 50 + [9] * 3)[1], both([1] * 40 + [2] * 50)[1]
    assert by_name("new_value_ratio")(now, before) == pytest.approx(3 / 93)


def test_values_that_many_rows_have_stay_as_they_are():
    exact, kept = both([1.0] * 5 + [2.0] * 50 + [3.0] * 5)
    assert kept == exact


def test_of_two_hundred_salaries_only_the_ends_are_in_what_is_kept():
    salaries = np.random.default_rng(3).normal(52_000, 9_000, 200).round(2)  # noqa: TID251 - a test names its seed
    _, kept = both(salaries)
    assert np.intersect1d(kept.quantiles.values, salaries).tolist() == [salaries.min(), salaries.max()]
