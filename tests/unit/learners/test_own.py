"""A learner that nobody here knows is shown, previewed, exported and calibrated like ours: by the contract alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.histories import demo, demo_run

from byhistory.config import Config, TableConfig
from byhistory.constraints import Constraint
from byhistory.constraints.constraint import JOINT, MEASURED
from byhistory.errors import ByHistoryError
from byhistory.export.limits import limits_of
from byhistory.learners import Expected, Program
from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.measuring import MeasuredPrices
from byhistory.learners.paper import PAPER
from byhistory.report import to_html
from byhistory.report.bands import with_bands
from byhistory.validator import Validator
from byhistory.validator.learned import learned_of
from byhistory.validator.preview import preview_mute


@dataclass(frozen=True, slots=True)
class Ends:
    """The smallest and the largest value of each metric so far."""

    by_metric: Mapping[str, tuple[float, float]]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self.by_metric)

    def expected(self, metric: str, surprise: float = 2.0) -> Expected | None:
        if metric not in self.by_metric:
            return None
        low, high = self.by_metric[metric]
        middle, half = (low + high) / 2, (high - low) / 2
        return Expected(middle, middle - half * surprise, middle + half * surprise, low == high)

    def without(self, metric: str) -> Ends:
        return Ends({name: ends for name, ends in self.by_metric.items() if name != metric})


class Extremes:
    """All metrics together: how many of them are beyond anything seen. What it does not say itself, `paper` says."""

    name, entries, clause_names = "extremes", ("ends",), (JOINT,)

    def __getattr__(self, name: str) -> Any:
        return getattr(PAPER, name)

    @property
    def is_shipped(self) -> bool:
        return False

    def priced_by(self, path: str) -> Extremes:  # noqa: ARG002 - a test's
        return self

    def made(self, program: Program) -> bool:
        return program.learner == self.name

    def learn(self, head: Program, metrics: Sequence[Any], series: Any, **_: Any) -> Program:
        known = {m.name: row[np.isfinite(row)] for m, row in zip(metrics, series, strict=True)}
        model = Ends({name: (float(row.min()), float(row.max())) for name, row in known.items() if len(row)})
        clause = Constraint(JOINT, -math.inf, 5.0, bound=MEASURED, price=head.budget)
        return replace(head, clauses=(clause,), model=model)

    def wants(self, program: Program) -> tuple[str, ...]:
        return program.model.metrics if program.model is not None else ()

    def total(self, program: Program, reads: Any) -> Any:
        ends = np.array([program.model.by_metric[name] for name in self.wants(program)])
        return ((reads < ends[:, 0]) | (reads > ends[:, 1])).sum(axis=-1).astype(float)

    def explain(self, program: Program, reads: Any, outcomes: Any, titles: Any) -> list[Any]:  # noqa: ARG002
        return [self._told(program.model, reads, o) if o.status == "broken" else o for o in outcomes]

    def _told(self, model: Ends, reads: Any, outcome: Any) -> Any:
        (name, (low, high)), *_ = ((m, e) for m, e in model.by_metric.items() if not e[0] <= reads[m] <= e[1])
        clause = replace(outcome.constraint, metric=name, low=low, high=high, bound=JOINT)
        return replace(outcome, constraint=clause, value=reads[name], low=low, high=high)

    def encode(self, model: Ends) -> dict[str, Any]:
        return {"ends": {name: list(ends) for name, ends in model.by_metric.items()}}

    def decode(self, entries: Mapping[str, Any]) -> Ends:
        return Ends({name: tuple(ends) for name, ends in entries["ends"].items()})

    def past_limits(self, metrics: Any, laid: Any, limits: Any, ends: Any, **_: Any) -> Any:  # noqa: ARG002
        return tuple(np.tile(side[:, None], len(ends)) - 1.0 for side in limits.T)


def all_learners(own: Any) -> list[Any]:
    return [own, CALIBRATED, PAPER]


@pytest.fixture(scope="module")
def guard():
    config = Config(defaults=TableConfig(learner="extremes", warn_budget=0.05))
    with Validator("memory:", config=config, learners=all_learners(Extremes())) as guard:
        guard.remember(demo(20), "orders")
        yield guard


def test_a_report_shows_what_it_expects_of_the_metric_that_a_person_looks_at_first(guard):
    story = guard.judge(demo_run(20), "orders").story()
    amount = next(c for c in story.columns if c.name == "amount")
    ends = guard.learning.programs("orders")["amount"].model.expected("mean")
    assert amount.overview.name == "mean"
    assert (amount.overview.outcome.low, amount.overview.outcome.high) == (ends.low, ends.high)
    assert "usual" in to_html(story)


def test_a_broken_clause_that_it_does_not_explain_is_an_error_that_says_what_to_do():
    class Silent(Extremes):
        def explain(self, program: Program, reads: Any, outcomes: Any, titles: Any) -> list[Any]:  # noqa: ARG002
            return list(outcomes)

    config = Config(defaults=TableConfig(learner="extremes"))
    with Validator("memory:", config=config, learners=all_learners(Silent())) as guard:
        guard.remember(demo(8), "orders")
        with pytest.raises(ByHistoryError, match="have its `explain` tell a broken clause by one of its metrics"):
            guard.judge(demo_run(20), "orders")


def test_bands_are_drawn_as_it_says_they_were(guard):
    story = guard.records.story("orders")
    column = next(c for c in with_bands(story, ["amount"]).columns if c.name == "amount")
    line, outcome = column.overview.line, column.overview.outcome
    assert set(line.lows[:-1]) == {outcome.low - 1.0}
    assert line.lows[-1] == outcome.low


def test_the_picture_of_a_column_shows_what_is_usual(guard):
    shown = guard.records.column("orders", "amount", "median").clause.outcome
    expected = guard.learning.programs("orders")["amount"].model.expected("median")
    assert (shown.low, shown.high) == (expected.low, expected.high)


def test_a_preview_says_how_its_limits_would_move(guard):
    moved = {one.what: one for one in preview_mute(guard.guarded("orders"), "amount", "mean").moved}
    assert moved["average"].before
    assert not moved["average"].after


def test_limits_for_other_tools_come_from_what_it_expects(guard):
    limits, _ = limits_of(learned_of(guard.guarded("orders")), lambda metric, *_: metric == "mean")
    (limit,) = (one for one in limits if one.column == "amount")
    expected = guard.learning.programs("orders")["amount"].model.expected("mean")
    assert limit.low < expected.low < expected.high < limit.high, "of one metric alone, for the whole price"


def test_the_first_learner_that_measures_prices_is_asked_for_them(guard):
    asked = []

    class Measuring(Extremes):
        name = "measuring"

        def measure_prices(self, columns: Any, sizes: Any, offered: Any, budget: float) -> MeasuredPrices:  # noqa: ARG002
            asked.extend(column.name for column in columns)
            return MeasuredPrices((), "prices of its own", 7, 1)

    learners = all_learners(Measuring())[::-1]
    config = Config(defaults=TableConfig(learner="measuring"))
    found = Validator(guard.store, config=config, learners=learners).learning.calibrate(budget=0.1)
    assert (found.prices, found.needed, found.needed_tables) == ("prices of its own", 7, 1)
    assert "amount" in asked
    with pytest.raises(ByHistoryError, match="no learner that measures its prices"):
        Validator(guard.store, config=Config(), learners=[PAPER]).learning.calibrate()
