"""What is expected of all metrics, as JSON and back: names, and one packed line of numbers."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from byhistory.learners.calibrated.curves import Curves
from byhistory.learners.calibrated.forecast import Forecasts
from byhistory.learners.calibrated.joint import Joint
from byhistory.learners.calibrated.prices import limits_of, three_weights
from byhistory.profile.arrays import Floats
from byhistory.profile.unzip import unzipped

_HEAD = 6
"""Numbers that are expected of a metric."""
_KINDS_OF_CURVES = 256
"""Packed curves that are remembered: columns of one kind with as many runs have the same, in every table of a fleet.
Some 20 KB each."""


def joint_to_json(joint: Joint) -> dict[str, Any]:
    """Plain entries."""
    f = joint.forecasts
    limits = joint.limits
    weights = {} if joint.weights is None else {"weights": joint.weights.tolist()}
    head = np.column_stack([f.size, f.form, f.centre, f.spread, f.is_constant, f.runs])
    return {
        **weights,
        "metrics": list(joint.metrics),
        "scales": list(f.scale),
        "limits": [*map(list, (limits.budgets, limits.single, limits.joint)), limits.cases, list(limits.measured)],
        "prices": joint.prices,
        "values": base64.b64encode(zlib.compress(head.astype("<f8").tobytes(), 1)).decode("ascii"),
        "curves": _curves_packed(joint.curves.table.astype("<f8", copy=False).tobytes()),
    }


def joint_from_json(body: Mapping[str, Any]) -> Joint:
    """The value back; any of Python's errors for what cannot be understood."""
    metrics, scales = tuple(body["metrics"]), tuple(body["scales"])
    table = _numbers(body["values"]).reshape(len(metrics), -1)
    size, form, centre, spread, is_constant, runs = table[:, :_HEAD].T
    forecasts = Forecasts(scales, size, form.astype(np.int64), centre, spread, is_constant > 0, runs.astype(np.int64))
    # Before curves had an entry of their own, they stood beside what is expected.
    curves = _curves_unpacked(body["curves"]) if "curves" in body else Curves.of_table(table[:, _HEAD:])
    if len(curves.table) != len(metrics):
        raise ValueError(f"curves of {len(curves.table)} metrics, where there are {len(metrics)}")
    weights = np.array([three_weights(*of) for of in body["weights"]]).reshape(-1, 3) if "weights" in body else None
    return Joint(metrics, forecasts, curves, limits_of(*body["limits"]), str(body.get("prices", "")), weights)


@lru_cache(_KINDS_OF_CURVES)
def _curves_packed(table: bytes) -> str:
    return base64.b64encode(zlib.compress(table, 1)).decode("ascii")


@lru_cache(_KINDS_OF_CURVES)
def _curves_unpacked(text: str) -> Curves:
    """Shared by all columns that have the same: nobody changes them, and what follows from them is worked out once."""
    return Curves.of_table(_numbers(text))


def _numbers(text: str) -> Floats:
    return np.frombuffer(unzipped(base64.b64decode(text, validate=True)), "<f8").astype(np.float64)
