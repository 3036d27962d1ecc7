"""The method as the paper describes it: stationary forms, bounds from means and variances, greedy choice.

Paper: Algorithms 1 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from byhistory.constraints import Outcome
from byhistory.errors import ByHistoryError
from byhistory.inject import Responses
from byhistory.learners.base import ReadColumn, Reads, suited_metrics
from byhistory.learners.paper.candidates import Candidates, candidates
from byhistory.learners.paper.choice import choose
from byhistory.learners.program import Model, Program
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats
from byhistory.series import LEVEL, Stationary, make_rows_stationary
from byhistory.series.cadence import UNKNOWN

_KINDS = frozenset({Kind.NUMERIC, Kind.CATEGORICAL})
"""The kinds of column for which the paper has metrics; other kinds get ours."""


@dataclass(frozen=True, slots=True)
class Paper:
    """The learner of the paper, kept as a reference for benchmarks.

    Without `is_stationary`, every metric is judged by its level, whether or not that is stationary.
    """

    is_stationary: bool = True
    table_rows_share: float = 0.0
    name: str = "paper"
    clause_names: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    spoils_last_run: bool = True
    judges_tables: bool = False

    @property
    def is_shipped(self) -> bool:
        """Whether it is the learner as the package ships it."""
        return self == PAPER

    def priced_by(self, path: str) -> Paper:
        """Itself; an error if a path is given, because its prices follow from the paper's propositions."""
        if path:
            found = f"the learner {self.name!r}, which prices by the paper's propositions"
            raise ByHistoryError(f"learn at the prices of {path}", found, 'leave the prices out, or name "calibrated"')
        return self

    def metrics(self, kind: Kind, discrete: bool, offered: Sequence[Metric]) -> tuple[Metric, ...]:
        """The paper's metrics that suit the column, and those that the user added."""
        ours = {m.name for m in ALL_METRICS if not m.in_paper} if kind in _KINDS else frozenset()
        return tuple(m for m in suited_metrics(kind, discrete, offered) if m.name not in ours)

    def window(self, asked: int, labels: Sequence[str], columns: int) -> int:  # noqa: ARG002 - it knows no calendar
        """As many runs as asked for."""
        return asked

    def column_budget(self, budget: float, columns: int) -> float:
        """Equal parts: the sum of prices is an upper bound, however columns depend on each other."""
        return budget / max(1, columns)

    def table_price(self, prices: Sequence[float]) -> float:
        """The sum of the prices."""
        return sum(prices)

    def as_table(self, programs: Mapping[str, Program], read: ReadColumn) -> Mapping[str, Program]:  # noqa: ARG002
        """The programs as they are: every column is judged alone."""
        return programs

    def learn(
        self,
        head: Program,
        metrics: tuple[Metric, ...],
        series: Floats,
        *,
        responses: Responses | None = None,
        max_clauses: int | None = None,
        seasons: Sequence[int] = UNKNOWN,  # noqa: ARG002 - differencing by lags takes its place
    ) -> Program:
        """The candidates that catch the most faults within the budget, at the prices of the bounds."""
        return self.choose(
            head, metrics, series, forms=self.forms(series), responses=responses, max_clauses=max_clauses
        )

    def forms(self, series: Floats) -> Sequence[Stationary]:
        """The form in which each metric is stationary; it can be found once for many budgets."""
        return make_rows_stationary(series) if self.is_stationary else [_level(line) for line in series]

    def choose(
        self,
        head: Program,
        metrics: tuple[Metric, ...],
        series: Floats,
        *,
        forms: Sequence[Stationary],
        responses: Responses | None = None,
        max_clauses: int | None = None,
    ) -> Program:
        """The program within the budget of `head`, given the forms of the metrics."""
        offered = candidates(metrics, forms, series, head.budget)
        names, reads = _reads(responses, metrics, series)
        caught = offered.catches(reads)
        choice = choose(offered.price, caught, head.budget, max_clauses)
        clauses, covered = [], np.zeros(len(names), np.bool_)
        for i in _narrowest(offered, choice.indices):
            new = caught[i] & ~covered
            covered |= caught[i]
            clauses.append(offered.constraint(i, tuple(names[f] for f in np.flatnonzero(new))))
        notes = tuple(f"{m.name}: {f.reason}" for m, f in zip(metrics, forms, strict=True) if f.transform is None)
        return replace(head, clauses=tuple(clauses), notes=notes, responses=responses)

    def made(self, program: Program) -> bool:
        """Whether its name is in the program: it has no ingredients that are stored."""
        return program.learner == self.name

    def wants(self, program: Program) -> tuple[str, ...]:  # noqa: ARG002 - clauses are all there is
        """No metrics beside those of the clauses."""
        return ()

    def total(self, program: Program, reads: Floats) -> None:
        """None: it has no clause on all metrics."""

    def explain(
        self,
        program: Program,  # noqa: ARG002
        reads: Reads,  # noqa: ARG002
        outcomes: Sequence[Outcome],
        titles: Mapping[str, str],  # noqa: ARG002 - every clause is on one metric, and speaks for itself
    ) -> list[Outcome]:
        """As they are."""
        return list(outcomes)

    def after_faults(self, program: Program, responses: Responses, metrics: Sequence[str]) -> Floats:  # noqa: ARG002
        """The faults happen to the last run."""
        return responses.of(metrics)

    def measured(self, program: Program) -> None:
        """Its prices are bounds, not measurements."""

    def encode(self, model: Model) -> dict[str, Any]:  # noqa: ARG002 - it has no model
        """No entries."""
        return {}

    def decode(self, entries: Mapping[str, Any]) -> None:
        """No model."""


def _level(line: Floats) -> Stationary:
    """A metric by its level, whether that is stationary or not."""
    known = line[np.isfinite(line)]
    if len(known) < 2:
        return Stationary("too short", None, np.zeros(0), math.nan, math.nan, 0, "too short")
    mean, std = float(known.mean()), float(known.std(ddof=1))
    return Stationary("constant" if std == 0.0 else "stationary", LEVEL, known, mean, std, len(known), "")


def _narrowest(offered: Candidates, chosen: Sequence[int]) -> list[int]:
    """The chosen candidates without those implied by a narrower one: the same program at a lower price."""
    best: dict[int, int] = {}
    for i in chosen:
        m = int(offered.metric[i])
        if m not in best or offered.width[i] < offered.width[best[m]]:
            best[m] = i
    return list(best.values())


def _reads(responses: Responses | None, metrics: tuple[Metric, ...], series: Floats) -> tuple[tuple[str, ...], Floats]:
    """The names of the faults, and the value of every metric after each of them, one row per fault.

    Without responses, there is one imagined fault per metric: a large move of that metric alone.
    """
    if responses is not None:
        return responses.faults, responses.of([m.name for m in metrics])
    now = series[:, -1]
    size = np.where(np.isfinite(series), np.abs(series), 0.0).max(axis=1)
    with np.errstate(over="ignore"):  # infinity is a large move, too
        moved = np.where(np.eye(len(metrics), dtype=bool), now + 2 * size + 1.0, now)
    return tuple(f"{m.name} moved" for m in metrics), moved


PAPER = Paper()
