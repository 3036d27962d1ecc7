"""What is expected of all metrics, as JSON and back: names, and one packed line of numbers."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from byhistory.learners.calibrated.forecast import Forecasts
from byhistory.learners.calibrated.joint import Joint
from byhistory.learners.calibrated.prices import PriceCurve, limits_of
from byhistory.profile.arrays import Floats
from byhistory.profile.unzip import unzipped

_KNOTS = 12
"""Knots of a curve at most; shorter ones are filled up with nan."""


def joint_to_json(joint: Joint) -> dict[str, Any]:
    """Plain entries."""
    f = joint.forecasts
    head = np.column_stack([f.size, f.form, f.centre, f.spread, f.is_constant, f.runs])
    curves = np.array([[*_row(above), *_row(below)] for above, below in joint.curves])
    table = np.hstack([head, curves.reshape(len(head), -1)])
    limits = joint.limits
    weights = {} if joint.weights is None else {"weights": joint.weights.tolist()}
    return {
        **weights,
        "metrics": list(joint.metrics),
        "scales": list(f.scale),
        "limits": [*map(list, (limits.budgets, limits.single, limits.joint)), limits.cases, list(limits.measured)],
        "prices": joint.prices,
        "values": base64.b64encode(zlib.compress(table.astype("<f8").tobytes())).decode("ascii"),
    }


def joint_from_json(body: Mapping[str, Any]) -> Joint:
    """The value back; any of Python's errors for what cannot be understood."""
    metrics, scales = tuple(body["metrics"]), tuple(body["scales"])
    flat = np.frombuffer(unzipped(base64.b64decode(body["values"], validate=True)), "<f8").astype(np.float64)
    table = flat.reshape(len(metrics), -1)
    size, form, centre, spread, is_constant, runs = table[:, :6].T
    forecasts = Forecasts(scales, size, form.astype(np.int64), centre, spread, is_constant > 0, runs.astype(np.int64))
    half = 2 * _KNOTS + 2
    curves = tuple((_curve(row[6 : 6 + half]), _curve(row[6 + half :])) for row in table)
    weights = np.array(body["weights"], np.float64).reshape(-1, 2) if "weights" in body else None
    return Joint(metrics, forecasts, curves, limits_of(*body["limits"]), str(body.get("prices", "")), weights)


def _row(curve: PriceCurve) -> list[float]:
    fill = [np.nan] * (_KNOTS - len(curve.distance_at))
    return [*curve.distance_at, *fill, *curve.surprise_at, *fill, curve.slowness, float(curve.cases)]


def _curve(row: Floats) -> PriceCurve:
    distances, surprise = row[:_KNOTS], row[_KNOTS : 2 * _KNOTS]
    known = np.isfinite(distances)
    return PriceCurve(tuple(distances[known].tolist()), tuple(surprise[known].tolist()), float(row[-2]), int(row[-1]))
