"""One column of one run, as a value that can be added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar

from byhistory.profile.frequencies import SENT, Frequencies
from byhistory.profile.kind import Kind
from byhistory.profile.numbers import Numbers
from byhistory.profile.quantiles import SEALED as SEALED_BUCKETS
from byhistory.profile.quantiles import Quantiles
from byhistory.profile.text import Text

PATTERNS = 128
"""Patterns kept of a finished run. A column with more holds free text, for which a sample of the patterns is enough."""
FORMATS = 64
"""Formats kept of a finished run: half as many, as they are there beside the patterns (by choice)."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """A small summary of one column of one run. Profiles of two parts of a run add up to the profile of the whole.

    A summary that does not apply to the kind of the column is None. `trues` counts the true values of a boolean column;
    `numbers` and `quantiles` describe its numbers or times, `text` and `lengths` its strings. `values` counts how often
    each non-null value occurs, `patterns` how often each shape of text does, and `formats` the same with capitals,
    signs and years told apart; profiles of the first stored format have no formats.

    >>> (ColumnProfile(Kind.NUMERIC, rows=4, nulls=1) + ColumnProfile(Kind.NUMERIC, rows=1)).rows
    5
    """

    kind: Kind
    name: str = ""
    type: str = ""
    nullable: bool = True
    position: int = 0
    rows: int = 0
    nulls: int = 0
    trues: int = 0
    numbers: Numbers | None = None
    quantiles: Quantiles | None = None
    text: Text | None = None
    lengths: Quantiles | None = None
    """Length in characters (text), in bytes (binary) or in elements (arrays, maps)."""
    values: Frequencies | None = None
    patterns: Frequencies | None = None
    formats: Frequencies | None = None

    @property
    def present(self) -> int:
        """Rows that are not null."""
        return self.rows - self.nulls

    @property
    def distinct(self) -> float:
        """Number of distinct non-null values; an estimate unless `is_exact`."""
        return self.values.distinct if self.values is not None else 0.0

    @property
    def is_exact(self) -> bool:
        """Whether every number read off this profile is exact, because no sketch had to drop anything."""
        tables = [t for t in (self.values, self.patterns, self.formats) if t is not None]
        shapes = [q for q in (self.quantiles, self.lengths) if q is not None]
        return all(t.is_complete for t in tables) and all(q.is_exact for q in shapes)

    def __add__(self, other: ColumnProfile) -> ColumnProfile:
        return ColumnProfile.sum_of([self, other])

    @staticmethod
    def sum_of(parts: Sequence[ColumnProfile]) -> ColumnProfile:
        """The sum of one or more profiles of the same column: faster and more accurate than adding them one by one."""
        first = parts[0]
        if len(parts) == 1:
            return first
        for other in parts[1:]:
            if first.kind is not other.kind or first.name != other.name:
                raise ValueError(
                    f"profiles of different columns: {first.name!r} ({first.kind}) and {other.name!r} ({other.kind})"
                )
        return replace(
            first,
            nullable=any(p.nullable for p in parts),
            rows=sum(p.rows for p in parts),
            nulls=sum(p.nulls for p in parts),
            trues=sum(p.trues for p in parts),
            numbers=_sum([p.numbers for p in parts], lambda some: reduce(Numbers.__add__, some)),
            quantiles=_sum([p.quantiles for p in parts], Quantiles.sum_of),
            text=_sum([p.text for p in parts], lambda some: reduce(Text.__add__, some)),
            lengths=_sum([p.lengths for p in parts], Quantiles.sum_of),
            values=_sum([p.values for p in parts], Frequencies.sum_of),
            patterns=_sum([p.patterns for p in parts], Frequencies.sum_of),
            formats=_formats(parts),
        )

    def packed(self) -> ColumnProfile:
        """The same profile without the entries that `sealed` would drop; it can still be added to others."""
        if self.values is None or self.values.is_complete:
            return self
        return replace(self, values=self.values.limited(SENT))

    def sealed(self, key: bytes) -> ColumnProfile:
        """The form that is stored and compared: small, with digests under the secret `key` instead of plain hashes."""
        return replace(
            self,
            quantiles=None if self.quantiles is None else self.quantiles.limited(SEALED_BUCKETS),
            lengths=None if self.lengths is None else self.lengths.limited(SEALED_BUCKETS // 4),
            values=None if self.values is None else self.values.sealed(key),
            patterns=None if self.patterns is None else self.patterns.sealed(key, PATTERNS),
            formats=None if self.formats is None else self.formats.sealed(key, FORMATS),
        )


S = TypeVar("S")


def _sum(states: Sequence[S | None], plus: Callable[[list[S]], S]) -> S | None:
    """The sum, where None is the zero of every state."""
    some = [state for state in states if state is not None]
    return plus(some) if some else None


def _formats(parts: Sequence[ColumnProfile]) -> Frequencies | None:
    """The formats of all parts; None where one is of the first stored format: those of the others are not all."""
    some = [p for p in parts if p.present]
    if not some:
        return parts[0].formats
    return None if any(p.formats is None for p in some) else _sum([p.formats for p in some], Frequencies.sum_of)
