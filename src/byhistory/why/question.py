"""What is asked of which rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from byhistory.profile import ColumnProfile
from byhistory.profile.arrays import Floats
from byhistory.rows.field import Options
from byhistory.why.features import Feature, features
from byhistory.why.keys import Key
from byhistory.why.locate import of_same_rows
from byhistory.why.sides import Sides

MORE_OR_FEWER = 0.1
"""A run is larger or smaller than the one before from this share on."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """What an answer is wanted for: columns that are not as usual, and whether the number of rows is not."""

    columns: tuple[str, ...] = ()
    is_about_rows: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows of a run as an Arrow table without structs, how many rows each stands for, and how many there are.

    `paths` are the names down to columns that were inside a struct.
    """

    table: Any
    weights: Floats
    rows: int
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked of which rows; the features of each column are made when first needed."""

    sides: Sides
    alarm: Alarm
    ratio: float
    paths: Mapping[str, tuple[str, ...]]
    masked: Collection[str]
    key: Key = ()
    """Columns that tell rows of the run before apart."""
    profiles: Mapping[str, ColumnProfile] | None = None
    """What is kept of the run before, where its rows cannot be read."""
    options: Options = field(default_factory=Options)
    explained: tuple[str, ...] = ()
    """Columns that another answer is about: what rows have in common is not told by them."""
    made: dict[str, tuple[Feature, ...]] = field(default_factory=dict)

    @property
    def about(self) -> tuple[str, ...]:
        """The columns of the alarm that both runs have."""
        return tuple(c for c in self.alarm.columns if c in self.sides.now.column_names)

    @property
    def is_about_size(self) -> bool:
        """Whether the run is clearly larger or smaller, and the alarm is about that."""
        return self.alarm.is_about_rows and abs(np.log(max(1e-9, self.ratio))) > MORE_OR_FEWER

    def features(self, without: Collection[str] = ()) -> list[Feature]:
        """The features of all columns but some."""
        return [of_same_rows(f, self.sides.pairs) for f in self.features_of_runs(without)]

    def features_of_runs(self, without: Collection[str] = ()) -> list[Feature]:
        """The same with what each row of the run before had itself, also where the same row is there again."""
        left_out = {*without, *self.explained}
        return [f for c in self.sides.now.column_names if c not in left_out for f in self._of(c)]

    def path(self, column: str) -> tuple[str, ...]:
        """The names down to a column."""
        return self.paths.get(column, (column,))

    def _of(self, column: str) -> tuple[Feature, ...]:
        if column not in self.made:
            found = features(self.path(column), *self.sides.column(column))
            self.made[column] = tuple(f for f in found if f.part == "null" or column not in self.masked)
        return self.made[column]
