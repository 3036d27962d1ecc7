"""How well does a method judge whole runs of tables, from its scores of their columns?

Scores are first made comparable: each becomes its rank among the good runs of its kind of column, as minus the
logarithm of the share that is at least as high. Then the columns of a run are joined in several ways, and each method
is shown with the way that catches most seen faults in one column at 5 % of good table-runs. A fault in one column
stands among the other columns as they were in that run; a fault of whole rows happens to all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from bench.judge import GOOD, INCIDENT, Scores
from bench.score import Rate, alarms_above, share_by_source, threshold_at

from byhistory.learners.calibrated.table import stand_out
from byhistory.profile.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from bench.summary import Layout

RATES = (0.01, 0.05)
"""Of good table-runs; the defaults for stopping and warning."""
ROWS = "rows of all columns"
ONE = ("seen", "unseen", "real")


def largest(surprises: Floats) -> Floats:
    """A run is as surprising as its most surprising column."""
    return np.asarray(np.where(np.isnan(surprises), 0.0, surprises).max(axis=-1, initial=0.0))


def average(surprises: Floats) -> Floats:
    """A run is as surprising as its columns are on average."""
    known = ~np.isnan(surprises)
    return np.asarray(np.where(known, surprises, 0.0).sum(axis=-1) / np.maximum(1, known.sum(axis=-1)))


WAYS: dict[str, Callable[[Floats], Floats]] = {
    "the largest column": largest,
    "the largest beyond the others": stand_out,
    "the mean of the columns": average,
}


@dataclass(frozen=True)
class Joined:
    """One score per run of a table, for a set of runs."""

    score: Floats
    source: Ints


def by_table(judged: Scores, layout: Layout, whole_rows: frozenset[str], weights: Floats) -> dict[str, Any]:
    """Recall at the rates of good table-runs, with the way of joining that is best for the method."""
    surprises = _surprises(judged, layout)
    found = {name: _recall(_joined(surprises, layout, whole_rows, way), weights) for name, way in WAYS.items()}
    best = max(found, key=lambda name: found[name]["seen"][str(RATES[-1])]["share"] or 0.0)
    return {"way": best, **found[best]}


def _surprises(judged: Scores, layout: Layout) -> dict[str, Floats]:
    """Each score as its rank among the good runs of its kind."""
    out = {name: np.full(len(scores), np.nan) for name, scores in judged.scores.items()}
    for kind in np.unique(layout.sets[GOOD].kind):
        good = judged.scores[GOOD][layout.sets[GOOD].kind == kind]
        ordered = np.sort(good[np.isfinite(good)])
        if not len(ordered):
            continue
        for name, scores in judged.scores.items():
            mine = (layout.sets[name].kind == kind) & ~np.isnan(scores)
            above = len(ordered) - np.searchsorted(ordered, scores[mine], "left")
            beyond = np.maximum(0.0, scores[mine] - ordered[-1])  # above all good ones: as far as it goes
            step = max(float(ordered[-1] - ordered[-max(2, len(ordered) // 100)]), 1e-9) / 2.0
            out[name][mine] = -np.log10((above + 0.5) / (len(ordered) + 1.0)) + np.minimum(2.0, beyond / step)
    return out


def _joined(
    surprises: dict[str, Floats], layout: Layout, whole_rows: frozenset[str], way: Callable[[Floats], Floats]
) -> dict[str, Joined]:
    good = layout.sets[GOOD]
    width = int(good.column.max(initial=0)) + 1
    places = _places(good.table, good.column, width)
    keys, row = np.unique(good.table * 1_000_000 + good.run, return_inverse=True)
    wide = np.full((len(keys), int(places.max(initial=0)) + 1), np.nan)
    wide[row, places[good.column]] = surprises[GOOD]
    source = np.zeros(len(keys), np.int64)
    source[row] = good.source
    found = {GOOD: Joined(way(wide), source)}
    row_of = {int(key): i for i, key in enumerate(keys)}
    for name in ONE:
        cases = layout.sets[name]
        ours = np.array([t not in whole_rows for t in cases.type], bool)
        at = np.array([row_of.get(int(k), -1) for k in cases.table * 1_000_000 + cases.run])
        use = np.flatnonzero(ours & (at >= 0))
        scores = np.zeros(len(use))
        for part in np.array_split(np.arange(len(use)), max(1, len(use) // 5000)):
            runs = wide[at[use[part]]].copy()
            runs[np.arange(len(part)), places[cases.column[use[part]]]] = surprises[name][use[part]]
            scores[part] = way(runs)
        found[name] = Joined(scores, cases.source[use])
    for name in ("seen", "unseen", INCIDENT):
        cases = layout.sets[name]
        ours = np.array([name == INCIDENT or t in whole_rows for t in cases.type], bool)
        use = np.flatnonzero(ours)
        label = INCIDENT if name == INCIDENT else f"{ROWS}, {name}"
        _, codes = np.unique(cases.name[use].astype(str), return_inverse=True)
        groups, row = np.unique(cases.table[use] * 1_000_000 + codes, return_inverse=True)
        runs = np.full((len(groups), wide.shape[1]), np.nan)
        runs[row, places[cases.column[use]]] = surprises[name][use]
        of = np.zeros(len(groups), np.int64)
        of[row] = cases.source[use]
        found[label] = Joined(way(runs), of)
    return found


def _places(table: Ints, column: Ints, columns: int) -> Ints:
    """The place of each column within its table."""
    places, seen = np.zeros(columns, np.int64), dict[int, int]()
    for c, t in dict(zip(column.tolist(), table.tolist(), strict=True)).items():
        places[c] = seen.get(t, 0)
        seen[t] = seen.get(t, 0) + 1
    return places


def _recall(joined: dict[str, Joined], weights: Floats) -> dict[str, Any]:
    good = joined.pop(GOOD)
    thresholds = {rate: threshold_at(good.score, rate) for rate in RATES}
    return {
        name: {
            str(rate): _plain(share_by_source(_above(of, at), of.source, weights)) for rate, at in thresholds.items()
        }
        for name, of in joined.items()
    }


def _above(joined: Joined, threshold: float) -> Bools:
    return np.asarray(alarms_above(joined.score, threshold))


def _plain(rate: Rate) -> dict[str, Any]:
    return {"share": rate.share, "low": rate.low, "high": rate.high, "n": rate.of}
