"""More rows, or fewer."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from byhistory.inject.base import Fault, percent
from byhistory.inject.column import Column
from byhistory.profile import ALL_KINDS


def repeated(column: Column, _: np.random.Generator, times: int) -> Any:
    """Every row this many times, as after a load that ran twice or a join that fanned out.

    Paper: Appendix "Synthetic training data", type 5.

    >>> import pyarrow as pa
    >>> from byhistory.profile import Kind
    >>> repeated(Column(pa.array([1, 2]), Kind.NUMERIC), np.random.default_rng(0), 2).to_pylist()
    [1, 2, 1, 2]
    """
    return column.taken(np.tile(np.arange(column.rows), times))


def dropped(column: Column, random: np.random.Generator, share: float) -> Any:
    """A random share of the rows; at least one stays.

    Paper: Appendix "Synthetic training data", type 5.
    """
    return column.taken(column.some_rows(share, random))


FAULTS = tuple(
    Fault(
        name=f"volume_change×{times}",
        type="volume change",
        kinds=ALL_KINDS,
        apply=partial(repeated, times=times),
        parameter=f"×{times}",
        sentence=f"every row {times} times",
        rows=float(times),
        keeps=float(times),
    )
    for times in (2, 10)
) + tuple(
    Fault(
        name=f"volume_change_{percent(share)}",
        type="volume change",
        kinds=ALL_KINDS,
        apply=partial(dropped, share=share),
        parameter=percent(share),
        sentence=f"only {percent(share)} of the rows",
        rows=share,
        keeps=share,
    )
    for share in (0.5, 0.1)
)
