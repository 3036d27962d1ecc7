"""White space around the values."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from byhistory.inject.base import Fault, percent
from byhistory.inject.column import Column
from byhistory.inject.spelling import inserted
from byhistory.profile import Kind


def padding(column: Column, random: np.random.Generator, side: Literal["leading", "trailing"], share: float) -> Any:
    """A share of the texts gains a blank before (or behind) it.

    Paper: Appendix "Synthetic training data", type 10.

    >>> import pyarrow as pa
    >>> padding(Column(pa.array(["a", None]), Kind.CATEGORICAL), np.random.default_rng(0), "trailing", 1.0).to_pylist()
    ['a ', None]
    """
    if not column.is_text or not len(column.present):
        return None
    chosen = column.some(share, random)
    places = column.strings.starts[chosen]
    if side == "trailing":
        places = places + column.strings.lengths[chosen]
    blanks = np.full(len(chosen), ord(" "), np.uint8)
    return column.with_strings(inserted(column.strings, chosen, places, blanks))


FAULTS = tuple(
    Fault(
        name=f"padding_{side}_{percent(share)}",
        type="padding",
        kinds=frozenset({Kind.CATEGORICAL}),
        apply=partial(padding, side=side, share=share),
        parameter=f"{side}, {percent(share)}",
        each=share == 1.0,
        sentence=f"{side} white space in {percent(share)} of the values",
    )
    for side in ("leading", "trailing")
    for share in (0.1, 0.5, 1.0)
)
