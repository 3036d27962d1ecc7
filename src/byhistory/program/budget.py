"""What does a column get of the budget of its table?"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from byhistory.errors import ByHistoryError

COUNTS = 0.7
"""A table of n columns is stopped as often as n to this power independent ones, at measured prices.

Columns of one table move together. Measured on 1,847 good runs of tables with 4 to 60 columns (ADR 0008).
"""


def share(budget: float, per: str, columns: int, learner: str) -> float:
    """The budget of each column: all of it, or per table a part that keeps the whole table within it.

    >>> share(0.01, "column", 40, "paper"), share(0.01, "table", 40, "paper"), share(0.01, "table", 1, "calibrated")
    (0.01, 0.00025, 0.01)
    """
    if per not in ("column", "table"):
        raise ByHistoryError("learn within a budget", f"per={per!r}", "say per='column' or per='table'")
    if per == "column":
        return budget
    return budget / (_columns(columns) if learner == "calibrated" else max(1, columns))


def of_table(prices: Sequence[float], learners: Collection[str]) -> float:
    """How often programs stop a good run of a table together, at most: their sum, or less at measured prices.

    >>> of_table([0.01] * 9, {"paper"}), round(of_table([0.01] * 9, {"calibrated"}), 4)
    (0.09, 0.0466)
    """
    if set(learners) != {"calibrated"}:
        return sum(prices)
    return sum(prices) / max(1, len(prices)) * _columns(len(prices))


def _columns(count: int) -> float:
    """As many independent ones."""
    return math.pow(max(1, count), COUNTS)
