"""The past in a database: what SQLite and PostgreSQL have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from byhistory.errors import StoreError
from byhistory.history import row
from byhistory.history.checksum import as_bytes, checksum
from byhistory.history.database import Database, Explain
from byhistory.history.lookup import (
    ALL_LINES,
    ALL_MEASURES,
    DECISIONS_ON,
    HEAD,
    LAST_LINES,
    LINE,
    OWN_HEAD,
    PROGRAMS_OF,
    SETTINGS_OF,
    SOME_MEASURES,
    find_runs,
    has_no_later,
    load_runs,
    must_be_missing,
    parts,
)
from byhistory.history.order import ordering
from byhistory.history.pack import packed, unpacked
from byhistory.history.record import (
    Decision,
    Programs,
    Run,
    RunLine,
    Setting,
    TableLine,
    holds,
    identified,
    new_id,
    with_decisions,
)
from byhistory.history.refuse import (
    another_record,
    checked_decision,
    checked_programs,
    checked_run,
    checked_setting,
    damaged,
    no_such_run,
)
from byhistory.history.schema import (
    BODIES,
    DECISIONS,
    PROFILES,
    PROGRAMS,
    RUNS,
    SETTINGS,
    TABLES,
)
from byhistory.history.store import Store

_NEW_RUN, _NEW_BODY, _NEW_PROFILES = insert(RUNS), insert(BODIES), insert(PROFILES)
_CHANGED_HEAD = update(TABLES).where(TABLES.c.table_name == bindparam("of_table"))


class SqlStore(Store):
    """A store over an engine whose transactions are snapshots for reading and serial for writing one table.

    `shown` is the address without its password; `explain` turns a driver's error into ours; `may_make` says whether
    there may be no tables yet. Every writer owns the row of its table in `TABLES` until it is done, so that two never
    count at once.
    """

    def __init__(
        self, engine: Engine, shown: str, explain: Explain, may_make: Callable[[], bool] = lambda: True
    ) -> None:
        self._database = Database(engine, shown, explain)
        insert_into: Any = {"sqlite": sqlite_insert, "postgresql": postgresql.insert}[engine.dialect.name]
        self._new_head = insert_into(TABLES).on_conflict_do_nothing()
        put = insert_into(PROGRAMS)
        others = {name: put.excluded[name] for name in PROGRAMS.c.keys() if name != "table_name"}  # noqa: SIM118
        self._put = put.on_conflict_do_update(index_elements=[PROGRAMS.c.table_name], set_=others)
        self._key = self._database.opened_key(may_make)

    def __repr__(self) -> str:
        return f"<store {self._database.shown}>"

    def key(self) -> bytes:
        return self._key

    def tables(self) -> list[str]:
        with self._database.reading("list the tables") as db:
            heads = {r.table_name: row.head_of(self._key, r.table_name, r) for r in db.execute(select(TABLES))}
        return sorted(table for table, head in heads.items() if head.runs)

    def overview(self) -> list[TableLine]:
        # The ends of every table by its index, then only these runs: one query per table took 4 ms each.
        of = RUNS.alias("of")
        ends = select(of.c.id).where(of.c.table_name == TABLES.c.table_name).limit(1).correlate(TABLES)
        first = ends.order_by(of.c.sort_key, of.c.run).scalar_subquery()
        last = ends.order_by(of.c.sort_key.desc(), of.c.run.desc()).scalar_subquery()
        with self._database.reading("list the tables") as db:
            asked = select(TABLES, first.label("first"), last.label("last")).where(TABLES.c.runs > 0)
            found = db.execute(asked).all()
            heads = {r.table_name: row.head_of(self._key, r.table_name, r) for r in found}
            lines = {}
            for part in parts([id_ for r in found for id_ in (r.first, r.last)]):
                for r in db.execute(select(RUNS.c.id, RUNS.c.table_name, *LINE).where(RUNS.c.id.in_(part))):
                    lines[r[0]] = row.line_of_row(self._key, r[1], r[2:])
        if any(id_ not in lines for r in found for id_ in (r.first, r.last)):
            raise damaged("all tables", "a table without the runs that it counts")
        ends_of = {r.table_name: (lines[r.first], lines[r.last]) for r in found}
        return [
            TableLine(table, heads[table].runs, first.run, last.run, last.outcome)
            for table, (first, last) in sorted(ends_of.items())
        ]

    def state(self, table: str) -> str:
        with self._database.reading(f"look at {table!r}") as db:
            return str(self._head(db, table).changes)

    def states(self) -> dict[str, str]:
        with self._database.reading("look at all tables") as db:
            # Without checksums: a console asks for this every other second, and reads only what has changed.
            found = db.execute(select(TABLES.c.table_name, TABLES.c.changes).where(TABLES.c.runs > 0))
            return {table: str(changes) for table, changes in found}

    def runs(self, table: str, last: int | None = None) -> list[RunLine]:
        with self._database.reading(f"list the runs of {table!r}") as db:
            head = self._head(db, table)
            of = {"of_table": table}
            found = (
                db.execute(ALL_LINES, of).all() if last is None else db.execute(LAST_LINES, {**of, "last": last}).all()
            )
            lines = [row.line_of_row(self._key, table, r) for r in found]
            if last is None or head.runs <= last:
                is_whole = head.has("runs", [r[-1] for r in found])
            else:
                is_whole = len(lines) == last and has_no_later(db, table, lines, head.runs)
            if not is_whole:
                raise damaged(table, f"{head.runs} runs, of which {len(lines)} are there, in a list")
            decided = self._decisions(db, table, head)
        return sorted(with_decisions(lines, decided), key=lambda line: (line.order, line.run))

    def record(self, run: Run, programs: Programs | None = None, seen: str | None = None) -> bool:
        checked_run(run, programs)
        run = identified(run)
        with self._database.writing(f"record the run {run.run!r} of {run.table!r}") as db:
            head = self._own_head(db, run.table)
            if programs is not None and seen in (None, str(head.changes)):
                self._put_programs(db, programs)
            there = self._find(db, run.table, run.run, head.ordered)
            if head.runs == 0:
                head = replace(head, ordered=ordering(run.run))
            values = row.run_values(self._key, run, there.arrived if there else head.changes + 1, head.ordered)
            if there is None:
                made = db.execute(_NEW_RUN, {"table_name": run.table, **values}).inserted_primary_key
                assert made is not None  # noqa: S101 - for the type checker: one row has one
                run_id = made[0]
                head = head.with_("runs", more=[values["checksum"]])
                replaced = False
            else:
                replaced, run_id = True, there.id
                db.execute(update(RUNS).where(RUNS.c.id == there.id).values(**values))
                db.execute(delete(PROFILES).where(PROFILES.c.run_id == there.id))
                db.execute(delete(BODIES).where(BODIES.c.run_id == there.id))
                head = self._without(db, run.table, head, there).with_("runs", more=[values["checksum"]])
            db.execute(_NEW_BODY, {"run_id": run_id, **row.body_values(self._key, run)})
            if run.columns:
                db.execute(_NEW_PROFILES, [{"run_id": run_id, **p} for p in row.profile_values(self._key, run)])
            self._put_head(db, run.table, head)
            return replaced

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        with self._database.reading(f"load runs of {table!r}") as db:
            found = find_runs(db, table, runs, self._head(db, table).ordered)
            return load_runs(db, self._key, table, found, columns)

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        of = {"of_table": table}
        with self._database.reading(f"load measures of {table!r}") as db:
            head = self._head(db, table)
            if runs is None:
                rows = db.execute(ALL_MEASURES, of).all()
            else:
                rows = [r for part in parts(runs) for r in db.execute(SOME_MEASURES, {**of, "names": part})]
            found = sorted(rows, key=lambda r: (as_bytes(r.sort_key), str(r.run)))
            if runs is None and len(found) != head.runs:
                raise damaged(table, f"{head.runs} runs, of which {len(found)} are there, in a list")
            must_be_missing(db, table, set(runs or ()) - {r.run for r in found}, head.ordered)
        for r in found:
            row.must_be_whole(self._key, table, r[: len(LINE)])
        of_runs = ((r.run, r.record, r.measures, r.measures_checksum) for r in found)
        return {of[0]: row.measures_of(self._key, table, of) for of in of_runs}

    def programs(self, table: str) -> Programs | None:
        with self._database.reading(f"load the programs of {table!r}") as db:
            kept = db.execute(PROGRAMS_OF, {"of_table": table}).first()
        if kept is None:
            return None
        data = as_bytes(kept.programs)
        about = (kept.as_of_run, kept.at, kept.learned_from)
        if kept.checksum != checksum(self._key, "programs", table, *about, data=data):
            return None
        with suppress(StoreError):  # Of a later version: learned again, as if they were damaged.
            return Programs(table, kept.as_of_run, row.time_of(kept.at), unpacked(data), kept.learned_from)
        return None

    def save_programs(self, programs: Programs, seen: str | None = None) -> bool:
        checked_programs(programs)
        with self._database.writing(f"keep the programs of {programs.table!r}") as db:
            if seen is not None and seen != str(self._own_head(db, programs.table).changes):
                return False
            self._put_programs(db, programs)
            return True

    def decide(self, decision: Decision) -> Decision:
        checked_decision(decision)
        table = decision.table
        asked = f"{decision.what} the run {decision.run!r} of {table!r}"
        with self._database.writing(asked) as db:
            head = self._own_head(db, table)
            there = self._find(db, table, decision.run, head.ordered)
            if there is None:
                labels = list(
                    db.scalars(select(RUNS.c.run).where(RUNS.c.table_name == table).order_by(RUNS.c.sort_key))
                )
                raise no_such_run(asked, table, decision.run, labels)
            line = row.line_of_row(self._key, table, there[1:])
            if decision.record and not holds(decision, line):
                raise another_record(asked, decision, line)
            kept = replace(decision, record=line.id, digest=line.digest, id=decision.id or new_id())
            values = row.decision_values(self._key, kept, head.changes + 1)
            db.execute(insert(DECISIONS), values)
            self._put_head(db, table, head.with_("decisions", more=[values["checksum"]]))
            return kept

    def decisions(self, table: str) -> list[Decision]:
        with self._database.reading(f"list the decisions on {table!r}") as db:
            return self._decisions(db, table, self._head(db, table))

    def settings(self, table: str) -> dict[str, Setting]:
        return {s.name: s for s in self.setting_changes(table)}

    def setting_changes(self, table: str) -> list[Setting]:
        with self._database.reading(f"load the settings of {table!r}") as db:
            head = self._head(db, table)
            if head.has_none("settings"):
                return []
            found = [dict(r) for r in db.execute(SETTINGS_OF, {"of_table": table}).mappings()]
        if not head.has("settings", [r["checksum"] for r in found]):
            raise damaged(table, f"{head.settings} settings, of which {len(found)} are there, in a list")
        return [row.setting_of(self._key, table, r) for r in found]

    def put_setting(self, setting: Setting) -> None:
        checked_setting(setting)
        with self._database.writing(f"keep the setting {setting.name!r} of {setting.table!r}") as db:
            head = self._own_head(db, setting.table)
            values = row.setting_values(self._key, setting, head.changes + 1)
            db.execute(insert(SETTINGS), values)
            self._put_head(db, setting.table, head.with_("settings", more=[values["checksum"]]))

    def forget(self, table: str, run: str) -> bool:
        of_run = (DECISIONS.c.table_name == table) & (DECISIONS.c.run == run)
        with self._database.writing(f"forget the run {run!r} of {table!r}") as db:
            head = self._head(db, table, own=True)  # First: what is found without the lock may go meanwhile.
            there = self._find(db, table, run, head.ordered)
            made = list(db.scalars(select(DECISIONS.c.checksum).where(of_run)))
            if there is None and not made:
                return False
            db.execute(delete(DECISIONS).where(of_run))
            head = head.with_("decisions", less=made)
            if there is not None:
                db.execute(delete(RUNS).where(RUNS.c.id == there.id))
                head = self._without(db, table, head, there)
            self._put_head(db, table, head)
            return there is not None

    def damage(self) -> list[str]:
        if self._database.engine.dialect.name != "sqlite":
            return []
        with self._database.reading("look for damaged pages") as db:
            found = [str(text) for text in db.exec_driver_sql("PRAGMA integrity_check(20)").scalars()]
        return [] if found == ["ok"] else found

    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    def close(self) -> None:
        self._database.engine.dispose()

    def _head(self, db: Connection, table: str, own: bool = False) -> row.Head:
        heads = None if own else self._database.heads
        if heads is not None and table in heads:
            return heads[table]
        found = db.execute(OWN_HEAD if own else HEAD, {"of_table": table}).one_or_none()
        head = row.Head() if found is None else row.head_of(self._key, table, found)
        if heads is not None:
            heads[table] = head
        return head

    def _own_head(self, db: Connection, table: str) -> row.Head:
        """The row of a table, locked until the transaction ends: another writer waits here."""
        head = self._head(db, table, own=True)
        if head.changes:
            return head
        empty = row.head_values(self._key, table, row.Head())
        db.execute(self._new_head, {"table_name": table, **empty})
        return self._head(db, table, own=True)

    def _put_head(self, db: Connection, table: str, head: row.Head) -> None:
        db.execute(_CHANGED_HEAD, {"of_table": table, **row.head_values(self._key, table, head)})

    def _find(self, db: Connection, table: str, run: str, ordered: str) -> Any:
        return next(iter(find_runs(db, table, [run], ordered)), None)

    def _without(self, db: Connection, table: str, head: row.Head, there: Any) -> row.Head:
        """The head without a run that was just replaced or deleted."""
        try:
            row.line_of_row(self._key, table, there[1:])
        except StoreError:
            # Its checksum may be what was damaged, so those of all other runs are counted as they are now.
            others = select(RUNS.c.checksum).where(RUNS.c.table_name == table, RUNS.c.id != there.id)
            return replace(head, runs=0, runs_checksum=row.EMPTY).with_("runs", more=list(db.scalars(others)))
        return head.with_("runs", less=[there.checksum])

    def _decisions(self, db: Connection, table: str, head: row.Head) -> list[Decision]:
        if head.has_none("decisions"):
            return []
        found = [dict(r) for r in db.execute(DECISIONS_ON, {"of_table": table}).mappings()]
        if not head.has("decisions", [r["checksum"] for r in found]):
            raise damaged(table, f"{head.decisions} decisions, of which {len(found)} are there, in a list")
        return [row.decision_of(self._key, table, r) for r in found]

    def _put_programs(self, db: Connection, programs: Programs) -> None:
        data, at = packed(programs.by_column), programs.at.isoformat()
        about = (programs.as_of_run, at, programs.learned_from)
        values = {
            "table_name": programs.table,
            "as_of_run": programs.as_of_run,
            "at": at,
            "learned_from": programs.learned_from,
            "programs": data,
            "checksum": checksum(self._key, "programs", programs.table, *about, data=data),
        }
        db.execute(self._put, values)
