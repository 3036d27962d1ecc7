"""Which part of a table's budget does each column get?"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from byhistory.errors import ByHistoryError
from byhistory.learners.base import Learner
from byhistory.learners.every import ALL, by_name
from byhistory.learners.program import Program


@dataclass(frozen=True, slots=True)
class Split:
    """The budgets of every column of a table, to stop and to warn, and what the table's number of rows gets as well."""

    stop: float
    warn: float
    rows: float = 0.0
    table: float = 0.0
    """The budget of all columns together, where they are judged jointly; 0 if each is judged alone."""
    table_warn: float = 0.0

    def of(self, carries_rows: bool) -> dict[str, Any]:
        """The budgets of a column's program by name; the column that carries the table's number of rows gets the share
        for that, too.
        """
        more = 1.0 + self.rows / self.stop if carries_rows and self.rows else 1.0
        return {
            "budget": more * self.stop,
            "warn_budget": more * self.warn,
            "rows_budget": self.rows if carries_rows else 0.0,
            "table_budget": self.table,
            "table_warn_budget": self.table_warn,
        }

    def given_to(self, head: Program) -> Program:
        """The program with its budgets."""
        return replace(head, **self.of(head.carries_rows))

    def is_of(self, program: Program) -> bool:
        """Whether a program was learned within these budgets."""
        mine = self.of(program.carries_rows)
        return all(math.isclose(value, getattr(program, name)) for name, value in mine.items())


def split(budget: float, warn_budget: float, per: str, columns: int, learner: Learner) -> Split:
    """What each column gets: the whole budget, or `per` "table" a part that keeps the table as a whole within it.

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
    # where tables are judged jointly, their prices are those of everything, rows included
    rest = 1.0 if learner.judges_tables else 1.0 - learner.table_rows_share
    whole = rest * budget, rest * warn_budget
    stop, warn = (learner.column_budget(of, columns) if of else 0.0 for of in whole)
    return Split(stop, warn, learner.table_rows_share * budget, *(whole if learner.judges_tables else ()))


def of_table(programs: Collection[Program], learners: Sequence[Learner] = ALL) -> float:
    """How often at least one program of a table stops a good run, at most: as their learner says, or their sum."""
    return _table_price([p.price for p in programs], programs, learners)


def warned_of_table(programs: Collection[Program], learners: Sequence[Learner] = ALL) -> float:
    """How often at least one of them stops a good run or warns about it, at most; 0 if none warns."""
    if not any(p.warn_budget > p.budget for p in programs):
        return 0.0
    whole = max((p.table_warn_budget for p in programs), default=0.0) or math.inf
    return min(whole, _table_price([p.warn_budget for p in programs], programs, learners))


def _table_price(prices: Sequence[float], programs: Collection[Program], learners: Sequence[Learner]) -> float:
    names = {p.learner for p in programs}
    return by_name(names.pop(), learners).table_price(prices) if len(names) == 1 else sum(prices)
