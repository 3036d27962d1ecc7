"""What is the standing of all tables, without reading all of them from the store each time?

One query gives the state of every table; only those whose state has changed are read again. So a list of 10,000 tables
is there at once, and what other processes record appears by itself.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Event, Lock, Thread

from byhistory.errors import ByHistoryError
from byhistory.validator import Validator
from byhistory.validator.standing import Standing

_LOG = logging.getLogger("byhistory.web")
KEPT_EVENTS = 1_000
"""How many changes a page that was away for a moment can still get, by choice."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something happened to a table."""

    number: int
    table: str
    run: str
    state: str


class Watch:
    """The standings of all tables, kept up to date by a thread. It is a class because it holds both."""

    def __init__(self, guard: Validator, every: float = 2.0) -> None:
        self._guard, self._every = guard, every
        self._seen: dict[str, str] = {}
        self._standings: dict[str, Standing] = {}
        self._changes: deque[Change] = deque(maxlen=KEPT_EVENTS)
        self._number = 0
        self._left = -1
        self._lock = Lock()
        self._looking = Lock()
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = Thread(target=self._run, name="byhistory-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def end(self) -> None:
        """Begin to stop: streams of news end, so that the server can stop."""
        self._stop.set()

    @property
    def is_over(self) -> bool:
        """Whether it has been stopped."""
        return self._stop.is_set()

    @property
    def left(self) -> int:
        """How many tables are still to be read for the first time; -1 before the first look."""
        return self._left

    def standings(self) -> Mapping[str, Standing]:
        """The tables as they were at the last look, by name."""
        if self._left < 0:
            self.look()
        with self._lock:
            return dict(self._standings)

    def changes(self, after: int) -> list[Change]:
        """The changes after the one of this number."""
        with self._lock:
            return [c for c in self._changes if c.number > after]

    @property
    def number(self) -> int:
        """The number of the latest change."""
        return self._number

    def look(self, table: str | None = None) -> None:
        """Read the tables that have changed, or one table now because somebody just decided about it."""
        with self._looking:
            states = {table: self._guard.store.state(table)} if table is not None else self._guard.store.states()
            now = self._guard.now()
            stale = [t for t, s in states.items() if self._seen.get(t) != s or self._is_over(t, now)]
            is_first = table is None and self._left < 0
            if is_first:
                self._left = len(stale)
            for name in stale:
                if self._stop.is_set():
                    return
                self._read(name, states[name], tell=not is_first)
                if is_first:
                    self._left -= 1
            if table is None:
                self._forget(set(self._standings) - set(states))

    def tell(self, table: str) -> None:
        """Have open pages of a table reload, though its records have not changed."""
        with self._lock:
            found = self._standings.get(table)
            if found is not None:
                self._news(found)

    def _is_over(self, table: str, now: object) -> bool:
        """Whether a table, though nothing happened to it, may be late by now."""
        known = self._standings.get(table)
        return known is not None and known.looks_again is not None and known.looks_again <= now  # type: ignore[operator]

    def _read(self, table: str, state: str, *, tell: bool) -> None:
        try:
            found = self._guard.decisions.standing(table)
        except ByHistoryError as why:  # one damaged table must not hide the others
            _LOG.warning("%s", why)
            self._seen[table] = state
            return
        with self._lock:
            self._seen[table] = state
            self._standings[table] = found
            if tell:
                self._news(found)

    def _news(self, found: Standing) -> None:
        self._number += 1
        run = found.last.run if found.last is not None else ""
        self._changes.append(Change(self._number, found.table, run, found.state))

    def _forget(self, gone: set[str]) -> None:
        with self._lock:
            for table in gone:
                self._standings.pop(table, None)
                self._seen.pop(table, None)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.look()
            except Exception as why:  # the store may be away for a while: logged, and tried again
                _LOG.warning("the store cannot be read: %s", why)
            self._stop.wait(self._every)
