"""One way to look at a column: the same cells for the rows of both runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Bools, Ints

PRESENCE, CASING, CHANGED, SPELLING = "presence", "casing", "change of the same rows", "how it is written"
FIT, COPY = "fit with ", "same as "
SIGNS, NEWNESS, REPEATED = "signs", "new values", "how often a value is there"
OTHER = "other than in the same row before"
MISSING, NEW, SAME, OTHERS = "missing", "not seen in the run before", "as it was", "other values"


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A cell for each row of both runs, and the name of each cell."""

    name: str
    now: Ints
    before: Ints
    labels: Callable[[int], str]
    cells: int
    unpaired: View | None = None
    """The view that ignores which row is which, if in this one rows are compared with what they were."""
    stays: tuple[Bools, Bools] | None = None
    """Which rows of both runs are compared with themselves, if any are."""
    is_free: bool = False
    """Whether it is free text, where chance makes hundreds of values seem new and equally many gone."""

    @property
    def missing(self) -> int | None:
        """The cell of rows without a value: the last one, if there is one."""
        return self.cells - 1 if self.labels(self.cells - 1) == MISSING else None

    @property
    def idle(self) -> tuple[int, ...]:
        """The cells of rows to which a change of other rows cannot happen: those without a value and, for spelling,
        zeros.
        """
        found = () if self.missing is None else (self.missing,)
        zero = (self.unpaired or self).cells - 2
        return (*found, zero) if self.name == SPELLING else found

    @property
    def is_paired(self) -> bool:
        """Whether rows are compared with what they were."""
        return self.stays is not None

    @property
    def same(self) -> int | None:
        """The cell of rows that are what they were, if rows are compared with that."""
        return self.cells - 2 if self.unpaired is not None else None

    def paired(self, pairs: Ints, is_same: Bools) -> View:
        """The view that compares rows with what they were: rows in the same cell as before share a cell of their own.

        `pairs` has the place of the same row in the run before, or -1, and `is_same` whether it has the same value.
        Rows that only one of the runs has did not change.
        """
        mine = np.flatnonzero(pairs >= 0)
        moved = mine[~is_same[mine] & (self.now[mine] != self.before[pairs[mine]])]
        last, names = self.cells - 1, self.labels
        now, before = np.full(len(self.now), last), np.full(len(self.before), last)
        for codes, of_all, rows in ((now, self.now, moved), (before, self.before, pairs[moved])):
            codes[rows] = np.where(of_all[rows] == last, self.cells, of_all[rows])

        def label(code: int) -> str:
            return SAME if code == last else names(min(code, last))

        return View(self.name, now, before, label, self.cells + 1, self, _stays(pairs, len(before)))


def _stays(pairs: Ints, before: int) -> tuple[Bools, Bools]:
    there = np.zeros(before, np.bool_)
    there[pairs[pairs >= 0]] = True
    return pairs >= 0, there


def of_changed(changed: Bools, is_null: tuple[Bools, Bools], pairs: Ints) -> View:
    """Whether rows have another value than the same rows had in the run before; nulls that stay count as missing."""
    here, there = is_null
    now = np.where(changed, 1, np.where(here, 2, 0)).astype(np.int64)
    before = np.where(there, 2, 0).astype(np.int64)
    return View(CHANGED, now, before, (SAME, OTHER, MISSING).__getitem__, 3, stays=_stays(pairs, len(before)))
