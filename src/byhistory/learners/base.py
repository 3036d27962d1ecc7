"""What every learner promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from byhistory.constraints import Outcome
from byhistory.inject import Responses
from byhistory.learners.program import Measured, Model, Program
from byhistory.metrics import Metric
from byhistory.profile import NUMBER_LIKE, Kind
from byhistory.profile.arrays import Floats
from byhistory.series.cadence import UNKNOWN

Reads = Mapping[str, float]
"""What metrics read in one run; a metric that was not measured is not in it."""

ReadColumn = Callable[[str, Sequence[str]], Floats]
"""A column and names of metrics to what they read in one run; nan for one that was not measured."""


class Learner(Protocol):
    """A way to get from the past runs of a column to a program: a frozen value whose fields are its ingredients.

    Everything that differs between learners is asked here, so that nobody needs to ask which learner it is.
    """

    @property
    def name(self) -> str:
        """As the configuration and the programs name it."""

    @property
    def clause_names(self) -> tuple[str, ...]:
        """Names of clauses on something else than one metric, which a user may mute like a metric."""

    @property
    def is_shipped(self) -> bool:
        """Whether this is the learner just as it comes with the package: a Spark worker knows that one by its name."""

    def priced_by(self, path: str) -> Learner:
        """The same learner with prices from a file; itself for an empty path, or if it has no prices of that kind."""

    def metrics(self, kind: Kind, discrete: bool, offered: Sequence[Metric]) -> tuple[Metric, ...]:
        """Which of the metrics on offer it wants for a column; `discrete` numbers take few values, like codes."""

    def window(self, asked: int, labels: Sequence[str], columns: int) -> int:
        """How many past runs it learns from: as many as `asked`, or what the calendar of their labels wants.

        `columns` is how wide the table is, as very wide tables have to look less far back.
        """

    @property
    def table_rows_share(self) -> float:
        """The part of the budget of a table that goes to its number of rows, which is judged once for all columns."""

    def column_budget(self, budget: float, columns: int) -> float:
        """What each of so many columns gets of the budget of a table."""

    def table_price(self, prices: Sequence[float]) -> float:
        """How often the programs of a table with these prices stop a good run together, at most."""

    @property
    def judges_tables(self) -> bool:
        """Whether a run of a table is judged as one, within the budget of the table."""

    def as_table(self, programs: Mapping[str, Program], read: ReadColumn) -> Mapping[str, Program]:
        """The programs of a table as they hold for one run: what a column does is judged by what the others do."""

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
        """`head` with clauses, from its metrics (rows) over the past runs (columns), oldest first.

        `responses` says what the metrics would read after each fault; `seasons` are the numbers of runs after which
        the calendar comes round.
        """

    def made(self, program: Program) -> bool:
        """Whether a program was learned with these ingredients, so that it need not be learned again."""

    def wants(self, program: Program) -> tuple[str, ...]:
        """The metrics that have to be measured to judge a program, beside those of its clauses."""

    def total(self, program: Program, reads: Floats) -> Floats | None:
        """What a clause on all metrics judges, of many runs at once (rows, of the metrics that it `wants`).

        None if the program has no such clause; nan for a run that does not say enough to hold.
        """

    def explain(
        self, program: Program, reads: Reads, outcomes: Sequence[Outcome], titles: Mapping[str, str]
    ) -> list[Outcome]:
        """The outcomes of all clauses as people should read them: how rare, and what is behind a clause on all metrics.

        `titles` name metrics for people. What holds and what is broken stays so.
        """

    @property
    def spoils_last_run(self) -> bool:
        """Whether `after_faults` is about the last run with a fault in it, or about the next."""

    def after_faults(self, program: Program, responses: Responses, metrics: Sequence[str]) -> Floats:
        """What metrics (columns) would read in the run that faults are put into, after each fault (rows)."""

    def measured(self, program: Program) -> Measured | None:
        """How often good runs broke such a program where its prices come from, if that was measured."""

    @property
    def entries(self) -> tuple[str, ...]:
        """The JSON entries of a program that are the learner's own."""

    def encode(self, model: Model) -> dict[str, Any]:
        """What it expects of the next run as those entries."""

    def decode(self, entries: Mapping[str, Any]) -> Model | None:
        """The same back; any of Python's errors for what cannot be understood."""


@runtime_checkable
class LearnsColumns(Protocol):
    """A learner that can learn many columns at once, which is a great deal faster."""

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
        """What `learn` gives for each of the heads; `series` is column × metric × run.

        All columns have the same metrics, and values in the same runs.
        """


def suited_metrics(kind: Kind, discrete: bool, offered: Sequence[Metric]) -> tuple[Metric, ...]:
    """The metrics for a kind of column; numbers that are `discrete` are measured value by value, too."""
    return tuple(m for m in offered if kind in m.kinds and (discrete or not m.discrete_only or kind not in NUMBER_LIKE))
