"""How far apart are good runs of a column? What changes by itself from run to run is not what an alarm is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from byhistory.metrics import Match
from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.why.change import apart
from byhistory.why.view import CASING, NEWNESS, PRESENCE, SIGNS
from byhistory.why.views import OWN_CELL

FEWEST = 4
"""Good runs from which on is said what is usual (a choice)."""
OFTEN = 0.9
"""So often good runs are at most as far apart as is called usual (a choice): a past run may have been odd itself."""

Usual = Mapping[str, float]
"""The distance of good runs in every view that is known, by its name."""


def usual(past: Sequence[TableProfile], column: str) -> dict[str, float]:
    """How far a good run of a column is from the one before it, by the name of the view; nothing if few are known.

    `past` are the profiles of good runs, oldest first.
    """
    known = [p[column] for p in past if column in p]
    if len(known) < FEWEST:
        return {}
    found: dict[str, list[float]] = {}
    for before, now in pairwise(known):
        for name, distance in _distances(now, before):
            found.setdefault(name, []).append(distance)
    return {name: float(np.quantile(some, OFTEN)) for name, some in found.items()}


def _distances(now: ColumnProfile, before: ColumnProfile) -> Iterator[tuple[str, float]]:
    rows = now.rows, before.rows
    nulls = (np.array([p.rows - p.nulls, p.nulls], np.float64) for p in (now, before))
    yield PRESENCE, apart(*nulls)
    match, values = Match(now, before), 0.0
    if match.bins is not None:
        values = apart(match.bins.now * rows[0], match.bins.before * rows[1])
    if match.values is not None:
        p, q, weights = match.values.now, match.values.before, match.values.weights
        own = (weights == 1) & (np.maximum(p, q) >= OWN_CELL)
        frequent = apart(
            *(np.append(x[own], max(0.0, 1 - x[own].sum())) * n.present for x, n in ((p, now), (q, before)))
        )
        values = max(values, frequent)
        yield NEWNESS, float((weights * p)[q == 0].sum())
    yield "value", values
    if match.patterns is not None:
        yield "pattern", _by_share(match.patterns.now, match.patterns.before, match.patterns.weights, now, before)
    if match.formats is not None:
        formats = _by_share(match.formats.now, match.formats.before, match.formats.weights, now, before)
        yield from ((name, formats) for name in (SIGNS, CASING))
    if match.lengths is not None:
        yield "length", float(np.abs(match.lengths.right).max(initial=0.0))


def _by_share(p: Floats, q: Floats, weights: Floats, now: ColumnProfile, before: ColumnProfile) -> float:
    return apart(weights * p * now.present, weights * q * before.present)
