"""Do two runs look the same, whatever the order in which their rows were read?"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator

from byhistory.profile.column import ColumnProfile
from byhistory.profile.frequencies import Frequencies
from byhistory.profile.numbers import Numbers
from byhistory.profile.table import TableProfile

VERSION = "2"
"""The version of what goes into a look. It begins each one: what an earlier release kept is compared as it did."""
FIRST = "1"
"""Looks of digests of all values, which are not kept of numbers any more (`byhistory.profile.coarse`)."""
_SHAPED = 320
"""Distinct numbers up to which a shape is the same whatever the order of the rows: no bucket of it is a sum of parts
(`byhistory.profile.quantiles.SEALED`)."""
_SAMPLE = 64
"""How many distinct values are compared where a column has too many to keep them all. A sealed table samples at least
four times as many, in whatever order its parts were added, so that these are in the sample of every order."""
_DIGITS = 8
"""Digits that are compared of a mean and of a spread: the order of addition shows in about the twelfth."""


def look_of(profile: TableProfile, version: str = VERSION) -> str:
    """A text that is the same for the same rows in any order, on engines that name types alike; another for other rows.

    Bytes of a profile would not do: Spark adds up the rows of a retry in another order, a sum of floats then ends in
    another digit, and the same profile is other bytes with another zlib. So only what does not depend on the order is
    compared: counts, ends and exact sums as they are, means and spreads to eight digits, the shape of few distinct
    numbers, and the distinct values by their keyed digests as far as these are kept, or a sample of them in a column
    with more than 512. Rows that agree in all of this look the same.

    >>> from byhistory.rows.local import profile_table
    >>> looks = [look_of(profile_table({"n": n})) for n in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.2, 0.4])]
    >>> looks[0] == looks[1] != looks[2]
    True
    """
    parts = [profile.rows, sorted((name, list(_of_column(profile[name], version))) for name in profile)]
    digest = hashlib.blake2b(json.dumps(parts).encode(), digest_size=16)
    return f"{version}:{digest.hexdigest()}"


def _of_column(column: ColumnProfile, version: str) -> Iterator[object]:
    yield from (str(column.kind), column.type, column.rows, column.nulls, column.trues)
    if column.text is not None:
        yield [getattr(column.text, name) for name in type(column.text).__slots__]
    for table in (column.values, column.patterns):
        yield None if table is None else list(_of_values(table))
    if column.numbers is not None:
        yield list(_of_numbers(column.numbers, version))
    if version != FIRST and column.quantiles is not None and column.distinct <= _SHAPED:
        yield [column.quantiles.values.tolist(), column.quantiles.weights.tolist()]


def _of_values(table: Frequencies) -> Iterator[object]:
    yield table.total
    if table.distinct_error == 0.0:
        yield table.distinct
    if table.is_complete:
        yield from zip(table.ids.tolist(), table.counts.tolist(), strict=True)
        return
    level = table.level
    while int((table.zeros >= level).sum()) > _SAMPLE:
        level += 1
    kept = table.zeros >= level
    yield from zip(table.ids[kept].tolist(), table.counts[kept].tolist(), strict=True)


def _of_numbers(numbers: Numbers, version: str) -> Iterator[object]:
    yield from (numbers.count, numbers.nans, numbers.pos_infs, numbers.neg_infs)
    yield from (numbers.zeros, numbers.negatives, numbers.integers)
    yield from (numbers.low.hex(), numbers.high.hex(), str(numbers.exact_sum), numbers.scale)
    if numbers.exact_sum is None:
        # A mean that is small beside the spread is known as well as the spread is, and no better.
        size = max(abs(numbers.mean), numbers.spread / math.sqrt(max(1, numbers.count)))
        yield _rounded(numbers.mean, size)
    if numbers.exact_sum is None or version != FIRST:
        yield _rounded(numbers.spread, numbers.spread)


def _rounded(number: float, size: float) -> object:
    """The number in units of the eighth digit of another."""
    if not (math.isfinite(number) and math.isfinite(size)) or size == 0.0:
        return repr(number)
    exponent = math.floor(math.log10(size)) - _DIGITS
    try:
        return [exponent, round(number / 10.0**exponent)]
    except (OverflowError, ZeroDivisionError):  # Beyond what a power of ten can be: too small to differ.
        return repr(number)
