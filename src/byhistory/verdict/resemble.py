"""Which kind of fault does it look like?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from byhistory.inject import Fault, Responses
from byhistory.metrics import Metric, measure
from byhistory.profile import ColumnProfile
from byhistory.profile.arrays import Floats
from byhistory.verdict.past import ColumnPast
from byhistory.verdict.verdict import Resemblance

LIKE_ENOUGH = 0.7
"""Below this likeness nothing is named: a wrong hint is worse than none."""
_SPREAD_FLOOR = 0.001
"""A metric that hardly varies is taken to vary by this share of its size, so that it does not outweigh all others."""
_USUAL = 2.0
"""Spreads by which any good run may be off: no sign of a fault. (Chosen on the demo, see tests/unit/verdict.)"""


def resemblance(
    now: ColumnProfile,
    past: ColumnPast,
    responses: Responses,
    metrics: Sequence[Metric],
    faults: Sequence[Fault],
) -> Resemblance | None:
    """The injected fault whose response is nearest to how this run moved, if any is near.

    Moves are compared in spreads of each metric's past, on a logarithmic scale, by the cosine of the angle between
    them times the ratio of their sizes: the same metrics must have moved, in the same directions, as far.
    """
    known = [m for m in metrics if m.name in responses.metrics]
    if not known or not responses.faults:
        return None
    before, here = past.series(known), measure([past.before, now], known)[:, -1]
    moves = _moves(responses.of([m.name for m in known]), before)
    move = _moves(here[None, :], before)[0]
    likeness = _likeness(moves, move)
    best = int(np.argmax(likeness))
    if not likeness[best] >= LIKE_ENOUGH:
        return None
    name = responses.faults[best]
    fault = next((f for f in faults if f.name == name), None)
    sentence, type_ = (name, "") if fault is None else (fault.sentence, fault.type)
    return Resemblance(name, sentence, float(likeness[best]), type_)


def _moves(values: Floats, before: Floats) -> Floats:
    """How far each value is from its metric's past, in spreads beyond the usual ones, on a logarithmic scale."""
    finite = np.isfinite(before)
    count = np.maximum(1, finite.sum(axis=1))
    known = np.where(finite, before, 0.0)
    unit = np.abs(known).max(axis=1, initial=0.0)  # so that the squares of numbers near 1e308 stay numbers
    unit = np.where(unit > 0, unit, 1.0)
    known = known / unit[:, None]
    mean = known.sum(axis=1) / count
    spread = np.sqrt(np.where(finite, np.square(known - mean[:, None]), 0.0).sum(axis=1) / count)
    scale = np.maximum(spread, _SPREAD_FLOOR * np.abs(mean)) + 1e-12
    with np.errstate(over="ignore", invalid="ignore"):
        z = np.clip((values / unit - mean) / scale, -1e6, 1e6)
    z = np.where(np.isfinite(z), z, 0.0)
    return np.asarray(np.sign(z) * np.log1p(np.maximum(0.0, np.abs(z) - _USUAL)))


def _likeness(moves: Floats, move: Floats) -> Floats:
    sizes, size = np.linalg.norm(moves, axis=1), float(np.linalg.norm(move))
    if size == 0.0:
        return np.zeros(len(moves))
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = np.where(sizes > 0, moves @ move / (sizes * size), 0.0)
        ratio = np.minimum(sizes, size) / np.maximum(sizes, size)
    return np.asarray(cosine * np.sqrt(ratio))
