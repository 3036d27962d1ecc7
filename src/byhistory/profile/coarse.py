"""What is kept of numbers and dates, so that no value of a single row can be read off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from byhistory.profile.arrays import Ints
from byhistory.profile.column import ColumnProfile
from byhistory.profile.quantiles import Quantiles
from byhistory.profile.table import TableProfile

LEAST = 5
"""A number that is kept stands for at least this many rows. The smallest and the largest value are kept as they are:
they are the metrics that catch most, and docs/how-to/privacy.md says so."""


def coarsened_table(table: TableProfile) -> TableProfile:
    """A run as it is judged and kept where the user does not want values to be kept."""
    return replace(table, columns={name: coarsened(table[name]) for name in table})


def coarsened(profile: ColumnProfile) -> ColumnProfile:
    """The profile with the means of neighbours in place of values that fewer than `LEAST` rows have, and without the
    digests of these: who has the key can try all salaries.

    >>> from byhistory.rows.local import profile_table
    >>> salaries = coarsened(profile_table({"salary": [100.0 * i for i in range(1, 13)]})["salary"])
    >>> salaries.quantiles.values.round().tolist(), len(salaries.values.ids), salaries.distinct
    ([100.0, 400.0, 900.0, 1200.0], 0, 12.0)
    """
    if profile.quantiles is None:
        return profile
    shape, values = profile.quantiles, profile.values
    return replace(
        profile,
        quantiles=_without_single_rows(shape) if len(shape.values) > 2 else shape,
        values=None if values is None else values.without(LEAST - 1),
    )


def _without_single_rows(shape: Quantiles) -> Quantiles:
    starts = _groups(shape.weights)
    if len(starts) == len(shape.values):
        return shape
    sizes = np.diff(np.append(starts, len(shape.values)))
    weights = np.add.reduceat(shape.weights, starts)
    total = shape.count
    share = shape.weights / total  # before the product, which could be too large for a float
    means = np.add.reduceat(shape.values * share, starts) / (weights / total)
    values = np.clip(means, shape.values[starts], shape.values[starts + sizes - 1])
    atoms = (sizes == 1) & shape.atoms[starts]
    joined = np.where(sizes > 1, weights, 0)
    # With a frequent value they lie where it does: the mean would tell who else is there, and move a median off zero.
    heaviest = _heaviest(shape, starts, sizes)
    is_frequent = shape.atoms[heaviest] & (shape.weights[heaviest] >= LEAST)
    values = np.where(is_frequent, shape.values[heaviest], values)
    joined = np.where(is_frequent, weights - shape.weights[heaviest], joined)
    # Between two means the distribution is read as a straight line: a rank may be off by both groups.
    widest = float((joined + np.append(joined[1:], 0)).max(initial=0)) / total
    return Quantiles(values, weights, atoms | is_frequent, shape.error + widest)


def _heaviest(shape: Quantiles, starts: Ints, sizes: Ints) -> Ints:
    """The place of the value that the most rows of each group have."""
    most = np.maximum.reduceat(shape.weights, starts)
    places = np.flatnonzero(shape.weights == np.repeat(most, sizes))
    _, first = np.unique(np.repeat(np.arange(len(sizes)), sizes)[places], return_index=True)
    return np.asarray(places[first])


def _groups(weights: Ints) -> Ints:
    """Where the groups begin: both ends and every value of `LEAST` rows stand alone, the values between are joined."""
    last = len(weights) - 1
    if weights[1:last].min() >= LEAST:
        return np.arange(len(weights))
    starts = _neighbours(weights[:last])
    rows = np.add.reduceat(weights[:last], starts).tolist()
    k = next((place for place, few in enumerate(rows) if few < LEAST), len(rows))
    while k < len(rows) and len(rows) > 1:
        if rows[k] >= LEAST:
            k += 1
            continue
        # Too few between frequent values: they join the rarer neighbour.
        before = rows[k - 1] if k else np.inf
        after = rows[k + 1] if k + 1 < len(rows) else np.inf
        into = k - 1 if before <= after else k
        rows[into : into + 2] = [rows[into] + rows[into + 1]]
        del starts[into + 1]
        k = into
    return np.array([0, *starts, last], np.int64)


def _neighbours(weights: Ints) -> list[int]:
    """Where the groups after the first entry begin: each grows to `LEAST` rows, or ends before a frequent value."""
    places = np.arange(len(weights))
    total = np.cumsum(weights)
    is_full = np.searchsorted(total, total - weights + LEAST) + 1
    frequent = np.where(weights >= LEAST, places, len(weights))
    next_frequent = np.append(np.minimum.accumulate(frequent[::-1])[::-1][1:], len(weights))
    ends = np.minimum(is_full, next_frequent).tolist()
    starts, at, count = [], 1, len(weights)
    while at < count:
        starts.append(at)
        at = ends[at]
    return starts
