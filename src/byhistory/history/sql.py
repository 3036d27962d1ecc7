"""The past in a database: what SQLite and PostgreSQL have in common."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, inspect, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError, StatementError

from byhistory.errors import StoreError
from byhistory.history.pack import packed, unpacked
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
from byhistory.history.schema import DECISIONS, FACTS, METADATA, PROFILES, PROGRAMS, RUNS, SETTINGS, VERSION
from byhistory.history.store import Store
from byhistory.profile.past import run_key

AT_ONCE = 400  # Names in one question: SQLite before 3.32 takes 999 at most.

Explain = Callable[[str, Exception], StoreError]
"""From what was asked and what the driver said to what the user reads."""


class SqlStore(Store):
    """A store over an engine whose transactions are snapshots for reading and serial for writing one run.

    `shown` is the address without its password; `explain` turns a driver's error into ours.
    """

    def __init__(self, engine: Engine, shown: str, explain: Explain) -> None:
        self._engine = engine
        self._shown = shown
        self._explain = explain
        self._insert: Any = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[engine.dialect.name]
        self._key = self._opened()

    def __repr__(self) -> str:
        return f"<store {self._shown}>"

    def key(self) -> bytes:
        return self._key

    def tables(self) -> list[str]:
        with self._reading("list the tables") as db:
            return sorted(db.scalars(select(RUNS.c.table_name).distinct()))

    def runs(self, table: str) -> list[RunLine]:
        r = RUNS.c
        wanted = select(r.run, r.at, r.outcome, r.row_count, r.column_count, r.note).where(r.table_name == table)
        with self._reading(f"list the runs of {table!r}") as db:
            latest = {d.run: d for d in _decisions(db, table)}
            lines = [
                RunLine(table, run, _time(at), outcome, rows, columns, note, latest.get(run))
                for run, at, outcome, rows, columns, note in db.execute(wanted)
            ]
        return sorted(lines, key=lambda line: run_key(line.run))

    def record(self, run: Run, programs: Programs | None = None) -> bool:
        checked_run(run, programs)
        with self._writing(f"record the run {run.run!r} of {run.table!r}") as db:
            run_id, replaced = self._own_row(db, run)
            if replaced:
                db.execute(delete(PROFILES).where(PROFILES.c.run_id == run_id))
            if run.columns:
                rows = [
                    {"run_id": run_id, "position": i, "name": name, "profile": profile}
                    for i, (name, profile) in enumerate(run.columns.items())
                ]
                db.execute(insert(PROFILES), rows)
            if programs is not None:
                self._put_programs(db, programs)
            return replaced

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        found: dict[int, Run] = {}
        profiles: dict[int, dict[str, bytes]] = {}
        with self._reading(f"load runs of {table!r}") as db:
            for part in _parts(runs):
                for row in db.execute(select(RUNS).where(RUNS.c.table_name == table, RUNS.c.run.in_(part))):
                    profiles[row.id] = {}
                    about = (table, row.run, _time(row.at), row.outcome, row.row_count)
                    found[row.id] = Run(*about, profiles[row.id], bytes(row.measures), row.verdict, row.note)
            for run_id, name, profile in _profiles(db, sorted(found), columns):
                profiles[run_id][name] = bytes(profile)
        return sorted(found.values(), key=lambda run: run_key(run.run))

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        wanted = select(RUNS.c.run, RUNS.c.measures).where(RUNS.c.table_name == table)
        with self._reading(f"load measures of {table!r}") as db:
            parts = [wanted] if runs is None else [wanted.where(RUNS.c.run.in_(part)) for part in _parts(runs)]
            found = {run: bytes(measures) for part in parts for run, measures in db.execute(part)}
        return {run: found[run] for run in sorted(found, key=run_key)}

    def programs(self, table: str) -> Programs | None:
        with self._reading(f"load the programs of {table!r}") as db:
            row = db.execute(select(PROGRAMS).where(PROGRAMS.c.table_name == table)).one_or_none()
        return None if row is None else Programs(table, row.as_of_run, _time(row.at), unpacked(bytes(row.programs)))

    def save_programs(self, programs: Programs) -> None:
        checked_programs(programs)
        with self._writing(f"keep the programs of {programs.table!r}") as db:
            self._put_programs(db, programs)

    def decide(self, decision: Decision) -> None:
        checked_decision(decision)
        table = decision.table
        asked = f"{decision.what} the run {decision.run!r} of {table!r}"
        with self._writing(asked) as db:
            # FOR UPDATE: `forget` waits for us, or we for it (SQLite has one writer at a time anyway).
            row = select(RUNS.c.id).where(RUNS.c.table_name == table, RUNS.c.run == decision.run).with_for_update()
            if db.execute(row).one_or_none() is None:
                there = sorted(db.scalars(select(RUNS.c.run).where(RUNS.c.table_name == table)), key=run_key)
                raise no_such_run(asked, table, decision.run, there)
            db.execute(
                insert(DECISIONS),
                {
                    "table_name": table,
                    "run": decision.run,
                    "what": decision.what,
                    "who": decision.who,
                    "at": decision.at.isoformat(),
                    "why": decision.why,
                    "columns": json.dumps(decision.columns),
                },
            )

    def decisions(self, table: str) -> list[Decision]:
        with self._reading(f"list the decisions on {table!r}") as db:
            return _decisions(db, table)

    def settings(self, table: str) -> dict[str, Setting]:
        return {s.name: s for s in self.setting_changes(table)}

    def setting_changes(self, table: str) -> list[Setting]:
        wanted = select(SETTINGS).where(SETTINGS.c.table_name == table).order_by(SETTINGS.c.id)
        with self._reading(f"load the settings of {table!r}") as db:
            return [Setting(table, row.name, row.text, row.who, _time(row.at)) for row in db.execute(wanted)]

    def put_setting(self, setting: Setting) -> None:
        checked_setting(setting)
        with self._writing(f"keep the setting {setting.name!r} of {setting.table!r}") as db:
            about = {"name": setting.name, "text": setting.text, "who": setting.who, "at": setting.at.isoformat()}
            db.execute(insert(SETTINGS), {"table_name": setting.table, **about})

    def forget(self, table: str, run: str) -> bool:
        with self._writing(f"forget the run {run!r} of {table!r}") as db:
            gone = db.execute(delete(RUNS).where(RUNS.c.table_name == table, RUNS.c.run == run)).rowcount > 0
            db.execute(delete(DECISIONS).where(DECISIONS.c.table_name == table, DECISIONS.c.run == run))
            return gone

    def close(self) -> None:
        self._engine.dispose()

    def _own_row(self, db: Connection, run: Run) -> tuple[int, bool]:
        """The row of the run, ours until the transaction ends, and whether it was there before."""
        values = {
            "at": run.at.isoformat(),
            "outcome": run.outcome,
            "row_count": run.rows,
            "column_count": len(run.columns),
            "note": run.note,
            "verdict": run.verdict,
            "measures": run.measures,
        }
        # Drivers do not agree on how many rows an INSERT inserted. So a row without an outcome is put there first, if
        # there is none: whoever then finds an outcome replaces a record. A second writer of the same run waits here
        # until the first has committed.
        empty = dict.fromkeys(values, "") | {"row_count": 0, "column_count": 0, "measures": b""}
        new = self._insert(RUNS).values(table_name=run.table, run=run.run, **empty).on_conflict_do_nothing()
        here = (RUNS.c.table_name == run.table) & (RUNS.c.run == run.run)
        while True:
            db.execute(new)
            row = db.execute(select(RUNS.c.id, RUNS.c.outcome).where(here).with_for_update()).one_or_none()
            if row is not None:  # Else somebody forgot the run between the two statements.
                db.execute(update(RUNS).where(RUNS.c.id == row.id).values(**values))
                return int(row.id), row.outcome != ""

    def _put_programs(self, db: Connection, programs: Programs) -> None:
        values = {
            "as_of_run": programs.as_of_run,
            "at": programs.at.isoformat(),
            "programs": packed(programs.by_column),
        }
        put = self._insert(PROGRAMS).values(table_name=programs.table, **values)
        db.execute(put.on_conflict_do_update(index_elements=[PROGRAMS.c.table_name], set_=values))

    @contextmanager
    def _reading(self, asked: str) -> Iterator[Connection]:
        # Two questions of one answer must see the same state; SQLite's transactions always do.
        options = {"isolation_level": "REPEATABLE READ"} if self._engine.dialect.name == "postgresql" else {}
        with self._explained(asked), self._engine.connect().execution_options(**options) as db, db.begin():
            yield db

    @contextmanager
    def _writing(self, asked: str) -> Iterator[Connection]:
        with self._explained(asked), self._engine.connect().execution_options(byhistory_writes=True) as db, db.begin():
            yield db

    @contextmanager
    def _explained(self, asked: str) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError) as why:
            driver: Exception = why
            while isinstance(driver, StatementError) and isinstance(driver.orig, Exception):
                driver = driver.orig
            # Not `from why`: a driver's error may quote the address with its password.
            raise self._explain(f"{asked or 'open'}{' in' * bool(asked)} the store {self._shown}", driver) from None

    def _opened(self) -> bytes:
        """The key, after the tables were made if there were none, and their version was understood."""
        facts = self._facts()
        if not facts:
            self._make()
            facts = self._facts()
        version = facts.get("version", "")
        asked = f"open the store {self._shown}"
        if not version.isdigit() or "key" not in facts:
            todo = "give another address; this one was left as it is"
            raise StoreError(asked, "a table byhistory_store that is not ours", todo)
        if int(version) > VERSION:
            raise StoreError(asked, f"tables of version {version}, newer than {VERSION}", "upgrade byhistory")
        return bytes.fromhex(facts["key"])

    def _facts(self) -> dict[str, str]:
        with self._reading("") as db:
            if not inspect(db).has_table(FACTS.name):
                return {}
            if {c["name"] for c in inspect(db).get_columns(FACTS.name)} != {"name", "value"}:
                return {"version": ""}
            return {row.name: row.value for row in db.execute(select(FACTS))}

    def _make(self) -> None:
        with self._writing("") as db:
            if db.dialect.name == "postgresql":
                # CREATE TABLE IF NOT EXISTS is no help when two of them run at once. The number means us.
                db.exec_driver_sql("SELECT pg_advisory_xact_lock(7089336938131513954)")
            METADATA.create_all(db)
            facts = [{"name": "version", "value": str(VERSION)}, {"name": "key", "value": secrets.token_hex(32)}]
            db.execute(self._insert(FACTS).on_conflict_do_nothing(), facts)


def _profiles(db: Connection, run_ids: Sequence[int], columns: Sequence[str] | None) -> Iterator[tuple[int, str, Any]]:
    """Run, name and profile in the order of each schema."""
    p = PROFILES.c
    wanted = None if columns is None else set(columns)
    if wanted is not None and not wanted:
        return
    for part in _parts(run_ids):
        rows = select(p.run_id, p.name, p.profile).where(p.run_id.in_(part)).order_by(p.run_id, p.position)
        if wanted is not None and len(wanted) <= AT_ONCE:
            rows = rows.where(p.name.in_(sorted(wanted)))
        for run_id, name, profile in db.execute(rows):
            if wanted is None or name in wanted:
                yield run_id, name, profile


def _decisions(db: Connection, table: str) -> list[Decision]:
    wanted = select(DECISIONS).where(DECISIONS.c.table_name == table).order_by(DECISIONS.c.id)
    return [
        Decision(table, row.run, row.what, row.who, _time(row.at), row.why, tuple(json.loads(row.columns)))
        for row in db.execute(wanted)
    ]


def _parts(names: Sequence[Any]) -> Iterator[Sequence[Any]]:
    names = list(dict.fromkeys(names))
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
