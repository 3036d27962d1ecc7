"""A store known by its address only: is anything there, and how is it copied? It is not opened, so not changed."""

from __future__ import annotations

from dataclasses import dataclass

from byhistory.history import open_store, redacted
from byhistory.history.open import form_of
from byhistory.history.url import path_of
from byhistory.history.verify import Soundness, verify


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a store: the two addresses, without passwords, and what was found sound or damaged in the copy."""

    source: str
    to: str
    found: Soundness


def backup(url: str, to: str) -> Backup:
    """Copy a store as it is at one moment, while others write to it, and verify the copy.

    A SQLite file goes to a new file, a directory to a new directory; for PostgreSQL there is pg_dump. A store of an
    earlier release is not brought up to date: only its copy is.
    """
    from byhistory.history import backup as copying  # needs SQLAlchemy, which a Spark worker need not have

    copying.backup(url, to)
    with open_store(to) as copy:
        return Backup(redacted(url), redacted(to), verify(copy))


def is_missing(url: str) -> bool:
    """Whether a store would be on this machine, and nothing is there yet."""
    is_here = form_of(url) == "sqlite" or (form_of(url) == "directory" and "://" not in url)
    return is_here and not path_of(url).expanduser().exists()


def is_shared(url: str) -> bool:
    """Whether another process that opens the address finds the same store: all but one in memory.

    >>> is_shared("history.db"), is_shared("memory:")
    (True, False)
    """
    return form_of(url) != "memory"


__all__ = ["Backup", "backup", "is_missing", "is_shared", "redacted"]
