"""What does a column get of the budget of its table?"""

from __future__ import annotations

import math

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
    counts = math.pow(max(1, columns), COUNTS) if learner == "calibrated" else max(1, columns)
    return budget / counts
