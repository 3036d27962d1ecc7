"""Our Dickey–Fuller test against statsmodels, and its answers where statsmodels has none."""

import csv
import os
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from statsmodels.tsa.adfvalues import mackinnoncrit, mackinnonp
from statsmodels.tsa.stattools import adfuller

from byhistory.series.adf import AdfResults, adf, adf_of_rows, most_lags
from byhistory.series.mackinnon import critical_value, p_value


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


SERIES_PER_KIND = 250


def autoregression(rng: np.random.Generator, n: int) -> np.ndarray:
    x, weight = rng.standard_normal(n), rng.uniform(-0.9, 0.99)
    for i in range(1, n):
        x[i] += weight * x[i - 1]
    return x


def blips(rng: np.random.Generator, n: int) -> np.ndarray:
    x = np.full(n, 50.0)
    x[rng.integers(n, size=rng.integers(1, 4))] += rng.choice([-2, -1, 1, 2])
    return x


KINDS = {
    "noise": lambda rng, n: rng.standard_normal(n),
    "walk": lambda rng, n: rng.standard_normal(n).cumsum(),
    "autoregression": autoregression,
    "trend": lambda rng, n: 0.3 * np.arange(n) + rng.standard_normal(n),
    "season": lambda rng, n: 3 * np.sin(2 * np.pi * np.arange(n) / 7) + 0.3 * rng.standard_normal(n),
    "counts": lambda rng, n: rng.poisson(rng.choice([2, 20, 1000]), n).astype(float),
    "nearly constant": blips,
    "large mean": lambda rng, n: 1e6 * (1 + 0.001 * rng.standard_normal(n)),
    "growth": lambda rng, n: np.exp(0.5 * rng.standard_normal(n).cumsum()),
    "step": lambda rng, n: (np.arange(n) > n * rng.uniform(0.2, 0.8)) * 5 + rng.standard_normal(n),
}


def assert_as_statsmodels(ours: AdfResults, i: int, x: np.ndarray) -> bool:
    """Statistic, p-value, lag and decision agree; False where there is nothing to agree on.

    That is where statsmodels regresses with nothing left over or on redundant columns: then rounding errors of 1e-27
    choose its lag. There, decisions may differ only if its own AIC could not tell the two lags apart, or its fit was
    perfect.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        statistic, pvalue, critical, store = adfuller(x, regression="c", autolag="AIC", regresults=True)
    fits = {lag - 2: fit for lag, fit in store.autolag_results.items()}
    chosen, mine = fits[store.usedlag], fits[int(ours.lag[i])]
    perfect = min(chosen.ssr, store.resols.ssr) < 1e-18 * np.square(np.diff(x)).sum()
    tied = store.usedlag != ours.lag[i] and abs(chosen.aic - mine.aic) < 1e-9
    if perfect or tied or ours.status[i] == "unidentified":
        return False
    assert ours.status[i] == "tested"
    assert ours.lag[i] == store.usedlag
    assert ours.rows[i] == store.nobs
    assert ours.statistic[i] == pytest.approx(statistic, rel=1e-6, abs=1e-6)
    assert ours.pvalue[i] == pytest.approx(pvalue, abs=1e-6)
    assert ours.stationary[i] == (statistic < critical["5%"])
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_random_series_are_judged_as_statsmodels_does(kind: str) -> None:
    rng = seeded(list(KINDS).index(kind))
    series = [KINDS[kind](rng, int(rng.integers(8, 91))) for _ in range(SERIES_PER_KIND)]
    series = [x for x in series if x.min() < x.max()]
    ours = adf_of_rows(series)
    compared = sum(assert_as_statsmodels(ours, i, x) for i, x in enumerate(series))
    assert compared >= (0.8 if kind == "nearly constant" else 0.99) * len(series)


def rows_of_made_tables() -> list[list[float]]:
    """Rows per day of ten tables: whole numbers around a level that grows, with a week in them."""
    days, rng = np.arange(120), seeded(11)
    levels = [rng.integers(50, 5000) * (1.0 + rng.uniform(0.0, 0.01) * days) for _ in range(10)]
    return [rng.poisson(level * (1.0 + 0.3 * np.sin(days * 2 * np.pi / 7))).astype(float).tolist() for level in levels]


def rows_of_tables_in(corpus: Path) -> list[list[float]]:
    tables: dict[str, list[float]] = defaultdict(list)
    with (corpus / "runs.csv").open(encoding="utf-8") as lines:
        for run in csv.DictReader(lines):
            tables[run["table"]].append(float(run["rows_delivered"] or run["rows"]))
    return list(tables.values())


@pytest.mark.parametrize("corpus", ["made", os.environ.get("CORPUS")], ids=["made", "named"])
def test_row_counts_of_tables_are_judged_as_statsmodels_does(corpus: str | None) -> None:
    if not corpus:
        pytest.skip("no corpus is named; CORPUS=directory names one")
    tables = rows_of_made_tables() if corpus == "made" else rows_of_tables_in(Path(corpus))
    windows = [np.array(x[i : i + n]) for x in tables for n in (14, 30, 60) for i in range(0, len(x) - n, 45)]
    forms = windows + [np.diff(w) for w in windows] + [w[7:] - w[:-7] for w in windows]
    series = [w for w in forms if w.min() < w.max()]
    ours = adf_of_rows(series)
    compared = sum(assert_as_statsmodels(ours, i, x) for i, x in enumerate(series))
    assert compared >= 0.8 * len(series) > 100


def test_many_series_at_once_are_judged_as_one_by_one() -> None:
    rng = seeded(9)
    series = [KINDS[kind](rng, int(rng.integers(2, 60))) for kind in KINDS for _ in range(60)]
    together = adf_of_rows(series)
    for i, x in enumerate(series):
        alone = adf(x)
        assert (alone.status, alone.lag) == (together.status[i], together.lag[i])
        assert alone.stationary == together.stationary[i]
        np.testing.assert_allclose(alone.statistic, together.statistic[i], rtol=1e-9)


def test_our_constants_are_mackinnons() -> None:
    for rows in range(3, 200):
        assert critical_value(rows) == pytest.approx(mackinnoncrit(N=1, regression="c", nobs=rows)[1], abs=1e-12)
    statistics = np.concatenate([np.linspace(-25, 5, 3001), [-18.83, -1.61, 2.74, -np.inf, np.inf]])
    theirs = [mackinnonp(s, regression="c", N=1) for s in statistics]
    assert p_value(statistics).tolist() == pytest.approx(theirs, abs=1e-12)
    assert np.isnan(p_value(np.nan))


def test_the_most_lags_tried_leave_a_residual_to_spare() -> None:
    counts = np.arange(4, 500)
    assert (counts - 1 - most_lags(counts) - (most_lags(counts) + 2) >= 1).all()


@pytest.mark.parametrize("x", [[7.0] * 9, [0.0] * 9, [0.1 + 0.2, 0.3] * 5, [1e308] * 9, [-5e-324] * 9])
def test_a_constant_is_stationary_up_to_rounding(x: list[float]) -> None:
    assert (adf(x).status, adf(x).stationary) == ("constant", True)


@pytest.mark.parametrize("n", range(4))
def test_fewer_than_four_values_are_too_short_even_if_equal(n: int) -> None:
    for x in (np.ones(n), np.arange(n)):
        assert (adf(x).status, adf(x).stationary) == ("too short", False)


@pytest.mark.parametrize("slope", [1.0, 0.1, -3e-7, 1e12])
@pytest.mark.parametrize("start", [0.0, 1e6, -1e3])
def test_an_exact_line_is_not_stationary(slope: float, start: float) -> None:
    r = adf(start + slope * np.arange(20))
    assert (r.status, r.stationary, np.isnan(r.statistic)) == ("exact", False, True)


def test_a_strict_cycle_fits_exactly() -> None:
    assert adf(np.tile([5.0, 1.0, 2.0, 9.0, 4.0, 4.0, 7.0], 5)).status == "exact"


def test_a_first_change_in_the_last_run_says_nothing_about_a_return() -> None:
    assert (adf([5.0] * 20 + [6.0]).status, adf([5.0] * 20 + [6.0]).stationary) == ("unidentified", False)


def test_no_series_and_empty_series_are_no_error() -> None:
    assert len(adf_of_rows([]).status) == 0
    assert adf_of_rows(np.empty((3, 0))).status.tolist() == ["too short"] * 3


def test_values_that_are_not_finite_are_left_out() -> None:
    x = seeded(0).standard_normal(20)
    gappy = np.insert(x, [0, 5, 20], [np.inf, np.nan, -np.inf])
    assert adf(gappy) == adf(x)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
def test_the_unit_of_a_metric_does_not_matter(scale: float) -> None:
    x = seeded(0).standard_normal(30)
    assert adf(x * scale).statistic == pytest.approx(adf(x).statistic, rel=1e-9)
    assert adf(-x).statistic == pytest.approx(adf(x).statistic, rel=1e-9)


@pytest.mark.parametrize("mean", [1e3, 1e6, 1e9])
def test_a_large_mean_does_not_matter(mean: float) -> None:
    x = np.round(seeded(0).standard_normal(30) * 1024) / 1024  # exact when the mean is added
    assert adf(x + mean).statistic == pytest.approx(adf(x).statistic, rel=1e-9)


def test_the_whole_range_of_floats_is_no_overflow() -> None:
    assert adf(np.array([1.7e308, -1.7e308, 1.6e308, -1.5e308, 1.2e308] * 3)).status in {"tested", "exact"}
