"""Which constraints catch the most faults within the budget? The greedy choice.

Paper: Algorithm 1, Prop. 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from byhistory.errors import ByHistoryError
from byhistory.learners.paper.candidates import PRICE_FLOOR

_TIE = 1e-12
"""Ratios that differ by less, relatively, are equal (a choice): rounding must not decide between them."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Chosen candidates in the order they were picked, the faults they catch together, and the sum of their prices."""

    indices: tuple[int, ...]
    caught: NDArray[np.bool_]
    spent: float


def choose(price: ArrayLike, caught: ArrayLike, budget: float, max_clauses: int | None = None) -> Choice:
    """Choose candidates that catch many faults, and whose prices add up to the budget at most.

    `price[i]` is how often candidate i stops a good run, at most, and `caught[i, f]` whether it stops fault f. Each
    step takes the candidate with the most new faults for its price among those that still fit. If in the end a single
    candidate within the budget catches more than all of these, it replaces them. The result catches at least (1 −
    1/e)/2 of what the best choice would. Among equal ratios, the candidate with more new faults wins, then the cheaper
    one, then the earlier one.

    A candidate that catches nothing new is never taken, because it would spend budget for nothing. At most
    `max_clauses` candidates are taken; if that limit is reached, the guarantee does not hold.

    Paper: Algorithm 1 as its text describes it (the printed line 9 looks for the single candidate in an emptied set).

    >>> caught = [[True, True, False], [False, False, True], [True, True, True]]
    >>> choose([0.0002, 0.0003, 0.0011], caught, budget=0.001).indices
    (0, 1)
    """
    prices, catches = checked(price, caught, budget)
    alone = catches.sum(axis=1)
    matrix = catches.astype(np.float32)  # Multiplying floats is faster than counting booleans, and exact here.
    covered = np.zeros(catches.shape[1], dtype=bool)
    picked: list[int] = []
    spent = 0.0
    while max_clauses is None or len(picked) < max_clauses:
        gain = matrix @ (~covered).astype(np.float32)
        # What does not fit now will never fit, because `spent` only grows.
        gain[spent + prices > budget] = 0.0
        best = _best(gain, prices)
        if best is None:
            break
        picked.append(best)
        covered |= catches[best]
        spent += float(prices[best])

    fits = np.flatnonzero(prices <= budget)
    if len(fits) and max_clauses != 0:
        single = int(fits[np.lexsort((fits, prices[fits], -alone[fits]))[0]])
        if alone[single] > covered.sum():
            return Choice((single,), catches[single].copy(), float(prices[single]))
    return Choice(tuple(picked), covered, spent)


def checked(price: ArrayLike, caught: ArrayLike, budget: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Prices and catches as arrays of matching shapes; an error if a price is 0, negative or nan."""
    prices = np.asarray(price, dtype=np.float64)
    catches = np.asarray(caught, dtype=bool).reshape(len(prices), -1) if len(prices) else np.zeros((0, 0), dtype=bool)
    bad = np.flatnonzero(~(prices >= PRICE_FLOOR))
    if len(bad):
        raise ByHistoryError(
            "a choice among priced candidates",
            f"a price of {prices[bad[0]]} at candidate {bad[0]}",
            f"give every candidate a price of at least {PRICE_FLOOR:g}; a constant has one too",
        )
    if not budget >= 0.0:
        raise ByHistoryError("a choice within a budget", f"a budget of {budget}", "give a budget such as 0.001")
    return prices, catches


def _best(gain: NDArray[np.float32], prices: NDArray[np.float64]) -> int | None:
    """The candidate with the highest gain for its price; None if none gains anything."""
    ratio = gain / prices
    top = ratio.max(initial=0.0)
    if top <= 0.0:
        return None
    tied = np.flatnonzero(ratio >= top * (1.0 - _TIE))
    return int(tied[np.lexsort((tied, prices[tied], -gain[tied]))[0]])
