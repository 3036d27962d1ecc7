"""What does a column get of the budget of its table?"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from byhistory.errors import ByHistoryError
from byhistory.learners.base import Learner
from byhistory.learners.every import ALL, by_name
from byhistory.learners.program import Program


@dataclass(frozen=True, slots=True)
class Split:
    """The budgets of each column of a table, to stop and to warn, and what the number of its rows gets beside them."""

    stop: float
    warn: float
    rows: float = 0.0
    table: float = 0.0
    """What all columns together have, where they are judged as one; 0: each alone."""
    table_warn: float = 0.0

    def given_to(self, head: Program) -> Program:
        """The program with its budgets; the column that carries the rows of the table gets theirs, too."""
        more = 1.0 + self.rows / self.stop if head.carries_rows and self.rows else 1.0
        rows = self.rows if head.carries_rows else 0.0
        return replace(
            head,
            budget=more * self.stop,
            warn_budget=more * self.warn,
            rows_budget=rows,
            table_budget=self.table,
            table_warn_budget=self.table_warn,
        )

    def is_of(self, program: Program) -> bool:
        """Whether a program was learned within these budgets."""
        mine = self.given_to(program)
        names = ("budget", "warn_budget", "rows_budget", "table_budget", "table_warn_budget")
        return all(math.isclose(getattr(mine, name), getattr(program, name)) for name in names)


def split(budget: float, warn_budget: float, per: str, columns: int, learner: Learner) -> Split:
    """What each column gets: all of it, or per table a part that keeps the whole table within it.

    >>> paper, calibrated = by_name("paper"), by_name("calibrated")
    >>> split(0.01, 0.0, "table", 40, paper)
    Split(stop=0.00025, warn=0.0, rows=0.0, table=0.0, table_warn=0.0)
    >>> split(0.01, 0.0, "table", 40, calibrated).stop > 4 * 0.00025
    True
    """
    if per not in ("column", "table"):
        raise ByHistoryError("learn within a budget", f"per={per!r}", "say per='column' or per='table'")
    if per == "column":
        return Split(budget, warn_budget)
    # where tables are judged as one, their prices are those of everything, rows included
    rest = 1.0 if learner.judges_tables else 1.0 - learner.table_rows_share
    whole = rest * budget, rest * warn_budget
    stop, warn = (learner.column_budget(of, columns) if of else 0.0 for of in whole)
    return Split(stop, warn, learner.table_rows_share * budget, *(whole if learner.judges_tables else ()))


def of_table(programs: Collection[Program], learners: Sequence[Learner] = ALL) -> float:
    """How often the programs of a table stop a good run together, at most: as their learner says, or their sum."""
    return _together([p.price for p in programs], programs, learners)


def warned_of_table(programs: Collection[Program], learners: Sequence[Learner] = ALL) -> float:
    """How often they stop a good run or warn about it, at most; 0 where none warns."""
    if not any(p.warn_budget > p.budget for p in programs):
        return 0.0
    whole = max((p.table_warn_budget for p in programs), default=0.0) or math.inf
    return min(whole, _together([p.warn_budget for p in programs], programs, learners))


def _together(prices: Sequence[float], programs: Collection[Program], learners: Sequence[Learner]) -> float:
    names = {p.learner for p in programs}
    return by_name(names.pop(), learners).table_price(prices) if len(names) == 1 else sum(prices)
