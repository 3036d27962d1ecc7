"""What a learner promises whose prices can be measured on the user's own past runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from byhistory.learners.rate import Rate
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


@dataclass(frozen=True, slots=True)
class PastColumn:
    """One column over the good runs of its table.

    `read` gives what metrics read in those runs: one row per metric and one column per place of the calendar,
    oldest first.
    """

    table: str
    name: str
    kind: Kind
    is_discrete: bool
    """Whether its numbers take few values, as codes and grades do."""
    seasons: tuple[int, ...]
    """The periods of the calendar, in runs."""
    read: Callable[[Sequence[Metric]], Floats]


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of column at one length of history: what the shipped prices did on it, and what its own would do.

    `own` is measured on tables that those prices had no part in; None where there is not enough to go by.
    """

    kind: str
    history: int
    tables: int
    shipped: Rate
    own: Rate | None


@dataclass(frozen=True, slots=True)
class MeasuredPrices:
    """What was measured, one entry per family, and the prices as the text of a file that `Learner.priced_by` reads.

    `prices` is None if no family has the `needed` runs of the `needed_tables`.
    """

    families: tuple[Family, ...]
    prices: str | None
    needed: int
    """Good column-runs (one column in one run) from which on a family gets prices of its own."""
    needed_tables: int


@runtime_checkable
class MeasuresPrices(Protocol):
    """A learner whose prices are measured, and can be measured anew: what `byhistory calibrate` asks for."""

    def measure_prices(
        self,
        columns: Iterable[PastColumn],
        sizes: Sequence[Sequence[int]],
        offered: Sequence[Metric],
        budget: float,
    ) -> MeasuredPrices:
        """Look back over the good runs of some tables, and fit prices where there are enough of them.

        `sizes` says for each table how many columns each of its good runs had, oldest first, so that of very many runs
        some can be chosen before any is read. `offered` are the metrics to choose from, and `budget` is how often a
        good run may be stopped.
        """
