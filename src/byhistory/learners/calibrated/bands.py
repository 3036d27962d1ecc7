"""What today's limits would have been for each past run: as many spreads around the forecast of that day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.learners.calibrated.forecast import Forecasting, Forecasts, forecast
from byhistory.learners.calibrated.scales import scales_for, stabilise, unstabilise
from byhistory.learners.program import NEEDED_RUNS
from byhistory.metrics import Metric
from byhistory.profile.arrays import Bools, Floats


@dataclass(frozen=True, slots=True)
class _Reach:
    """How far today's intervals extend below and above the forecast, in spreads, on the scale of the forecast."""

    below: Floats
    above: Floats
    is_constant: Bools

    @staticmethod
    def of(limits: Floats, now: Forecasts) -> _Reach:
        with np.errstate(all="ignore"):
            on_scale = stabilise(limits.T, now.scale, now.size)
            below, above = (now.centre - on_scale[0]) / now.spread, (on_scale[1] - now.centre) / now.spread
        return _Reach(
            np.where(np.isinf(limits[:, 0]), np.inf, below),
            np.where(np.isinf(limits[:, 1]), np.inf, above),
            now.is_constant,
        )

    def ends(self, then: Forecasts) -> tuple[Floats, Floats]:
        """The intervals on another day; for a metric that had not changed until then, that one value."""
        was_constant = then.is_constant & ~self.is_constant
        with np.errstate(all="ignore"):
            spread = np.where(was_constant, 0.0, then.spread)
            low = unstabilise(
                then.centre - np.where(np.isinf(self.below), 0.0, self.below) * spread, then.scale, then.size
            )
            high = unstabilise(
                then.centre + np.where(np.isinf(self.above), 0.0, self.above) * spread, then.scale, then.size
            )
        return np.where(np.isinf(self.below), -np.inf, low), np.where(np.isinf(self.above), np.inf, high)


def past_limits(
    metrics: Sequence[Metric],
    laid: Floats,
    limits: Floats,
    ends: Sequence[int],
    *,
    rows: float,
    seasons: Sequence[int],
    by: Forecasting,
) -> tuple[Floats, Floats]:
    """The lower and the upper limit of each metric (one row each) for each past run (one column each).

    See `byhistory.learners.base.DrawsBands` for the arguments.
    """
    scales = scales_for(laid, [m.scale for m in metrics])

    def expected(end: int) -> Forecasts:
        past = laid[:, :end]
        return forecast(past, scales, np.full(past.shape[1], rows), np.zeros(len(metrics)), seasons, by=by)

    reach = _Reach.of(limits, expected(laid.shape[1]))
    shape = (len(metrics), len(ends))
    lows, highs = np.full(shape, np.nan), np.full(shape, np.nan)
    for run, end in enumerate(ends):
        enough = np.isfinite(laid[:, :end]).sum(axis=1) >= NEEDED_RUNS
        if enough.any():
            low, high = reach.ends(expected(end))
            lows[:, run], highs[:, run] = np.where(enough, low, np.nan), np.where(enough, high, np.nan)
    return lows, highs
