"""Another unit of measurement."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from byhistory.inject.base import Fault, percent
from byhistory.inject.column import Column
from byhistory.inject.spelling import replaced
from byhistory.profile import Kind


def unit_change(column: Column, random: np.random.Generator, factor: int, divide: bool, share: float) -> Any:
    """A share of the values times (or divided by) a factor; whole numbers stay whole, cut towards zero.

    Paper: Appendix "Synthetic training data", type 2; there the whole column and only upwards.

    >>> import pyarrow as pa
    >>> c = Column(pa.array([5, 70, None]), Kind.NUMERIC)
    >>> unit_change(c, np.random.default_rng(0), 10, True, 1.0).to_pylist()
    [0, 7, None]
    """
    if not len(column.present):
        return None
    chosen = column.some(share, random)
    old = column.numbers[chosen]
    if divide:
        new = old / factor
    elif old.dtype.kind == "i" and bool((np.abs(old.astype(np.float64)) * factor < 2.0**63).all()):
        new = old * factor
    else:
        new = old.astype(np.float64) * factor
    return column.with_numbers(replaced(column.numbers, chosen, new))


def _fault(sign: str, factor: int, share: float) -> Fault:
    whole = share == 1.0
    word = "multiplied" if sign == "×" else "divided"
    return Fault(
        name=f"unit_change{sign}{factor}" + ("" if whole else f"_{percent(share)}"),
        type="unit change",
        kinds=frozenset({Kind.NUMERIC}),
        apply=partial(unit_change, factor=factor, divide=sign == "÷", share=share),
        parameter=f"{sign}{factor}" + ("" if whole else f", {percent(share)}"),
        each=whole,
        sentence=("values" if whole else f"{percent(share)} of the values") + f" {word} by {factor}",
    )


FAULTS = tuple(_fault(sign, factor, 1.0) for sign in "×÷" for factor in (10, 100, 1000)) + tuple(
    _fault(sign, 100, 0.1) for sign in "×÷"
)
