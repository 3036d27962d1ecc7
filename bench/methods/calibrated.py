"""The learner `calibrated`: prices measured on many columns."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.metrics import by_name
from byhistory.prices import Prices, shipped
from byhistory.prices.table import from_json, together
from byhistory.profile.arrays import Bools, Floats
from byhistory.program.calibrated import SINGLES, expect
from byhistory.program.learn import metrics_for
from byhistory.program.program import Program

HELD_OUT = Path(__file__).parents[1] / "held_out"


def alarms(past: Past, now: Floats, budgets: tuple[float, ...]) -> Bools:
    """Stopped or not at each budget; the same as the programs of each budget say (a test holds it to that)."""
    return score(past, now)[:, None] >= -np.log10(budgets) - 1e-9


def score(past: Past, now: Floats) -> Floats:
    """Minus the logarithm of the budget from which on a run is stopped."""
    return priced_score(past, now, prices_for(past.source))


def prices_for(source: str) -> Prices:
    """Prices that this source had no part in: those that left it out, or those we ship if they never saw it."""
    return next((prices for prices in _held_out() if source in prices.made["left_out"]), shipped())


@cache
def _held_out() -> tuple[Prices, ...]:
    return tuple(from_json(path.read_text("utf-8")) for path in sorted(HELD_OUT.glob("*.json")))


def priced_score(past: Past, now: Floats, prices: Prices) -> Floats:
    """The same under given prices."""
    metrics = metrics_for(past.kind, True, [by_name(name) for name in past.metrics], "calibrated")
    places = [past.metrics.index(m.name) for m in metrics]
    series, seasons = past.on_calendar
    joint = expect(Program("", past.kind), metrics, series[places], prices, seasons)
    surprises = joint.surprises(now[:, places])
    chosen = [i for i, m in enumerate(metrics) if m.name in SINGLES[past.kind.value]]
    budget = joint.limits.budget(surprises[:, chosen].max(axis=1, initial=0.0), together(surprises))
    return np.asarray(-np.log10(budget))


METHOD = Method("calibrated", "byhistory calibrated", "byhistory", score, alarms=alarms)
