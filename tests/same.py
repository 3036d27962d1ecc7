"""When are two profiles the same?"""

from __future__ import annotations

import math
from dataclasses import fields, replace

from byhistory.profile import ColumnProfile, Numbers

ROUNDED = ("mean", "spread", "written", "digits", "decimals")
"""Sums of floats, whose last digits depend on the order of the rows."""


def assert_same(one: ColumnProfile, other: ColumnProfile) -> None:
    """Every number equal, but for the rounding of float sums and the words of the schema, which differ by engine."""
    if one.numbers is not None or other.numbers is not None:
        assert_same_numbers(one.numbers or Numbers(), other.numbers or Numbers())
    for field in fields(ColumnProfile):
        if field.name not in ("numbers", "type", "nullable"):
            mine, yours = getattr(one, field.name), getattr(other, field.name)
            assert mine == yours, f"{one.name}: {field.name}: {mine} is not {yours}"


def assert_same_numbers(one: Numbers, other: Numbers) -> None:
    plain = dict.fromkeys(ROUNDED, 0.0)
    assert replace(one, **plain) == replace(other, **plain)
    size = max(abs(one.low), abs(one.high)) if one.count else 0.0
    for name in ROUNDED:
        mine, yours = getattr(one, name), getattr(other, name)
        reach = size * 1e-14 * math.sqrt(one.count) if name in ("mean", "spread") else 0.0
        assert math.isclose(mine, yours, rel_tol=1e-9, abs_tol=reach + 5e-324), f"{name}: {mine} is not {yours}"
