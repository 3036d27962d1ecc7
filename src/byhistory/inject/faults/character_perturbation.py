"""Typing mistakes: another character of the same class."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from byhistory.inject.base import BOTH, Fault, percent
from byhistory.inject.column import Column
from byhistory.inject.spelling import changeable, perturbed, read_back, replaced, thinned
from byhistory.profile import Kind
from byhistory.rows.chars import Strings


def character_perturbation(column: Column, random: np.random.Generator, share: float) -> Any:
    """A share of the characters becomes another digit, small letter or capital.

    Numbers are changed in the digits they are written with, and read back. Booleans have no characters: that share of
    them is negated.

    Paper: Appendix "Synthetic training data", type 7.

    >>> import pyarrow as pa
    >>> c = Column(pa.array(["a-1"]), Kind.CATEGORICAL)
    >>> character_perturbation(c, np.random.default_rng(0), 1.0).to_pylist()
    ['w-7']
    """
    if not len(column.present):
        return None
    if column.is_boolean:
        chosen = column.some(share, random)
        return column.with_booleans(chosen, ~column.values.to_numpy(zero_copy_only=False)[chosen])
    if column.kind is Kind.NUMERIC:
        return _numbers(column, random, share)
    strings = column.strings
    places = thinned(changeable(strings.data), share, random)
    if not len(places):
        return None
    return column.with_strings(Strings(perturbed(strings.data, places, random), strings.starts, strings.lengths))


def _numbers(column: Column, random: np.random.Generator, share: float) -> Any:
    digits = column.digits
    which = thinned(np.arange(len(digits.places)), share, random)
    if not len(which):
        return None
    data = perturbed(digits.strings.data, digits.places[which], random)
    hit = np.searchsorted(digits.first, which, "right") - 1
    hit = np.flatnonzero(np.bincount(hit, minlength=len(digits.first)))
    hit = hit[digits.count[hit] > 0]
    new = read_back(Strings(data, digits.strings.starts, digits.strings.lengths), hit)
    return column.with_numbers(replaced(column.numbers, hit, new))


FAULTS = tuple(
    Fault(
        name=f"character_perturbation_{percent(share)}",
        type="character perturbation",
        kinds=BOTH,
        apply=partial(character_perturbation, share=share),
        parameter=percent(share),
        sentence=f"{percent(share)} of the characters mistyped",
    )
    for share in (0.01, 0.1, 1.0)
)
