"""Dates that are a day or a year off, as after a copy of yesterday's file."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from byhistory.inject.base import Fault, percent
from byhistory.inject.column import Column
from byhistory.inject.conversion import ticks_a_second
from byhistory.inject.spelling import replaced
from byhistory.profile import Kind

_SECONDS = {"day": 86_400, "year": 365 * 86_400}


def date_shift(column: Column, random: np.random.Generator, days: int, share: float) -> Any:
    """A share of the dates or timestamps moved by this many days. (Not in the paper, which has no dates.)

    >>> import pyarrow as pa
    >>> from datetime import date
    >>> c = Column(pa.array([date(2024, 2, 28), None]), Kind.TEMPORAL)
    >>> date_shift(c, np.random.default_rng(0), 1, 1.0).to_pylist()
    [datetime.date(2024, 2, 29), None]
    """
    if not len(column.present):
        return None
    chosen = column.some(share, random)
    step = round(days * 86_400 * ticks_a_second(column.array.type))
    ends = np.iinfo(np.int64)
    room = np.clip(column.numbers[chosen], ends.min + abs(step), ends.max - abs(step))
    return column.with_numbers(replaced(column.numbers, chosen, room + step))


FAULTS = tuple(
    Fault(
        name=f"date_shift{sign}1{unit}" + ("" if share == 1.0 else f"_{percent(share)}"),
        type="date shift",
        kinds=frozenset({Kind.TEMPORAL}),
        apply=partial(date_shift, days=(1 if sign == "+" else -1) * _SECONDS[unit] // 86_400, share=share),
        parameter=f"{sign}1 {unit}" + ("" if share == 1.0 else f", {percent(share)}"),
        each=share == 1.0,
        sentence=("dates" if share == 1.0 else f"{percent(share)} of the dates")
        + f" one {unit} {'late' if sign == '+' else 'early'}",
    )
    for share in (1.0, 0.1)
    for unit in ("day", "year")
    for sign in "+-"
)
