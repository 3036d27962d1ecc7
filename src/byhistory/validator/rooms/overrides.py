"""The room of overrides: what the user decides about programs, whatever is learned."""

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
    """What a table is judged by because somebody said so: `guard.overrides`. One override per metric of a column.

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
        """What holds for a table: what the configuration says first, then what was said by command, which wins."""
        return decided.overrides(self.guarded(table))

    def mute(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Judge a column without a metric from now on; `column="*"` for all."""
        decided.override(self.guarded(table), Override(column, metric, mute=True), who)

    def set_threshold(
        self, table: str, column: str, metric: str, low: float = -math.inf, high: float = math.inf, *, who: str = ""
    ) -> None:
        """Hold a metric within ends of the user's own, whatever is learned."""
        decided.override(self.guarded(table), Override(column, metric, low=low, high=high), who)

    def pin(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Keep the clause on a metric as it is today, whatever is learned later."""
        of = self.guarded(table)
        decided.override(of, decided.clause_to_pin(programs(of).get(column), column, metric), who)

    def set_budget(
        self, table: str, budget: float | None = None, warn_budget: float | None = None, *, who: str = ""
    ) -> None:
        """How often a good run of a table may be stopped, and stopped or warned about; wins over the configuration."""
        budgets.set_budget(self.guarded(table), budget, warn_budget, who)

    def clear_budget(self, table: str, *, who: str = "") -> None:
        """Let the configuration say it again."""
        budgets.clear_budget(self.guarded(table), who)

    def has_budget(self, table: str) -> bool:
        """Whether somebody gave the table a budget by command."""
        return bool(budgets.kept_budget(self.guarded(table).store, table))

    def clear(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Undo mute, pin and threshold for a metric of a column."""
        decided.clear(self.guarded(table), column, metric, who)
