"""A biased part of the values in place of all of them."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from byhistory.inject.base import ROWS, Fault, percent
from byhistory.inject.column import Column


def distribution_change(column: Column, _: np.random.Generator, end: Literal["first", "last"], share: float) -> Any:
    """The smallest (or largest) share of the values, repeated until there are as many as before.

    Rows and nulls stay, so that this is a change of distribution and not also one of volume.

    Paper: Appendix "Synthetic training data", type 6.

    >>> import pyarrow as pa
    >>> from byhistory.profile import Kind
    >>> c = Column(pa.array([4, 1, None, 3, 2]), Kind.NUMERIC)
    >>> distribution_change(c, np.random.default_rng(0), "first", 0.5).to_pylist()
    [1, 2, None, 1, 2]
    """
    values = len(column.present)
    if not values:
        return None
    kept = max(1, round(share * values))
    part = column.order[:kept] if end == "first" else column.order[values - kept :]
    rows = np.arange(column.rows)
    rows[column.present] = column.present[np.resize(part, values)]
    return column.taken(rows)


FAULTS = tuple(
    Fault(
        name=f"distribution_change_{end}_{percent(share)}",
        type="distribution change",
        kinds=ROWS,
        apply=partial(distribution_change, end=end, share=share),
        parameter=f"{end} {percent(share)}",
        sentence=f"only the {'smallest' if end == 'first' else 'largest'} {percent(share)} of the values",
    )
    for end in ("first", "last")
    for share in (0.1, 0.5)
)
