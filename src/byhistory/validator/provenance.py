"""What were programs learned from? One digest, compared before they are used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from byhistory import __version__
from byhistory.alarms import Lessons
from byhistory.config import TableConfig
from byhistory.metrics import Metric
from byhistory.validator.memory import Memory


def learned_from(memory: Memory, config: TableConfig, metrics: Sequence[Metric]) -> str:
    """A digest of the runs by their records, their places, the new levels of columns, the settings and the version.

    Decisions are part of it through their effect: which runs are good, and from where on a column counts. Each program
    knows its prices by itself (`Learner.made`), because a file may be rewritten under the same name.
    """
    first = memory.places[0] if memory.places else 0
    parts = {
        "version": __version__,
        "runs": [(line.run, line.id) for line in memory.runs],
        "places": [place - first for place in memory.places],
        "seasons": memory.seasons,
        "lessons": _plain(memory.lessons),
        "settings": [config.learner, config.budget, config.warn_budget, config.per, config.max_clauses, config.window],
        "columns": [config.include, config.exclude, sorted(config.kinds.items())],
        "prices": config.prices,
        "metrics": [metric.name for metric in metrics],
    }
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _plain(lessons: Lessons) -> list[object]:
    left_out = sorted((run, sorted(columns)) for run, columns in lessons.left_out.items())
    return [sorted(lessons.bad_runs), left_out, sorted(lessons.levels.items())]
