"""What runs inside Spark's Python workers: rows in, partial profiles out.

This module is sent to the workers by value, with an archive of what it imports of ours, because a worker's Python
environment is often not the driver's: it needs numpy and pyarrow there, but not byhistory. So nothing of ours is
imported at the top.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import io
import sys
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

SAMPLE, ROWS, DECLINED, ABSENT = -1, -2, -3, -4
"""The column numbers of a sample of rows, of the number of rows, of why files were not read, and of the numbers of
columns that no file of a part of a run had."""
SENT_BYTES = 4 << 20
"""Partial profiles are sent in batches of about this size."""

Result = tuple["str | None", int, bytes, "bytes | None"]
"""Run, column, what can be added to other parts, and what the run comes to if there is no other part."""


@dataclass(frozen=True)
class Work:
    """What the workers do with rows, in plain values that can be sent: which columns they measure, and how.

    With `by_run`, rows of many runs are told apart. `version` and `archive` are those of byhistory on the driver.
    """

    version: str
    archive: bytes
    fields: tuple[tuple[Any, ...], ...]
    options: tuple[Any, ...]
    by_run: bool
    sample_rows: int
    seed: int

    def load(self) -> None:
        """Make byhistory importable in this worker."""
        load(self.version, self.archive)

    def runs(self, part: int, sampled: str | None = None) -> tuple[Any, Any, Any]:
        """Fields and options as our values, and the folds of all runs of one part of the table."""
        from byhistory.profile import Kind
        from byhistory.rows.field import Field, Options
        from byhistory.rows.runs import Runs

        own = tuple(Field(name, Kind(kind), *rest) for name, kind, *rest in self.fields)
        options = Options(*self.options)
        return own, options, Runs(own, options, self.sample_rows, (self.seed, part), sampled)


@dataclass(frozen=True)
class Task:
    """The fold that Spark calls with the rows of a partition, as a value that can be sent.

    Columns arrive in the order of the fields; with `by_run`, the label of the run is the last column.
    """

    work: Work

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Arrow batches of rows to Arrow batches of (run, column, partial profile)."""
        self.work.load()
        return _batched(self._results(batches))

    def _results(self, batches: Iterable[Any]) -> Iterator[Result]:
        from byhistory.rows.chunk import as_text

        by_run = self.work.by_run
        fields, options, runs = self.work.runs(_partition_number())
        for batch in batches:
            if not batch.num_rows:
                continue
            rows = as_text(batch.select(list(range(len(fields)))), fields)
            for run, places in _places(batch.column(batch.num_columns - 1)) if by_run else [("", None)]:
                runs.add(run, rows if places is None else rows.take(places))
            yield from _written(runs.beyond_bounds(), options, by_run)
        yield from _written(runs.rest(), options, by_run)
        yield from _sampled(runs)


@dataclass(frozen=True)
class FilesTask:
    """Reads the files of a task and folds them; Spark only passes the number of the task.

    `tasks` are the pieces of files of each task, and `reading` is what is read from them, as plain values. Runs that
    are in more than one task are `shared`; of all others, only the finished profiles are sent.
    """

    work: Work
    sampled: str | None
    shared: frozenset[str | None]
    reading: tuple[Any, ...]
    storage: tuple[tuple[str, str], ...]
    tasks: tuple[tuple[tuple[Any, ...], ...], ...]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Arrow batches of numbers of tasks to Arrow batches of (run, column, partial profile)."""
        return _batched(self.rows(n for batch in batches for n in batch.column(0).to_pylist()))

    def rows(self, numbers: Iterable[int]) -> Iterator[Result]:
        """The same, where Spark hands over plain numbers and takes plain rows."""
        self.work.load()
        return (result for n in numbers for result in self._results(n))

    def _results(self, number: int) -> Iterator[Result]:
        from byhistory.files.folding import Declined, fold_pieces
        from byhistory.files.piece import Piece
        from byhistory.files.reader import Reading

        fields, options, runs = self.work.runs(number, self.sampled)
        pieces = [Piece(*piece) for piece in self.tasks[number]]
        try:
            done = fold_pieces(pieces, Reading(*self.reading), dict(self.storage), fields, runs)
            yield from _written(done, options, self.work.by_run, self.shared)
            yield from _sampled(runs)
        except Declined as why:
            yield None, DECLINED, str(why).encode(), None


def _written(
    folds: Iterable[tuple[str | None, Any]], options: Any, by_run: bool, shared: frozenset[str | None] | None = None
) -> Iterator[Result]:
    """The results of folds, as bytes; if `shared` is None, any run may have other parts."""
    from byhistory.profile import to_bytes
    from byhistory.rows.fold import pack

    for run, fold in folds:
        yield run, ROWS, str(fold.rows).encode(), None
        if fold.absent:
            yield run, ABSENT, " ".join(map(str, sorted(fold.absent))).encode(), None
        for number, profile in enumerate(fold.result()):
            # With many runs, each is mostly in one partition: to seal it here, not in the driver, spreads the work.
            is_whole = shared is not None and run not in shared
            alone = to_bytes(profile.sealed(options.key)) if by_run or is_whole else None
            yield run, number, b"" if is_whole else pack(to_bytes(profile.packed(), 0)), alone


def _sampled(runs: Any) -> Iterator[Result]:
    from byhistory.rows.sample import to_ipc

    sample = runs.sample()
    if sample is not None:
        yield sample[0], SAMPLE, to_ipc(sample[1]), None


@dataclass(frozen=True)
class Call:
    """Calls a function of ours, named `module:function`, with the bytes of every row."""

    version: str
    archive: bytes
    function: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """From Arrow batches of (place, data) to the same with the results of the function as data."""
        import pyarrow as pa

        load(self.version, self.archive)
        for batch in batches:
            done = pa.array([self._made_of(data) for data in batch.column(1).to_pylist()], pa.binary())
            yield pa.RecordBatch.from_arrays([batch.column(0), done], names=["place", "data"])

    def _made_of(self, data: bytes) -> bytes | None:
        """The result of the function; None if a library is missing, which it may only import when called."""
        module, _, name = self.function.partition(":")
        try:
            made: bytes = getattr(importlib.import_module(module), name)(data)
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] == "byhistory":
                raise  # something that should have been sent: our mistake, not the worker's environment
            return None
        return made


def _batched(results: Iterable[Result]) -> Iterator[Any]:
    """Results as Arrow batches of a few megabytes."""
    waiting: list[Result] = []
    size = 0
    for result in results:
        waiting.append(result)
        size += len(result[2]) + len(result[3] or b"")
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


def _places(labels: Any) -> list[tuple[str | None, Any]]:
    """The runs in a batch, each with the places of its rows, or None if it has all of them, as is usual."""
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


def load(version: str, archive: bytes) -> None:
    """Make byhistory importable here: the installed one if it is the sender's version, else what was sent."""
    package = sys.modules.get("byhistory")
    if package is None and importlib.util.find_spec("byhistory") is not None:
        package = importlib.import_module("byhistory")
    is_same = package is not None and getattr(package, "__version__", "") == version
    earlier = [finder for finder in sys.meta_path if hasattr(finder, "byhistory_archive")]
    if is_same and (not earlier or any(finder.byhistory_archive == archive for finder in earlier)):
        return
    sent = _Sent(archive)
    if not is_same:
        for name in [m for m in sys.modules if m == "byhistory" or m.startswith("byhistory.")]:
            if name in sent.files:
                del sys.modules[name]
    sys.meta_path.insert(0, sent)  # an earlier task of the same version may have sent less


class _Sent(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and loads modules that came with the task, and the data files next to them, without writing to disk."""

    def __init__(self, archive: bytes) -> None:
        self.byhistory_archive = archive
        self.zip = zipfile.ZipFile(io.BytesIO(archive))
        paths = [path for path in self.zip.namelist() if path.endswith(".py")]
        self.files = {path[:-3].removesuffix("/__init__").replace("/", "."): path for path in paths}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:  # noqa: ARG002 - Python's signature
        if name not in self.files:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=self.is_package(name))

    def is_package(self, name: str) -> bool:
        return self.files[name].endswith("/__init__.py")

    def get_source(self, name: str) -> str:
        return self.zip.read(self.files[name]).decode("utf-8")

    def get_resource_reader(self, name: str) -> Any:
        """What `importlib.resources.files` asks for."""
        return _Folder(zipfile.Path(self.zip, self.files[name].removesuffix("__init__.py")))


class _Folder:
    """The folder of a package in the archive."""

    def __init__(self, path: zipfile.Path) -> None:
        self.path = path

    def files(self) -> zipfile.Path:
        return self.path
