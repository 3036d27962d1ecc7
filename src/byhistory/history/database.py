"""A database of ours: its transactions, its errors in our words, and its tables, made or brought up to date."""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Engine, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError, StatementError

from byhistory.errors import StoreError
from byhistory.history.checksum import checksum
from byhistory.history.key import given_key, key_of
from byhistory.history.migrate import migrate, reorder
from byhistory.history.row import Head
from byhistory.history.schema import FACTS, METADATA, VERSION
from byhistory.profile.label import ORDER_VERSION

APPLICATION = 0x42794869
"""The mark in every SQLite file that we make (bytes 68 to 71): it tells files of other programs without opening
them."""
ONLY_READ = "byhistory_only_read"
"""The option of an engine whose database may not be written."""

Explain = Callable[[str, Exception], StoreError]
"""Turns what was asked and the driver's error into the error that the user reads."""


class Database:
    """An engine with our way to read and to write. It is a class because a thread may share one transaction.

    `shown` is the address without its password; `explain` turns a driver's error into ours.
    """

    def __init__(self, engine: Engine, shown: str, explain: Explain) -> None:
        self.engine, self.shown, self._explain = engine, shown, explain
        self._shared = threading.local()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A block in which all reads of this thread see one state."""
        with self.reading("") as db:
            before = getattr(self._shared, "db", None), self.heads
            self._shared.db, self._shared.heads = db, {}
            try:
                yield
            finally:
                self._shared.db, self._shared.heads = before

    @property
    def heads(self) -> dict[str, Head] | None:
        """The heads that were read in a snapshot, by table: within it they do not change. None outside of one."""
        return getattr(self._shared, "heads", None)

    @contextmanager
    def reading(self, asked: str) -> Iterator[Connection]:
        """A transaction that sees one state; `asked` says what it is for, if it fails."""
        if (shared := getattr(self._shared, "db", None)) is not None:
            with self._explained(asked):
                yield shared
            return
        # All queries for one answer must see the same state; SQLite's transactions always do.
        options = {"isolation_level": "REPEATABLE READ"} if self.engine.dialect.name == "postgresql" else {}
        with self._explained(asked), self.engine.connect().execution_options(**options) as db, db.begin():
            yield db

    @contextmanager
    def writing(self, asked: str) -> Iterator[Connection]:
        """A transaction that is kept as a whole, or not at all."""
        with self._explained(asked), self.engine.connect().execution_options(byhistory_writes=True) as db:
            with db.begin():
                yield db
            if db.dialect.name == "sqlite":
                # A copy of the main file alone then lacks at most what is being written, and never silently.
                raw: Any = db.connection.dbapi_connection
                with suppress(sqlite3.Error):  # What was written is safe, even if the disk is full now.
                    raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    @contextmanager
    def _explained(self, asked: str) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError, UnicodeError) as why:
            driver: Exception = why
            while isinstance(driver, StatementError) and isinstance(driver.orig, Exception):
                driver = driver.orig
            # Not `from why`: a driver's error may quote the address with its password.
            raise self._explain(f"{asked or 'open'}{' in' * bool(asked)} the store {self.shown}", driver) from None

    def opened_key(self, may_make: Callable[[], bool]) -> bytes:
        """The key of the store; makes the tables if there are none, or brings them up to date."""
        facts = self._facts()
        asked = f"open the store {self.shown}"
        if not facts:
            if may_make():
                self._make()
            facts = self._facts()  # if we may not make it, another process may just have done so
        if not facts:
            todo = "restore it from a backup; if it never had a run, delete it"
            raise StoreError(asked, "a store without its tables: a torn copy, or damaged", todo)
        version = facts.get("version", "")
        if not version.isdigit() or "key" not in facts:
            todo = "give another address; this one was left as it is"
            raise StoreError(asked, "a table byhistory_store that is not ours", todo)
        if int(version) > VERSION:
            raise StoreError(asked, f"tables of version {version}, newer than {VERSION}", "upgrade byhistory")
        if int(version) < VERSION:
            with self._alone() as db:
                migrate(db, bytes.fromhex(facts["key"]))
            facts = self._facts()
        key = key_of(asked, facts["key"], facts.get("key_checksum", ""))
        is_older = facts.get("order") != str(ORDER_VERSION)
        if is_older and not self.engine.get_execution_options().get(ONLY_READ):  # Else runs stay as they were sorted.
            with self._alone() as db:
                reorder(db, key)
        return key

    def _facts(self) -> dict[str, str]:
        with self.reading("") as db:
            if not inspect(db).has_table(FACTS.name):
                return {}
            if {c["name"] for c in inspect(db).get_columns(FACTS.name)} != {"name", "value"}:
                return {"version": ""}
            facts = {r.name: r.value for r in db.execute(select(FACTS))}
        # SQLite stores the type with each value: a flipped bit turns a text into bytes or a number.
        if not all(isinstance(part, str) for fact in facts.items() for part in fact):
            found = "facts of the store that are no text: damaged"
            raise StoreError(f"open the store {self.shown}", found, "restore it from a backup")
        return facts

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """A transaction that makes or changes tables, for one process at a time."""
        with self.writing("") as db:
            if db.dialect.name == "postgresql":
                # CREATE TABLE IF NOT EXISTS does not help if two of them run at once. The number stands for us.
                db.exec_driver_sql("SELECT pg_advisory_xact_lock(7089336938131513954)")
            yield db

    def _make(self) -> None:
        with self._alone() as db:
            if db.dialect.name == "sqlite":
                db.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
            METADATA.create_all(db)
            given = given_key(f"make the store {self.shown}")
            key = secrets.token_bytes(32) if given is None else given
            kept = key.hex() if given is None else ""
            facts = {"version": str(VERSION), "key": kept, "key_checksum": checksum(key, "key")}
            facts["order"] = str(ORDER_VERSION)
            if db.execute(select(FACTS)).first() is None:
                db.execute(insert(FACTS), [{"name": name, "value": value} for name, value in facts.items()])
