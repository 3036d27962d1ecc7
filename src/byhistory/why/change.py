"""What changed in a column: the cells of a view that gained rows, those that lost rows, and the trait to look for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.scan import Tally, evidence
from byhistory.why.view import MISSING, NEW, OTHERS, PRESENCE, View

PER_CELL = 1.0
"""Evidence that a cell must add to be part of the trait (a choice); by chance alone, each cell adds about 0.3."""
MISSED = 3.0
"""Standard errors by which the share of missing values must move to be part of a change (a choice)."""
NOTICED = 3.0
"""Two runs differ if their distance exceeds that of chance by this many of its standard deviations (a choice)."""
FELL = 4.0
"""Cells have lost rows from this evidence on (a choice: once in fifty by chance)."""
FILLED = 0.5
"""Missing values were filled if more than this share of the rows that changed had none (a choice)."""
AS_MANY = 0.2
"""A value has taken another's place if their shares of the rows differ by at most this part (a choice)."""
SHOWN = 5
"""The most values that are named as more, or as less frequent (a choice)."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A value, range or pattern, and its share of the rows before and now."""

    what: str
    before: float
    now: float


def is_renamed(gained: Sequence[Moved], lost: Sequence[Moved]) -> bool:
    """Whether one value is gone from all rows and one that was never there has taken its place.

    >>> is_renamed([Moved("'D'", 0.0, 0.21)], [Moved("'DE'", 0.2, 0.0)])
    True
    >>> is_renamed([Moved("'D'", 0.0, 0.11)], [Moved("'DE'", 0.2, 0.1)])
    False
    """
    if len(gained) != 1 or len(lost) != 1:
        return False
    new, old = gained[0], lost[0]
    are_values = not {new.what, old.what} & {MISSING, OTHERS} and old.what != NEW
    return are_values and new.before == old.now == 0 and abs(new.now - old.before) <= AS_MANY * new.now


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One view of one column: which rows have what became more frequent, and how clear that is."""

    column: str
    view: View
    cells: Bools
    """The cells that gained rows."""
    evidence: float
    gained: tuple[Moved, ...]
    lost: tuple[Moved, ...]
    idle: tuple[int, ...] = ()
    """The cells of rows to which the change cannot happen: those without a value, and zeros if spelling changed. They
    are counted if their share moved, because they are then part of the change."""
    fell: Bools | None = None
    """The cells that lost rows; None if none clearly did."""
    named: Bools | None = None
    """The cells that are named as gained; None if there are none."""
    first: Bools | None = None
    """The cell whose share grew most, if it is clear by itself."""

    @property
    def now(self) -> Bools:
        """Which rows of this run are in a cell that gained."""
        return self.cells[self.view.now]

    @property
    def before(self) -> Bools:
        """Which rows of the run before are in such a cell."""
        return self.cells[self.view.before]

    @property
    def kept(self) -> tuple[Bools, Bools] | None:
        """Which rows of both runs are in none of the cells that lost rows; None if none did."""
        if self.fell is None:
            return None
        view, fell = self.view, self.fell
        if view.unpaired is not None:
            view, fell = view.unpaired, np.delete(fell, view.cells - 2)
        # Of rare values, which rows are "new" or "other" is not counted alike in both runs.
        fell = fell & [name not in (NEW, OTHERS) for name in map(view.labels, range(view.cells))]
        return (~fell[view.now], ~fell[view.before]) if fell.any() else None

    @property
    def possible(self) -> tuple[Ints, Ints]:
        """The rows of both runs that can have the trait: those without a value only if that is what changed."""
        same, plain = self.view.same, self.view.unpaired
        codes = self.view.now, self.view.before
        possible = [~np.isin(c, self.idle) for c in codes]
        if self.view.stays is not None:
            possible = [p & stays for p, stays in zip(possible, self.view.stays, strict=True)]
        if plain is not None:  # nor rows that had none before
            of_runs, idle = (plain.now, plain.before), [i for i in plain.idle if not self._fills(i)]
            possible = [p & ~((c == same) & np.isin(o, idle)) for p, c, o in zip(possible, codes, of_runs, strict=True)]
        return np.flatnonzero(possible[0]), np.flatnonzero(possible[1])

    def _fills(self, cell: int) -> bool:
        """Whether most of the rows that changed were in an idle cell; rows that are still in it are then those that
        were missed.
        """
        plain = self.view.unpaired
        had = np.zeros(0) if plain is None else plain.before[self.view.before != self.view.same]
        return len(had) > 0 and float((had == cell).mean()) > FILLED


def change(
    column: str, view: View, weights: Floats, rows: tuple[Ints | slice, Ints | slice] = (slice(None), slice(None))
) -> Change:
    """The cells whose gain is clearest, among the rows of a segment or all rows.

    Cells are added in the order of how much their share grew, as long as the evidence grows: the result may be a single
    new value, or everything but the value that is gone.
    """
    mine, theirs = rows
    now: Floats = np.bincount(view.now[mine], weights[mine], view.cells).astype(np.float64)
    before: Floats = np.bincount(view.before[theirs], minlength=view.cells).astype(np.float64)
    share_now, share_before = now / max(1e-12, now.sum()), before / max(1e-12, before.sum())
    noise = np.sqrt((share_now + share_before) * (1 / max(1.0, now.sum()) + 1 / max(1.0, before.sum())))
    moves = view.name != PRESENCE
    idle = tuple(i for i in view.idle if moves and abs(share_now[i] - share_before[i]) <= MISSED * noise[i])
    now[list(idle)] = before[list(idle)] = 0.0
    chosen, strength, first = _clearest(view, now, before)
    fell, fall, _ = _clearest(view, before, now)
    if view.is_free:
        strength, fall = strength - max(0.0, fall), fall - max(0.0, strength)
    difference = share_now - share_before
    clear = np.abs(difference) > 3 * noise
    ranked = np.argsort(-np.abs(difference), kind="stable")
    gains = [i for i in ranked.tolist() if clear[i] and difference[i] > 0 and i != view.same][:SHOWN]
    if not gains and strength - np.log(view.cells) > FELL:  # few rows, or many cells with a little each
        gains = [i for i in ranked.tolist() if chosen[i] and difference[i] > noise[i] and i != view.same][:SHOWN]
    losses = [i for i in ranked.tolist() if clear[i] and difference[i] < 0 and i != view.same][:SHOWN]
    if view.unpaired is not None:  # shares are of all rows, also of those that stayed as they were
        here, there = view.unpaired.now[mine], view.unpaired.before[theirs]
        shares = np.bincount(here, weights[mine], view.cells), np.bincount(there, minlength=view.cells)
        share_now, share_before = (_as_paired(view, s / max(1e-12, float(s.sum()))) for s in shares)

    def moved(places: Iterable[int]) -> tuple[Moved, ...]:
        return tuple(Moved(view.labels(i), float(share_before[i]), float(share_now[i])) for i in places)

    # Of two views that say the same, the one with fewer cells says it in simpler words.
    size = float(np.log(view.cells))
    fallen = fell if fall - size > FELL else None
    named = None
    if gains:
        named = np.zeros(view.cells, np.bool_)
        named[gains] = True
    one = first if strength - size > FELL else None
    return Change(column, view, chosen, strength - size, moved(gains), moved(losses), idle, fallen, named, one)


def _clearest(view: View, now: Floats, before: Floats) -> tuple[Bools, float, Bools | None]:
    """The cells whose gain is the clearest, its evidence, and the one that grew most, if it is clear by itself."""
    share_now, share_before = now / max(1e-12, now.sum()), before / max(1e-12, before.sum())
    floor = 0.5 / max(1.0, before.sum())
    order = np.argsort(-(share_now + floor) / (share_before + floor), kind="stable")
    order = order[((now + before)[order] > 0) & (order != (-1 if view.same is None else view.same))]
    tally = Tally(
        np.full(len(order), now.sum()),
        np.cumsum(now[order]),
        np.full(len(order), before.sum()),
        np.cumsum(before[order]),
    )
    strength = evidence(tally) - PER_CELL * np.arange(1, len(order) + 1)
    chosen = np.zeros(view.cells, np.bool_)
    best = int(np.argmax(strength)) if len(order) else 0
    chosen[order[: best + 1]] = True
    first = None
    if len(order) and best and strength[0] > FELL:
        first = np.zeros(view.cells, np.bool_)
        first[order[0]] = True
    return chosen, float(strength[best]) if len(order) else 0.0, first


def _as_paired(view: View, shares: Floats) -> Floats:
    """The shares of an unpaired view, with the last cell where the paired view has it."""
    return np.append(shares[: view.cells - 2], [0.0, shares[view.cells - 2]])


def distance(view: View, weights: Floats, mine: Ints, theirs: Ints) -> float:
    """How far apart two runs are in some of their rows: 0 means equal, 1 nothing in common."""
    now: Floats = np.bincount(view.now[mine], weights[mine], view.cells).astype(np.float64)
    return apart(now, np.bincount(view.before[theirs], minlength=view.cells).astype(np.float64))


def apart(now: Floats, before: Floats) -> float:
    """How far apart the rows of two runs are, counted by cell: half the summed difference of shares, minus what chance
    makes.

    >>> apart(np.array([90.0, 10.0]), np.array([30.0, 70.0])) > 0.5, apart(np.array([9.0]), np.array([3.0]))
    (True, 0.0)
    """
    if not now.sum() or not before.sum():
        return 0.0
    p, q = now / now.sum(), before / before.sum()
    pooled = (now + before) / (now.sum() + before.sum())
    # The mean of |x| for a normal x is 0.8 of its standard deviation.
    noise = 0.8 * np.sqrt(pooled * (1 - pooled) * (1 / now.sum() + 1 / before.sum()))
    squared = np.maximum(0.0, (p - q) ** 2 - (1.25 * noise) ** 2)
    seen = pooled > 0
    variance = pooled[seen] * (1 / now.sum() + 1 / before.sum())
    freedom = max(1, int(seen.sum()) - 1)
    if ((p - q)[seen] ** 2 / variance).sum() - freedom < NOTICED * np.sqrt(2 * freedom):
        return 0.0
    return float(np.sqrt(squared).sum() / 2)


def reweighted(view: View, weights: Floats, weights_before: Floats) -> tuple[float, float]:
    """The distance of the runs, and what it would be if the rows of the run before had other weights."""
    now = np.bincount(view.now, weights, view.cells)
    p = now / max(1e-12, now.sum())
    left = []
    for of_before in (np.ones(len(view.before)), weights_before):
        before = np.bincount(view.before, of_before, view.cells)
        q = before / max(1e-12, before.sum())
        noise = np.sqrt((p + q) * (1 / max(1.0, now.sum()) + 1 / max(1.0, before.sum())) / 2)
        left.append(float(np.maximum(0.0, np.abs(p - q) - noise).sum() / 2))
    return left[0], left[1]
