"""A basket of constraints within a budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from byhistory.config import BUDGET
from byhistory.constraints import Constraint
from byhistory.inject import Responses
from byhistory.profile import Kind

NEEDED_RUNS = 7
"""Past runs that a column needs to be judged, by choice: a week of days. The shortest history with measured prices."""


USUAL = 2.0
"""The surprise up to which a value is shown as usual, by choice: once in a hundred good runs, like the usual budget."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a learner expects of one metric in the next run: its `value`, and the interval in which it is as usual.

    All are in units of the metric. An end of the interval is infinite where nothing on that side would be surprising.
    """

    value: float
    low: float
    high: float
    is_constant: bool = False
    """Whether the metric had the same value in every run; `low` and `high` then say how far it may move at once."""


class Model(Protocol):
    """What a learner itself expects of the next run. How it is made and stored is that learner's own affair."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are judged together."""

    def expected(self, metric: str, surprise: float = USUAL) -> Expected | None:
        """What it expects of one metric, with the interval whose ends have this `surprise`.

        A surprise is minus the decimal logarithm of how often a good run is so far off. None for a metric that is not
        judged, or about which the past tells too little.
        """

    def without(self, metric: str) -> Model:
        """The same without one metric, because the user decided about it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The share of good runs that were stopped where prices were measured, and its 95 % interval."""

    share: float
    low: float
    high: float
    cases: int
    """Good runs that it was measured on."""


@dataclass(frozen=True, slots=True)
class Program:
    """What must hold for the next run of one column: all of its clauses.

    With fewer than `needed` past `runs` it has no clauses, and `is_ready` is False. `notes` say which metrics were left
    out, and why. `responses` is what every metric would read after every injected fault: numbers only, no values of
    the data. `model` is what the learner itself expects of the next run.

    Paper: Definition 3.
    """

    column: str
    kind: Kind
    clauses: tuple[Constraint, ...] = ()
    learner: str = "paper"
    budget: float = BUDGET
    runs: int = 0
    needed: int = NEEDED_RUNS
    notes: tuple[str, ...] = ()
    warn_budget: float = 0.0
    """How often a good run of the column may be warned about or stopped; no more than `budget` means never warned."""
    rows_budget: float = 0.0
    """The part of `budget` for the table's number of rows, if this column carries it; 0 means the learner's default."""
    table_budget: float = 0.0
    """How often a good run of the table may be stopped, if its columns are judged jointly; 0 if each is judged
    alone."""
    table_warn_budget: float = 0.0
    """The same for being stopped or warned about."""
    carries_rows: bool = False
    """Whether the table's number of rows is judged with this column: once, and not once per column."""
    responses: Responses | None = field(default=None, compare=False, repr=False)
    model: Model | None = field(default=None, compare=False, repr=False)
    """What the learner expects of the next run, if it judges by more than intervals."""

    @property
    def is_ready(self) -> bool:
        """Whether there were enough runs to judge the next one."""
        return self.runs >= self.needed

    @property
    def price(self) -> float:
        """How often a good run breaks at least one clause, at most: the sum of their prices."""
        return sum(clause.price for clause in self.clauses)

    @property
    def state(self) -> str:
        """How far it is from being ready, in words.

        >>> Program("price", Kind.NUMERIC, runs=2).state
        'not enough history yet: have 2, need 7'
        """
        if not self.is_ready:
            return f"not enough history yet: have {self.runs}, need {self.needed}"
        return (
            f"learned from {self.runs} runs" if self.clauses else "nothing about this column is steady enough to check"
        )
