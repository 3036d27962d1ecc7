"""What holds for every learner that there is."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from tests.histories import demo

import byhistory
from byhistory.errors import ByHistoryError
from byhistory.learners import ALL, by_name, from_json, learn, to_json
from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.fit import Replay, fit
from byhistory.learners.calibrated.forecast import AS_SHIPPED
from byhistory.learners.calibrated.prices import shipped
from byhistory.learners.learn import suited
from byhistory.metrics import ALL as METRICS

RUNS = demo(14)
each_learner = pytest.mark.parametrize("learner", ALL, ids=lambda learner: learner.name)


def test_every_folder_of_learners_is_listed():
    folders = {init.parent.name for init in (Path(byhistory.__file__).parent / "learners").glob("*/__init__.py")}
    assert folders == {learner.name for learner in ALL}


@each_learner
def test_what_a_learner_expects_of_a_metric_lies_between_the_ends_that_it_calls_usual(learner):
    for program in learn(RUNS, 0.01, learner).values():
        if program.model is None:
            continue
        assert program.model.expected("no such metric") is None
        found = [program.model.expected(name) for name in program.model.metrics]
        assert any(found)
        for name, usual in zip(program.model.metrics, found, strict=True):
            if usual is not None:
                rare = program.model.expected(name, 4.0)
                assert rare.low <= usual.low <= usual.value <= usual.high <= rare.high
            less = program.model.without(name)
            assert less.expected(name) is None
            assert name not in less.metrics


@each_learner
def test_a_learner_is_found_by_its_name_and_comes_with_the_package(learner):
    assert by_name(learner.name) == learner
    assert learner.is_shipped


def test_an_unknown_learner_is_an_error_that_names_those_there_are():
    with pytest.raises(ByHistoryError, match="calibrated, paper"):
        by_name("papre")


@each_learner
def test_a_program_that_is_written_and_read_back_judges_the_same(learner):
    for program in learn(RUNS, 0.01, learner).values():
        again = from_json(to_json(program))
        assert again == program
        assert learner.made(again)
        assert learner.wants(again) == learner.wants(program)
        reads = np.linspace(0.0, 50.0, 4 * len(learner.wants(program))).reshape(4, -1)
        before, after = learner.total(program, reads), learner.total(again, reads)
        assert (before is None and after is None) or np.allclose(before, after)


@each_learner
def test_a_learner_names_its_own_entries_of_a_program(learner):
    for program in learn(RUNS, 0.01, learner).values():
        assert tuple(learner.encode(program.model)) == learner.entries if program.model is not None else True
        assert (program.model is not None) == bool(learner.entries)


@each_learner
def test_the_parts_of_a_table_budget_cost_the_budget_together(learner):
    for columns in (1, 2, 9, 60):
        part = learner.column_budget(0.01, columns)
        assert part <= 0.01
        assert learner.table_price([part] * columns) == pytest.approx(0.01)


@each_learner
def test_a_learner_wants_metrics_that_are_on_offer_and_suit_the_column(learner):
    for name in RUNS[-1]:
        column = [run[name] for run in RUNS]
        wanted = suited(column, METRICS, learner)
        assert wanted
        assert all(m in METRICS and column[-1].kind in m.kinds for m in wanted)


def test_prices_of_ones_own_make_another_learner():
    own = replace(CALIBRATED, prices=replace(shipped(), name="own"))
    (program, *_) = learn(RUNS, 0.01).values()
    assert not own.is_shipped
    assert not own.made(program)
    assert own.made(next(iter(learn(RUNS, 0.01, own).values())))


VARIED = {
    "forecasting": replace(AS_SHIPPED, floor=0.0, is_scaled=False),
    "singles": dict.fromkeys(CALIBRATED.singles, ()),
    "joined": lambda surprises: np.asarray(surprises.max(axis=-1, initial=0.0)),
    "safety": 0.1,
    "rows_share": 0.01,
    "prices": replace(shipped(), name="own", limits={}),
    "own_curve_from": 10**9,
}
FITTED_ONLY = {"own_curve_from"}
"""Ingredients of the prices alone: they show where prices are fitted."""


def test_every_ingredient_of_calibrated_is_varied_here():
    named = {f.name for f in fields(CALIBRATED)} - {"name", "clause_names", "entries", "spoils_last_run"}
    assert named == set(VARIED)


@pytest.mark.parametrize("ingredient", sorted(set(VARIED) - FITTED_ONLY - {"prices"}))
def test_a_changed_ingredient_changes_what_is_learned_or_judged(ingredient):
    varied = replace(CALIBRATED, **{ingredient: VARIED[ingredient]})
    assert not varied.is_shipped
    before, after = (_said(learner) for learner in (CALIBRATED, varied))
    assert before != after


def _said(learner):
    programs = learn(RUNS, 0.01, learner).values()
    clauses = [(c.metric, c.low, c.high) for p in programs for c in p.clauses]
    return clauses, [float(learner.total(p, np.full((1, len(learner.wants(p))), 400.0))[0]) for p in programs]


def test_own_curves_are_kept_from_so_many_cases_on():
    random = np.random.default_rng(3)  # noqa: TID251 - a seed
    distances = random.standard_normal((400, 2))
    never = np.zeros(distances.shape, bool)
    replayed = Replay("numeric", 30, ("mean", "std"), distances, never, np.arange(400) % 20, never)
    own = {key[1] for key in fit(CALIBRATED, [replayed], {}).curves}
    pooled = {key[1] for key in fit(replace(CALIBRATED, own_curve_from=500), [replayed], {}).curves}
    assert own == {"mean", "std", "*"}
    assert pooled == {"*"}


@each_learner
def test_what_faults_do_can_be_asked_of_any_metrics_or_of_none(learner):
    for program in learn(RUNS, 0.01, learner).values():
        for names in ((), ("no such metric",), ("row_count", "no such metric")):
            after = learner.after_faults(program, program.responses, names)
            assert after.shape == (len(program.responses.faults), len(names))
            assert np.isnan(after[:, [n == "no such metric" for n in names]]).all()
