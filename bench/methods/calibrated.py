"""The learner `calibrated`: prices measured on many columns."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.learn import expect
from byhistory.learners.calibrated.prices import Prices, from_json, shipped
from byhistory.metrics import by_name
from byhistory.profile.arrays import Bools, Floats

HELD_OUT = Path(__file__).parents[1] / "held_out"


def alarms(past: Past, now: Floats, budgets: tuple[float, ...]) -> Bools:
    """Stopped or not at each budget; the same as the programs of each budget say (a test holds it to that)."""
    return score(past, now)[:, None] >= -np.log10(budgets) - 1e-9


def score(past: Past, now: Floats) -> Floats:
    """Minus the logarithm of the budget from which on a run is stopped."""
    return priced_score(past, now, prices_for(past.source))


def prices_for(source: str) -> Prices:
    """Prices that this source had no part in: those that left it out, or those we ship if they never saw it."""
    return next((prices for prices in _held_out().values() if source in prices.made["left_out"]), shipped())


def prices_without(source: str) -> str:
    """The path of the same prices, for a configuration; empty for those we ship."""
    return next((str(path) for path, prices in _held_out().items() if source in prices.made["left_out"]), "")


@cache
def _held_out() -> dict[Path, Prices]:
    return {path: from_json(path.read_text("utf-8")) for path in sorted(HELD_OUT.glob("*.json"))}


def priced_score(past: Past, now: Floats, prices: Prices) -> Floats:
    """The same under given prices."""
    metrics = CALIBRATED.metrics(past.kind, True, [by_name(name) for name in past.metrics])
    places = [past.metrics.index(m.name) for m in metrics]
    series, seasons = past.on_calendar
    joint = expect(replace(CALIBRATED, prices=prices), past.kind, metrics, series[places], seasons)
    surprises, total = joint.surprises(now[:, places]), CALIBRATED.joined(joint.contributions(now[:, places]))
    chosen = [i for i, m in enumerate(metrics) if m.name in CALIBRATED.singles[past.kind.value]]
    budget = joint.limits.budget(surprises[:, chosen].max(axis=1, initial=0.0), total)
    return np.asarray(-np.log10(budget))


METHOD = Method("calibrated", "byhistory calibrated", "byhistory", score, alarms=alarms)
