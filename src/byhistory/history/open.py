"""From an address to its store."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from byhistory.errors import StoreError
from byhistory.history.store import Store
from byhistory.history.url import redacted
from byhistory.plugins import added

_IN_MEMORY = ("memory:", "sqlite:", "sqlite://", "sqlite:///:memory:")
_SQLITE_FILE = (".db", ".sqlite", ".sqlite3")
_DATABASES = ("postgres", "sqlite", "mysql", "mariadb", "mssql", "oracle", "jdbc", "snowflake", "duckdb")


@dataclass(frozen=True, slots=True)
class StoreForm:
    """One form of address: its name, an `example`, whether an address `fits`, and how to `open` it."""

    name: str
    example: str
    fits: Callable[[str], bool]
    open: Callable[[str], Store]


def _memory(url: str) -> Store:  # noqa: ARG001 - every form opens an address, and this one has nothing to say
    from byhistory.history.memory import MemoryStore

    return MemoryStore()


def _sqlite(url: str) -> Store:
    from byhistory.history.sqlite import open_sqlite

    return open_sqlite(url)


def _postgres(url: str) -> Store:
    from byhistory.history.postgres import open_postgres

    return open_postgres(url)


def _directory(url: str) -> Store:
    from byhistory.history.directory import open_directory

    return open_directory(url)


def _console(url: str) -> Store:
    from byhistory.history.console import open_console

    return open_console(url)


ALL = (
    StoreForm("memory", "memory:", lambda url: url in _IN_MEMORY, _memory),
    StoreForm("console", "https://console.example", lambda url: _scheme(url) in ("http", "https"), _console),
    StoreForm(
        "sqlite",
        "sqlite:///history.db",
        lambda url: url.startswith("sqlite:") or (_scheme(url) == "" and url.endswith(_SQLITE_FILE)),
        _sqlite,
    ),
    StoreForm(
        "postgres",
        "postgresql://user@host/database",
        lambda url: re.match(r"postgres(ql)?(\+psycopg)?:", url) is not None,
        _postgres,
    ),
    StoreForm(
        "directory",
        "s3://bucket/history, or any path",
        lambda url: not _scheme(url).startswith(_DATABASES),
        _directory,
    ),
)


def open_store(url: str) -> Store:
    """Open the store at an address. It is created if nothing is there; anything else that is there is left alone.

    `memory:`, `sqlite:///relative.db` and `sqlite:////absolute.db` or a path that ends in .db or .sqlite,
    `postgresql://…`, and for a directory of files any other path or address, such as `s3://bucket/history`.

    >>> with open_store("memory:") as store:
    ...     store.tables()
    []
    """
    forms: tuple[StoreForm, ...] = (*added("byhistory.stores"), *ALL)
    for form in forms:
        if url and form.fits(url):
            return form.open(url)
    raise StoreError(
        f"open the store {redacted(url)!r}",
        "no kind of store that is known",
        "give one of " + "; ".join(form.example for form in forms),
    )


def form_of(url: str) -> str:
    """The name of the form of an address; empty if it has none.

    >>> form_of("history.db"), form_of("s3://bucket/history"), form_of("mysql://host/db")
    ('sqlite', 'directory', '')
    """
    return next((form.name for form in ALL if url and form.fits(url)), "")


def _scheme(url: str) -> str:
    """The text before the first colon; a single letter is a Windows drive, and no scheme."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", url)
    return found[1].lower() if found else ""
