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

    Everything in which learners differ is a method here, so that no other code needs to know which learner it has.
    """

    @property
    def name(self) -> str:
        """The name by which the configuration and stored programs refer to it."""

    @property
    def clause_names(self) -> tuple[str, ...]:
        """Names of its clauses that are about more than one metric; a user may mute them like a metric."""

    @property
    def is_shipped(self) -> bool:
        """Whether this is the learner exactly as the package ships it, so that a Spark worker can find it by name."""

    def priced_by(self, path: str) -> Learner:
        """The same learner with prices from a file; itself if the path is empty, an error if it takes none."""

    def metrics(self, kind: Kind, discrete: bool, offered: Sequence[Metric]) -> tuple[Metric, ...]:
        """Which of the `offered` metrics it wants for a column; `discrete` means that the numbers take few values."""

    def window(self, asked: int, labels: Sequence[str], columns: int) -> int:
        """How many past runs it learns from: `asked`, or more or fewer if the calendar in their `labels` calls for it.

        `columns` is the number of columns of the table: very wide tables look back less far.
        """

    @property
    def table_rows_share(self) -> float:
        """The share of a table's budget that is spent on its number of rows, which is judged once for all columns."""

    def column_budget(self, budget: float, columns: int) -> float:
        """The part of a table's `budget` that each of its `columns` gets."""

    def table_price(self, prices: Sequence[float]) -> float:
        """How often at least one program of a table stops a good run, at most, given the price of each program."""

    @property
    def judges_tables(self) -> bool:
        """Whether the columns of a run are judged jointly, within the budget of the table."""

    def as_table(self, programs: Mapping[str, Program], read: ReadColumn) -> Mapping[str, Program]:
        """The programs of a table as they hold for one run, where a column's limits depend on the other columns."""

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
        """The program `head` with clauses, learned from `series`: one row per metric, one column per run, oldest first.

        `responses` says what the metrics would read after each fault. `max_clauses` limits how many clauses there may
        be. `seasons` are the periods of the calendar, in runs: 7 for daily runs with weekends.
        """

    def made(self, program: Program) -> bool:
        """Whether a program was learned by this learner with the same ingredients; if not, it is learned again."""

    def wants(self, program: Program) -> tuple[str, ...]:
        """The metrics needed to judge a program, in addition to those that its clauses name."""

    def total(self, program: Program, reads: Floats) -> Floats | None:
        """The value that the joint clause judges, for each run in `reads`: one row per run, one column per metric
        wanted.

        None if the program has no such clause; nan for a run in which too few metrics are defined.
        """

    def explain(
        self, program: Program, reads: Reads, outcomes: Sequence[Outcome], titles: Mapping[str, str]
    ) -> list[Outcome]:
        """The outcomes of all clauses as people should read them: how rare each is, and what is behind a joint clause.

        `titles` gives each metric's name for people. Whether a clause holds or is broken does not change, but a broken
        joint clause is reported as the metric that says most: as an outcome on that metric, with limits of it.
        """

    @property
    def spoils_last_run(self) -> bool:
        """Whether `after_faults` puts the faults into the last run; if not, into the next one as it is expected."""

    def after_faults(self, program: Program, responses: Responses, metrics: Sequence[str]) -> Floats:
        """What the metrics would read after each fault: one row per fault, one column per metric."""

    def measured(self, program: Program) -> Measured | None:
        """How often good runs of other tables broke a program like this one; None if that was not measured."""

    @property
    def entries(self) -> tuple[str, ...]:
        """The keys in a stored program (JSON) that belong to this learner."""

    def encode(self, model: Model) -> dict[str, Any]:
        """What it expects of the next run, as the values of those keys."""

    def decode(self, entries: Mapping[str, Any]) -> Model | None:
        """The reverse of `encode`; raises any of Python's own errors for entries that it cannot understand."""


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


@runtime_checkable
class DrawsBands(Protocol):
    """A learner that can tell what its limits would have been for earlier runs, for pictures of a metric over time."""

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
        """The lower and the upper limit of each metric (one row each) for each past run (one column each).

        `laid` has one row per metric and one column per place of the calendar, nan where there was no run or it was not
        learned from, and `ends` says before which of these columns each past run was. `limits` are those of today, one
        row of two per metric. `rows` is how many rows a run usually has, and `seasons` are the periods of the calendar,
        in runs. The answer is nan where too little was known at the time.
        """


def suited_metrics(kind: Kind, discrete: bool, offered: Sequence[Metric]) -> tuple[Metric, ...]:
    """The metrics for a kind of column; numbers that are `discrete` are measured value by value, too."""
    return tuple(m for m in offered if kind in m.kinds and (discrete or not m.discrete_only or kind not in NUMBER_LIKE))
