"""The learner whose prices are measured, as a value: what each part of it is, and how they come together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from byhistory.constraints import Outcome
from byhistory.constraints.constraint import JOINT
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
"""The metrics with a clause of their own: what catches most of what all together do not, on sources held out."""
COUNTS = 0.7
"""A table of n columns is stopped as often as n to this power independent ones, at measured prices.

Columns of one table move together. Measured on 1,847 good runs of tables with 4 to 60 columns (ADR 0008).
"""
TABLE_ROWS = 0.1
"""What the number of rows gets of the budget of a table; a quarter costs three to seven points of recall (ADR 0009)."""
_LABELS = (RECENT, 4 * RECENT, 35 * RECENT)
"""How many labels are looked at to find seasons: the labels of some days or weeks tell the seasons of hours."""
_CELLS = 250_000
"""Runs times columns that are remembered at once, half a kilobyte each, where a season wants more than sixty runs."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Forecasts on an even scale, pooled prices, and all metrics judged together. Its fields are its ingredients.

    It departs from the paper where the paper's prices do not hold: ADR 0007. Prices belong to the other ingredients:
    those that are shipped were measured with all of them as they are here.

    >>> cautious = replace(CALIBRATED, safety=0.5)
    >>> cautious.is_shipped, cautious.name
    (False, 'calibrated')
    """

    prices: Prices | None = None
    """What being off costs; None: as shipped."""
    forecasting: Forecasting = AS_SHIPPED
    """How the next run is forecast."""
    singles: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: SINGLES)
    """By kind of column, the metrics that have a clause of their own."""
    joined: Join = total_surprise
    """From what all metrics contribute to the total of the run."""
    safety: float = 0.7
    """The part of the budget that is spent where prices are measured, so that it is kept where they were not.

    Limits are measured for it: another one takes effect with prices that are measured anew (and, in the clause on the
    rows of a table, at once).
    """
    rows_share: float = 0.25
    """The part of the budget of the column that carries the number of rows of the table."""
    own_curve_from: int = 100
    """Cases from which on a metric has a price curve of its own."""
    name: str = "calibrated"
    clause_names: tuple[str, ...] = (JOINT,)
    entries: tuple[str, ...] = ("joint",)
    spoils_last_run: bool = False

    @property
    def is_shipped(self) -> bool:
        """With every ingredient as it is."""
        return self == CALIBRATED

    @property
    def price_list(self) -> Prices:
        """The prices that it was given, or those that come with the package."""
        return self.prices or shipped()

    def priced_by(self, path: str) -> Calibrated:
        """With the prices that `byhistory calibrate` wrote to a file."""
        return replace(self, prices=prices_at(path)) if path else self

    def metrics(self, kind: Kind, discrete: bool, offered: Sequence[Metric]) -> tuple[Metric, ...]:
        """All that suit the column."""
        return suited_metrics(kind, discrete, offered)

    def window(self, asked: int, labels: Sequence[str], columns: int) -> int:
        """The user's window, or more where a season is longer than the usual one; wide tables look less far back."""
        if asked != RECENT:
            return asked
        far = max(reach(cadence(labels[-n:]).seasons) for n in _LABELS)
        return max(RECENT, min(far, _CELLS // max(1, columns)))

    def column_budget(self, budget: float, columns: int) -> float:
        """More than an equal part, as columns of one table move together: what a column may do if no other moves."""
        tables = self.price_list.tables
        return budget / _independent(columns) if tables is None else tables.column_budget(budget, columns)

    def table_price(self, prices: Sequence[float]) -> float:
        """Less than the sum, for the same reason.

        >>> round(CALIBRATED.table_price([CALIBRATED.column_budget(0.02, 9)] * 9), 4)
        0.02
        """
        each, tables = sum(prices) / max(1, len(prices)), self.price_list.tables
        return each * _independent(len(prices)) if tables is None else tables.table_price(each, len(prices))

    @property
    def table_rows_share(self) -> float:
        """A tenth; prices of tables were measured with it."""
        return TABLE_ROWS

    @property
    def judges_tables(self) -> bool:
        """Where its prices know what tables do; those of the first format do not."""
        return self.price_list.tables is not None

    def as_table(self, programs: Mapping[str, Program], read: ReadColumn) -> Mapping[str, Program]:
        """With the limits that hold for this run, within the budget of the table."""
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
        """Clauses on a few metrics, and one on all together, that a good run breaks as often as the budget says."""
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
        """The same for many columns at once."""
        return learned_columns(
            self, heads, metrics, series, responses=responses, max_clauses=max_clauses, seasons=seasons
        )

    def made(self, program: Program) -> bool:
        """Whether it was learned at these prices; one without forecasts was learned at none."""
        return program.learner == self.name and (
            program.model is None or joint_of(program).prices == self.price_list.name
        )

    def wants(self, program: Program) -> tuple[str, ...]:
        """All metrics that are judged together."""
        return joint_of(program).metrics if joint_clause(program) is not None else ()

    def total(self, program: Program, reads: Floats) -> Floats | None:
        """The surprise of all metrics together; nan where it is within its limit and a metric has become undefined."""
        clause = joint_clause(program)
        if clause is None:
            return None
        joint = joint_of(program)
        total = self.joined(joint.contributions(reads))
        is_gone = (joint.known & np.isnan(reads)).any(axis=-1)
        return np.where(is_gone & ~(total > clause.high), np.nan, total)

    def surprise(self, program: Program, reads: Floats) -> Floats:
        """How surprising runs (rows, of the metrics it `wants`) are: minus the logarithm of how often good ones are so.

        nan for a program that does not judge its metrics together.
        """
        if joint_clause(program) is None:
            return np.full(len(reads), np.nan)
        joint = joint_of(program)
        return np.asarray(-np.log10(joint.rarity(self.joined(joint.contributions(reads)))))

    def explain(
        self, program: Program, reads: Reads, outcomes: Sequence[Outcome], titles: Mapping[str, str]
    ) -> list[Outcome]:
        """With how rare each is, and the clause on all metrics told by its largest surprise if it is broken."""
        if joint_clause(program) is None:
            return [o for o in outcomes if o.constraint.metric != JOINT]
        return explain_outcomes(joint_of(program), reads, outcomes, titles, join=self.joined)

    def after_faults(self, program: Program, responses: Responses, metrics: Sequence[str]) -> Floats:
        """As if the faults were put into the run that is forecast."""
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
        """With these ingredients, beside what the shipped prices do with them."""
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
        """As many spreads around the forecast of each day as today's limits are around today's."""
        return past_limits(metrics, laid, limits, ends, rows=rows, seasons=seasons, by=self.forecasting)

    def measured(self, program: Program) -> Measured | None:
        """On the good runs that the prices are from, by source."""
        limits = joint_of(program).limits if program.model is not None else None
        rate = limits.rate(program.budget) if limits is not None else None
        if rate is None or limits is None:
            return None
        low, middle, high = rate
        return Measured(middle, low, high, limits.cases)

    def encode(self, model: Model) -> dict[str, Any]:
        """One entry, of names and packed numbers."""
        assert isinstance(model, Joint)  # noqa: S101 - for the type checker: it is this learner's
        return {"joint": joint_to_json(model)}

    def decode(self, entries: Mapping[str, Any]) -> Joint | None:
        """The same back."""
        return None if entries["joint"] is None else joint_from_json(entries["joint"])


def _independent(columns: int) -> float:
    """So many columns of one table are stopped as often as how many independent ones."""
    return math.pow(max(1, columns), COUNTS)


CALIBRATED = Calibrated()
