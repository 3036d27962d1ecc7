"""From what a store remembers to the programs for the next run."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from byhistory import inject
from byhistory.config import TableConfig
from byhistory.inject import Fault
from byhistory.learners import NEEDED_RUNS, Learner, Program, budget, from_json, to_json
from byhistory.learners import by_name as learner_named
from byhistory.learners.learn import learn_series
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric, by_name
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.rows.field import Field, Options
from byhistory.validator.memory import Memory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPREAD_FROM = 3000
"""Columns from which on learning is spread over Spark: about a minute of work for one process."""
RENEWED_EVERY = 7
"""What faults would do to a column is worked out anew every so many runs; in between it is taken to be the same."""

Progress = Callable[[int, int], None]
Spread = Callable[[list["LearningTask"]], Iterable[Program]]


def learn_all(
    memory: Memory,
    config: TableConfig,
    known: Mapping[str, Program],
    *,
    also: Iterable[str] = (),
    last: TableProfile | None = None,
    before: Mapping[str, ColumnProfile] | None = None,
    key: bytes = b"",
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    learner: Learner | None = None,
    progress: Progress | None = None,
    spread: Spread | None = None,
) -> dict[str, Program]:
    """A program for every column of the last good run, and for those named in `also` that earlier runs had.

    `known` are the programs so far: their fault responses are used again unless it is their turn to be renewed, for
    which `last` (that run with its sample of rows) and the profiles `before` it are needed. With thousands of columns
    the work is handed to `spread`, if given.
    """
    if not memory.runs:
        return {}
    unread = (name for name in known if not config.wants(name))  # a later run may be read with them again
    columns = [name for name in dict.fromkeys([*memory.columns, *unread, *also]) if memory.has(name)]
    learner = learner or learner_of(config)
    each = shares(config, columns, learner)
    decided, carrier = config.kinds, next(filter(config.wants, columns), None)
    tasks = []
    for name in columns:
        place = memory.last_with(name)
        kind = Kind(decided.get(name, memory.measures[place].kinds[name]))
        wanted = learner.metrics(kind, memory.is_discrete(name), metrics)
        runs = memory.runs_of(name, kind)
        responses = known[name].responses if name in known and known[name].kind is kind else None
        is_turn = runs >= NEEDED_RUNS and _is_due(responses, name, memory)
        if is_turn and last is not None and last.sample is not None and name in last.columns:
            field = Field(name, kind, last[name].type, last[name].nullable, last[name].position)
            previous = (before or {}).get(name)
            responses = inject.responses(
                last.sample, name, last[name], previous, wanted, field=field, options=Options(key), faults=faults
            )
        head = Program(name, kind, learner=config.learner, runs=runs, responses=responses, carries_rows=name == carrier)
        head = each.given_to(head)
        series = memory.with_gaps(memory.series(name, wanted, kind)[:, : place + 1])
        tasks.append(LearningTask(head, wanted, series, config.max_clauses, memory.seasons, learner))
        if progress is not None:
            progress(len(tasks), len(columns))
    is_ours = metrics is ALL_METRICS and learner.is_shipped  # a user's own are not known to the workers
    learned = (
        spread(tasks) if spread is not None and is_ours and len(tasks) >= SPREAD_FROM else map(learned_here, tasks)
    )
    return {program.column: program for program in learned}


def learner_of(config: TableConfig) -> Learner:
    """The learner that a configuration names, at its prices."""
    return learner_named(config.learner).priced_by(config.prices)


def shares(config: TableConfig, columns: Iterable[str], learner: Learner) -> budget.Split:
    """The budgets of each column, to stop and to warn."""
    count = sum(map(config.wants, columns))
    return budget.split(config.budget, config.warn_budget, config.per, count, learner)


@dataclass(frozen=True, slots=True)
class LearningTask:
    """What one column's program is learned from: its head with the responses, and its metrics over the runs."""

    head: Program
    metrics: tuple[Metric, ...]
    series: Floats
    max_clauses: int | None
    seasons: tuple[int, ...]
    learner: Learner | None = None

    def to_bytes(self) -> bytes:
        """To send it to a worker, which knows the learners that come with the package."""
        names = [m.name for m in self.metrics]
        body = {"head": to_json(self.head, None), "metrics": names, "most": self.max_clauses, "seasons": self.seasons}
        text = json.dumps(body).encode()
        return struct.pack("<I", len(text)) + text + np.asarray(self.series, "<f8").tobytes()

    @staticmethod
    def from_bytes(data: bytes) -> LearningTask:
        """On the worker."""
        (size,) = struct.unpack_from("<I", data)
        body = json.loads(data[4 : 4 + size])
        metrics = tuple(by_name(name) for name in body["metrics"])
        series = np.frombuffer(data, "<f8", offset=4 + size).reshape(len(metrics), -1)
        return LearningTask(from_json(body["head"]), metrics, series, body["most"], tuple(body["seasons"]))


def learned_here(task: LearningTask) -> Program:
    """The program, worked out in this process."""
    return learn_series(
        task.head,
        task.metrics,
        task.series,
        task.head.responses,
        task.max_clauses,
        learner=task.learner,
        seasons=task.seasons,
    )


def learned_there(data: bytes) -> bytes:
    """The same as bytes to bytes, for a worker of Spark."""
    return to_json(learned_here(LearningTask.from_bytes(data)), None).encode()


def _is_due(responses: object, column: str, memory: Memory) -> bool:
    """Whether to work out the responses: the first time, then each column in its turn, a seventh of them a run."""
    return responses is None or (len(memory.runs) + zlib.crc32(column.encode())) % RENEWED_EVERY == 0


def over(spark: SparkSession) -> Spread:
    """Learning by the workers of a session."""

    def spread_out(tasks: list[LearningTask]) -> list[Program]:
        from byhistory.spark.spread import spread

        learned = spread(spark, f"{__name__}:learned_there", [task.to_bytes() for task in tasks])
        return [
            learned_here(task) if text is None else from_json(text.decode())
            for task, text in zip(tasks, learned, strict=True)
        ]

    return spread_out


def fits(programs: Mapping[str, Program], config: TableConfig, memory: Memory, learner: Learner) -> bool:
    """Whether programs were learned as the configuration says, and from all runs: another process may add one."""
    each, kinds = shares(config, programs, learner), config.kinds
    return all(
        learner.made(p)
        and each.is_of(p)
        and p.runs == memory.runs_of(p.column, p.kind)
        and kinds.get(p.column, p.kind) == p.kind
        for p in programs.values()
    )
