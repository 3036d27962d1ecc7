"""Forecasts of the next run for all metrics of a column at once, each with its spread.

Every metric is put on a scale on which its variance is stable. Several simple forecasts are tried on the past itself
(the level, the last run, the run a season before, a straight line), and the one that would have been nearest is kept,
where a simpler one is preferred unless another is clearly better. This replaces the paper's test for stationarity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from byhistory.learners.calibrated.scales import ends, medians, sizes, stabilise, unstabilise
from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.series.cadence import UNKNOWN

RECENT = 60
"""How many of the last runs forecasts are made from, unless a season needs more (a choice: two months of days, and the
longest history that prices are measured for)."""
SEASONS = 3
"""A season needs a history of this many periods (a choice: with two, its spread would rest on one difference)."""
_FEW_BAD, _SHARE_BAD = 3, 0.2
"""How many past runs may be bad without widening the spread, by choice: three of seven, or a fifth of many."""
_ALIKE = 1e-9
"""Relative differences below this are rounding: 64-bit numbers that were added in another order."""
LEVEL, LINE = 0, -1
"""The forms of a forecast beside lags: the average of the past, and a straight line through it."""


@dataclass(frozen=True, slots=True)
class Forecasting:
    """How forecasts are made. The values were chosen on held-out sources (docs/evaluation, "ingredients")."""

    margin: float = 1.25
    """How many times nearer another form must be than the level; if infinite, all forecasts are by the level."""
    floor: float = 0.5
    """A spread is at least this part of the largest past error: what was far off once will be again."""
    is_scaled: bool = True
    """Whether metrics are put on a scale on which their variance is stable, or taken as they are."""
    has_noise: bool = True
    """Whether chance within one run, where it is known, adds to the spread between runs."""
    bound: float = 16.0
    """A past error counts at most as this many usual ones, so that a few bad runs do not widen the spread.

    Of 5, 8, 16 and no bound, 16 costs no recall of numbers and at most two points of text (ADR 0009).
    """


AS_SHIPPED = Forecasting()


@dataclass(frozen=True, slots=True, eq=False)
class Forecasts:
    """One forecast per metric, as arrays. `form` is a lag, LEVEL or LINE; `centre` and `spread` are on its `scale`."""

    scale: tuple[str, ...]
    size: Floats
    """The parameter of the scale: the rows of a run for shares, a small value for counts."""
    form: Ints
    centre: Floats
    spread: Floats
    is_constant: Bools
    """Whether the metric was the same in every run; `spread` is then what counts as one unit of change."""
    runs: Ints

    def distances(self, now: Floats) -> Floats:
        """The signed distances of runs (one row each) from the forecast, in spreads; nan where undefined."""
        with np.errstate(all="ignore"):
            distances = (stabilise(now, self.scale, self.size) - self.centre) / self.spread
        return np.where(self.is_constant & (np.abs(distances) < _ALIKE), 0.0, distances)

    def as_if_next(self, runs: Floats) -> Floats:
        """Variations of a past run (one row each), moved so that their median is the forecast of the next run.

        Faults are injected into a past run, perhaps of a Sunday. Judged by what is expected of a Monday, every one of
        them would be odd.
        """
        if not len(runs):
            return runs
        with np.errstate(all="ignore"):
            scaled = stabilise(runs, self.scale, self.size)
            moved = unstabilise(scaled - medians(scaled.T) + self.centre, self.scale, self.size)
        return np.where(np.isfinite(self.centre), moved, runs)

    @staticmethod
    def joined(many: Sequence[Forecasts]) -> Forecasts:
        """The forecasts of many columns, as if all their metrics were of one column."""
        return Forecasts(
            tuple(chain.from_iterable(f.scale for f in many)),
            np.concatenate([f.size for f in many]),
            np.concatenate([f.form for f in many]),
            np.concatenate([f.centre for f in many]),
            np.concatenate([f.spread for f in many]),
            np.concatenate([f.is_constant for f in many]),
            np.concatenate([f.runs for f in many]),
        )

    def part(self, some: slice) -> Forecasts:
        """The forecasts of a slice of the metrics."""
        of_all = (self.centre[some], self.spread[some], self.is_constant[some], self.runs[some])
        return Forecasts(self.scale[some], self.size[some], self.form[some], *of_all)

    def without(self, i: int) -> Forecasts:
        """The forecasts of all metrics but one."""
        kept = np.arange(len(self.scale)) != i
        scale = (*self.scale[:i], *self.scale[i + 1 :])
        of_all = (self.centre[kept], self.spread[kept], self.is_constant[kept], self.runs[kept])
        return Forecasts(scale, self.size[kept], self.form[kept], *of_all)

    def end(self, i: int, width: float) -> float:
        """The value of metric i that is `width` spreads from its forecast (signed), in units of the metric."""
        with np.errstate(all="ignore"):
            at = self.centre[i : i + 1] + width * self.spread[i : i + 1]
            return float(unstabilise(at, self.scale[i : i + 1], self.size[i : i + 1])[0])


def reach(seasons: Sequence[int]) -> int:
    """How many runs a forecast looks back."""
    return max(RECENT, *(SEASONS * season for season in seasons), 0)


def recent(series: Floats, runs: int = RECENT) -> Floats:
    """The last columns of which `runs` have a value, with the gaps between them; all columns if there are no more."""
    known = np.flatnonzero(np.isfinite(series).any(axis=0))
    return series if len(known) <= runs else series[:, known[-runs] :]


def forecast(
    series: Floats,
    scales: Sequence[str],
    rows: Floats,
    errors: Floats,
    seasons: Sequence[int] = UNKNOWN,
    *,
    by: Forecasting = AS_SHIPPED,
) -> Forecasts:
    """Forecasts of the next run from the past ones.

    `series` has one row per metric and one column per run, oldest first, nan where undefined. `rows` is the number of
    rows of each run, for all metrics or with one line per metric. `errors` is how far chance within one run moves each
    metric, on the metric's scale (0 if unknown). `seasons` are the periods of the calendar, in runs.

    >>> rising = np.array([[100.0, 110.0, 120.0, 130.0, 140.0, 150.0, 160.0]])
    >>> f = forecast(rising, ["level"], np.full(7, 9.0), np.zeros(1))
    >>> int(f.form[0]), float(f.centre[0])
    (1, 170.0)
    """
    with np.errstate(all="ignore"):
        whole, series = series, recent(series)
        size = sizes(series, scales, rows[..., -series.shape[1] :])
        known, (low, high) = np.isfinite(series).sum(axis=1), ends(series)
        is_constant = (high - low <= _ALIKE * np.maximum(np.abs(high), np.abs(low))) & (known > 0)
        noise = _noise(series, scales, size, errors) if by.has_noise else np.zeros(len(series))
        # What has always read the same needs no choice: half of the metrics of a usual table.
        form, centre = np.full(len(series), LEVEL, np.int64), stabilise(low, scales, size)
        spread, largest = np.zeros(len(series)), np.zeros(len(series))
        moving = np.flatnonzero(low < high)
        if len(moving):
            found = _nearest(series, whole, moving, (scales, size, noise), seasons, by=by)
            form[moving], centre[moving], spread[moving], largest[moving] = found
        spread = np.sqrt(spread**2 * (1.0 + 1.0 / np.maximum(1, known)) + noise**2)
        spread = np.maximum(spread, by.floor * largest)
        unit = np.where([s == "level" for s in scales], np.maximum(np.abs(centre), 1e-300), 1.0)
        spread = np.where(is_constant, unit, np.maximum(spread, _ALIKE * unit))
    return Forecasts(tuple(scales), size, form, centre, np.where(known > 0, spread, np.nan), is_constant, known)


def _nearest(
    series: Floats,
    whole: Floats,
    some: Ints,
    about: tuple[Sequence[str], Floats, Floats],
    seasons: Sequence[int],
    *,
    by: Forecasting,
) -> tuple[Ints, Floats, Floats, Floats]:
    """Of some metrics, the form of forecast that would have been nearest, and as `_candidates` what it says.

    `about` are the scales of all metrics, what they need to know, and chance within one run.
    """
    all_scales, size, noise = about
    scales, size, noise = [all_scales[i] for i in some], size[some], noise[some]
    past = stabilise(series[some].T, scales, size)
    is_further = any(SEASONS * season > RECENT for season in seasons)
    further = stabilise(whole[some].T, scales, size) if is_further else past
    centred = partial(_centre_and_errors, times=by.bound, least=noise)
    known = np.isfinite(past).sum(axis=0)
    forms, centres, spreads, largest = _candidates(past, known, further, seasons, centred)
    cost = np.where(np.isfinite(centres), spreads, np.inf)
    cost[1:] *= by.margin
    best, all_ = np.argmin(cost, axis=0), np.arange(len(some))
    return forms[best], centres[best, all_], spreads[best, all_], largest[best, all_]


CentreAndErrors = Callable[..., tuple[Floats, Floats]]
"""`_centre_and_errors` with its bound on a single error already given."""


def _candidates(
    past: Floats, known: Ints, whole: Floats, seasons: Sequence[int], centred: CentreAndErrors
) -> tuple[Ints, Floats, Floats, Floats]:
    """The forms that are tried and, with one row per form: the forecast, its usual error, and its largest error."""
    runs = len(past)
    found = [(LEVEL, *centred(past), 1.0)]
    for season in seasons:
        some = past if SEASONS * season <= RECENT else whole[-SEASONS * season :]
        if len(some) >= SEASONS * season:
            _, errors = centred(some[season:] - some[:-season], about=np.zeros(past.shape[1]))
            found.append((season, some[-season], errors, 1.0))
    if runs >= 4:
        drift, errors = centred(past[1:] - past[:-1])
        found.insert(1, (1, _ahead(past, drift), errors, 1.0))
        found.append((LINE, *_line(past, centred)))
    forms = np.array([form for form, *_ in found], np.int64)
    centres = np.array([centre for _, centre, _, _ in found])
    spreads = np.array([stretch * _root(errors, form) for form, _, errors, stretch in found])
    largest = np.array([np.where(np.isfinite(errors), np.abs(errors), 0.0).max(axis=0) for _, _, errors, _ in found])
    complete = known == runs
    spreads[forms == LINE] = np.where(complete, spreads[forms == LINE], np.inf)
    return forms, centres, np.where(np.isfinite(spreads), spreads, np.inf), largest


def _line(past: Floats, centred: CentreAndErrors) -> tuple[Floats, Floats, float]:
    """The value of a straight line at the next run, its past errors, and the factor for extrapolating it.

    It is first laid through the medians of the first and the last third, so that bad runs at an end do not tilt it.
    """
    runs = len(past)
    at = (np.arange(runs) - (runs - 1) / 2)[:, None]
    third, squares, ahead = max(1, runs // 3), np.sum(at**2), (runs + 1) / 2
    slope = (medians(past[-third:].T) - medians(past[:third].T)) / (runs - third)
    slope = slope + _total(at * centred(past - slope * at)[1]) / squares
    level, errors = centred(past - slope * at)
    return level + slope * ahead, errors, float(np.sqrt(1.0 + ahead**2 / squares))


def _centre_and_errors(x: Floats, *, times: float, least: Floats, about: Floats | None = None) -> tuple[Floats, Floats]:
    """The centre of values along the first axis, and their errors, bounded by `times` the usual error.

    The centre may be given as `about`. The usual error leaves out the farthest fifth of the errors, or three of a short
    past. It is at least `least`; if it is still 0, for a metric that hardly ever moves, errors are not bounded.
    """
    centre = medians(x.T) if about is None else about
    usual = np.maximum(_usual(x - centre), least)
    far = np.where(usual > 0.0, times * usual, np.inf)
    if about is None:
        centre = centre + _mean(np.clip(x - centre, -far, far))
    return centre, np.clip(x - centre, -far, far)


def _usual(errors: Floats) -> Floats:
    """A robust standard deviation: that of normal errors with the same quantile, once the farthest are left out."""
    from scipy.special import ndtri  # here, because loading it takes a tenth of a second

    count = np.isfinite(errors).sum(axis=0)
    left_out = np.maximum(np.minimum(_FEW_BAD, (count - 1) // 2), (_SHARE_BAD * count).astype(np.int64))
    kept = np.maximum(1, count - left_out)
    ordered = np.sort(np.where(np.isfinite(errors), np.abs(errors), np.inf), axis=0)
    size = ordered[np.minimum(kept, len(ordered)) - 1, np.arange(errors.shape[1])]
    share = np.clip((kept - 1 / 3) / (count + 1 / 3), 0.05, 0.99)  # the rank of a size, as a share of many
    return np.where(count > 0, size / ndtri((1.0 + share) / 2.0), np.inf)


def _ahead(past: Floats, drift: Floats) -> Floats:
    """The last known value plus one step of `drift` for the next run, and one for each run without a value."""
    ago = np.isfinite(past[::-1]).argmax(axis=0)
    return np.asarray(past[-1 - ago, np.arange(past.shape[1])] + drift * (ago + 1))


def _root(errors: Floats, form: int) -> Floats:
    count = np.isfinite(errors).sum(axis=0)
    free = count - (2 if form == LINE else 1)
    return np.where(free >= 1, np.sqrt(_total(errors**2) / np.maximum(1, free)), np.inf)


def _noise(series: Floats, scales: Sequence[str], size: Floats, errors: Floats) -> Floats:
    """How far chance within one run moves a metric: `errors`, or for shares what follows from the number of rows."""
    is_share = np.array([s == "ratio" for s in scales], np.bool_)
    size, noise = size[is_share], np.array(errors)
    share = np.clip(medians(series[is_share]), 0.0, 1.0) * size
    noise[is_share] = np.sqrt(1.0 / (share + 0.5) + 1.0 / np.maximum(0.5, size - share + 0.5))
    return noise


def _total(x: Floats) -> Floats:
    """Sums along the first axis over defined values. (`np.nansum` takes ten times as long.)"""
    known = np.isfinite(x)
    return np.asarray((x if known.all() else np.where(known, x, 0.0)).sum(axis=0))


def _mean(x: Floats) -> Floats:
    return np.asarray(_total(x) / np.isfinite(x).sum(axis=0))
