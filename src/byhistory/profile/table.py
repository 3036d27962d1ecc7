"""All columns of one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from byhistory.profile.column import ColumnProfile


@dataclass(frozen=True, slots=True)
class TableProfile:
    """The profiles of the columns of one run, in the order of the schema.

    `run` is the label of the run, `notices` say in words what was left out and why, and `sample` is a random
    sample of whole rows (an Arrow table) for fault injection: it is never stored and never compared. `unread` names
    the columns that could not be read, with their types.
    """

    run: str
    rows: int
    columns: Mapping[str, ColumnProfile]
    notices: tuple[str, ...] = ()
    sample: Any = field(default=None, compare=False, repr=False)
    unread: tuple[tuple[str, str], ...] = ()

    def samples(self, column: str) -> bool:
        """Whether there are rows to put faults into a column: those that could not be read are in no sample."""
        return self.sample is not None and column in self.columns and column not in dict(self.unread)

    def __getitem__(self, column: str) -> ColumnProfile:
        return self.columns[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)
