"""What changed in a column: the cells of a view that gained rows, those that lost rows, and the trait to look for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.features import Feature
from byhistory.why.scan import Tally, evidence
from byhistory.why.views import PRESENCE, View

PER_CELL = 1.0
"""Evidence that a cell must add to be part of the trait; chance alone adds about 0.3 for each cell there is."""
MISSED = 3.0
"""Standard errors by which the share of missing values must move to be part of what changed."""
FILLED = 0.5
"""Missing values were filled if more than this share of the rows that changed had none."""
SHOWN = 5
"""Values that are named on either side, by choice."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A value, range or pattern and its share of the rows, before and now."""

    what: str
    before: float
    now: float


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One view of one column: which rows have what became more frequent, and how clearly it did."""

    column: str
    view: View
    cells: Bools
    """The cells that gained."""
    evidence: float
    gained: tuple[Moved, ...]
    lost: tuple[Moved, ...]
    with_missing: bool = True
    """Rows without a value count: more or fewer of them is part of what changed."""

    @property
    def now(self) -> Bools:
        """Rows of this run in a cell that gained."""
        return self.cells[self.view.now]

    @property
    def before(self) -> Bools:
        """Rows of the run before in such a cell."""
        return self.cells[self.view.before]

    @property
    def possible(self) -> tuple[Ints, Ints]:
        """The rows of both runs that can have the trait: not those without a value, unless that is what changed."""
        null, same, plain = self.view.missing, self.view.same, self.view.unpaired
        codes = self.view.now, self.view.before
        possible = [np.ones(len(c), np.bool_) if self.with_missing or null is None else c != null for c in codes]
        if self.view.stays is not None:
            possible = [p & stays for p, stays in zip(possible, self.view.stays, strict=True)]
        if plain is not None and plain.missing is not None and not self._fills():  # nor rows that had none before
            of_runs = plain.now, plain.before
            possible = [
                p & ~((c == same) & (o == plain.missing)) for p, c, o in zip(possible, codes, of_runs, strict=True)
            ]
        return np.flatnonzero(possible[0]), np.flatnonzero(possible[1])

    def _fills(self) -> bool:
        """Whether most rows that changed had no value before: then those that still have none are what was not hit."""
        plain = self.view.unpaired
        had = np.zeros(0) if plain is None else plain.before[self.view.before != self.view.same]
        return plain is not None and len(had) > 0 and float((had == plain.missing).mean()) > FILLED


def change(
    column: str, view: View, weights: Floats, rows: tuple[Ints | slice, Ints | slice] = (slice(None), slice(None))
) -> Change:
    """The cells whose gain is the clearest, by the rows of some segment or by all.

    Cells are taken in the order of how much their share grew, as many as make the evidence largest: from one value
    that is new to everything but the one that is gone.
    """
    mine, theirs = rows
    now = np.bincount(view.now[mine], weights[mine], view.cells)
    before = np.bincount(view.before[theirs], minlength=view.cells).astype(np.float64)
    share_now, share_before = now / max(1e-12, now.sum()), before / max(1e-12, before.sum())
    noise = np.sqrt((share_now + share_before) * (1 / max(1.0, now.sum()) + 1 / max(1.0, before.sum())))
    null = view.missing
    with_missing = (
        null is None or view.name == PRESENCE or bool(abs(share_now[null] - share_before[null]) > MISSED * noise[null])
    )
    if null is not None and not with_missing:
        now[null] = before[null] = 0.0
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
    difference = share_now - share_before
    clear = np.abs(difference) > 3 * noise
    ranked = np.argsort(-np.abs(difference), kind="stable")
    gains = [i for i in ranked.tolist() if clear[i] and difference[i] > 0 and i != view.same][:SHOWN]
    losses = [i for i in ranked.tolist() if clear[i] and difference[i] < 0 and i != view.same][:SHOWN]
    if view.unpaired is not None:  # told with the rows that are what they were
        here, there = view.unpaired.now[mine], view.unpaired.before[theirs]
        shares = np.bincount(here, weights[mine], view.cells), np.bincount(there, minlength=view.cells)
        share_now, share_before = (_as_paired(view, s / max(1e-12, float(s.sum()))) for s in shares)

    def moved(places: Iterable[int]) -> tuple[Moved, ...]:
        return tuple(Moved(view.labels(i), float(share_before[i]), float(share_now[i])) for i in places)

    # Of two views that say the same, the one with fewer cells says it in simpler words.
    clearest = float(strength[best] - np.log(view.cells)) if len(order) else 0.0
    return Change(column, view, chosen, clearest, moved(gains), moved(losses), with_missing)


def _as_paired(view: View, shares: Floats) -> Floats:
    """The shares of an unpaired view, with the last cell where the paired one has it."""
    return np.append(shares[: view.cells - 2], [0.0, shares[view.cells - 2]])


def distance(view: View, weights: Floats, mine: Ints, theirs: Ints) -> float:
    """How far apart two runs are in some of their rows: half the summed difference of shares, less what chance makes.

    0 is the same, 1 nothing in common.
    """
    now = np.bincount(view.now[mine], weights[mine], view.cells)
    before = np.bincount(view.before[theirs], minlength=view.cells).astype(np.float64)
    if not now.sum() or not before.sum():
        return 0.0
    p, q = now / now.sum(), before / before.sum()
    pooled = (now + before) / (now.sum() + before.sum())
    # The mean of |x| for a normal x is 0.8 of its standard deviation.
    noise = 0.8 * np.sqrt(pooled * (1 - pooled) * (1 / now.sum() + 1 / before.sum()))
    squared = np.maximum(0.0, (p - q) ** 2 - (1.25 * noise) ** 2)
    return float(np.sqrt(squared).sum() / 2)


def unlike(view: View, by: Feature, weights: Floats, rows: tuple[Ints, Ints]) -> float:
    """How far apart two runs are in some of their rows, compared for every value of another column by itself.

    It is what chi-squared, summed over those values, has beyond its degrees of freedom, per row: 0 is the same.
    """
    mine, theirs = (places[codes[places] >= 0] for places, codes in zip(rows, (by.now, by.before), strict=True))
    cells = by.size * view.cells
    now = np.bincount(by.now[mine] * view.cells + view.now[mine], weights[mine], cells).reshape(-1, view.cells)
    before = np.bincount(by.before[theirs] * view.cells + view.before[theirs], minlength=cells).reshape(-1, view.cells)
    total, total_before = now.sum(axis=1), before.sum(axis=1)
    both = (total > 0) & (total_before > 0)
    if not both.any():
        return 0.0
    now, before, scale = now[both], before[both], np.sqrt(total_before[both] / total[both])[:, None]
    seen = now + before
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = np.where(seen > 0, (now * scale - before / scale) ** 2 / seen, 0.0)
    degrees = np.maximum(0, (seen > 0).sum(axis=1) - 1)
    excess = squared.sum() - degrees.sum() - 2 * np.sqrt(2.0 * degrees.sum())  # two of its standard deviations
    return float(max(0.0, excess) / max(1.0, seen.sum()))


def reweighted(view: View, weights: Floats, weights_before: Floats) -> tuple[float, float]:
    """How far apart the runs are, and how far if the rows of the run before had other weights."""
    now = np.bincount(view.now, weights, view.cells)
    p = now / max(1e-12, now.sum())
    left = []
    for of_before in (np.ones(len(view.before)), weights_before):
        before = np.bincount(view.before, of_before, view.cells)
        q = before / max(1e-12, before.sum())
        noise = np.sqrt((p + q) * (1 / max(1.0, now.sum()) + 1 / max(1.0, before.sum())) / 2)
        left.append(float(np.maximum(0.0, np.abs(p - q) - noise).sum() / 2))
    return left[0], left[1]
