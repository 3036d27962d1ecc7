"""A character too many."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from byhistory.inject.base import BOTH, Fault, percent
from byhistory.inject.column import Column
from byhistory.inject.spelling import ALPHANUMERIC, a_place_in, inserted, read_back, replaced
from byhistory.profile import Kind


def character_insertion(column: Column, random: np.random.Generator, share: float) -> Any:
    """A share of the values gains one letter or digit at a random place; numbers gain a digit, and are read back.

    Paper: Appendix "Synthetic training data", type 8.

    >>> import pyarrow as pa
    >>> c = Column(pa.array(["abc"]), Kind.CATEGORICAL)
    >>> character_insertion(c, np.random.default_rng(0), 1.0).to_pylist()
    ['abvc']
    """
    if column.kind is Kind.NUMERIC:
        return _numbers(column, random, share)
    if not column.is_text or not len(column.present):
        return None
    chosen = column.some(share, random)
    places = a_place_in(column.strings, chosen, 1, random)
    characters = ALPHANUMERIC[random.integers(0, len(ALPHANUMERIC), len(chosen))]
    return column.with_strings(inserted(column.strings, chosen, places, characters))


def _numbers(column: Column, random: np.random.Generator, share: float) -> Any:
    digits = column.digits
    can = np.flatnonzero(digits.count)
    if not len(can):
        return None
    chosen = column.some(share, random, can)
    which = digits.first[chosen] + random.integers(0, digits.count[chosen])
    places = digits.places[which] + random.integers(0, 2, len(chosen))  # before or behind that digit
    characters = ALPHANUMERIC[random.integers(1, 10, len(chosen))]  # no 0: at either end it would change nothing
    new = read_back(inserted(digits.strings, chosen, places, characters), chosen)
    return column.with_numbers(replaced(column.numbers, chosen, new))


FAULTS = tuple(
    Fault(
        name=f"character_insertion_{percent(share)}",
        type="character insertion",
        kinds=BOTH,
        apply=partial(character_insertion, share=share),
        parameter=percent(share),
        sentence=f"a character too many in {percent(share)} of the values",
    )
    for share in (0.1, 0.5)
)
