"""From what a store remembers to the programs for the next run."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

from byhistory import inject
from byhistory.config import TableConfig
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.profile import ColumnProfile, TableProfile
from byhistory.program import NEEDED_RUNS, Program
from byhistory.program.learn import learn_series, metrics_for
from byhistory.rows.field import Field, Options
from byhistory.validator.memory import Memory

RENEWED_EVERY = 7
"""What faults would do to a column is worked out anew every so many runs; in between it is taken to be the same."""

Progress = Callable[[int, int], None]


def learn_all(
    memory: Memory,
    config: TableConfig,
    known: Mapping[str, Program],
    *,
    last: TableProfile | None = None,
    before: Mapping[str, ColumnProfile] | None = None,
    key: bytes = b"",
    metrics: Sequence[Metric] = ALL_METRICS,
    progress: Progress | None = None,
) -> dict[str, Program]:
    """A program for every column of the last good run.

    `known` are the programs so far: their fault responses are used again unless it is their turn to be renewed, for
    which `last` (that run with its sample of rows) and the profiles `before` it are needed.
    """
    if not memory.runs:
        return {}
    columns = list(memory.measures[-1].types)
    budget = config.budget if config.per == "column" else config.budget / max(1, len(columns))
    programs = {}
    for number, name in enumerate(columns):
        kind = memory.measures[-1].kinds[name]
        wanted = metrics_for(kind, memory.is_discrete(name), metrics, config.learner)
        runs = memory.runs_of(name, kind)
        responses = known[name].responses if name in known and known[name].kind is kind else None
        if last is not None and last.sample is not None and runs >= NEEDED_RUNS and _is_due(responses, name, memory):
            field = Field(name, kind, last[name].type, last[name].nullable, last[name].position)
            previous = (before or {}).get(name)
            responses = inject.responses(
                last.sample, name, last[name], previous, wanted, field=field, options=Options(key)
            )
        head = Program(name, kind, (), config.learner, budget, runs)
        series = memory.series(name, wanted, kind)
        programs[name] = learn_series(head, wanted, series, responses, config.max_clauses)
        if progress is not None:
            progress(number + 1, len(columns))
    return programs


def _is_due(responses: object, column: str, memory: Memory) -> bool:
    """Whether to work out the responses: the first time, then each column in its turn, a seventh of them a run."""
    return responses is None or (len(memory.runs) + zlib.crc32(column.encode())) % RENEWED_EVERY == 0
