"""Values that are missing, or that stand for a missing one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow.types as pt

from byhistory.inject.base import Fault, percent
from byhistory.inject.column import Column
from byhistory.inject.spelling import emptied, replaced
from byhistory.profile import ALL_KINDS, Kind


def nulls(column: Column, random: np.random.Generator, share: float) -> Any:
    """A share of the values becomes null, as after a failed join or cast. (The paper has only the blanks below.)

    >>> import pyarrow as pa
    >>> nulls(Column(pa.array([1, 2]), Kind.NUMERIC), np.random.default_rng(0), 1.0).to_pylist()
    [None, None]
    """
    return column.with_nulls(column.some(share, random)) if len(column.present) else None


def blanks(column: Column, random: np.random.Generator, share: float) -> Any:
    """A share of the values becomes 0, "", false or 1970-01-01: what programs write where they mean "nothing".

    Paper: Appendix "Synthetic training data", type 4.

    >>> import pyarrow as pa
    >>> blanks(Column(pa.array(["a", None]), Kind.CATEGORICAL), np.random.default_rng(0), 1.0).to_pylist()
    ['', None]
    """
    if not len(column.present):
        return None
    chosen = column.some(share, random)
    if column.is_boolean:
        return column.with_booleans(chosen, np.zeros(len(chosen), np.bool_))
    if column.is_text or pt.is_binary(column.array.type) or pt.is_large_binary(column.array.type):
        return column.with_strings(emptied(column.strings, chosen))
    return column.with_numbers(replaced(column.numbers, chosen, np.zeros(len(chosen), column.numbers.dtype)))


FAULTS = tuple(
    Fault(
        name=f"increased_nulls_null_{percent(share)}",
        type="increased nulls",
        kinds=ALL_KINDS,
        apply=partial(nulls, share=share),
        parameter=f"null, {percent(share)}",
        keeps=1.0 - share,
        sentence=f"{percent(share)} of the values null",
    )
    for share in (0.01, 0.5, 1.0)
) + tuple(
    Fault(
        name=f"increased_nulls_blank_{percent(share)}",
        type="increased nulls",
        kinds=ALL_KINDS - {Kind.NESTED},
        apply=partial(blanks, share=share),
        parameter=f"zero or empty, {percent(share)}",
        each=share == 1.0,
        sentence=f"{percent(share)} of the values zero or empty",
    )
    for share in (0.01, 0.5, 1.0)
)
