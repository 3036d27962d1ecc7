"""Is everything in a store still what was written?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from byhistory.errors import ByHistoryError, StoreError
from byhistory.history.store import Store
from byhistory.profile import from_bytes

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Soundness:
    """What `verify` read: how many records of each kind are sound, and one error for each damaged one."""

    tables: int
    runs: int
    profiles: int
    decisions: int
    settings: int
    problems: tuple[ByHistoryError, ...]


def verify(store: Store, progress: Progress | None = None) -> Soundness:
    """Read everything once. Damaged programs are no problem, as they are learned again.

    If the list of runs of a table is damaged, its first damaged entry is named.

    >>> from byhistory.history import open_store
    >>> verify(open_store("memory:")).problems
    ()
    """
    problems: list[ByHistoryError] = []
    counts = dict.fromkeys(("runs", "profiles", "decisions", "settings"), 0)

    def read(work: Callable[[], Mapping[str, int]]) -> None:
        try:
            for what, count in work().items():
                counts[what] += count
        except ByHistoryError as why:
            problems.append(why)

    tables: list[str] = []
    labels: list[tuple[str, str]] = []
    read(partial(_named, store, tables))
    read(partial(_pages, store, problems))
    for table in tables:
        read(partial(_decided, store, table))
        read(partial(_listed, store, table, labels))
    for i, (table, run) in enumerate(labels, 1):
        read(partial(_read, store, table, run))
        if progress is not None:
            progress(i, len(labels))
    return Soundness(len(tables), **counts, problems=tuple(problems))


def _named(store: Store, tables: list[str]) -> Mapping[str, int]:
    tables += store.tables()
    return {}


def _pages(store: Store, problems: list[ByHistoryError]) -> Mapping[str, int]:
    """Damage in the files of the store, such as an index that has lost a row, which no record shows."""
    todo = "restore the store from a backup; for an index alone, `REINDEX` in sqlite3 is enough"
    problems += [StoreError("read the pages of the store", found, todo) for found in store.damage()]
    return {}


def _decided(store: Store, table: str) -> Mapping[str, int]:
    return {"decisions": len(store.decisions(table)), "settings": len(store.setting_changes(table))}


def _listed(store: Store, table: str, labels: list[tuple[str, str]]) -> Mapping[str, int]:
    labels += [(table, line.run) for line in store.runs(table)]
    return {}


def _read(store: Store, table: str, run: str) -> Mapping[str, int]:
    found = store.load(table, [run])
    for profile in (profile for one in found for profile in one.columns.values()):
        from_bytes(profile)
    return {"runs": len(found), "profiles": sum(len(one.columns) for one in found)}
