"""Google TFDV: does a run fit the inferred schema, and has it drifted from the one before?"""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

LEAST = 0.01
"""The least threshold of a drift."""
DOMAIN = 100
"""Most values of a domain that `infer_schema` writes down."""


def score(past: Past, now: Floats) -> Floats:
    """The largest of what TFDV compares with a threshold, in largest ones of the past.

    Drift: L-infinity for values, Jensen–Shannon for numbers. Schema: the share missing where all were there, the share
    outside of the domain where the values are few, the share of whole numbers that no longer are. One threshold for
    all columns was tried too: columns of identifiers drift as far as can be in every run.
    """
    before, drift = _of(past, now, "js_div" if past.kind is Kind.NUMERIC else "l_inf")
    schema = np.fmax(_presence(past, now), (_whole if past.kind is Kind.NUMERIC else _domain)(past, now))
    return np.fmax(drift / (np.nanmax(before, initial=0.0) + LEAST), schema / LEAST)


def _of(past: Past, now: Floats, metric: str) -> tuple[Floats, Floats]:
    at = past.row(metric)
    return past.series[at], now[:, at]


def _presence(past: Past, now: Floats) -> Floats:
    """`min_fraction: 1` is inferred where nothing was missing; otherwise only that there is something at all."""
    before, share = _of(past, now, "complete_ratio")
    missing = 1.0 - np.where(np.isfinite(share), share, 0.0)
    if np.nanmin(before) >= 1.0:
        return missing
    return np.where((missing >= 1.0) & (np.nanmin(before) > 0.0), 1.0, 0.0)


def _domain(past: Past, now: Floats) -> Floats:
    """`min_domain_mass`. The domain is of all past runs, the metric knows the last: what came and went is forgiven."""
    values, _ = _of(past, now, "dist_val_count")
    before, share = _of(past, now, "new_value_ratio")
    if np.nanmax(values) > DOMAIN or not np.isfinite(before).any():
        return np.zeros(len(now))
    return np.maximum(share - np.nanmax(before), 0.0)


def _whole(past: Past, now: Floats) -> Floats:
    before, share = _of(past, now, "integer_ratio")
    return 1.0 - share if np.nanmin(before, initial=1.0) >= 1.0 else np.zeros(len(now))


METHOD = Method(
    "tfdv",
    "Google TFDV",
    "commercial",
    score,
    note="Comparators and schema inference restated on the metrics; one threshold per column, from its past.",
)
