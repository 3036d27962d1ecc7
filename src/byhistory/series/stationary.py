"""In which form does a metric stay around one level? As it is, as a change, or as growth.

Paper: Algorithm "Time-series differencing for stationary (Details)". The level first; then the change since 1, 2, …
runs before; then the same of the logarithm; the first form that passes the test is taken. Where the paper is silent:

- **Gaps.** A run whose value is undefined is left out of the level. A change needs both of its ends, and "7 runs
  before" is counted over all runs, so a gap costs two changes and moves none of the others.
- **How short.** A form is tested while at least `shortest` values remain. The test itself would go down to four, where
  it has one residual, passes one random walk in ten by chance, and leaves a spread that rests on four numbers.
- **Constants** pass: a constant level, or a constant change (an exact line, a strict weekly cycle).
- **Exact fits.** A series that its own past predicts without error leaves nothing to test: if some change is
  constant, that is the form; else the level, if the limit of the statistic says so.
- **Logarithms** are offered to metrics that were positive in all runs. One zero among them, and the next zero is
  usual.

The spread is the sample standard deviation with n − 1 in the denominator (the paper says "variance" and no more): the
smaller of the two false-alarm rates, see docs/adr/0002.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from byhistory.profile.arrays import Floats, Ints
from byhistory.series.adf import AdfResults, adf_of_rows
from byhistory.series.transform import LEVEL, Transform, apply, difference, words

SHORTEST = 6  # A week of daily runs, differenced once.
_FIRST_LAGS = 7  # Lags tried together before all the others: most series need no more, and a week is within.


@dataclass(frozen=True, slots=True, eq=False)
class Stationary:
    """A metric in the form that stays around one level, or the reason why there is none.

    `status` is "stationary", "constant", "too short" or "never stationary". With the last two there is no form:
    `transform` is None, `values` is empty, and `mean` and `std` are nan. `values` are those that could be evaluated,
    oldest first, in units of the transform; a constant has `std` 0, whatever rounding says.
    """

    status: str
    transform: Transform | None
    values: Floats
    mean: float
    std: float
    count: int
    reason: str


def make_stationary(x: ArrayLike, shortest: int = SHORTEST) -> Stationary:
    """The form in which one metric stays around one level; `x` holds its value in every run, oldest first, nan if
    undefined.

    >>> found = make_stationary([100, 102, 104, 106, 108, 110, 112, 114])
    >>> found.status, found.transform, found.mean
    ('constant', Transform(lag=1, log=False), 2.0)
    >>> make_stationary([100, 102]).reason
    'not enough history yet: have 2 usable values, need 6'
    """
    return make_rows_stationary(np.asarray(x, dtype=float)[None, :], shortest)[0]


def make_rows_stationary(table: ArrayLike, shortest: int = SHORTEST) -> tuple[Stationary, ...]:
    """The same for many metrics over the same runs (one row per metric), tested together: one batch per round."""
    raw = np.asarray(table, dtype=float)
    level = apply(LEVEL, raw)
    usable = np.isfinite(level).sum(axis=1)
    found: dict[int, Stationary] = {
        int(i): _none("too short", f"not enough history yet: have {usable[i]} usable values, need {shortest}")
        for i in np.flatnonzero(usable < shortest)
    }
    left = np.flatnonzero(usable >= shortest)

    first = _test(level, left, (0,), shortest)
    exact = left[first.results.status == "exact"]
    if len(exact):
        _take(found, _test(level, exact, range(1, raw.shape[1]), shortest), log=False, only="constant")
    _take(found, first, log=False)

    logs = _offered_logs(raw)
    last = raw.shape[1] - shortest
    for values, log in ((level, False), (logs, True)):
        for lags in (range(1, 2), range(2, _FIRST_LAGS + 1), range(_FIRST_LAGS + 1, last + 1)):
            left = np.array([i for i in left if i not in found], dtype=np.int64)
            if len(left):
                _take(found, _test(values, left, lags, shortest), log=log)
    for i in left.tolist():
        if i not in found:
            found[i] = _none("never stationary", _never(last, bool(np.isfinite(logs[i]).any())))
    return tuple(found[i] for i in range(len(raw)))


@dataclass(frozen=True, slots=True, eq=False)
class _Tested:
    """Candidates of one round, metric by metric and lag by lag within each, with their test results."""

    metric: Ints
    lag: Ints
    values: Floats
    results: AdfResults


def _test(values: Floats, metrics: Ints, lags: Iterable[int], shortest: int) -> _Tested:
    """Test these metrics at these lags; what leaves fewer than `shortest` values is no candidate."""
    runs = values.shape[1]
    lags = [lag for lag in lags if runs - lag >= shortest]
    forms = np.full((len(metrics), len(lags), runs), np.nan)
    for k, lag in enumerate(lags):
        forms[:, k, lag:] = difference(values[metrics], lag)
    long_enough = np.isfinite(forms).sum(axis=2) >= shortest
    which, at = np.nonzero(long_enough)
    metric, forms = metrics[which], forms[long_enough]
    # nan-safe, and without numpy's warning for rows that hold nothing else
    magnitude = np.fmax.reduce(np.abs(values), axis=1, initial=0.0)[metric]
    return _Tested(metric, np.array(lags, dtype=np.int64)[at], forms, adf_of_rows(forms, magnitude))


def _take(found: dict[int, Stationary], tested: _Tested, log: bool, only: str | None = None) -> None:
    """Add the first passing form of every metric that has none yet."""
    passed = np.flatnonzero(tested.results.stationary if only is None else tested.results.status == only)
    metrics, first = np.unique(tested.metric[passed], return_index=True)
    chosen = passed[first]
    means, stds = _moments(tested.values[chosen])
    for metric, c, mean, std in zip(metrics.tolist(), chosen.tolist(), means.tolist(), stds.tolist(), strict=True):
        if metric not in found:
            found[metric] = _form(tested, c, log, mean, std)


def _form(tested: _Tested, c: int, log: bool, mean: float, std: float) -> Stationary:
    """The form of candidate `c`, with the sentence that says why it was taken."""
    transform = Transform(int(tested.lag[c]), log)
    row = tested.values[c]
    values = row[np.isfinite(row)]
    status, n = tested.results.status[c], len(values)
    if status == "constant":
        return Stationary("constant", transform, values, mean, 0.0, n, f"{words(transform)} was the same {n} times")
    if status == "exact":
        why = "returned to one level without error"
    else:
        why = f"stayed around one level (ADF {tested.results.statistic[c]:.2f})"
    return Stationary("stationary", transform, values, mean, std, n, f"{words(transform)} {why}, {n} times")


def _none(status: str, reason: str) -> Stationary:
    return Stationary(status, None, np.empty(0), np.nan, np.nan, 0, reason)


def _never(last: int, logs: bool) -> str:
    if last < 1:
        return "stays around no level as it is; the history is too short to compare runs"
    but = ", nor does its logarithm" if logs else "; a logarithm needs values above 0"
    return f"stays around no level, as it is or compared with any of the {last} runs before" + but


def _offered_logs(raw: Floats) -> Floats:
    """Logarithms of the metrics that were positive whenever they were defined; nan throughout for the others."""
    logs = apply(Transform(log=True), raw)
    logs[(raw <= 0).any(axis=1)] = np.nan
    return logs


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each row, without its nan, also of numbers near 1e308."""
    present = np.isfinite(rows)
    count = present.sum(axis=1)
    values = np.where(present, rows, 0.0)
    scale = np.abs(values).max(axis=1, initial=0.0)
    units = values / np.where(scale > 0, scale, 1.0)[:, None]
    mean = units.sum(axis=1) / count
    apart = np.where(present, units - mean[:, None], 0.0)
    with np.errstate(over="ignore"):
        return mean * scale, np.sqrt(np.square(apart).sum(axis=1) / (count - 1)) * scale
