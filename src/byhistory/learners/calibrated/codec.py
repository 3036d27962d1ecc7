"""The model of this learner as JSON and back: names, and packed arrays of numbers."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from byhistory.learners.calibrated.curves import Curves
from byhistory.learners.calibrated.forecast import Forecasts
from byhistory.learners.calibrated.joint import Joint
from byhistory.learners.calibrated.prices import Limits, limits_of, three_weights
from byhistory.profile.arrays import Floats
from byhistory.profile.unzip import unzipped

_HEAD = 6
"""Numbers that a forecast has for each metric, as `joint_to_json` writes them."""
_KINDS_OF_PRICES = 256
"""Packed prices that are cached (a choice: curves take some 20 KB each, the others less). Columns of one kind with
equally many runs have the same prices, in every table of a fleet."""


def joint_to_json(joint: Joint) -> dict[str, Any]:
    """The model as plain entries."""
    f = joint.forecasts
    weights = {} if joint.weights is None else {"weights": _packed(joint.weights.astype("<f8", copy=False).tobytes())}
    head = np.empty((len(joint.metrics), _HEAD), "<f8")
    for place, numbers in enumerate((f.size, f.form, f.centre, f.spread, f.is_constant, f.runs)):
        head[:, place] = numbers
    return {
        **weights,
        **_leaps_to_json(joint),
        "metrics": list(joint.metrics),
        "scales": list(f.scale),
        "limits": _limits_packed(joint.limits),
        "prices": joint.prices,
        "values": base64.b64encode(zlib.compress(head.tobytes(), 1)).decode("ascii"),
        "curves": _packed(joint.curves.table.astype("<f8", copy=False).tobytes()),
    }


def joint_from_json(body: Mapping[str, Any]) -> Joint:
    """The reverse of `joint_to_json`; raises any of Python's own errors for entries that it cannot understand."""
    metrics, scales = tuple(body["metrics"]), tuple(body["scales"])
    table = _numbers(body["values"]).reshape(len(metrics), -1)
    size, form, centre, spread, is_constant, runs = table[:, :_HEAD].T
    forecasts = Forecasts(scales, size, form.astype(np.int64), centre, spread, is_constant > 0, runs.astype(np.int64))
    # In older files, the curves are part of the forecasts' table.
    curves = _curves_unpacked(body["curves"]) if "curves" in body else Curves.of_table(table[:, _HEAD:])
    if len(curves.table) != len(metrics):
        raise ValueError(f"curves of {len(curves.table)} metrics, where there are {len(metrics)}")
    # In older files, weights and limits are lists.
    limits, weights = body["limits"], body.get("weights")
    limits = _limits_unpacked(limits) if isinstance(limits, str) else limits_of(*limits)
    if weights is not None:
        is_packed = isinstance(weights, str)
        weights = _weights_unpacked(weights) if is_packed else np.array([three_weights(*of) for of in weights])
        weights = weights.reshape(len(metrics), 3)
    prices, leap_ends = str(body.get("prices", "")), _leaps_from_json(body, len(metrics))
    return Joint(metrics, forecasts, curves, limits, prices, weights, leap_ends, float(body.get("leap", 0.0)))


def _leaps_to_json(joint: Joint) -> dict[str, Any]:
    """What a leap adds, and the few ends there are: the place of the metric, 0 or 1 for below or above, and the end."""
    if joint.leap_ends is None:
        return {}
    some = np.argwhere(np.isfinite(joint.leap_ends)).tolist()
    return {"leap": joint.leap, "leaps": [[i, side, float(joint.leap_ends[i, side])] for i, side in some]}


def _leaps_from_json(body: Mapping[str, Any], metrics: int) -> Floats | None:
    """The reverse; None in older files, where leaps do not count."""
    if "leaps" not in body:
        return None
    ends = np.tile((-np.inf, np.inf), (metrics, 1))
    for i, side, end in body["leaps"]:
        ends[int(i), int(side)] = float(end)
    return ends


@lru_cache(_KINDS_OF_PRICES)
def _packed(table: bytes) -> str:
    return base64.b64encode(zlib.compress(table, 1)).decode("ascii")


@lru_cache(_KINDS_OF_PRICES)
def _weights_unpacked(text: str) -> Floats:
    return _numbers(text)


@lru_cache(_KINDS_OF_PRICES)
def _limits_packed(limits: Limits) -> str:
    parts = (limits.budgets, limits.single, limits.joint, limits.cases, limits.measured)
    return base64.b64encode(json.dumps(parts).encode()).decode("ascii")


@lru_cache(_KINDS_OF_PRICES)
def _limits_unpacked(text: str) -> Limits:
    return limits_of(*json.loads(base64.b64decode(text, validate=True)))


@lru_cache(_KINDS_OF_PRICES)
def _curves_unpacked(text: str) -> Curves:
    """One value for all columns that have the same curves: it never changes, and caches what it computes."""
    return Curves.of_table(_numbers(text))


def _numbers(text: str) -> Floats:
    return np.frombuffer(unzipped(base64.b64decode(text, validate=True)), "<f8").astype(np.float64)
