"""Progress for a person who waits, on stderr and only on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.validator.learning import Progress

_EVERY = 0.4  # Seconds between two looks at what Spark does.


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """A spinner with words beside it while something lasts; yields a function that changes the words."""
    if not sys.stderr.isatty() or current_thread() is not main_thread():  # one spinner for all tables side by side
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    # A copy of stderr, because the JVM's start borrows the real one (see `hushed`).
    with os.fdopen(os.dup(sys.stderr.fileno()), "w") as screen, Console(file=screen).status(Text(what)) as status:
        yield lambda words: status.update(Text(words))


@contextmanager
def spark_working(spark: SparkSession | None, what: str) -> Iterator[Callable[[str], None]]:
    """The same while Spark works, with the number of its tasks that are done."""
    if spark is None:
        with working(what) as tell:
            yield tell
        return
    from byhistory.spark.session import tasks

    done = Event()
    with working(what) as tell:

        def look() -> None:
            while not done.wait(_EVERY):
                count = tasks(spark)
                if count is not None and count[1]:
                    tell(f"{what}: {count[0]} of {count[1]} tasks")

        watcher = Thread(target=look, daemon=True)
        if sys.stderr.isatty() and current_thread() is main_thread():
            watcher.start()
        try:
            yield tell
        finally:
            done.set()
            if watcher.is_alive():
                watcher.join()


@contextmanager
def counting(what: str, things: str) -> Iterator[Progress]:
    """The same for work that reports how far it is."""
    with working(what) as tell:
        yield lambda done, total: tell(f"{what}: {done} of {total} {things}")
