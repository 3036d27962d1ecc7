"""Has what was unusual gone back, or has it stayed, and is usual by now because it was learned from?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from byhistory.alarms import ROWS, Alarm
from byhistory.metrics import Measures, Metric, Single
from byhistory.series.level import LATEST
from byhistory.validator.memory import Memory


def has_stayed(alarm: Alarm, memory: Memory, now: Measures, metrics: Sequence[Metric]) -> bool:
    """Whether the metric that an alarm is about still reads what it did then, rather than what it did before.

    A distance between two runs cannot tell: it is small again whether the change has stayed or not.
    """
    metric = next((m for m in metrics if m.name == alarm.cause.metric), None)
    at = {line.run: i for i, line in enumerate(memory.runs)}
    if not isinstance(metric, Single) or alarm.opened not in at or alarm.runs[-1] not in at:
        return False
    place = next((c for c in alarm.cause.columns if c != ROWS), next(iter(now.types)))
    if place not in now.types:
        return False
    read = memory.as_read(place, [metric])[0]
    before = read[: at[alarm.opened]]
    old, then = before[np.isfinite(before)][-LATEST:], read[at[alarm.runs[-1]]]
    here = now.of_column(place, [metric.name])[0]
    if not len(old) or not np.isfinite([then, here]).all():
        return False
    return bool(abs(here - then) < abs(here - np.median(old)))
