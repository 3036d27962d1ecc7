"""How shares are written in an answer, so that the terminal, the sentence and the page say the same."""

from __future__ import annotations

import math

_MOST_DIGITS = 6
"""Decimal places of a percentage at most (a choice)."""


def written(share: float, digits: int = 0) -> str:
    """A share as a percentage; 100% only if it is the whole, and 0% only if it is nothing.

    >>> written(0.98), written(0.99515), written(1.0), written(0.0944, 2), written(0.00001, 2)
    ('98%', '99.5%', '100%', '9.44%', '0.001%')
    """
    if math.isnan(share):
        return "–"
    for places in range(digits, _MOST_DIGITS):
        rounded = round(100 * share, places)
        if (rounded < 100 or share >= 1) and (rounded > 0 or share <= 0):
            return f"{100 * share:.{places}f}%"
    return "nearly all" if share > 0.5 else "nearly none"


def of_rows(share: float) -> str:
    """A share of the rows, with two decimal places or more.

    >>> of_rows(0.0944), of_rows(1.0)
    ('9.44%', '100.00%')
    """
    return written(share, 2)
