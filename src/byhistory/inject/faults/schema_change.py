"""Values of a neighbouring column in this one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.inject.base import ROWS, Fault, percent
from byhistory.inject.column import Column


def schema_change(column: Column, random: np.random.Generator, share: float) -> Any:
    """A share of the rows gets the value, or null, of the nearest column of the same kind.

    It cannot happen where there is no such column: nothing else is known that would look like one.

    Paper: Appendix "Synthetic training data", type 1.

    >>> from byhistory.profile import Kind
    >>> c = Column(pa.array([1, 2]), Kind.NUMERIC, (pa.array(["a", "b"]), pa.array([10, 20])))
    >>> schema_change(c, np.random.default_rng(0), 1.0).to_pylist()
    [10, 20]
    """
    other = column.neighbour
    if other is None:
        return None
    mine = column.array
    if mine.type != other.type:
        mine = mine.cast(other.type, safe=False)
    if share >= 1.0:
        return other
    rows = np.arange(column.rows)
    rows[column.some_rows(share, random)] += column.rows
    return pa.concat_arrays([mine, other]).take(pa.array(rows))


FAULTS = tuple(
    Fault(
        name=f"schema_change_{percent(share)}",
        type="schema change",
        kinds=ROWS,
        apply=partial(schema_change, share=share),
        parameter=percent(share),
        sentence=f"values of a neighbouring column in {percent(share)} of the rows",
    )
    for share in (0.01, 0.1, 1.0)
)
