"""The past in memory: for tests, notebooks and dry runs; gone with the process."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from threading import RLock

from byhistory.history.order import order_key, ordering
from byhistory.history.record import (
    Decision,
    Programs,
    Run,
    RunLine,
    Setting,
    holds,
    identified,
    line_of,
    new_id,
    with_decisions,
)
from byhistory.history.refuse import (
    another_record,
    checked_decision,
    checked_programs,
    checked_run,
    checked_setting,
    no_such_run,
)
from byhistory.history.store import Store


class MemoryStore(Store):
    """A store that keeps its records as they are. The lock makes each method one transaction between threads."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._key = secrets.token_bytes(32)
        self._runs: dict[tuple[str, str], Run] = {}
        self._programs: dict[str, Programs] = {}
        self._decisions: list[Decision] = []
        self._settings: list[Setting] = []
        self._changes: dict[str, int] = {}
        self._ordering: dict[str, str] = {}
        self._arrived: dict[tuple[str, str], int] = {}

    def __repr__(self) -> str:
        return "<store memory:>"

    def __copy__(self) -> MemoryStore:
        """A store with the same records that is independent from here on, for "what if" questions."""
        other = MemoryStore()
        with self._lock:
            kept = {name: copy(value) for name, value in vars(self).items() if name != "_lock"}
        vars(other).update(kept)
        return other

    def key(self) -> bytes:
        return self._key

    def tables(self) -> list[str]:
        with self._lock:
            return sorted({table for table, _ in self._runs})

    def state(self, table: str) -> str:
        return str(self._changes.get(table, 0))

    def runs(self, table: str, last: int | None = None) -> list[RunLine]:
        with self._lock:
            lines = [line_of(r, self._order(r)) for r in self._of(table)]
            return with_decisions(lines[-last:] if last else lines, self.decisions(table))

    def record(self, run: Run, programs: Programs | None = None, seen: str | None = None) -> bool:
        checked_run(run, programs)
        with self._lock:
            replaced = (run.table, run.run) in self._runs
            if programs is not None:
                self.save_programs(programs, seen)
            if not self._of(run.table):
                self._ordering[run.table] = ordering(run.run)
            self._runs[run.table, run.run] = replace(identified(run), columns=dict(run.columns))
            self._changed(run.table)
            self._arrived.setdefault((run.table, run.run), self._changes[run.table])
            return replaced

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        asked, wanted = set(runs), None if columns is None else set(columns)
        with self._lock:
            return [
                replace(r, columns={n: p for n, p in r.columns.items() if wanted is None or n in wanted})
                for r in self._of(table)
                if r.run in asked
            ]

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        asked = None if runs is None else set(runs)
        with self._lock:
            return {r.run: r.measures for r in self._of(table) if asked is None or r.run in asked}

    def programs(self, table: str) -> Programs | None:
        return self._programs.get(table)

    def save_programs(self, programs: Programs, seen: str | None = None) -> bool:
        checked_programs(programs)
        with self._lock:
            if seen is not None and seen != self.state(programs.table):
                return False
            self._programs[programs.table] = replace(programs, by_column=dict(programs.by_column))
            return True

    def decide(self, decision: Decision) -> Decision:
        checked_decision(decision)
        asked = f"{decision.what} a run"
        with self._lock:
            run = self._runs.get((decision.table, decision.run))
            if run is None:
                there = [r.run for r in self._of(decision.table)]
                raise no_such_run(asked, decision.table, decision.run, there)
            if decision.record and not holds(decision, line_of(run)):
                raise another_record(asked, decision, line_of(run))
            kept = replace(decision, record=run.id, digest=run.digest, id=decision.id or new_id())
            self._decisions.append(kept)
            self._changed(decision.table)
            return kept

    def decisions(self, table: str) -> list[Decision]:
        with self._lock:
            return [d for d in self._decisions if d.table == table]

    def settings(self, table: str) -> dict[str, Setting]:
        return {s.name: s for s in self.setting_changes(table)}

    def setting_changes(self, table: str) -> list[Setting]:
        with self._lock:
            return [s for s in self._settings if s.table == table]

    def put_setting(self, setting: Setting) -> None:
        checked_setting(setting)
        with self._lock:
            self._settings.append(setting)
            self._changed(setting.table)

    def forget(self, table: str, run: str) -> bool:
        with self._lock:
            self._decisions = [d for d in self._decisions if (d.table, d.run) != (table, run)]
            self._changed(table)
            self._arrived.pop((table, run), None)
            return self._runs.pop((table, run), None) is not None

    def close(self) -> None:
        """Nothing to let go of."""

    def _changed(self, table: str) -> None:
        self._changes[table] = self._changes.get(table, 0) + 1

    def _of(self, table: str) -> list[Run]:
        return sorted((r for r in self._runs.values() if r.table == table), key=lambda r: (self._order(r), r.run))

    def _order(self, run: Run) -> bytes:
        return order_key(run.run, self._ordering[run.table], self._arrived[run.table, run.run])
