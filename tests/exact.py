"""What would the best choice have been? Found by trying, in small cases: the oracle that tests the greedy choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from byhistory.learners.paper.choice import Choice, checked


@dataclass(frozen=True, slots=True)
class _Candidate:
    index: int
    price: float
    faults: int  # The caught faults as the bits of one number: a union is `|`, a count is `bit_count`.


def choose_exactly(price: ArrayLike, caught: ArrayLike, budget: float, max_clauses: int | None = None) -> Choice:
    """The candidates within the budget that together catch the most faults; of equals, the cheapest that was found.

    Branch and bound: a branch is left when even all the candidates still ahead of it would add too little. The time
    grows exponentially with the candidates: some twenty are fine.

    >>> caught = [[True, True, False], [False, True, True], [True, False, True]]
    >>> choose_exactly([0.4, 0.5, 0.9], caught, budget=1.0).indices
    (0, 1)
    """
    prices, catches = checked(price, caught, budget)
    bits = [sum(1 << int(f) for f in np.flatnonzero(row)) for row in catches]
    candidates = [_Candidate(i, float(prices[i]), bits[i]) for i in range(len(prices))]
    useful = [c for c in candidates if c.faults and c.price <= budget]
    useful.sort(key=lambda c: (-c.faults.bit_count(), c.price, c.index))
    ahead = [0] * (len(useful) + 1)
    for i in reversed(range(len(useful))):
        ahead[i] = ahead[i + 1] | useful[i].faults
    most = len(useful) if max_clauses is None else max_clauses

    best: tuple[int, float, tuple[int, ...]] = (0, 0.0, ())

    def visit(i: int, chosen: tuple[int, ...], covered: int, spent: float) -> None:
        nonlocal best
        count = covered.bit_count()
        if count > best[0] or (count == best[0] and spent < best[1]):
            best = (count, spent, chosen)
        if i == len(useful) or len(chosen) == most or (covered | ahead[i]).bit_count() <= best[0]:
            return
        c = useful[i]
        if spent + c.price <= budget and c.faults & ~covered:
            visit(i + 1, (*chosen, c.index), covered | c.faults, spent + c.price)
        visit(i + 1, chosen, covered, spent)

    visit(0, (), 0, 0.0)
    indices = best[2]
    return Choice(indices, np.asarray(catches[list(indices)].any(axis=0)), best[1])
