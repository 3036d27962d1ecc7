"""The rows that are searched: those of a run and of the one before, and which of them are the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from byhistory.profile import TableProfile
from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.pairs import same
from byhistory.why.parts import comparable, plain
from byhistory.why.search import Rows
from byhistory.why.usual import Usual, usual
from byhistory.why.view import CHANGED, FIT, NEWNESS, PRESENCE, SPELLING, View, of_changed
from byhistory.why.views import moves_on, views

MOVES = 0.8
"""If more than this share of the rows that stay have another value in a column (a rank, a price), former values tell
nothing (a choice)."""
OF_VALUES = {SPELLING, CHANGED}
"""Views that no profile tells, beside those of whether a column fits another."""
MOST_MOVE = 0.5
"""They are taken to move as the values do if good runs are farther apart than this (a choice): else these move a
little, and still fit."""
HARDLY = 0.01
"""Good runs hardly ever bring new values if at most this share of the rows has one (a choice)."""


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The rows that are searched: Arrow tables with the same columns, and the weight of each row of this run.

    `random` chooses the rows that a search looks at if there are more than it needs.
    """

    now: Any
    before: Any
    weights: Floats
    random: np.random.Generator
    pairs: Ints | None = None
    """For each row of this run, the place of the same row in the run before, or -1; None if rows do not stay."""
    past: Sequence[TableProfile] = ()
    """The profiles of good runs, oldest first: they tell how much columns change by themselves."""
    known: dict[str, Usual] = field(default_factory=dict)
    """What has been found out about that, by column."""

    def column(self, name: str) -> tuple[Any, Any]:
        """One column of both runs."""
        return plain(self.now.column(name)), plain(self.before.column(name))

    def views(self, name: str) -> list[View]:
        """The views of a column, comparing rows with what they were if the same rows are known."""
        found = list(views(*self.column(name)))
        if self.pairs is None or not found:
            return found
        is_same = self._is_same(name)
        moves = (self.pairs[~is_same] >= 0).sum() > MOVES * (self.pairs >= 0).sum()
        return [v if moves and v.name != PRESENCE else v.paired(self.pairs, is_same) for v in found]

    def changed(self, name: str, most: float) -> View | None:
        """A view of which of the rows that stay have another value; None if none have, or more than the share
        `most`.
        """
        if self.pairs is None:
            return None
        changed = (self.pairs >= 0) & ~self._is_same(name)
        now, before = (np.asarray(a.is_null().to_numpy(zero_copy_only=False)) for a in self.column(name))
        return of_changed(changed, (now, before), self.pairs) if 0 < changed.mean() <= most else None

    def usually(self, column: str, view: View) -> float:
        """How far apart good runs of a column are in a view; 0 if that is not known.

        Of dates and counters it is not said: they move on, and are laid over one another before they are compared.
        """
        known = self.usual_of(column)
        if view.name in OF_VALUES or view.name.startswith(FIT):
            return known.get("value", 0.0) if known.get("value", 0.0) > MOST_MOVE else 0.0
        return known.get(view.name, 0.0)

    def usual_of(self, column: str) -> Usual:
        """The same for all views."""
        if column not in self.known:
            moves = column not in self.now.column_names or moves_on(*self.column(column))
            found = usual(self.past, column)
            self.known[column] = {name: x for name, x in found.items() if name != "value" or not moves}
        return self.known[column]

    def keeps(self, column: str) -> bool:
        """Whether good runs hardly ever bring a value of a column that the run before did not have."""
        return self.usual_of(column).get(NEWNESS, 1.0) <= HARDLY

    def _is_same(self, name: str) -> Bools:
        assert self.pairs is not None  # noqa: S101 - asked before
        now, before = comparable(*self.column(name))
        mine = np.flatnonzero(self.pairs >= 0)
        is_same = np.zeros(len(self.pairs), np.bool_)
        if now.type.equals(before.type):
            is_same[mine] = same(now.take(mine), before.take(self.pairs[mine]))
        return is_same

    def witness(self, name: str) -> View | None:
        """A view of which of the rows that stay have another value; None for a column that moves on with the runs."""
        if name not in self.now.column_names or moves_on(*self.column(name)):
            return None
        return self.changed(name, 1.0)

    @property
    def came_or_went(self) -> float:
        """The share of the larger run's rows that the other run does not have; 0 if the same rows are not known."""
        if self.pairs is None:
            return 0.0
        both = int((self.pairs >= 0).sum())
        return 1.0 - float(both / max(1, self.now.num_rows, self.before.num_rows))

    @property
    def everything(self) -> Rows:
        """The places of all rows of both runs."""
        return np.arange(self.now.num_rows), np.arange(self.before.num_rows)

    @property
    def has_past(self) -> bool:
        """Whether there are rows of the run before, and not only a profile of the column that changed."""
        return bool(self.before.num_rows)
