"""Which columns of the lake look most like this one? They stand in for the next run.

Similarity is the cosine between what two columns contain: shares of values for text; for numbers, which hardly ever
share exact values, shares of values on a signed logarithmic scale, a hundred cells a decade.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from byhistory.profile import ColumnProfile, Kind

SIMILAR = 20
"""Columns that stand in for the next run, as in the paper."""
_CELLS, _TINY = 100, 1e-6
"""Cells for each power of ten of a number, and the size from which on numbers are told apart (choices)."""


@dataclass(frozen=True)
class Candidate:
    """A column of the lake by its latest good run."""

    table: str
    column: str
    profile: ColumnProfile
    volume: float


def content(profile: ColumnProfile) -> tuple[np.ndarray, np.ndarray]:
    """What a column contains: names of cells, and how much of the column is in each."""
    if profile.kind is Kind.NUMERIC:
        if profile.quantiles is None or not len(profile.quantiles.values):
            return np.zeros(0, np.int64), np.zeros(0)
        v, w = profile.quantiles.values, profile.quantiles.weights
        cells = np.sign(v) * np.round(_CELLS * np.log10(1.0 + np.abs(v) / _TINY))
        names, at = np.unique(cells.astype(np.int64), return_inverse=True)
        return names, np.bincount(at, weights=w)
    if profile.values is None:
        return np.zeros(0, np.int64), np.zeros(0)
    return profile.values.ids.view(np.int64), profile.values.counts.astype(np.float64)


def most_similar(candidates: list[Candidate], most: int = SIMILAR) -> list[list[int]]:
    """For each candidate the others, most similar first."""
    contents = [content(c.profile) for c in candidates]
    names = np.unique(np.concatenate([n for n, _ in contents])) if contents else np.zeros(0, np.int64)
    rows = np.concatenate([np.full(len(n), i) for i, (n, _) in enumerate(contents)]).astype(np.int64)
    columns = np.concatenate([np.searchsorted(names, n) for n, _ in contents]).astype(np.int64)
    shares = np.concatenate([w / max(1e-300, float(np.linalg.norm(w))) for _, w in contents])
    matrix = sparse.csr_matrix((shares, (rows, columns)), shape=(len(candidates), len(names)))
    cosine = np.asarray((matrix @ matrix.T).todense())
    np.fill_diagonal(cosine, -1.0)
    # Many text columns share nothing with most others: among equals those of a similar number of rows come first.
    size = np.array([np.log1p(c.profile.rows) for c in candidates])
    nearness = cosine - 1e-6 * np.abs(size[:, None] - size[None, :])
    np.fill_diagonal(nearness, -np.inf)
    return [np.argsort(-line, kind="stable")[:most].tolist() for line in nearness]
