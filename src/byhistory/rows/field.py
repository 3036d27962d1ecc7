"""What is known about a column before its rows are read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from byhistory.profile import Kind
from byhistory.rows.hashing import seed_of


@dataclass(frozen=True, slots=True)
class Field:
    """Schema facts of a column: its name as delivered (dotted below a struct), kind, type, position."""

    name: str
    kind: Kind
    type: str
    nullable: bool = True
    position: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """How rows are to be summarised.

    `key` makes the stored digests of values unreadable without it; `keep_values` stores the plain values beside
    them, which is the user's choice alone. Without `spelling`, digits and decimal places are not counted: writing
    numbers down takes a third of the time, and whoever only asks for other metrics can do without.
    """

    key: bytes = b""
    keep_values: bool = False
    spelling: bool = True

    @property
    def seed(self) -> np.uint64:
        """The start value of the hashes, from the key."""
        return seed_of(self.key)
