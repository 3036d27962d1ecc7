"""Capitals where small letters were, and the other way round."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from byhistory.inject.base import Fault, percent
from byhistory.inject.column import Column
from byhistory.profile import Kind


def casing_change(column: Column, random: np.random.Generator, to: Literal["upper", "lower"], share: float) -> Any:
    """A share of the texts in capitals, or in small letters; cannot happen where all of them already are.

    Paper: Appendix "Synthetic training data", type 3.

    >>> c = Column(pa.array(["de", None, "Ö"]), Kind.CATEGORICAL)
    >>> casing_change(c, np.random.default_rng(0), "lower", 1.0).to_pylist()
    ['de', None, 'ö']
    """
    if not column.is_text or not len(column.present):
        return None
    other = column.upper if to == "upper" else column.lower
    if share >= 1.0:
        return other
    rows = np.arange(column.rows)
    rows[column.present[column.some(share, random)]] += column.rows
    return pa.concat_arrays([column.array, other]).take(pa.array(rows))


FAULTS = tuple(
    Fault(
        name=f"casing_change_{to}_{percent(share)}",
        type="casing change",
        kinds=frozenset({Kind.CATEGORICAL}),
        apply=partial(casing_change, to=to, share=share),
        parameter=f"{to} case, {percent(share)}",
        each=share == 1.0,
        sentence=f"{percent(share)} of the values in {to} case",
    )
    for to in ("upper", "lower")
    for share in (0.01, 0.1, 1.0)
)
