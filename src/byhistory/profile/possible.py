"""Can there be such a profile? Asked of stored bytes: they may be damaged, or made by somebody who means harm."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from byhistory.profile.column import ColumnProfile
from byhistory.profile.frequencies import Frequencies
from byhistory.profile.numbers import Numbers
from byhistory.profile.quantiles import Quantiles

_MOST = 1 << 62
"""A quarter of what 64 bits hold: two of them still add up without a wrap."""
_SCALE = 400
"""Digits behind the point, or zeros before it: a decimal of Spark has 38, and 10**1000000 would fill the memory."""


def must_be_possible(profile: ColumnProfile) -> ColumnProfile:
    """The profile, if all of it is of its type and no number in it is absurd; else a ValueError that says what is.

    >>> from byhistory.profile import Kind
    >>> must_be_possible(ColumnProfile(Kind.NUMERIC, "n", "double", rows=-1))
    Traceback (most recent call last):
    ValueError: rows: -1
    """
    for name in ("name", "type"):
        _must(isinstance(getattr(profile, name), str), name, getattr(profile, name))
    _must(isinstance(profile.nullable, bool), "nullable", profile.nullable)
    _counts(profile, ("position", "rows", "nulls", "trues"))
    _must(max(profile.nulls, profile.trues) <= profile.rows, "rows", profile.rows)
    if profile.numbers is not None:
        _numbers(profile.numbers)
    if profile.text is not None:
        _counts(profile.text, type(profile.text).__slots__)
    for shape in (profile.quantiles, profile.lengths):
        if shape is not None:
            _shape(shape)
    for table in (profile.values, profile.patterns, profile.formats):
        if table is not None:
            _table(table)
    return profile


def _numbers(numbers: Numbers) -> None:
    _counts(numbers, ("count", "nans", "pos_infs", "neg_infs", "zeros", "negatives", "integers"))
    _must(_is_whole(numbers.scale) and abs(numbers.scale) <= _SCALE, "scale", numbers.scale)
    _must(numbers.exact_sum is None or _is_whole(numbers.exact_sum), "exact_sum", numbers.exact_sum)
    for name in ("low", "high", "mean", "spread", "written", "digits", "decimals"):
        _must(_is_number(getattr(numbers, name)), name, getattr(numbers, name))
    for name in ("spread", "written", "digits", "decimals"):
        _must(getattr(numbers, name) >= 0, name, getattr(numbers, name))


def _shape(shape: Quantiles) -> None:
    sizes = {_length(array, name) for array, name in ((shape.values, "values"), (shape.weights, "weights"))}
    _must(len(sizes | {_length(shape.atoms, "atoms")}) == 1, "values", "of another length than their weights")
    _must(_is_number(shape.error) and shape.error >= 0, "error", shape.error)
    if not len(shape.values):
        return
    _must(bool(np.isfinite(shape.values).all()), "values", "not finite")
    _must(bool((shape.values[1:] >= shape.values[:-1]).all()), "values", "not sorted")
    _must(bool((shape.weights > 0).all()) and float(shape.weights.sum(dtype=float)) < _MOST, "weights", "no counts")


def _table(table: Frequencies) -> None:
    sizes = {_length(getattr(table, name), name) for name in ("ids", "counts", "zeros")}
    if table.labels is not None:
        sizes.add(_length(table.labels, "labels"))
        _must(all(x is None or isinstance(x, str | int | float) for x in table.labels), "labels", "no plain values")
    if table.registers is not None:
        _length(table.registers, "registers")
    _must(len(sizes) == 1, "ids", "of another length than their counts")
    _counts(table, ("total", "level", "missed", "room"))
    _must(table.level <= 64, "level", table.level)
    _must(isinstance(table.is_sealed, bool), "is_sealed", table.is_sealed)
    for name in ("distinct", "distinct_error"):
        _must(_is_number(getattr(table, name)) and 0 <= getattr(table, name) < _MOST, name, getattr(table, name))
    counted = float(table.counts.sum(dtype=float))
    _must(bool((table.counts >= 0).all()) and counted <= max(table.total, 0), "counts", f"{counted:g} of {table.total}")


def _counts(of: object, names: Iterable[str]) -> None:
    for name in names:  # a check asks for six hundred
        value = getattr(of, name)
        if type(value) is not int or not 0 <= value < _MOST:
            _must(False, name, value)


def _length(array: object, name: str) -> int:
    _must(isinstance(array, np.ndarray) and array.ndim == 1, name, array)
    return len(array)  # type: ignore[arg-type]  # an array, as was just asked


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _must(is_so: bool, name: str, found: object) -> None:
    if not is_so:
        raise ValueError(f"{name}: {str(found)[:60]}")
