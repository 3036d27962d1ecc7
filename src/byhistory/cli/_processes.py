"""Tables that this machine reads and judges itself, in as many processes as are worked on at once.

Threads take turns in one interpreter: side by side, they wait for Spark and for a database, but keep one core busy.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from byhistory.cli._say import note
from byhistory.cli._timing import Stopwatch
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.config import Config
    from byhistory.validator import Validator

FROM = 100
"""Tables from which on other processes are started: each takes a second and a half before it reads its first."""
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Work(Protocol[T_co]):
    """What is done with a table: a function of a module with plain arguments, so that it can be sent."""

    def __call__(self, guard: Validator, watch: Stopwatch, table: str, *, spark: SparkSession | None = None) -> T_co:
        """The answer for one table, read by a session or, without one, where this runs."""


@dataclass(frozen=True, slots=True)
class _Result:
    """What a process hands back for a table: the answer, what it wrote to stderr, and where its time went."""

    value: Any
    messages: str
    watch: tuple[dict[str, tuple[float, float]], dict[str, str]]


@contextmanager
def placed(
    work: Work[T],
    tables: Sequence[str],
    guard: Validator,
    *,
    spark: SparkSession | None,
    watch: Stopwatch,
    at_once: int,
) -> Iterator[Callable[[str], T]]:
    """The work on a table where it is done best: by the session, in this process, or in others if there are many."""
    from byhistory.validator.address import is_shared

    local = {name for name in tables if guard.config.table(name).engine == "local"}
    has_cores = min(at_once, os.cpu_count() or 1) > 1
    is_worth_it = has_cores and len(local) >= FROM and is_shared(guard.config.store)

    def one(processes: Processes | None, table: str) -> T:
        if table not in local:
            return work(guard, watch, table, spark=spark)
        return work(guard, watch, table) if processes is None else processes.run(work, table)

    with Processes(guard.config, at_once, watch) if is_worth_it else nullcontext() as processes:
        yield partial(one, processes)


class Processes:
    """Workers that each hold the store open; a class because they are started anew when one of them was killed."""

    def __init__(self, config: Config, count: int, watch: Stopwatch) -> None:
        self._config, self._count, self._watch = config, count, watch
        self._lock = threading.Lock()
        self._pool = self._started()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)  # those that run are let finish: what is recorded is recorded whole

    def run(self, work: Work[T], table: str) -> T:
        """The work on one table, done by a worker; whatever it raises is raised here."""
        pool = self._pool
        try:
            result: _Result = pool.submit(_worked, work, table).result()
        except BrokenProcessPool:
            self._renew(pool)
            found = "a process that ended before its work, perhaps for want of memory"
            todo = "let fewer tables be side by side: --at-once 1"
            raise ByHistoryError(f"work on {table!r}", found, todo, is_transient=True) from None
        self._watch.add(*result.watch)
        if result.messages:
            note(result.messages.rstrip("\n"))
        return result.value  # type: ignore[no-any-return]

    def _renew(self, broken: ProcessPoolExecutor) -> None:
        """All that waited for the broken workers find out at once: the first of them starts others."""
        with self._lock:
            if self._pool is broken:
                self._pool = self._started()
        broken.shutdown(wait=False)

    def _started(self) -> ProcessPoolExecutor:
        # Not forked: this process has threads, and a copy of a lock that one of them holds is never let go.
        return ProcessPoolExecutor(self._count, get_context("spawn"), initializer=_open, initargs=(self._config,))


_guard: Validator | None = None
"""Of a worker: the store that it holds open."""


def _open(config: Config) -> None:
    """Before a worker's first table. It leaves Ctrl-C to the command, and ends with it however that ends."""
    global _guard  # noqa: PLW0603 - what a worker is given once has no other place
    from byhistory.cli import RARELY
    from byhistory.validator import Validator

    gc.set_threshold(*RARELY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_command, daemon=True).start()
    _guard = Validator(config=config)


def _end_with_command() -> None:
    """A command that is killed cannot end its workers: they would wait for work for ever."""
    command = parent_process()
    if command is not None:
        command.join()
        os._exit(1)


def _worked(work: Work[Any], table: str) -> _Result:
    from byhistory.validator import Validator

    assert _guard is not None  # noqa: S101 - for the type checker: it was opened first
    watch, messages = Stopwatch(), io.StringIO()
    with redirect_stderr(messages):
        guard = Validator(_guard.store, config=_guard.config, step=watch)
        value = work(guard, watch, table)
    return _Result(value, messages.getvalue(), (watch.seconds, watch.ways))
