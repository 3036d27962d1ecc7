"""Tables and plots are made from results, and from whatever there is of them."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from bench import ablations, figures, ingredients, methods, page
from bench.cases.cases import thinned
from bench.judge import judge
from bench.methods.base import Method
from bench.published import RIVALS
from bench.summary import Layout, describe, summarise
from tests.broken import BROKEN, COLUMNS, at_random

pytestmark = pytest.mark.xdist_group("pages of results")  # what they share is made once, and takes seconds


def alarms_with(past, now, budgets, *, learner, max_clauses, pairs):
    """Random alarms; as many clauses as are allowed, or one more a budget."""
    stopped = at_random(past, now)[:, None] > 1.0 - np.array(budgets)
    return stopped, np.minimum(np.arange(1, len(budgets) + 1), max_clauses or 99)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("results")
    columns = COLUMNS[::3]
    layout = Layout.of(columns)
    entries = {m.name: summarise(m, judge(m, columns), layout, 1, 10) for m in BROKEN}
    rival = Method("rival", "A rival without a budget", "constraint", at_random)
    entries["rival"] = summarise(rival, judge(rival, columns), layout, 1, 10)
    summary = {"cases": describe(layout), "methods": entries}
    (found / "summary.json").write_text(json.dumps(summary))
    variants = []
    for variant in ablations.ALL:
        judged, counts = ablations.ask(variant, "paper", alarms_with, thinned(columns, 10), {})
        thin = Layout.of(thinned(columns, 10))
        variants.append(ablations.entry_of(variant, judged, counts, thin))
    (found / "ablations.json").write_text(json.dumps({"paper": {"variants": variants}}))
    left_out = ingredients.run(COLUMNS[:8], 1, say=lambda _: None)
    (found / "ingredients.json").write_text(json.dumps({"variants": left_out}))
    part = {"rows": 100_000, "single": 0.1, "pair": 0.01, "program": 0.1, "profile": 1.0, "learn": 1.0, "check": 0.1}
    times = {name: [part] for name in ("numeric", "categorical", "wide", "spark")}
    (found / "latency.jsonl").write_text("{}\n" + json.dumps(times) + "\n")
    return found


def test_every_table_is_on_the_page_and_is_filled(folder):
    before = page.PAGE.read_text(encoding="utf-8")
    assert {m["name"] for m in page.MARK.finditer(before)} == set(page.TABLES)
    after = page.filled(before, page.read(folder))
    assert page.NOT_YET not in after
    assert page.filled(after, page.read(folder)) == after


def test_a_method_that_was_asked_of_other_cases_or_runs_says_so_in_its_title(folder, tmp_path):
    summary = json.loads((folder / "summary.json").read_text())
    entry = summary["methods"].pop("rival")
    (tmp_path / "summary.json").write_text(json.dumps({**summary, "cases_version": 2}))
    for name, about in {"slow": {"every": 5, "cases_version": 2}, "earlier": {"every": 1}}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text(json.dumps({**about, "methods": {name: entry}}))
    found = page.read(tmp_path)
    assert "| A rival without a budget (every 5th run) |" in page.methods(found)
    assert "| A rival without a budget (earlier cases) |" in page.methods(found)


def test_a_page_without_results_says_so(tmp_path):
    after = page.filled(page.PAGE.read_text(encoding="utf-8"), page.read(tmp_path))
    assert after.count(page.NOT_YET) == len(page.TABLES)


def test_the_page_shows_every_figure():
    text = page.PAGE.read_text(encoding="utf-8")
    assert not [name for name in figures.FIGURES if f"({name}.svg)" not in text]


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is in the environment of the benchmark only")
def test_every_figure_is_drawn_from_results(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["figures", "--results", str(folder), "--out", str(tmp_path)])
    figures.main()
    assert {p.stem for p in tmp_path.glob("*.svg")} == set(figures.FIGURES)


def test_published_figures_are_of_methods_that_are_compared():
    assert set(RIVALS) <= {m.name for m in methods.ALL}


def test_a_variant_differs_in_one_thing_only():
    usual = ablations.Variant("", "")
    for variant in ablations.ALL:
        kept = ("window", "max_clauses", "pairs", "stationary")
        assert sum(getattr(variant, name) != getattr(usual, name) for name in kept) <= 1


def test_clauses_are_counted_for_every_program(folder):
    found = json.loads((folder / "ablations.json").read_text())["paper"]["variants"]
    by_label = {v["label"]: v for v in found if v["figure"] == "clauses"}
    assert by_label["1"]["numeric"]["clauses"]["0.01"]["median"] == 1
    assert by_label["no limit"]["numeric"]["clauses"]["0.01"]["median"] == 2  # the second budget that is asked for
    assert sum(by_label["no limit"]["categorical"]["clauses"]["0.01"]["share"]) == pytest.approx(1.0)


def test_thinning_keeps_the_run_that_bad_ones_stand_in_for():
    thin = thinned(COLUMNS[:1], 7)[0]
    assert thin.windows == (30, 37, 44, 51, 58)
    assert thin.recall_at in thin.windows


def test_every_ingredient_that_is_left_out_is_put_back(folder):
    found = json.loads((folder / "ingredients.json").read_text())["variants"]
    assert [v["name"] for v in found] == [v.name for v in ingredients.ALL]
    for entry in found:
        for kind in ("numeric", "categorical"):
            assert all(0 <= low <= rate <= high <= 1 for rate, low, high in entry[kind]["fpr"].values())


def test_every_variant_changes_one_thing_and_the_learner_itself_stays():
    first, *others = ingredients.ALL
    assert first.learner.is_shipped
    for variant in others:
        assert not variant.learner.is_shipped or variant.metrics != "all" or not variant.calendar
    assert len({v.name for v in ingredients.ALL}) == len(ingredients.ALL)
