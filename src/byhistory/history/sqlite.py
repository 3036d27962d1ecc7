"""The past in one SQLite file: the embedded default."""

from __future__ import annotations

import os
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from byhistory.errors import StoreError
from byhistory.history.database import APPLICATION, ONLY_READ
from byhistory.history.sql import SqlStore
from byhistory.history.url import path_of

_WAIT = 30.0  # Seconds that a writer waits for another before it gives up with a clear message.
_ELSEWHERE = "give another path; this file was left as it is"


def open_sqlite(url: str) -> SqlStore:
    """The store in the file that `sqlite:///path` or a path names; made if there is none.

    A file that may not be written, or has `?mode=ro` behind its path, is only read.
    """
    path = path_of(url)
    asked = f"open the store {path}"
    is_new = _is_new(asked, path)
    only_read = not is_new and (url.endswith("?mode=ro") or not _may_write(path))
    explain = partial(_explained, path)
    if is_new and not path.exists():
        _make_file(asked, path)
    address = address_of(path, only_read=True) if only_read else str(path)
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        creator=lambda: sqlite3.connect(address, timeout=_WAIT, uri=only_read, check_same_thread=False),
        execution_options={ONLY_READ: only_read},
        hide_parameters=True,
    )
    event.listen(engine, "connect", _connected)
    event.listen(engine, "begin", _begun)
    try:
        # Our mark and the tables are made in one transaction, in the older journal mode: a file with the mark has the
        # tables. It is read again after SQLite has opened the file, which may roll back what a killed process began.
        store = SqlStore(engine, str(path), explain, partial(_is_new, asked, path))
        if not only_read:
            _write_ahead(engine)
        return store
    except BaseException as why:
        engine.dispose()
        driver = why.orig if isinstance(why, DBAPIError) else why
        if isinstance(driver, sqlite3.Error | OSError | UnicodeError):
            raise explain(asked, driver) from why
        raise


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def address_of(path: Path, only_read: bool = False) -> str:
    """The SQLite address of an existing file. A file that may not be written is not touched.

    If there is no -wal, everything is in the file, and SQLite need not make one to read it.
    """
    at = f"file:{quote(str(path.absolute()))}"
    if not only_read and _may_write(path):
        return f"{at}?mode=rw"
    log = Path(f"{path}-wal")
    is_whole = not log.exists() or log.stat().st_size == 0
    return f"{at}?mode=ro{'&immutable=1' * is_whole}"


def _make_file(asked: str, path: Path) -> None:
    """Make a file that only its owner may read, because it is about the data; its -wal and -shm get the same rights."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as why:
        raise _explained(path, asked, why) from why


def _is_new(asked: str, path: Path) -> bool:
    """Whether the file is still to be made; an error if it is not ours. Only its bytes are read, without SQLite."""
    if path.is_dir():
        raise StoreError(asked, "a directory", f"name a file in it, such as {path / 'byhistory.db'}")
    if not path.parent.is_dir():
        raise StoreError(asked, f"no directory {path.parent}", "make it, or give another path")
    if not path.exists():
        return True
    if not path.is_file():  # A pipe would make us wait for ever.
        raise StoreError(asked, "something that is no file", _ELSEWHERE)
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as why:
        raise _explained(path, asked, why) from why
    if not head:
        return True
    if not head.startswith(b"SQLite format 3\0"):
        raise StoreError(asked, "a file that is no SQLite database", _ELSEWHERE)
    if int.from_bytes(head[68:72], "big") != APPLICATION:
        raise StoreError(asked, "a SQLite database of another program", _ELSEWHERE)
    return False


def _write_ahead(engine: Engine) -> None:
    """Turn on the mode in which readers continue while a writer writes. It stays on; if others are busy, try again."""
    for _ in range(100):
        with engine.connect() as db:
            raw: Any = db.connection.dbapi_connection
            try:
                if raw.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                    return
                raw.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as why:
                if "locked" not in str(why):
                    raise
                time.sleep(0.02)
    # A file system without shared memory keeps the older journal, which is as safe and only slower.


def _connected(db: Any, _record: object) -> None:
    db.isolation_level = None  # Python's own transactions would begin late and without asking.
    try:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA synchronous = FULL")  # A run that was recorded survives a power cut.
    except sqlite3.Error:
        db.close()  # Else a damaged file would keep a connection open, with its -wal and -shm.
        raise


def _begun(db: Connection) -> None:
    # A writer locks at once: one that begins as a reader cannot wait for another writer, only fail.
    writes = db.get_execution_options().get("byhistory_writes", False)
    db.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _explained(path: Path, asked: str, why: Exception) -> StoreError:
    message = str(why)
    if "locked" in message or "busy" in message:
        return StoreError(
            asked,
            f"another process that has been writing for {_WAIT:.0f} seconds",
            "try again when it is done",
            is_transient=True,
        )
    # The driver may be unable to decode SQLite's message, if names in the file are no text any more.
    is_no_text = isinstance(why, UnicodeError) or "decode" in message
    if (
        is_no_text
        or "not a database" in message
        or "malformed" in message
        or "corrupt" in message
        or "no such table" in message
    ):
        return StoreError(asked, f"a damaged file ({message})", "restore it from a copy; it was left as it is")
    if (
        "readonly" in message
        or "read-only" in message
        or "unable to open" in message
        or isinstance(why, PermissionError)
    ):
        return StoreError(
            asked, f"no right to write there ({message})", f"let this user write {path} and its directory"
        )
    if "full" in message:
        return StoreError(asked, f"no space left ({message})", "make room; what was recorded before is safe")
    return StoreError(asked, f"an error of SQLite ({message})", "see whether the file can be read and written")
