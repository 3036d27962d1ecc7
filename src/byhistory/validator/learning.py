"""From what a store remembers to the programs for the next run."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from byhistory import inject
from byhistory.config import TableConfig
from byhistory.inject import Fault
from byhistory.learners import NEEDED_RUNS, Learner, Program, budget, from_json, to_json
from byhistory.learners.learn import learn_columns, learn_series
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric, by_name
from byhistory.profile import ColumnProfile, Kind, TableProfile, from_bytes, to_bytes
from byhistory.profile.arrays import Floats
from byhistory.rows.field import Field, Options
from byhistory.rows.sample import from_ipc, to_ipc
from byhistory.validator.memory import Memory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPREAD_FROM = 3000
"""Columns from which on learning is spread over Spark: for one process, about a minute of work."""
RENEWED_EVERY, SELDOM = 7, 240
"""What faults would do to a column is computed again once in this many runs (by choice): often for a learner that
chooses clauses by it, seldom if it only serves a sentence, as it takes thirty times as long as all else in a check."""
_AT_ONCE = 256
"""How many columns are learned as one array: more do not fit into the caches of a processor."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Spread:
    """Learning on the workers of a Spark session, from `least` columns on; fewer are learned in this process."""

    spark: SparkSession
    least: int = SPREAD_FROM

    def __call__(self, tasks: list[LearningTask]) -> list[Program]:
        """The programs, in the order of the tasks; a task that no worker finished is done in this process."""
        from byhistory.spark.spread import spread

        learned = spread(self.spark, f"{__name__}:learned_there", [task.to_bytes() for task in tasks])
        return [
            learned_here(task) if text is None else from_json(text.decode())
            for task, text in zip(tasks, learned, strict=True)
        ]


def learn_all(
    memory: Memory,
    config: TableConfig,
    known: Mapping[str, Program],
    *,
    learner: Learner,
    also: Iterable[str] = (),
    only: Collection[str] | None = None,
    last: TableProfile | None = None,
    before: Mapping[str, ColumnProfile] | None = None,
    key: bytes = b"",
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    progress: Progress | None = None,
    spread: Spread | None = None,
) -> dict[str, Program]:
    """A program for every column of the last good run, and for those named in `also` that earlier runs had.

    With `only`, for no other columns than these; each has the same share of the budget.
    `known` are the programs so far: their fault responses are used again unless they have to be renewed, for which
    `last` (that run with its sample of rows) and the profiles `before` it are needed. With thousands of columns the
    work is handed to `spread`, if given.
    """
    if not memory.runs:
        return {}
    unread = (name for name in known if not config.wants(name))  # a later run may be read with them again
    columns = [name for name in dict.fromkeys([*memory.columns, *unread, *also]) if memory.has(name)]
    each = shares(config, columns, learner)
    decided, carrier = config.kinds, next(filter(config.wants, columns), None)
    suited = cache(partial(learner.metrics, offered=metrics))
    tasks = []
    for name in columns if only is None else [n for n in columns if n in only]:
        place = memory.last_with(name)
        kind = Kind(decided.get(name, memory.measures[place].kinds[name]))
        wanted = suited(kind, memory.is_discrete(name))
        runs = memory.runs_of(name, kind)
        kept = known.get(name)
        responses = kept.responses if kept is not None and kept.kind is kind else None
        is_turn = runs >= NEEDED_RUNS and _is_due(responses, name, memory, learner)
        rows = None
        if is_turn and last is not None and last.samples(name):
            field = Field(name, kind, last[name].type, last[name].nullable, last[name].position)
            is_measured = memory.runs[-1].run == last.run
            reads = memory.measures[-1].of_column(name, [m.name for m in wanted]) if is_measured else None
            rows = SampledColumn(last.sample, last[name], (before or {}).get(name), field, key, reads)
        about = each.of(name == carrier)
        head = Program(
            name, kind, learner=config.learner, runs=runs, responses=responses, carries_rows=name == carrier, **about
        )
        series = memory.with_gaps(memory.series(name, wanted, kind)[:, : memory.learned_until(name) + 1])
        caught = kept if responses is not None and last is not None and not learner.spoils_last_run else None
        tasks.append(LearningTask(head, wanted, series, config.max_clauses, memory.seasons, learner, rows, caught))
    # A user's own are not known to the workers.
    is_ours = metrics == ALL_METRICS and faults == inject.ALL and learner.is_shipped
    if spread is not None and is_ours and len(tasks) >= spread.least:
        return {program.column: program for program in spread(tasks)}
    return {program.column: program for program in learned_together(tasks, faults, progress)}


def shares(config: TableConfig, columns: Iterable[str], learner: Learner) -> budget.Split:
    """The budgets of each column, to stop and to warn."""
    count = sum(map(config.wants, columns))
    return budget.split(config.budget, config.warn_budget, config.per, count, learner)


@dataclass(frozen=True, slots=True)
class SampledColumn:
    """Rows of a column's last run to put faults into, its profile, the profile of the run before, the store's key, and
    what the learner's metrics read in that run.
    """

    sample: Any
    now: ColumnProfile
    before: ColumnProfile | None
    field: Field
    key: bytes
    reads: Floats | None = None

    def responses(self, metrics: Sequence[Metric], faults: Sequence[Fault]) -> inject.Responses:
        """What the metrics would read after each fault."""
        about = (self.sample, self.field.name, self.now, self.before, metrics)
        return inject.responses(*about, field=self.field, options=Options(self.key), faults=faults, reads=self.reads)

    def to_parts(self) -> tuple[dict[str, Any], list[bytes]]:
        """Plain values and bytes to be sent to a worker; of the other columns, only the one that faults look at
        goes.
        """
        few = inject.with_neighbour(self.sample, self.field.name, self.field.kind)
        before = b"" if self.before is None else to_bytes(self.before)
        plain = {**asdict(self.field), "kind": self.field.kind.value}
        reads = b"" if self.reads is None else np.asarray(self.reads, "<f8").tobytes()
        return plain, [to_ipc(few), to_bytes(self.now), before, self.key, reads]

    @staticmethod
    def from_parts(plain: dict[str, Any], parts: Sequence[bytes]) -> SampledColumn:
        """The column that `to_parts` has sent."""
        sample, now, earlier, key, numbers = parts
        field = Field(**{**plain, "kind": Kind(plain["kind"])})
        before = from_bytes(earlier) if earlier else None
        reads = np.frombuffer(numbers, "<f8") if numbers else None
        return SampledColumn(from_ipc(sample), from_bytes(now), before, field, key, reads)


@dataclass(frozen=True, slots=True)
class LearningTask:
    """What one column's program is learned from: its head with the responses, and its metrics over the runs.

    If there are `rows`, it is the turn of the responses to be computed again.
    """

    head: Program
    metrics: tuple[Metric, ...]
    series: Floats
    max_clauses: int | None
    seasons: tuple[int, ...]
    learner: Learner | None = None
    rows: SampledColumn | None = None
    caught: Program | None = None
    """The program that says what each clause catches, if neither faults nor metrics have changed since."""

    def to_bytes(self) -> bytes:
        """The task as bytes, for a worker that knows the learners of the package."""
        names = [m.name for m in self.metrics]
        body: dict[str, Any] = {"head": to_json(self.head, None), "metrics": names}
        body |= {"most": self.max_clauses, "seasons": self.seasons}
        parts = [np.asarray(self.series, "<f8").tobytes()]
        if self.rows is not None:
            body["field"], more = self.rows.to_parts()
            parts += more
        return _joined([json.dumps(body).encode(), *parts])

    @staticmethod
    def from_bytes(data: bytes) -> LearningTask:
        """The task that `to_bytes` has sent."""
        text, numbers, *parts = _parted(data)
        body = json.loads(text)
        metrics = tuple(by_name(name) for name in body["metrics"])
        series = np.frombuffer(numbers, "<f8").reshape(len(metrics), -1)
        rows = SampledColumn.from_parts(body["field"], parts) if parts else None
        head = from_json(body["head"])
        return LearningTask(head, metrics, series, body["most"], tuple(body["seasons"]), rows=rows)


def _joined(parts: Sequence[bytes]) -> bytes:
    r"""Each part behind its length.

    >>> _parted(_joined([b"a", b"", b"bc"]))
    [b'a', b'', b'bc']
    """
    return b"".join(struct.pack("<Q", len(part)) + part for part in parts)


def _parted(data: bytes) -> list[bytes]:
    parts, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        parts.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return parts


def learned_here(task: LearningTask, faults: Sequence[Fault] = inject.ALL) -> Program:
    """The program, learned in this process."""
    head = task.head
    if task.rows is not None:
        head = replace(head, responses=task.rows.responses(task.metrics, faults))
    return learn_series(
        head,
        task.metrics,
        task.series,
        head.responses,
        task.max_clauses,
        learner=task.learner,
        seasons=task.seasons,
    )


def learned_together(
    tasks: Sequence[LearningTask], faults: Sequence[Fault] = inject.ALL, progress: Progress | None = None
) -> list[Program]:
    """The programs of all columns, in order; those with the same metrics and gaps are learned as one array."""
    alike: dict[object, list[int]] = {}
    names_of: dict[int, tuple[str, ...]] = {}  # most columns share their metrics
    for place, task in enumerate(tasks):
        had_values = np.isfinite(task.series).any(axis=0).tobytes()
        if (names := names_of.get(id(task.metrics))) is None:
            names = names_of[id(task.metrics)] = tuple(m.name for m in task.metrics)
        is_alone = place if task.rows is not None else -1  # faults are put into one column at a time
        alike.setdefault((names, had_values, task.head.is_ready, is_alone), []).append(place)
    programs: dict[int, Program] = {}
    for places in alike.values():
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            programs |= zip(some, _learned_alike([tasks[place] for place in some], faults), strict=True)
            if progress is not None:
                progress(len(programs), len(tasks))
    return [programs[place] for place in range(len(tasks))]


def _learned_alike(tasks: Sequence[LearningTask], faults: Sequence[Fault]) -> list[Program]:
    first = tasks[0]
    if first.rows is not None:
        return [learned_here(task, faults) for task in tasks]
    found = learn_columns(
        [task.head if task.caught is None else replace(task.head, responses=None) for task in tasks],
        first.metrics,
        np.array([task.series for task in tasks]),
        first.max_clauses,
        learner=first.learner,
        seasons=first.seasons,
    )
    return [_with_caught(program, task) for program, task in zip(found, tasks, strict=True)]


def _with_caught(program: Program, task: LearningTask) -> Program:
    """The program with what its clauses catch, which is computed only if the clauses have changed."""
    if task.caught is None:
        return program
    before = {clause.metric: clause.faults for clause in task.caught.clauses}
    if before.keys() != {clause.metric for clause in program.clauses}:
        return learned_here(task)
    clauses = tuple(
        replace(clause, faults=faults) if clause.faults != (faults := before[clause.metric]) else clause
        for clause in program.clauses
    )
    return replace(program, clauses=clauses, responses=task.head.responses)


def learned_there(data: bytes) -> bytes:
    """The same from bytes to bytes, for a worker of Spark."""
    return to_json(learned_here(LearningTask.from_bytes(data)), None).encode()


def _is_due(responses: object, column: str, memory: Memory, learner: Learner) -> bool:
    """Whether to compute the responses: the first time, and when an alarm has shown that the column has changed.

    Otherwise each column has its turn: a run that is as usual changes little about what a fault would do.
    """
    if responses is None or memory.is_back(column):
        return True
    turn = zlib.crc32(f"{column} {memory.runs[-1].run}".encode())  # a full window always has the same number of runs
    return turn % (RENEWED_EVERY if learner.spoils_last_run else SELDOM) == 0


def fits(programs: Mapping[str, Program], config: TableConfig, memory: Memory, learner: Learner) -> bool:
    """Whether programs were learned as the configuration says, and from all runs: another process may have added
    one.
    """
    each, kinds = shares(config, programs, learner), config.kinds
    return all(
        learner.made(p)
        and each.is_of(p)
        and p.runs == memory.runs_of(p.column, p.kind)
        and kinds.get(p.column, p.kind) == p.kind
        for p in programs.values()
    )
