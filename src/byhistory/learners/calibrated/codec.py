"""What is expected of all metrics, as JSON and back: names, and one packed line of numbers."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from byhistory.learners.calibrated.curves import Curves
from byhistory.learners.calibrated.forecast import Forecasts
from byhistory.learners.calibrated.joint import Joint
from byhistory.learners.calibrated.prices import limits_of
from byhistory.profile.unzip import unzipped


def joint_to_json(joint: Joint) -> dict[str, Any]:
    """Plain entries."""
    f = joint.forecasts
    head = np.column_stack([f.size, f.form, f.centre, f.spread, f.is_constant, f.runs])
    table = np.hstack([head, joint.curves.table.reshape(len(head), -1)])
    limits = joint.limits
    weights = {} if joint.weights is None else {"weights": joint.weights.tolist()}
    return {
        **weights,
        "metrics": list(joint.metrics),
        "scales": list(f.scale),
        "limits": [*map(list, (limits.budgets, limits.single, limits.joint)), limits.cases, list(limits.measured)],
        "prices": joint.prices,
        "values": base64.b64encode(zlib.compress(table.astype("<f8").tobytes(), 1)).decode("ascii"),
    }


def joint_from_json(body: Mapping[str, Any]) -> Joint:
    """The value back; any of Python's errors for what cannot be understood."""
    metrics, scales = tuple(body["metrics"]), tuple(body["scales"])
    flat = np.frombuffer(unzipped(base64.b64decode(body["values"], validate=True)), "<f8").astype(np.float64)
    table = flat.reshape(len(metrics), -1)
    size, form, centre, spread, is_constant, runs = table[:, :6].T
    forecasts = Forecasts(scales, size, form.astype(np.int64), centre, spread, is_constant > 0, runs.astype(np.int64))
    curves = Curves.of_table(table[:, 6:])
    weights = np.array(body["weights"], np.float64).reshape(-1, 2) if "weights" in body else None
    return Joint(metrics, forecasts, curves, limits_of(*body["limits"]), str(body.get("prices", "")), weights)
