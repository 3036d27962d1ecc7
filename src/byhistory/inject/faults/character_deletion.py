"""A character too few."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from byhistory.inject.base import BOTH, Fault, percent
from byhistory.inject.column import Column
from byhistory.inject.spelling import a_place_in, deleted, read_back, replaced
from byhistory.profile import Kind


def character_deletion(column: Column, random: np.random.Generator, share: float) -> Any:
    """A share of the values loses one character at a random place; numbers lose a digit, and are read back.

    A number that loses its only digit is null, as an empty text becomes when it is cast.

    Paper: Appendix "Synthetic training data", type 9.

    >>> import pyarrow as pa
    >>> character_deletion(Column(pa.array(["ö", ""]), Kind.CATEGORICAL), np.random.default_rng(0), 1.0).to_pylist()
    ['', '']
    """
    if column.kind is Kind.NUMERIC:
        return _numbers(column, random, share)
    if not column.is_text:
        return None
    can = np.flatnonzero(column.strings.lengths)
    if not len(can):
        return None
    chosen = column.some(share, random, can)
    return column.with_strings(deleted(column.strings, chosen, a_place_in(column.strings, chosen, 0, random)))


def _numbers(column: Column, random: np.random.Generator, share: float) -> Any:
    digits = column.digits
    can = np.flatnonzero(digits.count)
    if not len(can):
        return None
    chosen = column.some(share, random, can)
    which = digits.first[chosen] + random.integers(0, digits.count[chosen])
    after = deleted(digits.strings, chosen, digits.places[which])
    lost = np.zeros(len(column.numbers), np.bool_)
    lost[chosen] = digits.count[chosen] == 1
    left = chosen[digits.count[chosen] > 1]
    return column.with_numbers(replaced(column.numbers, left, read_back(after, left)), lost)


FAULTS = tuple(
    Fault(
        name=f"character_deletion_{percent(share)}",
        type="character deletion",
        kinds=BOTH,
        apply=partial(character_deletion, share=share),
        parameter=percent(share),
        sentence=f"a character too few in {percent(share)} of the values",
    )
    for share in (0.1, 0.5)
)
