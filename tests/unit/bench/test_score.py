"""The scorer says what a person would count by hand, and broken methods land where they must."""

import doctest
import importlib
import json

import numpy as np
import pytest
from bench import run
from bench.judge import BAD, SETS, judge, load_scores, questions, save, without_words
from bench.methods.base import Method
from bench.score import (
    BUDGETS,
    RATES,
    alarms_above,
    any_of,
    clopper_pearson,
    quality,
    recall_at,
    resamples,
    share_by_source,
    threshold_at,
    thresholds_at,
)
from bench.summary import Layout, joined, summarise
from hypothesis import given
from hypothesis import strategies as st
from tests.broken import BROKEN, COLUMNS, always

from byhistory.profile import Kind

pytestmark = pytest.mark.xdist_group("scores")  # what they share is made once, and takes seconds


def test_the_good_runs_of_an_upper_bound_are_not_counted():
    bound = Method("bound", "bound", "constraint", always, is_upper_bound=True)
    judged = judge(bound, COLUMNS)
    assert not judged.scores["good"].any()
    assert all(judged.scores[name].all() for name in BAD)


some_scores = st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5, np.inf, np.nan]), min_size=1, max_size=60).map(np.array)


@pytest.mark.parametrize(
    "name", ["score", "run", "corpus", "cases.cases", "figures", "page"], ids=lambda name: f"bench.{name}"
)
def test_the_examples_of_a_file_run(name):
    assert doctest.testmod(importlib.import_module(f"bench.{name}")).failed == 0


# --- thresholds -----------------------------------------------------------------------------------------------------


@given(some_scores, st.sampled_from([0.0, 0.001, 0.01, 0.05, 0.1, 0.5, 1.0]))
def test_no_more_good_runs_are_stopped_than_allowed_and_a_lower_threshold_would_stop_more(good, rate):
    threshold = threshold_at(good, rate)
    allowed = rate * len(good) * (1 + 1e-9)
    assert alarms_above(good, threshold).sum() <= allowed
    lower = [t for t in np.unique(good[~np.isnan(good)]) if t < threshold]
    if lower:
        assert alarms_above(good, lower[-1]).sum() > allowed


@given(some_scores, st.sampled_from([0.01, 0.1, 0.5]), st.integers(1, 4))
def test_a_source_that_is_drawn_twice_counts_as_if_it_were_there_twice(good, rate, times):
    once = thresholds_at(good, np.zeros(len(good), int), rate, np.array([[1.0], [times]]))
    assert once[0] == once[1] == threshold_at(np.tile(good, times), rate)


def test_ties_are_stopped_together_or_not_at_all():
    good = np.array([5.0] * 10 + [0.0] * 90)
    assert threshold_at(good, 0.05) == 5.0  # half of the ten cannot be stopped
    assert threshold_at(good, 0.1) == 0.0
    assert alarms_above(good, 0.0).sum() == 10


def test_what_cannot_be_said_is_never_an_alarm():
    assert not alarms_above(np.array([np.nan, np.nan]), -np.inf).any()
    assert threshold_at(np.array([np.nan] * 99 + [1.0]), 0.05) == -np.inf


# --- counted by hand ------------------------------------------------------------------------------------------------


def test_the_interval_is_that_of_clopper_and_pearson():
    rate = clopper_pearson(8, 20)  # as in tables of the binomial distribution
    assert (rate.share, round(rate.low, 4), round(rate.high, 4)) == (0.4, 0.1912, 0.6395)
    assert clopper_pearson(20, 20).high == 1.0
    assert np.isnan(clopper_pearson(0, 0).share)


def test_precision_is_a_mean_over_columns_that_had_an_alarm():
    good, good_column = np.array([1, 0, 0, 0, 0, 0], bool), np.array([0, 0, 1, 1, 2, 2])
    bad, bad_column = np.array([1, 0, 1, 1, 0, 0], bool), np.array([0, 0, 1, 1, 2, 2])
    found = quality(good, good_column, bad, bad_column, 3)
    assert found.precision_macro == (1 / 2 + 2 / 2) / 2  # the third column has none
    assert found.precision_micro == 3 / 4
    assert found.recall_macro == (1 / 2 + 1 + 0) / 3
    assert found.recall_micro == 3 / 6
    assert found.f1 == 0.6


def test_precision_without_any_alarm_is_undefined():
    none = quality(np.zeros(2, bool), np.array([0, 1]), np.zeros(2, bool), np.array([0, 1]), 2)
    assert np.isnan(none.precision_macro)
    assert none.recall_micro == none.f1 == 0.0


def test_recall_is_taken_where_so_many_good_runs_are_stopped():
    good, bad = np.arange(100.0), np.array([98.5, 99.5, 50.0, np.nan])
    source = np.zeros(100, int)
    caught, threshold = recall_at(good, source, bad, np.zeros(4, int), rate=0.01, weights=np.ones((1, 1)))
    assert (threshold, caught.share, caught.of) == (98.0, 0.5, 4)


def test_the_interval_over_sources_is_wider_than_if_runs_were_independent():
    source = np.repeat(np.arange(10), 1000)
    alarms = source == 0  # all alarms come from one source
    wide = share_by_source(alarms, source, resamples(10, 200, 1))
    narrow = clopper_pearson(int(alarms.sum()), len(alarms))
    assert wide.share == narrow.share == 0.1
    assert wide.high - wide.low > 10 * (narrow.high - narrow.low)


def test_intervals_are_the_same_every_time():
    assert (resamples(12, 50, 7) == resamples(12, 50, 7)).all()
    assert (resamples(12, 50, 7).sum(axis=1) == 12).all()


def test_a_run_of_a_table_is_stopped_if_any_of_its_columns_is():
    groups, stopped = any_of(np.array([0, 0, 1, 0, 0], bool), np.array([1, 1, 1, 2, 2]))
    assert groups.tolist() == [1, 2]
    assert stopped.tolist() == [True, False]


# --- broken methods land where they must ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    """All of them through the runner: asked, kept, read, scored and written."""
    folder = tmp_path_factory.mktemp("results")
    layout, entries = Layout.of(COLUMNS), {}
    for method in BROKEN:
        halves = [judge(method, COLUMNS[:7]), judge(method, COLUMNS[7:])]
        for i, judged in enumerate(halves):
            save(folder / f"{i}.npz", judged)
        kept = joined([load_scores(folder / f"{i}.npz") for i in range(2)])
        entries[method.name] = summarise(method, kept, layout, seed=1, times=50)
    corpus = run.Corpus((), ("a",), (tuple(COLUMNS),))
    run.write(entries, run.circumstances(corpus, 30, 1), layout, folder / "evaluation")
    return json.loads((folder / "summary.json").read_text())


QUADRANTS = [(name, kind) for name in BAD for kind in ("numeric", "categorical")]


def recalls(summary, method):
    entry = summary["methods"][method]
    return np.array([[entry[k]["recall"][s][str(r)]["recall"] for r in RATES] for s, k in QUADRANTS])


def rates(summary, method, kind="numeric"):
    return np.array([summary["methods"][method][kind]["budgets"][str(b)]["fpr"] for b in BUDGETS])


def test_one_that_always_alarms_stops_every_good_run_and_catches_nothing_at_a_fair_rate(summary):
    assert (rates(summary, "always") == 1.0).all()
    assert (recalls(summary, "always") == 0.0).all()
    at = summary["methods"]["always"]["numeric"]["budgets"]["0.01"]
    assert at["recall"]["real"]["share"] == 1.0
    assert at["quality"]["real"]["precision_micro"] == pytest.approx(10 / 40)
    assert summary["methods"]["always"]["table"]["budgets"]["0.01"]["fpr"]["share"] == 1.0


def test_one_that_never_alarms_has_no_false_alarm_and_no_true_one(summary):
    assert (rates(summary, "never") == 0.0).all()
    assert (recalls(summary, "never") == 0.0).all()
    at = summary["methods"]["never"]["numeric"]["budgets"]["0.01"]
    assert at["n"] == 24 * 30
    assert at["high"] == pytest.approx(1 - 0.025 ** (1 / 720), abs=1e-5)  # the rule of three and a bit
    assert at["quality"]["real"]["precision_macro"] is None


def test_a_random_one_catches_as_many_bad_runs_as_good_ones(summary):
    assert np.abs(recalls(summary, "at_random") - np.array(RATES)).max() < 0.06
    for kind in ("numeric", "categorical"):
        for budget in BUDGETS:
            at = summary["methods"]["at_random"][kind]["budgets"][str(budget)]
            # Fourteen intervals are looked at: one of 95 % is missed by chance every other time, of 99.9 % hardly ever.
            wide = clopper_pearson(at["alarms"], at["n"], level=0.999)
            assert wide.low <= budget <= wide.high


def test_one_that_peeks_is_perfect(summary):
    assert (rates(summary, "peeking") == 0.0).all()
    assert (recalls(summary, "peeking") == 1.0).all()
    assert summary["methods"]["peeking"]["numeric"]["recall"]["incident"]["0.01"]["recall"] == 1.0
    assert summary["methods"]["peeking"]["numeric"]["curve"]["real"]["best_f1"]["f1"] == 1.0
    tables = summary["methods"]["peeking"]["table"]["rates"]["0.01"]
    assert tables["fpr"]["share"] == 0.0
    assert tables["incident"]["share"] == 1.0


def test_the_run_to_judge_is_not_in_its_past(summary):
    # One that looks for it there finds nothing, and so alarms always.
    assert (rates(summary, "looking_back") == 1.0).all()
    assert (recalls(summary, "looking_back") == 0.0).all()


def test_one_that_fails_says_nothing_and_it_is_told(summary):
    entry = summary["methods"]["failing"]
    assert entry["failed"] == len(COLUMNS) * len(questions(COLUMNS[0]))
    assert "ZeroDivisionError" in entry["error"]
    assert (recalls(summary, "failing") == 0.0).all()


def test_only_columns_that_a_report_names_count_as_its_incidents(summary):
    assert summary["cases"]["numeric"]["incident"] == 24
    assert summary["methods"]["peeking"]["numeric"]["recall"]["incident"]["0.01"]["n"] == 24
    assert summary["cases"]["categorical"]["incident_named"] == 0


def unheard(line):
    return None


def test_a_learner_ahead_of_the_median_rival_passes_and_one_behind_fails(summary):
    entries = summary["methods"]
    rivals = {n: e for n, e in entries.items() if e["group"] != "byhistory"}
    assert run.beats_the_median({"methods": entries}, say=unheard)  # the one that peeks is the only one of our group
    assert not run.beats_the_median({"methods": rivals}, say=unheard)  # nothing of ours
    behind = {"paper": entries["never"] | {"group": "byhistory"}, "rival": entries["peeking"] | {"group": "rival"}}
    assert not run.beats_the_median({"methods": behind}, say=unheard)


def test_entries_of_other_methods_on_the_same_cases_are_kept(tmp_path):
    layout = Layout.of(COLUMNS[:4])
    about = run.circumstances(run.Corpus((), ("a",), ()), 30, 1)
    for method in BROKEN[:2]:
        entry = summarise(method, judge(method, COLUMNS[:4]), layout, seed=1, times=5)
        summary = run.write({method.name: entry}, about, layout, tmp_path / "evaluation")
    assert set(summary["methods"]) == {"always", "never"}
    other = run.write({"never": entry}, about | {"corpus": "another"}, layout, tmp_path / "evaluation")
    assert set(other["methods"]) == {"never"}
    assert len((tmp_path / "evaluation.jsonl").read_text().splitlines()) == 3


def test_a_method_that_does_not_judge_a_kind_is_not_scored_on_it():
    method = Method("n", "n", "statistical test", always, kinds=frozenset({Kind.NUMERIC}))
    judged = judge(method, COLUMNS[:4])
    entry = summarise(method, judged, Layout.of(COLUMNS[:4]), seed=1, times=5)
    assert "categorical" not in entry
    assert np.isnan(judged.scores["good"][:30]).all()
    assert set(judged.scores) == set(SETS)


def test_what_is_kept_is_measured_again_for_other_code_and_not_for_other_words(tmp_path):
    file = tmp_path / "code.py"

    def of(text):
        file.write_text(text)
        return without_words(file)

    first = of('"""Adds."""\n\n\ndef add(x):\n    """One more."""\n    return x + 1\n')
    assert of('"""Adds one."""\n\ndef add(x):  # as asked\n    return x + 1\n') == first
    assert of("def add(x):\n    return x + 2\n") != first
