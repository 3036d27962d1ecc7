"""Learning again after an answer, in the background.

An answer is kept before anything is learned, and programs are derived from what is kept. So a console that is killed
before it has learned loses nothing: the next check finds programs of other runs, and learns them itself.
"""

from __future__ import annotations

import logging
from threading import Condition, Thread

from byhistory.errors import ByHistoryError
from byhistory.validator import Validator
from byhistory.web.watch import Watch

_LOG = logging.getLogger("byhistory.web")


class BackgroundLearning:
    """Tables that wait to be learned again, and the thread that does it. It is a class because it holds both."""

    def __init__(self, guard: Validator, watch: Watch) -> None:
        self._guard, self._watch = guard, watch
        self._waiting: dict[str, None] = {}
        self._now = ""
        self._times: dict[str, int] = {}
        self._is_over = False
        self._changed = Condition()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = Thread(target=self._run, name="byhistory-learning", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after the table that is being learned; those that wait are learned by their next check."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def ask(self, table: str) -> None:
        """Have a table learned again; if asked twice before its turn, it is learned once."""
        with self._changed:
            self._waiting[table] = None
            self._changed.notify_all()

    def is_at(self, table: str) -> bool:
        """Whether a table waits, or is just being learned."""
        with self._changed:
            return table in self._waiting or self._now == table

    def times(self, table: str) -> int:
        """How often a table was learned here: results from before may be of other limits."""
        with self._changed:
            return self._times.get(table, 0)

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to learn, for this many seconds at most; whether nothing is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._now, seconds)

    def _run(self) -> None:
        while (table := self._next()) is not None:
            try:
                self._guard.learning.relearn(table)
            except ByHistoryError as why:
                _LOG.warning("%s", why)
            except Exception as why:  # the store may be away for a while: the next check learns
                _LOG.warning("%r was not learned again: %s", table, why)
            with self._changed:
                self._times[table] = self._times.get(table, 0) + 1
                self._now = ""
                self._changed.notify_all()
            self._watch.tell(table)

    def _next(self) -> str | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if self._is_over:
                return None
            self._now = next(iter(self._waiting))
            del self._waiting[self._now]
            return self._now
