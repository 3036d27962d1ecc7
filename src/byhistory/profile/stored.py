"""The columns of a run as they are kept: bytes, each decoded when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from byhistory.profile.codec import from_bytes
from byhistory.profile.column import ColumnProfile


@dataclass(frozen=True, slots=True)
class StoredColumns(Mapping[str, ColumnProfile]):
    """Columns for a `TableProfile` that take a third of the memory: for many columns over many runs.

    Learning goes column by column, so that of 10,000 columns over 60 runs only 60 profiles are decoded at a time.

    >>> from byhistory.profile import Kind, to_bytes
    >>> columns = StoredColumns({"n": to_bytes(ColumnProfile(Kind.NUMERIC, "n", rows=4))})
    >>> columns["n"].rows, list(columns)
    (4, ['n'])
    """

    packed: Mapping[str, bytes]

    def __getitem__(self, column: str) -> ColumnProfile:
        return from_bytes(self.packed[column])

    def __iter__(self) -> Iterator[str]:
        return iter(self.packed)

    def __len__(self) -> int:
        return len(self.packed)
