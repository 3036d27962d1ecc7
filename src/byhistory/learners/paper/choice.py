"""Which constraints catch the most faults for the budget? The greedy choice.

Paper: Algorithm 1, Prop. 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from byhistory.errors import ByHistoryError
from byhistory.learners.paper.candidates import PRICE_FLOOR

_TIE = 1e-12  # Ratios closer than this, relatively, are equal: which one rounding favours must not decide.


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Chosen candidates in the order they were picked, the faults they catch together, and the sum of their prices."""

    indices: tuple[int, ...]
    caught: NDArray[np.bool_]
    spent: float


def choose(price: ArrayLike, caught: ArrayLike, budget: float, max_clauses: int | None = None) -> Choice:
    """Candidates that catch many faults, whose prices add up to the budget at most.

    `price[i]` is how often candidate i stops a good batch, at most; `caught[i, f]` says whether it stops fault f.
    Again and again the candidate with the most new faults for its price is taken, if it still fits, and passed over
    if not; at the end, one single candidate that fits and catches more than all of them together replaces them. That
    is at least (1 − 1/e)/2 of the best possible. Of equal ratios the one with more new faults wins, then the cheaper,
    then the earlier.

    A candidate without new faults is never taken: it would spend budget, and stop good batches, to catch nothing.
    With `max_clauses` the picking stops at so many; the guarantee then no longer holds.

    Paper: Algorithm 1 as its text describes it (the printed line 9 looks for the single candidate in an emptied set).

    >>> caught = [[True, True, False], [False, False, True], [True, True, True]]
    >>> choose([0.0002, 0.0003, 0.0011], caught, budget=0.001).indices
    (0, 1)
    """
    prices, catches = checked(price, caught, budget)
    alone = catches.sum(axis=1)
    matrix = catches.astype(np.float32)  # To multiply floats is faster than to count booleans, and exact here.
    covered = np.zeros(catches.shape[1], dtype=bool)
    picked: list[int] = []
    spent = 0.0
    while max_clauses is None or len(picked) < max_clauses:
        gain = matrix @ (~covered).astype(np.float32)
        # What does not fit now fits never, as `spent` only grows: to leave it out at once is to skip it when it is met.
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
    """Prices and catches as arrays that fit together; refused if a price is 0, negative or nan."""
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
    """The candidate with the highest gain for its price, None if nothing gains."""
    ratio = gain / prices
    top = ratio.max(initial=0.0)
    if top <= 0.0:
        return None
    tied = np.flatnonzero(ratio >= top * (1.0 - _TIE))
    return int(tied[np.lexsort((tied, prices[tied], -gain[tied]))[0]])
