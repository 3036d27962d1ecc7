"""The past in memory: for tests, notebooks and dry runs; gone with the process."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from threading import RLock

from byhistory.history.record import (
    Decision,
    Programs,
    Run,
    RunLine,
    Setting,
    checked_decision,
    checked_programs,
    checked_run,
    checked_setting,
    no_such_run,
)
from byhistory.history.store import Store
from byhistory.profile.past import run_key


class MemoryStore(Store):
    """A store that keeps its records as they are. The lock makes each method one transaction between threads."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._key = secrets.token_bytes(32)
        self._runs: dict[tuple[str, str], Run] = {}
        self._programs: dict[str, Programs] = {}
        self._decisions: list[Decision] = []
        self._settings: list[Setting] = []

    def __repr__(self) -> str:
        return "<store memory:>"

    def key(self) -> bytes:
        return self._key

    def tables(self) -> list[str]:
        with self._lock:
            return sorted({table for table, _ in self._runs})

    def runs(self, table: str) -> list[RunLine]:
        with self._lock:
            latest = {d.run: d for d in self._decisions if d.table == table}
            return [
                RunLine(r.table, r.run, r.at, r.outcome, r.rows, len(r.columns), r.note, latest.get(r.run))
                for r in self._of(table)
            ]

    def record(self, run: Run, programs: Programs | None = None) -> bool:
        checked_run(run, programs)
        with self._lock:
            replaced = (run.table, run.run) in self._runs
            self._runs[run.table, run.run] = replace(run, columns=dict(run.columns))
            if programs is not None:
                self.save_programs(programs)
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
        with self._lock:
            return {r.run: r.measures for r in self._of(table) if runs is None or r.run in set(runs)}

    def programs(self, table: str) -> Programs | None:
        return self._programs.get(table)

    def save_programs(self, programs: Programs) -> None:
        checked_programs(programs)
        with self._lock:
            self._programs[programs.table] = replace(programs, by_column=dict(programs.by_column))

    def decide(self, decision: Decision) -> None:
        checked_decision(decision)
        with self._lock:
            if (decision.table, decision.run) not in self._runs:
                there = [r.run for r in self._of(decision.table)]
                raise no_such_run(f"{decision.what} a run", decision.table, decision.run, there)
            self._decisions.append(decision)

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

    def forget(self, table: str, run: str) -> bool:
        with self._lock:
            self._decisions = [d for d in self._decisions if (d.table, d.run) != (table, run)]
            return self._runs.pop((table, run), None) is not None

    def close(self) -> None:
        """Nothing to let go of."""

    def _of(self, table: str) -> list[Run]:
        return sorted((r for r in self._runs.values() if r.table == table), key=lambda r: run_key(r.run))
