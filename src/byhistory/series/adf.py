"""Does a series return to a level? The Augmented Dickey–Fuller test, over many series at once.

The regression has a constant and as many lagged differences as AIC asks for, at most Schwert's number; statistic, lag
and decision are those of `statsmodels.tsa.stattools.adfuller(x, regression="c", autolag="AIC")` wherever that has an
answer. Where it has none (it raises, or divides 0 by 0), the answer here is a status:

- "tested": the regression has residuals; stationary if the statistic is below the 5 % critical value.
- "constant": all values equal, but for rounding; stationary, as much as anything can be.
- "too short": fewer than four values; not stationary, as nothing is known.
- "exact": the regression fits perfectly (a line, a strict cycle); judged by the limit of the statistic, −inf for a
  return to the level without error. A line has coefficient 0, its statistic is nan, and it is not stationary.
- "unidentified": the level is a combination of the other regressors; not stationary, as the data say nothing about it.

All series of a call are laid side by side, batch last and right-aligned, and one modified Gram–Schmidt sweep gives the
residuals for every number of lags: nested regressions share their columns. (Normal equations would be twice as fast and
lose half of the digits; LAPACK's QR is no faster and cannot skip a redundant column.)

Paper: Algorithm "Time-series differencing for stationary (Details)".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.series.mackinnon import critical_value, p_value

SHORTEST = 4  # Values needed for one regression with a constant, a level and one residual to spare.
_SAME = 1e-12  # Relative spread below which values are equal: sums in another order differ by about 1e-15.
_REDUNDANT = 1e-10  # What is left of a regressor, relative to itself, when it is a combination of the others.
_EPS = float(np.finfo(float).eps)
_BATCH = 160  # Series swept together: a bigger batch no longer fits the processor's cache.


@dataclass(frozen=True, slots=True)
class AdfResult:
    """One series, tested. `lag` counts the lagged differences in the regression, `rows` its rows."""

    status: str
    stationary: bool
    statistic: float
    pvalue: float
    lag: int
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class AdfResults:
    """Many series, tested: the fields of `AdfResult` as arrays, one entry per series."""

    status: NDArray[np.str_]
    stationary: Bools
    statistic: Floats
    pvalue: Floats
    lag: Ints
    rows: Ints


def adf(x: ArrayLike) -> AdfResult:
    """Test one series, oldest value first; values that are not finite are left out.

    >>> adf([3, 1, 2, 3, 1, 3, 2, 1, 2, 3, 1, 2]).stationary
    True
    >>> adf([10, 12, 14, 16, 18, 20, 22, 24]).status
    'exact'
    """
    r = adf_of_rows(np.asarray(x, dtype=float)[None, :])
    return AdfResult(
        status=str(r.status[0]),
        stationary=bool(r.stationary[0]),
        statistic=float(r.statistic[0]),
        pvalue=float(r.pvalue[0]),
        lag=int(r.lag[0]),
        rows=int(r.rows[0]),
    )


def adf_of_rows(series: Floats | Sequence[ArrayLike], magnitude: ArrayLike | None = None) -> AdfResults:
    """Test many series, of one length (a matrix, one row per series) or of several (a list); non-finite values are left
    out.

    `magnitude` is the size of the numbers that each series was computed from, where that is larger than the series
    itself: differences of numbers near 1e9 carry their rounding, and only the caller knows.

    >>> adf_of_rows([[5, 5, 5, 5, 5], [1, 2]]).status.tolist()
    ['constant', 'too short']
    """
    packed, counts = _pack(series)
    largest = np.abs(packed).max(axis=0, initial=0.0)
    source = largest if magnitude is None else np.maximum(np.asarray(magnitude, dtype=float), largest)
    units, noise = _standardise(packed, counts, largest, source)
    short, constant = counts < SHORTEST, ~(noise <= _EPS / _SAME)  # nan, a series of zeros, is constant

    n = len(counts)
    statistic, lag, rows, exact = np.full(n, np.nan), np.zeros(n, int), np.zeros(n, int), np.zeros(n, bool)
    # By length, so that a short series is not swept at the cost of a long one.
    todo = np.flatnonzero(~short & ~constant)
    todo = todo[np.argsort(counts[todo], kind="stable")]
    for part in (todo[i : i + _BATCH] for i in range(0, len(todo), _BATCH)):
        longest = int(counts[part].max())
        z, m, e = units[-longest:, part], counts[part], noise[part]
        lag[part] = _choose_lag(z, m, e)
        rows[part] = m - 1 - lag[part]
        statistic[part], exact[part] = _statistic(z, m, e, lag[part])

    with np.errstate(divide="ignore", invalid="ignore"):
        below = statistic < critical_value(rows)
    status = np.select(
        [short, constant, exact, np.isnan(statistic)], ["too short", "constant", "exact", "unidentified"], "tested"
    )
    return AdfResults(status, below | (constant & ~short), statistic, p_value(statistic), lag, rows)


def most_lags(counts: ArrayLike) -> Ints:
    """Most lagged differences tried for series of these lengths: Schwert's rule, and at least one residual to spare.

    >>> most_lags([4, 10, 30, 90]).tolist()
    [0, 3, 9, 12]
    """
    n = np.asarray(counts, dtype=np.int64)
    schwert = np.ceil(12.0 * np.power(n / 100.0, 0.25)).astype(np.int64)
    return np.minimum(n // 2 - 2, schwert)


def _pack(series: Floats | Sequence[ArrayLike]) -> tuple[Floats, Ints]:
    """Finite values, one column per series, ending in the last row; zeros before them."""
    if isinstance(series, np.ndarray) and series.ndim == 2:
        table = np.asarray(series, dtype=float)
    else:
        each = [np.asarray(x, dtype=float) for x in series]
        table = np.full((len(each), max(map(len, each), default=0)), np.nan)
        for row, x in zip(table, each, strict=True):
            row[len(row) - len(x) :] = x
    finite = np.isfinite(table)
    if not finite.all():
        order = np.argsort(finite, axis=1, kind="stable")
        table = np.where(np.take_along_axis(finite, order, 1), np.take_along_axis(table, order, 1), 0.0)
    return np.ascontiguousarray(table.T), finite.sum(axis=1)


def _standardise(packed: Floats, counts: Ints, largest: Floats, source: Floats) -> tuple[Floats, Floats]:
    """Each series moved and scaled to [0, 1], which leaves the statistic as it is, and the rounding it carries then.

    Brought near 1 first, so that numbers near 1e308 have a range; by a power of two, which rounds nothing.
    """
    exponent = np.frexp(largest)[1]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        units = np.ldexp(packed, -exponent)
        present = np.arange(len(packed))[:, None] >= len(packed) - counts
        low = np.where(present, units, np.inf).min(axis=0, initial=np.inf)
        spread = np.where(present, units, -np.inf).max(axis=0, initial=-np.inf) - low
        return (units - low) / spread, _EPS * np.ldexp(source, -exponent) / spread


def _columns(z: Floats, rows: Ints, lags: int) -> Floats:
    """Level, differences lagged by 1..lags, and last the difference to explain; centred, which stands for the constant.

    Rows that a series does not have are zero: they add nothing to any sum.
    """
    most = int(rows.max())
    change = np.zeros((most + lags, z.shape[1]))
    known = np.diff(z, axis=0)[-(most + lags) :]
    change[len(change) - len(known) :] = known
    columns = np.empty((lags + 2, most, z.shape[1]))
    columns[0] = z[-most - 1 : -1]
    for k in range(lags):
        columns[k + 1] = change[lags - 1 - k : len(change) - 1 - k]
    columns[-1] = change[lags:]
    if (rows == most).all():
        columns -= columns.mean(axis=1, keepdims=True)
        return columns
    present = np.arange(most)[:, None] >= most - rows
    columns *= present
    columns -= (columns.sum(axis=1) / rows)[:, None, :]
    columns *= present
    return columns


def _squares(v: Floats) -> Floats:
    """Sum of squares over the rows."""
    return np.asarray(np.add.reduce(v * v, axis=-2))


def _sweep(columns: Floats, noise: Floats) -> tuple[Floats, Bools, Floats]:
    """Regress the last column on the others, one more at a time (modified Gram–Schmidt, in place).

    Gives the sum of squared residuals after each regressor, whether the regressor added a direction of its own, and
    the last regressor's share of the last column before it was taken away. A redundant regressor is left out, not
    divided by 0.
    """
    regressors, rows, series = len(columns) - 1, columns.shape[1], columns.shape[2]
    least = np.maximum(_REDUNDANT**2 * _squares(columns[:-1]), rows * np.square(8 * noise))
    residual, added = np.empty((regressors, rows, series)), np.empty((regressors, series), bool)
    share = np.zeros(series)
    for j in range(regressors):
        square = _squares(columns[j])
        added[j] = square > least[j]
        weight = np.divide(1.0, square, out=np.zeros(series), where=added[j])
        products = np.add.reduce(columns[j + 1 :] * columns[j], axis=1)
        share = products[-1] * np.sqrt(weight)
        columns[j + 1 :] -= (products * weight)[:, None, :] * columns[j]
        residual[j] = columns[-1]
    return _squares(residual), added, share


def _negligible(total: Floats, rows: Ints, noise: Floats) -> Floats:
    """The sum of squared residuals that is only rounding."""
    return np.maximum(1e-20 * total, rows * np.square(64 * noise))


def _choose_lag(z: Floats, counts: Ints, noise: Floats) -> Ints:
    """The number of lagged differences with the smallest AIC, all tried on the same rows; of equals, the fewest."""
    most = most_lags(counts)
    rows = counts - 1 - most
    columns = _columns(z, rows, int(most.max()))
    total = _squares(columns[-1])
    residual, added, _ = _sweep(columns, noise)
    perfect = residual <= _negligible(total, rows, noise)
    with np.errstate(divide="ignore"):
        aic = np.where(perfect, -np.inf, rows * np.log(residual / rows) + 2.0 * np.cumsum(added, axis=0))
    aic[np.arange(len(aic))[:, None] > most] = np.inf
    return np.asarray(np.argmin(aic, axis=0))


def _statistic(z: Floats, counts: Ints, noise: Floats, lag: Ints) -> tuple[Floats, Bools]:
    """The t value of the level beside this many lagged differences, and whether the fit is perfect."""
    rows = counts - 1 - lag
    columns = _columns(z, rows, int(lag.max()))
    level = columns[0].copy()
    columns[:-2] = columns[1:-1]  # The level last, so that its own share of the change is what the sweep ends with.
    columns[:-2] *= (np.arange(len(columns) - 2)[:, None] < lag)[:, None, :]
    columns[-2] = level
    negligible = _negligible(_squares(columns[-1]), rows, noise)
    residual, added, share = _sweep(columns, noise)
    exact = residual[-1] <= negligible
    spare = rows - 1 - added.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = share / np.sqrt(residual[-1] / spare)
    limit = np.where(np.square(share) > negligible, np.copysign(np.inf, share), np.nan)
    return np.where(added[-1], np.where(exact, limit, t), np.nan), exact & added[-1]
