"""A copy of a store as it was at one moment, made while others write."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pyarrow as pa

from byhistory.errors import StoreError
from byhistory.history.files import Files, files_at
from byhistory.history.heads import HEAD, lost
from byhistory.history.log import Entry, entry_of
from byhistory.history.open import form_of
from byhistory.history.sqlite import address_of
from byhistory.history.url import path_of, redacted

_NAMES = {"sqlite": "a new file that ends in .db, or sqlite:///FILE", "directory": "a new directory"}
"""What a copy is called, so that it is opened as what it is."""
_TRIES = 5
"""How often a directory is read again because a run in it was replaced meanwhile (by choice)."""


def backup(url: str, to: str) -> None:
    """Copy a SQLite file to a new file, or a directory to a new directory; nothing is overwritten."""
    kind, asked = form_of(url), f"copy the store {redacted(url)} to {redacted(to)}"
    if kind not in _NAMES:
        todo = "use pg_dump, which does the same for PostgreSQL" if kind == "postgres" else "keep it in a file instead"
        raise StoreError(f"copy the store {redacted(url)}", "no file and no directory", todo)
    if form_of(to) != kind:
        raise StoreError(asked, "a name under which no copy of it would be looked for", f"give {_NAMES[kind]}")
    if kind == "sqlite":
        _copy_database(path_of(url), path_of(to))
    else:
        _copy_directory(files_at(url), files_at(to), asked)


def _copy_database(path: Path, to: Path) -> None:
    asked = f"copy the store {path} to {to}"
    if to.exists():
        raise StoreError(asked, f"{to}, which is there already", "give the name of a new file")
    # A unique name: what a killed backup left is in nobody's way, and two at once do not collide.
    draft = to.with_name(f".{to.name}.{secrets.token_hex(6)}.tmp")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        source = sqlite3.connect(address_of(path), uri=True, timeout=30)
        with closing(source), closing(sqlite3.connect(draft)) as copy:
            source.backup(copy)  # All pages in one step: what is written meanwhile is not in it.
            copy.execute("PRAGMA journal_mode = DELETE")
        _name(draft, to)
    except FileExistsError:
        raise StoreError(asked, f"{to}, which is there already", "give the name of a new file") from None
    except (OSError, sqlite3.Error) as why:
        raise StoreError(asked, str(why), "see whether one can be read and the other be written") from why
    finally:
        for left in (draft, *(draft.with_name(f"{draft.name}-{end}") for end in ("journal", "wal", "shm"))):
            left.unlink(missing_ok=True)


def _name(draft: Path, to: Path) -> None:
    """Give a finished copy its name, unless another took it meanwhile."""
    try:
        os.link(draft, to)
    except FileExistsError:
        raise
    except OSError:  # A file system without hard links.
        draft.replace(to)


def _copy_directory(source: Files, to: Files, asked: str) -> None:
    try:
        if to.top():
            raise StoreError(asked, "something there already", "give the name of a new directory")
        found = _whole(source, asked)
        marks = [name for name in found if "/" not in name]
        # The marks last: without one, the directory is no store.
        _put_all(to, {name: found[name] for name in [*(n for n in found if n not in marks), *marks]})
    except (OSError, pa.ArrowException) as why:
        raise StoreError(asked, str(why), "see whether one can be read and the other be written") from why
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as why:
        raise StoreError(asked, f"a damaged file in it ({why})", "see `byhistory verify` for which one it is") from why


def _whole(source: Files, asked: str) -> dict[str, bytes]:
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            return _snapshot(source)
    why = "runs that are replaced all the time, or files that are missing"
    raise StoreError(asked, why, "try again when fewer jobs are writing, or see `byhistory verify`")


def _put_all(to: Files, found: Mapping[str, bytes]) -> None:
    """Write all files, or none: half a copy would be in the way of the next."""
    was_there = to.local is None or to.local.exists()
    try:
        for name, data in found.items():
            to.put(name, data)
    except BaseException:
        for name in found:
            to.remove(name)
        if to.local is not None:
            for folder in sorted((p for p in to.local.rglob("*") if p.is_dir()), reverse=True):
                folder.rmdir()
            if not was_there:
                to.local.rmdir()
        raise


def _snapshot(files: Files) -> dict[str, bytes]:
    """All entries as they are now, and the files that they name; FileNotFoundError if one of these has gone.

    A list is not taken at one moment, so one that lacks what its heads name is of no use either.
    """
    names = files.names(deep=True)
    small = [n for n in names if n.endswith(".json") and not n.rpartition("/")[2].startswith(".")]
    found = dict(zip(small, files.each(files.read, small), strict=True))
    entries = [entry_of(name, json.loads(body)) for name, body in found.items() if "/log/" in name]
    for log in _by_folder(entries).values():
        for kind, marks in lost([e for e in log if e.kind != HEAD], [e for e in log if e.kind == HEAD]).items():
            raise FileNotFoundError(f"{kind} {marks[0]}")
    bodies = [part for e in entries for part in (e.body, e.body.get("programs") or {})]
    data: set[str] = {part["file"] for part in bodies if "file" in part}
    there = sorted(data & set(files.names(deep=True)))
    missing = {e.name for e in entries if e.body.get("file") in data - set(there)}
    if missing:
        raise FileNotFoundError(min(missing))
    return {**dict(zip(there, files.each(files.read, there), strict=True)), **found}


def _by_folder(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.name.rpartition("/")[0], []).append(entry)
    return found
