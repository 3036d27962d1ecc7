"""What every fault promises, and how one is made to happen."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from byhistory.inject.column import Column
from byhistory.profile import Kind

Apply = Callable[[Column, np.random.Generator], Any]
"""The column after the fault, as an Arrow array; None where the fault cannot happen to it."""

BOTH = frozenset({Kind.NUMERIC, Kind.CATEGORICAL})
ROWS = frozenset({Kind.NUMERIC, Kind.CATEGORICAL, Kind.TEMPORAL})
"""Kinds whose values can be ordered and written down."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that could go wrong with a column, with its parameter.

    `type` is the paper's name for the family of faults, `parameter` how strong it is, and `sentence` what a person
    reads ("looks like: values multiplied by 10"). `rows` is the factor by which the number of rows changes. `apply`
    puts the fault into a sample; all its randomness comes from the generator that it is given.

    The last two are optional, and make the estimated response sharper. `keeps` says that the fault only changes how
    often each value occurs, by this factor (0.5: half of the rows are lost), so that the response follows from the
    profile alone. `each` says that every value is changed on its own and equal values alike, so that the extremes of
    all rows are known from those of the profile.
    """

    name: str
    type: str
    kinds: frozenset[Kind]
    apply: Apply
    parameter: str
    sentence: str
    rows: float = 1.0
    keeps: float | None = None
    each: bool = False


def inject(fault: Fault, column: Column, seed: int = 0) -> Any:
    """The column after the fault; None if the kind is wrong, there is nothing to spoil, or nothing would change.

    Each fault has a stream of random numbers of its own, so that a new fault does not change what the others do.

    >>> from byhistory.inject import ALL
    >>> import pyarrow as pa
    >>> tenfold = next(f for f in ALL if f.name == "unit_change×10")
    >>> inject(tenfold, Column(pa.array([1, None, 3]), Kind.NUMERIC)).to_pylist()
    [10, None, 30]
    >>> inject(tenfold, Column(pa.array([0, 0]), Kind.NUMERIC)) is None
    True
    """
    if column.kind not in fault.kinds or not column.rows:
        return None
    with np.errstate(all="ignore"):  # 1e308 × 10 is inf and inf stays inf: that is the fault, not a mistake of ours
        after = fault.apply(column, stream(fault, seed))
    return None if after is None or column.equals(after) else after


def stream(fault: Fault, seed: int) -> np.random.Generator:
    """The random numbers of one fault under one seed."""
    return np.random.default_rng((seed, zlib.crc32(fault.name.encode())))  # noqa: TID251 - named by (seed, fault)


def percent(share: float) -> str:
    """A share as people write it.

    >>> percent(0.1)
    '10%'
    """
    return f"{share:.0%}"
