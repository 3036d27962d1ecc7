"""The room of overrides: what the user decides about programs, whatever was learned."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from byhistory.learners import Override
from byhistory.validator import budgets, decided
from byhistory.validator.guarded import Guarded
from byhistory.validator.programs import programs


@dataclass(frozen=True, slots=True)
class Overrides:
    """What people have changed about the programs of a table: `guard.overrides`. One override per metric of a column.

    `who` is kept with every change.

    >>> from byhistory import Config, Validator, profile_table
    >>> guard = Validator("memory:", config=Config())
    >>> _ = guard.remember([profile_table({"n": [1, 2, 3]}, run="2026-11-15")], "orders")
    >>> guard.overrides.mute("orders", "n", "mean")
    >>> guard.overrides.set_threshold("orders", "n", "max", high=10)
    >>> [(o.metric, o.mute, o.high) for o in guard.overrides.of("orders")]
    [('mean', True, inf), ('max', False, 10.0)]
    >>> guard.overrides.clear("orders", "n", "mean")
    >>> [o.metric for o in guard.overrides.of("orders")]
    ['max']
    """

    guarded: Callable[[str], Guarded]

    def of(self, table: str) -> list[Override]:
        """All overrides of a table: first those in the configuration, then those made by command, which win."""
        return decided.overrides(self.guarded(table))

    def mute(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Judge a column without this metric from now on; `column="*"` means all columns."""
        decided.override(self.guarded(table), Override(column, metric, mute=True), who)

    def set_threshold(
        self, table: str, column: str, metric: str, low: float = -math.inf, high: float = math.inf, *, who: str = ""
    ) -> None:
        """Require a metric to stay between `low` and `high` (in units of the metric), whatever is learned."""
        decided.override(self.guarded(table), Override(column, metric, low=low, high=high), who)

    def pin(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Keep the clause on a metric as it is today, whatever is learned later."""
        of = self.guarded(table)
        decided.override(of, decided.clause_to_pin(programs(of).get(column), column, metric), who)

    def set_budget(
        self, table: str, budget: float | None = None, warn_budget: float | None = None, *, who: str = ""
    ) -> None:
        """Set how often a good run of a table may be stopped (`budget`), and stopped or warned about (`warn_budget`).

        Both are shares of runs, and win over the configuration.
        """
        budgets.set_budget(self.guarded(table), budget, warn_budget, who)

    def clear_budget(self, table: str, *, who: str = "") -> None:
        """Drop the budgets that were set by command, so that those of the configuration hold again."""
        budgets.clear_budget(self.guarded(table), who)

    def has_budget(self, table: str) -> bool:
        """Whether a budget was set for the table by command."""
        return bool(budgets.kept_budget(self.guarded(table).store, table))

    def clear(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Undo mute, pin and threshold for a metric of a column."""
        decided.clear(self.guarded(table), column, metric, who)
