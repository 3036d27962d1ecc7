"""The compared methods: what all of them promise, and what was written by hand against published examples."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench import methods
from bench.cases.cases import Past
from bench.methods import azure_anomaly_detector as spectral
from bench.methods import chi_squared, deequ, denial_constraints, health_esn, ks, peeks, telemanom
from bench.methods._lstm import foresee
from bench.methods.byhistory import alarms_with
from bench.methods.features import CLIP, standardised
from bench.score import BUDGETS
from scipy import stats

from byhistory.learners.calibrated import CALIBRATED
from byhistory.metrics import PAIR, of_kind
from byhistory.profile import Kind

FOLDER = Path(methods.__file__).parent
NOT_METHODS = {"__init__", "base", "features", "byhistory"}  # what several methods share
PAIRS = {m.name for m in PAIR}
RUNS = 30


def rng(seed):
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


def past_of(kind, runs=RUNS, seed=1, is_determined=True):
    """A column that goes up and down a little; one metric stands still, as many do."""
    names = tuple(m.name for m in of_kind(kind, discrete=True))
    draw = rng(seed)
    series = 0.5 + 0.02 * draw.normal(size=(len(names), runs))
    series[names.index("row_count")] = np.round(1000 + 20 * draw.normal(size=runs))
    series[names.index("complete_ratio")] = 1.0
    series[[name in PAIRS for name in names], 0] = np.nan
    if "dist_val_count" in names:
        series[names.index("dist_val_count")] = np.round(40 + 2 * draw.normal(size=runs))
    labels = tuple(str(i) for i in range(runs + 1))
    return Past(kind, names, series, labels, None, is_determined)


def runs_after(past, seed=2):
    """The mean of the past, one as unlike it as can be, and some between."""
    usual = np.nanmean(past.series, axis=1)
    far = np.where([name in PAIRS or name.endswith("_ratio") for name in past.metrics], 1.0, 50 * usual)
    far[past.row("complete_ratio")] = 0.5
    between = usual + 0.02 * rng(seed).normal(size=(4, len(usual)))
    return np.vstack([usual, far, between])


def installed(method):
    return not method.package or importlib.util.find_spec(method.package) is not None


def needs(method):
    if not installed(method):
        pytest.skip(f"{method.package} is not installed")
    if method.needs_responses:
        pytest.skip("learns from responses to faults, which a made-up past has not")


CASES = [pytest.param(m, k, id=f"{m.name}-{k.value}") for m in (*methods.ALL, *methods.BROKEN) for k in sorted(m.kinds)]
HONEST = [pytest.param(m, k, id=f"{m.name}-{k.value}") for m in methods.ALL for k in sorted(m.kinds)]


def test_every_file_is_listed_and_everything_listed_has_a_file():
    files = {file.stem for file in FOLDER.glob("*.py") if not file.stem.startswith("_")} - NOT_METHODS
    assert {m.name for m in (*methods.ALL, *methods.BROKEN)} == files


@pytest.mark.parametrize(("method", "kind"), CASES)
def test_a_method_gives_every_run_a_number_or_says_that_it_cannot(method, kind):
    needs(method)
    past = past_of(kind)
    now = runs_after(past)
    now[-1] = np.nan  # nothing could be measured
    scores = method.score(past, now)
    assert scores.shape == (len(now),)
    assert not np.isinf(scores).any()


@pytest.mark.parametrize(("method", "kind"), CASES)
def test_a_score_does_not_depend_on_the_other_runs_or_on_the_time_of_asking(method, kind):
    needs(method)
    past = past_of(kind)
    now = runs_after(past)
    scores = method.score(past, now)
    np.testing.assert_allclose(method.score(past, now[::-1])[::-1], scores, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        np.concatenate([method.score(past, run[None]) for run in now]), scores, rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize(("method", "kind"), HONEST)
def test_a_run_as_unlike_the_past_as_can_be_is_no_better_than_the_mean_of_the_past(method, kind):
    needs(method)
    past = past_of(kind)
    usual, far = method.score(past, runs_after(past)[:2])
    assert far >= usual
    assert np.isfinite(far)


@pytest.mark.parametrize(("method", "kind"), HONEST)
@pytest.mark.parametrize("runs", [7, 14])
def test_a_short_past_is_enough_to_say_something(method, kind, runs):
    needs(method)
    past = past_of(kind, runs)
    assert np.isfinite(method.score(past, runs_after(past))).all()


@pytest.mark.parametrize(("method", "kind"), HONEST)
def test_a_past_in_which_nothing_ever_moved_is_no_reason_to_fail(method, kind):
    needs(method)
    past = past_of(kind)
    past.series[:, 1:] = past.series[:, 1:2]
    usual, far = method.score(past, runs_after(past)[:2])
    assert far >= usual or np.isnan(usual)


def test_features_are_scaled_on_the_past_only():
    past = past_of(Kind.NUMERIC)
    history, now = standardised(past, runs_after(past))
    moving = history.std(axis=0) > 0
    np.testing.assert_allclose(history[:, moving].std(axis=0), 1.0, atol=0.05)  # one run of a distance is not known
    np.testing.assert_allclose(now[0], 0.0, atol=1e-9)
    assert np.abs(now[1]).max() == CLIP


# --- the broken ones -------------------------------------------------------------------------------------------------


def test_the_one_that_peeks_tells_the_good_from_the_bad():
    past = past_of(Kind.NUMERIC)
    now = runs_after(past)
    assert peeks.knowing([now[:1]]).score(past, now).tolist() == [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]


def test_random_scores_are_spread_evenly():
    past = past_of(Kind.NUMERIC)
    scores = methods.random_score.METHOD.score(past, rng(3).normal(size=(2000, len(past.metrics))))
    assert stats.kstest(scores, "uniform").pvalue > 0.01


# --- what was written by hand ----------------------------------------------------------------------------------------


def mackey_glass(length, delay=17):
    """The series that echo state networks were introduced with (Jaeger 2001), in steps of 1."""
    fine = 10
    x = np.full(delay * fine + length * fine, 1.2)
    for t in range(delay * fine, len(x) - 1):
        back = x[t - delay * fine]
        x[t + 1] = x[t] + (0.2 * back / (1 + back**10) - 0.1 * x[t]) / fine
    return x[delay * fine :: fine]


def test_an_echo_state_network_foresees_the_mackey_glass_series():
    series = np.tanh(mackey_glass(1500) - 1)[:, None]
    states = health_esn.echoes(series, health_esn.reservoir(1, 200, 0.9, 0.5))
    weights, _ = health_esn.readout(states[100:1000], series[101:1001], 1e-8)
    error = series[1001:] - states[1000:-1] @ weights
    assert np.sqrt(np.square(error).mean()) / series.std() < 0.005


def test_an_echo_fades():
    start = rng(4).normal(size=(60, 2))
    other = np.vstack([rng(5).normal(size=(10, 2)), start])
    weights = health_esn.reservoir(2)
    np.testing.assert_allclose(
        health_esn.echoes(other, weights)[-1], health_esn.echoes(np.vstack([start[:10], start]), weights)[-1], atol=1e-4
    )


def test_the_errors_of_the_readout_are_those_of_leaving_one_out():
    states, targets = rng(6).normal(size=(20, 5)), rng(7).normal(size=(20, 2))
    _, errors = health_esn.readout(states, targets, 0.7)
    weights, _ = health_esn.readout(states[1:], targets[1:], 0.7)
    np.testing.assert_allclose(errors[0], targets[0] - states[0] @ weights)


def test_the_saliency_of_an_impulse_is_an_impulse():
    series = np.zeros((36, 1))
    series[30] = 3.0
    found = spectral.saliency(series)[:, 0]
    assert found.argmax() == 30
    np.testing.assert_allclose(found[30], 1.0)  # a flat spectrum less its mean: amplitudes of 1, whatever the height


def test_the_spectral_residual_finds_the_spike_in_a_season_as_in_its_paper():
    t = np.arange(200)
    series = (np.sin(2 * np.pi * t / 24) + 0.1 * rng(8).normal(size=200))[:, None]
    series[150] += 3.0
    assert spectral.saliency(series)[5:-5, 0].argmax() == 145


def test_the_spectral_residual_stands_out_for_a_spike_at_the_end_and_not_without_it():
    history = rng(9).normal(size=(30, 6))
    calm, spike = spectral.salience(history, np.array([history.mean(axis=0), np.full(6, 15.0)]))
    assert spike > 3 > calm  # 3 is the threshold of Ren et al.


def test_the_points_ahead_are_where_the_gradients_lead():
    line = np.arange(10.0)[:, None]
    np.testing.assert_allclose(spectral.extended(line)[10:, 0], 9.0)  # the next after the nine before the last


def test_holt_winters_goes_on_with_a_trend_and_a_season():
    season = np.array([0.0, 1.0, 3.0, -2.0, 0.5, -1.5, -1.0])
    series = np.array([0.2 * t + season[t % 7] for t in range(29)])
    forecast, _ = deequ.forecasts(series[:28, None], 7)
    np.testing.assert_allclose(forecast, series[28], atol=0.8)


def test_holt_winters_computed_by_hand():
    # One step, level .5, trend .4, season .2, a cycle of 2: level 2, trend 1, seasons -1 and 1 to start with.
    series = np.array([[1.0], [3.0], [3.0], [5.0]])
    weights = np.array([[0.5, 0.4, 0.2]])
    level, trend, seasons = 2.0, 1.0, [-1.0, 1.0]
    errors = []
    for i, value in enumerate(series[:, 0]):
        errors.append(value - level - trend - seasons[i])
        seasons.append(0.2 * (value - level - trend) + 0.8 * seasons[i])
        after = 0.5 * (value - seasons[i]) + 0.5 * (level + trend)
        trend, level = 0.4 * (after - level) + 0.6 * trend, after
    forecast, deviation = deequ.forecasts(series, 2, weights)
    np.testing.assert_allclose(forecast, level + trend + seasons[4])
    np.testing.assert_allclose(deviation, np.std(np.abs(errors), ddof=1))


@pytest.mark.parametrize("strategy", deequ.ALL, ids=lambda s: s.__name__)
def test_a_strategy_of_deequ_has_a_number_for_every_metric_of_every_run_and_more_for_a_far_one(strategy):
    days = tuple(str(np.datetime64("2026-01-01") + np.timedelta64(i, "D")) for i in range(RUNS + 1))
    past = replace(past_of(Kind.NUMERIC), labels=days)
    found = strategy(past, runs_after(past))
    assert found.shape == runs_after(past).shape
    assert not np.isnan(found).any()
    assert found[1].max() > found[0].max()


def test_the_running_mean_of_deequ_is_the_mean_as_long_as_nothing_is_odd():
    values = rng(10).uniform(-1, 1, size=20)
    mean, squares = np.asarray(values[0]), np.zeros(())
    for i, value in enumerate(values[1:], start=1):
        mean, squares = deequ._online(mean, squares, value, i)
    np.testing.assert_allclose([mean, squares / 20], [values.mean(), values.var()])


def history_of(*metrics):
    return np.array(metrics, dtype=float).T


def test_an_order_dependency_is_broken_by_going_back_and_not_by_going_on():
    history = history_of([1, 2, 3, 4, 5, 6])
    on, back, further_back = methods.order_dependency.broken(history, np.array([[9.0], [5.0], [1.0]]))
    assert on == 0 < back < further_back


def test_an_order_that_was_never_kept_cannot_be_broken():
    up_and_down = history_of([1, 2, 1, 2, 1, 2, 1])
    only_up = history_of([1, 2, 3, 4, 5, 6, 7])
    loose = methods.order_dependency.broken(up_and_down, np.array([[0.0]]))
    strict = methods.order_dependency.broken(only_up, np.array([[6.0]]))
    assert loose < 0.1 < strict


def test_a_sequential_dependency_is_an_interval_of_steps():
    history = history_of([0, 9, 19, 28, 38])  # Golab et al. 2009: polls at steps of 9 to 10
    within, above, below = methods.sequential_dependency.outside(history, np.array([[47.5], [52.0], [45.0]]))
    assert (within, above, below) == (0.0, 4 / 2, 2 / 2)


def test_denial_constraints_are_orders_that_always_held():
    tax, salary, noise = [1, 2, 3, 4], [10, 20, 30, 40], [3, 1, 4, 2]
    same, opposite = denial_constraints.held(history_of(tax, salary, noise))
    assert same[0, 1] == 1.0  # not (a.tax < b.tax and a.salary > b.salary): all pairs speak for it
    assert opposite[0, 1] == same[0, 2] == opposite[0, 2] == 0.0


def test_a_denial_constraint_is_broken_by_a_run_that_orders_them_otherwise():
    history = history_of([1, 3, 2, 4], [10, 30, 20, 40])
    keeps, breaks = denial_constraints.broken(history, np.array([[2.5, 25.0], [5.0, 5.0]]))
    assert keeps == 0.0
    assert breaks == 1.0


def test_the_p_value_of_kolmogorov_and_smirnov_is_that_of_scipy():
    x, y = rng(11).normal(size=400), rng(12).normal(0.15, size=300)
    found = stats.ks_2samp(x, y, method="asymp")
    surprise = ks.surprise(np.array([found.statistic]), np.array([400.0]), np.array([300.0]))
    np.testing.assert_allclose(surprise, -np.log10(found.pvalue), rtol=0.05)


def test_p_values_too_small_for_a_float_are_still_ordered():
    distances = np.array([0.1, 0.5, 0.9])
    assert np.all(np.diff(ks.surprise(distances, np.full(3, 1e6), np.full(3, 1e6))) > 0)
    surprises = chi_squared.surprise(distances, np.full(3, 1e6), np.full(3, 20.0))
    assert np.isfinite(surprises).all()
    assert np.all(np.diff(surprises) > 0)


def test_the_p_value_of_chi_squared_is_that_of_scipy():
    table = np.array([[30, 50, 20], [45, 35, 20]])
    statistic, p, _, _ = stats.chi2_contingency(table, correction=False)
    surprise = chi_squared.surprise(np.array([np.sqrt(statistic / 200)]), np.array([200.0]), np.array([3.0]))
    np.testing.assert_allclose(surprise, -np.log10(p))


def test_the_threshold_of_telemanom_lies_below_the_one_large_error():
    errors = np.ones(40) + 0.05 * rng(13).normal(size=40)
    quiet = telemanom.threshold(errors)
    errors[20] = 4.0
    assert errors.max() > telemanom.threshold(errors) > 1.2
    assert quiet > np.delete(errors, 20).max()


def test_smoothing_weighs_the_newest():
    np.testing.assert_allclose(telemanom.smoothed(np.array([[0.0], [4.0], [0.0]]), 0.5)[:, 0], [0.0, 2.0, 1.0])


def test_an_lstm_learns_a_cycle():
    pytest.importorskip("torch")
    cycle = np.tile([[1.0, -1.0], [-1.0, 1.0]], (15, 1))
    errors, following = foresee(cycle)
    assert np.abs(errors).mean() < 0.2
    np.testing.assert_allclose(following, [1.0, -1.0], atol=0.4)


# --- beside the library that others use ------------------------------------------------------------------------------


def points(seed):
    draw = rng(seed)
    return draw.normal(size=(30, 5)), draw.normal(size=(3, 5)) * [[1], [2], [6]]


def test_average_knn_is_that_of_pyod():
    knn = pytest.importorskip("pyod.models.knn")
    history, now = points(14)
    theirs = knn.KNN(n_neighbors=methods.avg_knn.NEIGHBOURS, method="mean").fit(history).decision_function(now)
    np.testing.assert_allclose(methods.avg_knn.distance(history, now), theirs / np.sqrt(5))


def test_ecod_is_that_of_pyod():
    ecod = pytest.importorskip("pyod.models.ecod")
    history, now = points(15)
    theirs = [ecod.ECOD().fit(np.vstack([history, run])).decision_scores_[-1] for run in now]
    np.testing.assert_allclose(methods.ecod.tails(history, now), np.array(theirs) / 5)


def test_cof_is_that_of_pyod(monkeypatch):
    cof = pytest.importorskip("pyod.models.cof")
    monkeypatch.setattr(methods.cof, "NOISE", 0.0)
    history, now = points(16)
    theirs = [
        cof.COF(n_neighbors=methods.cof.NEIGHBOURS).fit(np.vstack([history, run])).decision_scores_[-1] for run in now
    ]
    np.testing.assert_allclose(methods.cof.factor(history, now), theirs)


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.CATEGORICAL])
def test_the_alarms_of_calibrated_are_those_of_the_programs_that_the_product_learns(kind):
    past = past_of(kind)
    now = np.vstack([runs_after(past), past.series.mean(axis=1) * np.linspace(0.5, 1.5, 60)[:, None]])
    said = methods.calibrated.METHOD.alarms(past, now, BUDGETS)
    prices = methods.calibrated.prices_for(past.source)
    programs, _ = alarms_with(past, now, BUDGETS, learner=replace(CALIBRATED, prices=prices))
    assert np.array_equal(said, programs)
    assert said.any()
    assert not said.all()
