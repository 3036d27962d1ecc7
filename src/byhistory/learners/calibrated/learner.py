"""The learner with measured prices, as a value whose fields are its ingredients."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from byhistory.constraints import Outcome
from byhistory.constraints.constraint import JOINT
from byhistory.constraints.judge import BROKEN, decide
from byhistory.inject import Responses
from byhistory.learners.base import ReadColumn, Reads, suited_metrics
from byhistory.learners.calibrated.as_table import joint_clause, joint_of, limited_as_table
from byhistory.learners.calibrated.bands import past_limits
from byhistory.learners.calibrated.codec import joint_from_json, joint_to_json
from byhistory.learners.calibrated.explain import explain_outcomes
from byhistory.learners.calibrated.forecast import AS_SHIPPED, RECENT, Forecasting, reach
from byhistory.learners.calibrated.joint import Joint
from byhistory.learners.calibrated.learn import learned, learned_columns
from byhistory.learners.calibrated.measure import measured_prices
from byhistory.learners.calibrated.prices import Join, Prices, prices_at, shipped, total_surprise
from byhistory.learners.measuring import MeasuredPrices, PastColumn
from byhistory.learners.program import Measured, Model, Program
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats
from byhistory.series.cadence import UNKNOWN, cadence

SINGLES: Mapping[str, tuple[str, ...]] = {
    "numeric": ("row_count", "complete_ratio", "unique_ratio"),
    "temporal": ("row_count", "complete_ratio", "unique_ratio"),
    "categorical": ("complete_ratio", "unique_ratio", "upper_ratio"),
    "binary": ("row_count", "complete_ratio", "mean_size"),
    "nested": ("row_count", "complete_ratio", "mean_size"),
}
"""The metrics with a clause of their own: those that catch most of what the joint clause misses, on held-out
sources."""
COUNTS = 0.7
"""A table of n columns is stopped as often as n to this power independent columns, because columns move together.

Measured on 1,847 good runs of tables with 4 to 60 columns (ADR 0008).
"""
TABLE_ROWS = 0.1
"""The part of a table's budget for its number of rows; a quarter costs three to seven points of recall (ADR 0009)."""
_LABELS = (RECENT, 4 * RECENT, 35 * RECENT)
"""How many labels are tried to find seasons (a choice): hourly runs need the labels of some days, or of some weeks."""
_CELLS = 250_000
"""Runs times columns that are kept in memory where a season needs more than sixty runs (a choice: half a KB each)."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Forecasts, measured prices, and a joint clause on all metrics. The fields are its ingredients.

    It departs from the paper where the paper's prices do not hold (ADR 0007). Prices belong to the other ingredients:
    the shipped ones were measured with all of them at their defaults.

    >>> cautious = replace(CALIBRATED, safety=0.5)
    >>> cautious.is_shipped, cautious.name
    (False, 'calibrated')
    """

    prices: Prices | None = None
    """Measured prices; None means those that come with the package."""
    forecasting: Forecasting = AS_SHIPPED
    """How the next run is forecast."""
    singles: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: SINGLES)
    """The metrics that have a clause of their own, by kind of column."""
    joined: Join = total_surprise
    """How the contributions of all metrics become the total of a run."""
    safety: float = 0.7
    """The part of the budget that is spent where prices are measured, so that the budget is kept elsewhere.

    The limits in the prices were measured for it: another value takes effect when prices are measured anew, and at once
    in the clause on the table's number of rows.
    """
    rows_share: float = 0.25
    """The part of the budget of the column that carries the table's number of rows which is for that number."""
    own_curve_from: int = 100
    """Cases that a metric needs for a price curve of its own."""
    name: str = "calibrated"
    clause_names: tuple[str, ...] = (JOINT,)
    entries: tuple[str, ...] = ("joint",)
    spoils_last_run: bool = False

    @property
    def is_shipped(self) -> bool:
        """Whether it is the learner as the package ships it."""
        return self == CALIBRATED

    @property
    def price_list(self) -> Prices:
        """Its own prices, or those that come with the package."""
        return self.prices or shipped()

    def priced_by(self, path: str) -> Calibrated:
        """The same learner with the prices in a file that `byhistory calibrate` wrote."""
        return replace(self, prices=prices_at(path)) if path else self

    def metrics(self, kind: Kind, discrete: bool, offered: Sequence[Metric]) -> tuple[Metric, ...]:
        """All metrics that suit the column."""
        return suited_metrics(kind, discrete, offered)

    def window(self, asked: int, labels: Sequence[str], columns: int) -> int:
        """The user's window. The default one is extended for a long season, within a limit for wide tables."""
        if asked != RECENT:
            return asked
        far = max(reach(cadence(labels[-n:]).seasons) for n in _LABELS)
        return max(RECENT, min(far, _CELLS // max(1, columns)))

    def column_budget(self, budget: float, columns: int) -> float:
        """More than an equal part, because columns of one table move together: the budget if no other column moves."""
        tables = self.price_list.tables
        return budget / _independent(columns) if tables is None else tables.column_budget(budget, columns)

    def table_price(self, prices: Sequence[float]) -> float:
        """Less than the sum of the prices, because columns of one table move together.

        >>> round(CALIBRATED.table_price([CALIBRATED.column_budget(0.02, 9)] * 9), 4)
        0.02
        """
        each, tables = sum(prices) / max(1, len(prices)), self.price_list.tables
        return each * _independent(len(prices)) if tables is None else tables.table_price(each, len(prices))

    @property
    def table_rows_share(self) -> float:
        """A tenth, with which the prices of tables were measured."""
        return TABLE_ROWS

    @property
    def judges_tables(self) -> bool:
        """Whether its prices include those of tables; prices in the first format do not."""
        return self.price_list.tables is not None

    def as_table(self, programs: Mapping[str, Program], read: ReadColumn) -> Mapping[str, Program]:
        """The programs with the limits for this run, within the budget of the table."""
        return limited_as_table(self, programs, read)

    def learn(
        self,
        head: Program,
        metrics: tuple[Metric, ...],
        series: Floats,
        *,
        responses: Responses | None = None,
        max_clauses: int | None = None,
        seasons: Sequence[int] = UNKNOWN,
    ) -> Program:
        """The program with clauses on a few metrics and a joint clause, within the budget of `head`."""
        return learned(self, head, metrics, series, responses=responses, max_clauses=max_clauses, seasons=seasons)

    def learn_columns(
        self,
        heads: Sequence[Program],
        metrics: tuple[Metric, ...],
        series: Floats,
        *,
        responses: Sequence[Responses | None],
        max_clauses: int | None = None,
        seasons: Sequence[int] = UNKNOWN,
    ) -> list[Program]:
        """`learn` for many columns at once."""
        return learned_columns(
            self, heads, metrics, series, responses=responses, max_clauses=max_clauses, seasons=seasons
        )

    def made(self, program: Program) -> bool:
        """Whether it was learned with these prices, or has no forecasts, so that prices do not matter."""
        return program.learner == self.name and (
            program.model is None or joint_of(program).prices == self.price_list.name
        )

    def wants(self, program: Program) -> tuple[str, ...]:
        """The metrics of the joint clause."""
        return joint_of(program).metrics if joint_clause(program) is not None else ()

    def total(self, program: Program, reads: Floats) -> Floats | None:
        """The total surprise of each run; nan if it is within the limit but a metric has become undefined."""
        clause = joint_clause(program)
        if clause is None:
            return None
        joint = joint_of(program)
        total = self.joined(joint.contributions(reads))
        is_gone = (joint.known & np.isnan(reads)).any(axis=-1)
        return np.where(is_gone & (decide(-math.inf, clause.high, total) != BROKEN), np.nan, total)

    def surprise(self, program: Program, reads: Floats) -> Floats:
        """The surprise of each run, given one row of the metrics that it `wants`: minus the decimal logarithm of how
        often good runs have at least this total. nan for a program without a joint clause.
        """
        if joint_clause(program) is None:
            return np.full(len(reads), np.nan)
        joint = joint_of(program)
        return np.asarray(-np.log10(joint.rarity(self.joined(joint.contributions(reads)))))

    def explain(
        self, program: Program, reads: Reads, outcomes: Sequence[Outcome], titles: Mapping[str, str]
    ) -> list[Outcome]:
        """The outcomes with how rare each is; a broken joint clause is reported as the metric that says most."""
        if joint_clause(program) is None:
            return [o for o in outcomes if o.constraint.metric != JOINT]
        return explain_outcomes(joint_of(program), reads, outcomes, titles, join=self.joined)

    def after_faults(self, program: Program, responses: Responses, metrics: Sequence[str]) -> Floats:
        """The values after each fault, as if it were put into the run that is forecast."""
        reads = responses.of(metrics)
        if program.model is None:
            return reads
        joint = joint_of(program)
        known = dict(zip(joint.metrics, joint.forecasts.as_if_next(responses.of(joint.metrics)).T, strict=True))
        for place, name in enumerate(metrics):
            if name in known:
                reads[:, place] = known[name]
        return reads

    def measure_prices(
        self,
        columns: Iterable[PastColumn],
        sizes: Sequence[Sequence[int]],
        offered: Sequence[Metric],
        budget: float,
    ) -> MeasuredPrices:
        """Prices measured with these ingredients, and what the shipped prices do on the same runs."""
        return measured_prices(self, columns, sizes, offered, budget)

    def past_limits(
        self,
        metrics: Sequence[Metric],
        laid: Floats,
        limits: Floats,
        ends: Sequence[int],
        *,
        rows: float,
        seasons: Sequence[int],
    ) -> tuple[Floats, Floats]:
        """Limits that are as many spreads from the forecast of each day as today's limits are from today's."""
        return past_limits(metrics, laid, limits, ends, rows=rows, seasons=seasons, by=self.forecasting)

    def measured(self, program: Program) -> Measured | None:
        """The rate on the good runs that the prices were measured on, with an interval by source."""
        limits = joint_of(program).limits if program.model is not None else None
        rate = limits.rate(program.budget) if limits is not None else None
        if rate is None or limits is None:
            return None
        low, middle, high = rate
        return Measured(middle, low, high, limits.cases)

    def encode(self, model: Model) -> dict[str, Any]:
        """One entry with names and packed numbers."""
        assert isinstance(model, Joint)  # noqa: S101 - for the type checker: it is this learner's
        return {"joint": joint_to_json(model)}

    def decode(self, entries: Mapping[str, Any]) -> Joint | None:
        """The reverse of `encode`."""
        return None if entries["joint"] is None else joint_from_json(entries["joint"])


def _independent(columns: int) -> float:
    """How many independent columns would be stopped as often as this many columns of one table."""
    return math.pow(max(1, columns), COUNTS)


CALIBRATED = Calibrated()
