"""What is asked, and about which rows."""

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
"""A run is larger or smaller than the one before if its number of rows differs by this share (a choice)."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """What needs an answer: columns that are not as usual, and whether the number of rows is not."""

    columns: tuple[str, ...] = ()
    is_about_rows: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows of a run as an Arrow table without structs, how many rows each one stands for, and how many there are.

    `paths` has the path to each column that was inside a struct.
    """

    table: Any
    weights: Floats
    rows: int
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked, and about which rows. The features of each column are made when they are first needed."""

    sides: Sides
    alarm: Alarm
    ratio: float
    paths: Mapping[str, tuple[str, ...]]
    masked: Collection[str]
    key: Key = ()
    """Columns that identify the rows of the run before."""
    profiles: Mapping[str, ColumnProfile] | None = None
    """The stored profiles of the run before, if its rows cannot be read."""
    options: Options = field(default_factory=Options)
    explained: tuple[str, ...] = ()
    """Columns that another answer is about; segments are not described by them."""
    made: dict[str, tuple[Feature, ...]] = field(default_factory=dict)

    @property
    def about(self) -> tuple[str, ...]:
        """The columns of the alarm that both runs have."""
        return tuple(c for c in self.alarm.columns if c in self.sides.now.column_names)

    @property
    def is_about_size(self) -> bool:
        """Whether the alarm is about the number of rows, and the run is clearly larger or smaller."""
        return self.alarm.is_about_rows and abs(np.log(max(1e-9, self.ratio))) > MORE_OR_FEWER

    def features(self, without: Collection[str] = ()) -> list[Feature]:
        """The features of all columns but some."""
        return [of_same_rows(f, self.sides.pairs) for f in self.features_of_runs(without)]

    def features_of_runs(self, without: Collection[str] = ()) -> list[Feature]:
        """The same features, where rows of the run before have their own values even if the same row is there again."""
        left_out = {*without, *self.explained}
        return [f for c in self.sides.now.column_names if c not in left_out for f in self._of(c)]

    def path(self, column: str) -> tuple[str, ...]:
        """The path to a column."""
        return self.paths.get(column, (column,))

    def _of(self, column: str) -> tuple[Feature, ...]:
        if column not in self.made:
            found = features(self.path(column), *self.sides.column(column))
            self.made[column] = tuple(f for f in found if f.part == "null" or column not in self.masked)
        return self.made[column]
