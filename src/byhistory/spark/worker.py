"""What runs inside Spark's Python workers: rows in, partial profiles out.

This module is sent to the workers by value, with the sources of `profile/` and `rows/`, because a worker's Python
environment is often not the driver's: it needs numpy and pyarrow there, but not byhistory. So nothing of ours is
imported at the top.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

SAMPLE, ROWS = -1, -2
"""The column numbers under which a partial result is a sample of rows, and the number of rows."""
BUFFERED_BYTES = 256 << 20
"""Rows of all runs together that wait to be summarised; beyond, the run that holds most is summarised at once."""
HELD_PROFILES = 8192
"""Column profiles of all runs together that a worker holds (up to 0.1 MB each); beyond, the oldest run is sent."""
SENT_BYTES = 4 << 20
"""Partial profiles are sent in batches of about this size."""

Result = tuple["str | None", int, bytes, "bytes | None"]
"""Run, column, what can be added to other parts, and what the run comes to if there is no other part."""


@dataclass(frozen=True)
class Task:
    """The fold that Spark calls with the rows of a partition; a value, so that it can be sent.

    Columns arrive in the order of `fields`; with `by_run`, the label of the run is the last column.
    """

    version: str
    sources: dict[str, str]
    fields: tuple[tuple[Any, ...], ...]
    options: tuple[Any, ...]
    by_run: bool
    sample_rows: int
    seed: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Arrow batches of rows to Arrow batches of (run, column, partial profile)."""
        load(self.version, self.sources)
        folded = _Partition(self)
        return _batched(result for part in (_added(folded, batches), folded.results()) for result in part)


@dataclass(frozen=True)
class Call:
    """Calls a function of ours, named `module:function`, with the bytes of every row."""

    version: str
    sources: dict[str, str]
    function: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Arrow batches of (place, data) to the same with what the function made of the data."""
        import pyarrow as pa

        load(self.version, self.sources)
        module, _, name = self.function.partition(":")
        call = getattr(importlib.import_module(module), name)
        for batch in batches:
            done = pa.array([call(data) for data in batch.column(1).to_pylist()], pa.binary())
            yield pa.RecordBatch.from_arrays([batch.column(0), done], names=["place", "data"])


def _added(folded: _Partition, batches: Iterable[Any]) -> Iterator[Result]:
    for batch in batches:
        yield from folded.add(batch)


def _batched(results: Iterable[Result]) -> Iterator[Any]:
    """Results as Arrow batches of a few megabytes."""
    waiting: list[Result] = []
    size = 0
    for result in results:
        waiting.append(result)
        size += len(result[2])
        if size > SENT_BYTES:
            yield _batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield _batch(waiting)


def _batch(results: list[Result]) -> Any:
    import pyarrow as pa

    runs, columns, parts, alone = zip(*results, strict=True)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(runs, pa.string()),
            pa.array(columns, pa.int32()),
            pa.array(parts, pa.binary()),
            pa.array(alone, pa.binary()),
        ],
        names=["run", "column", "part", "alone"],
    )


class _Partition:
    """The folds of one partition, one a run; state, because Spark hands over rows piece by piece."""

    def __init__(self, task: Task) -> None:
        from byhistory.profile import Kind
        from byhistory.rows.field import Field, Options

        self.task = task
        self.fields = tuple(Field(name, Kind(kind), *rest) for name, kind, *rest in task.fields)
        self.options = Options(*task.options)
        self.folds: dict[str | None, Any] = {}
        """The least recently used first."""
        self.latest: str | None = None
        self.sampled: str | None = None
        self.sampler: Any = None
        self.schema: Any = None

    def add(self, batch: Any) -> Iterator[Result]:
        """Take some rows; results come early where there are more runs than can be held."""
        from byhistory.rows.chunk import as_text

        if not batch.num_rows:
            return
        rows = as_text(batch.select(list(range(len(self.fields)))), self.fields)
        runs = _places(batch.column(batch.num_columns - 1)) if self.task.by_run else [("", None)]
        for run, places in runs:
            self._add_to(run, rows if places is None else rows.take(places))
        if len(self.folds) > 1:
            yield from self._held_back()

    def _add_to(self, run: str | None, rows: Any) -> None:
        from byhistory.profile.past import run_key
        from byhistory.rows.fold import Fold

        fold = self.folds.pop(run, None) or Fold(self.fields, self.options, partial(self._sample, run))
        self.folds[run] = fold
        if run is not None and (self.latest is None or run_key(run) > run_key(self.latest)):
            self.latest = run
        fold.add(rows)

    def _sample(self, run: str | None, batches: list[Any]) -> None:
        """Look at rows that are about to be summarised.

        Faults are injected into the latest data, so that of many runs only the last one's rows are sampled.
        """
        from byhistory.rows.sample import Sampler

        if not self.task.sample_rows or run is None or run != self.latest:
            return
        if run != self.sampled:
            seed = (self.task.seed, _partition_number(), len(self.folds))
            self.sampled, self.sampler, self.schema = run, Sampler(self.task.sample_rows, seed), batches[0].schema
        for batch in batches:
            self.sampler.add(batch)

    def _held_back(self) -> Iterator[Result]:
        """Keep the memory of many runs within bounds."""
        folds = self.folds
        if sum(fold.waiting_bytes for fold in folds.values()) > BUFFERED_BYTES:
            max(folds.values(), key=lambda fold: fold.waiting_bytes).flush()
        room = max(1, HELD_PROFILES // max(1, len(self.fields)))
        while len(folds) > 1 and sum(fold.parts for fold in folds.values()) > room:
            most = max(folds.values(), key=lambda fold: fold.parts)
            if most.parts > 1:
                most.compact()
            else:
                yield from self._result(next(iter(folds)))

    def _result(self, run: str | None) -> Iterator[Result]:
        from byhistory.profile import to_bytes
        from byhistory.rows.fold import pack

        fold = self.folds.pop(run)
        yield run, ROWS, str(fold.rows).encode(), None
        for number, profile in enumerate(fold.result()):
            # A run of many mostly lies in one partition: sealing it here, not in the driver, spreads the work.
            alone = to_bytes(profile.sealed(self.options.key)) if self.task.by_run else None
            yield run, number, pack(to_bytes(profile.packed(), 0)), alone

    def results(self) -> Iterator[Result]:
        """What is left at the end of the rows."""
        from byhistory.rows.sample import to_ipc

        for run in list(self.folds):
            yield from self._result(run)
        if self.sampler is not None and self.fields:
            yield self.sampled, SAMPLE, to_ipc(self.sampler.with_priorities(self.schema)), None


def _places(labels: Any) -> list[tuple[str | None, Any]]:
    """The runs in a batch, each with the places of its rows; None for all of them, the usual case."""
    import numpy as np
    import pyarrow as pa

    encoded = labels.dictionary_encode(null_encoding="encode")
    runs = encoded.dictionary.to_pylist()
    if len(runs) == 1:
        return [(runs[0], None)]
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(runs)))
    return [(run, pa.array(order[a:b])) for run, a, b in zip(runs, [0, *ends[:-1]], ends, strict=True)]


def _partition_number() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def load(version: str, sources: dict[str, str]) -> None:
    """Make byhistory importable here: the installed one if it is the sender's version, else the sent sources."""
    package = sys.modules.get("byhistory")
    if package is None and importlib.util.find_spec("byhistory") is not None:
        package = importlib.import_module("byhistory")
    if package is not None and getattr(package, "__version__", "") == version:
        for finder in sys.meta_path:  # an earlier task may have sent fewer rooms
            getattr(finder, "byhistory_sources", {}).update(sources)
        return
    for name in [m for m in sys.modules if m == "byhistory" or m.startswith("byhistory.")]:
        if name in sources:
            del sys.modules[name]
    sys.meta_path.insert(0, _Sent(sources))


class _Sent(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and loads modules whose source came with the task; nothing is written to the worker's disk."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.byhistory_sources = dict(sources)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:  # noqa: ARG002 - Python's signature
        if name not in self.byhistory_sources:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=self.is_package(name))

    def is_package(self, name: str) -> bool:
        return any(other.startswith(name + ".") for other in self.byhistory_sources)

    def get_source(self, name: str) -> str:
        return self.byhistory_sources[name]
