"""Laws of a metric over time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effort import calls
from tests.strategies import examples

from byhistory.series import Transform, apply, apply_to, interval, make_rows_stationary, make_stationary, value_before
from byhistory.series.adf import adf


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


STATUSES = {"stationary", "constant", "too short", "never stationary"}

anything = st.lists(
    st.one_of(st.floats(), st.sampled_from([0.0, 1.0, 50.0, np.nan]), st.integers(0, 3).map(float)), max_size=40
)
usual = st.lists(st.floats(0.01, 1e6), min_size=8, max_size=40)
forms = st.builds(Transform, lag=st.integers(0, 10), log=st.booleans())


@given(anything)
def test_every_series_has_an_answer(x: list[float]) -> None:
    found = make_stationary(x)
    assert found.status in STATUSES
    assert found.reason
    assert (found.transform is None) == (found.status in {"too short", "never stationary"})
    if found.transform is None:
        assert found.count == len(found.values) == 0
    else:
        again = apply(found.transform, x)
        assert found.values.tolist() == again[np.isfinite(again)].tolist()
        assert found.count == len(found.values) >= 6
        assert found.status == "stationary" or found.std == 0.0


@given(st.lists(anything, min_size=1, max_size=6), st.integers(0, 40))
@examples(50)
def test_many_metrics_together_are_judged_as_one_by_one(rows: list[list[float]], runs: int) -> None:
    table = np.full((len(rows), runs), np.nan)
    for row, x in zip(table, rows, strict=True):
        row[: len(x)] = x[:runs]
    for together, row in zip(make_rows_stationary(table), table, strict=True):
        alone = make_stationary(row)
        assert (alone.status, alone.transform, alone.count) == (together.status, together.transform, together.count)


@given(usual, st.sampled_from([0.25, 2.0, 1024.0]))
def test_the_unit_of_a_metric_changes_no_decision(x: list[float], unit: float) -> None:
    """A power of two, so that rounding is the same in both units."""
    one, other = make_stationary(x), make_stationary(np.array(x) * unit)
    plain = one.transform is None or not one.transform.log
    if plain:
        assert (one.status, one.transform) == (other.status, other.transform)


@given(anything)
def test_a_test_result_is_a_claim_or_says_why_not(x: list[float]) -> None:
    r = adf(x)
    assert r.status in {"tested", "constant", "too short", "exact", "unidentified"}
    assert np.isfinite(r.statistic) == (r.status == "tested")
    assert np.isnan(r.pvalue) or 0.0 <= r.pvalue <= 1.0


@given(forms, usual)
def test_a_new_run_is_compared_as_the_series_would_be(form: Transform, x: list[float]) -> None:
    ours, series = apply_to(form, x[-1], x[:-1]), apply(form, x)
    assert ours == pytest.approx(series[-1] if len(series) else np.nan, nan_ok=True)


@given(forms, usual, st.floats(-5, 5), st.floats(0, 5))
def test_an_interval_holds_a_run_in_its_own_units_as_it_does_transformed(
    form: Transform, x: list[float], low: float, width: float
) -> None:
    now, past = x[-1], x[:-1]
    moved = apply_to(form, now, past)
    ends = [float(end) for end in interval(form, low, low + width, value_before(form, past))]
    if np.isnan(moved):
        assert np.isnan(ends).all()
        return
    near = 1e-9 * max(abs(low) + width, *x)
    if min(abs(moved - low), abs(moved - low - width)) > near:
        assert (ends[0] <= now <= ends[1]) == (low <= moved <= low + width)


def test_metrics_together_are_a_tenth_of_the_calls_of_one_by_one() -> None:
    rng, t = seeded(0), np.arange(30)
    e = rng.standard_normal((35, 30))
    e[15:25] = e[15:25].cumsum(axis=1)
    e[25:30] += 0.5 * t
    e[30:] += 4 * np.sin(2 * np.pi * t / 7)
    together = calls(lambda: make_rows_stationary(100 + e))
    assert together < 0.1 * calls(lambda: [make_stationary(row) for row in 100 + e])
