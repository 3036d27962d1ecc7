"""The log of every table as files: read as a whole, added to, and cleaned up.

An entry is written last and appears as a whole. Then the head that names it is written (`byhistory.history.heads`), and
after that what it replaces is removed.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from byhistory.errors import StoreError
from byhistory.history import bundle
from byhistory.history.checksum import checksum
from byhistory.history.files import TEMPORARY, Files
from byhistory.history.heads import HEAD, head_body, lost, removed_in
from byhistory.history.log import (
    Entry,
    data_file,
    entry_of,
    folder_of,
    last_runs,
    next_number,
    to_json,
    with_programs,
)

T = TypeVar("T")
VERSION = 2
LEFT_BEHIND = 86_400.0
"""Seconds after which a file that no entry names was left by a killed writer, and is not being written (a choice)."""
_ENTRY = re.compile(r"[0-9]{12,}-(run|programs|decision|setting|head)-[0-9a-f]+\.json")
MEASURES = "measures"
"""The field of a run's entry with its measures, in base64, so that the file with its profiles need not be opened."""
_SMALL = 16_384
"""Bytes of measures that are kept in an entry, too: a hundred columns. Wider tables have fewer, larger files anyway."""
_FEW = 3
"""Up to how many entries are read one by one even if there is a bundle: a choice."""
_TABLES, _MEASURED = 2_000, 16
"""For how many tables entries, and measures, are remembered (by choice): about 0.2 MB each, and there are thousands."""
_TRIES = 8
"""How often a log is listed again (by choice): a list is not taken at one moment, and may miss what came or went."""


class Journal:
    """The logs in a directory. It is a class because it keeps the entries that it has read, which never change."""

    def __init__(self, files: Files, key: bytes, shown: str) -> None:
        self._files = files
        self._key = key
        self._shown = shown
        self._read: dict[str, dict[str, Entry]] = {}
        self._measures: dict[str, dict[str, bytes]] = {}
        self._bundles: dict[str, tuple[str, ...]] = {}
        self._bundled: dict[str, frozenset[str]] = {}

    def tables(self) -> list[str]:
        """The tables that have runs, or have lost them."""
        names = self._files.names("tables", deep=True)
        with_runs = {n.split("/log/")[0] for n in names if "-run-" in n and _is_entry(n)}
        others = {n.removesuffix("/table.json") for n in names if n.endswith("/table.json")} - with_runs
        found = self._files.each(self._table_of, sorted(with_runs))
        return sorted([*found, *filter(self._has_lost, self._files.each(self._table_of, sorted(others)))])

    def read(self, table: str) -> list[Entry]:
        """Everything that happened to a table, in order; an error if some of it is missing."""
        return self._checked(table)[0]

    def add(self, table: str, log: Sequence[Entry], kind: str, body: Mapping[str, Any]) -> None:
        """Write an entry after those that were read."""
        folder = folder_of(table)
        heads = self._heads(table)
        if not heads:
            self._put(table, log, HEAD, head_body(log, ()))
        if not (log and heads):
            # Every writer writes the same bytes, so it does not matter who is last.
            named = {"byhistory_table": VERSION, "table": table, "has_heads": True}
            self._files.put(f"{folder}/table.json", to_json(named))
        ours = self._put(table, log, kind, body)
        now, heads = self._checked(table)
        is_swept = kind in ("run", "programs")
        names = self._files.names(folder, deep=True) if is_swept else {}
        if is_swept and not self._files.has_objects:  # an object is there as a whole, or not at all
            names |= self._files.names()
        held = _held(table, now, names) if is_swept else now
        replaced = {entry.name for entry in now} - {entry.name for entry in held}
        self._put_head(table, now, heads, replaced)
        with suppress(OSError):  # The record itself is safe. What is left over is removed the next time.
            for name in (*replaced, *self._removed(table), *_left(table, now, names, ours)):
                self._files.remove(name)
            if kind == "run":
                self._bundle(table, held)

    def remove(self, table: str, entries: Sequence[Entry]) -> None:
        """Remove entries for good, with the files of runs among them: all at once, by the head that says so."""
        names = [entry.name for entry in entries]
        files = [data_file(table, entry.body) for entry in entries if entry.kind == "run"]
        self._put_head(table, *self._checked(table), names)
        for name in (*names, *files):
            self._files.remove(name)
        # Last, so that whoever bundles what is being removed sees that it is gone.
        for name in filter(bundle.is_bundle, self._files.names(f"{folder_of(table)}/log")):
            self._files.remove(name)

    def put_data(self, table: str, data: bytes) -> str:
        """Write the data that an entry is going to name; gives the name of the file."""
        name = f"{folder_of(table)}/data/{secrets.token_hex(8)}.parquet"
        self._files.put(name, data)
        return name

    def measures(self, table: str, entries: Collection[Entry]) -> Mapping[str, bytes]:
        """The measures in entries, by the names of the entries; those of wide tables are in files only."""
        kept = self._measures.get(table, {})
        if sum(entry.name not in kept for entry in entries) > _FEW:
            self._from_bundle(table)
        return self._measures.get(table, {})

    def damage(self) -> Iterator[str]:
        """What is wrong with entries that readers take from a bundle, which nobody else would notice."""
        for table in self.tables():
            self.read(table)
            for name in sorted(self._from_bundle(table)):
                try:
                    self._entry(name)
                except StoreError as why:  # noqa: PERF203 - each is read from a file
                    yield why.found

    def close(self) -> None:
        """Forget what was read."""
        for read in (self._read, self._measures, self._bundles, self._bundled):
            read.clear()

    def damaged(self, name: str, found: str, todo: str = "restore it from a copy, or move it away") -> StoreError:
        """The error for a file that is not as it was written."""
        return StoreError(f"read {name} in the store {self._shown}", found, todo)

    def _checked(self, table: str) -> tuple[list[Entry], list[Entry]]:
        """Entries and heads, with nothing missing.

        If a head has gone since it was listed, or none was listed, another that says more may have replaced it. Only if
        that does not change is the log taken as it is: somebody may have removed all heads, to go on without what is
        lost.
        """
        for _ in range(_TRIES):
            log, is_there = self._listed(table)
            heads = self._heads(table)
            missing = lost(log, heads)
            if not missing and is_there and (heads or not self._had_heads(table)):
                return log, heads
        if missing or not (log or heads):
            raise self._lost(table, missing)
        return log, heads

    def _listed(self, table: str) -> tuple[list[Entry], bool]:
        """The entries, and whether all that were listed were still there to be read."""
        there = sorted(self._files.names(f"{folder_of(table)}/log"))
        self._bundles[table] = tuple(filter(bundle.is_bundle, there))
        names = list(filter(_is_entry, there))
        entries = dict(self._read.get(table, {}))
        if len([n for n in names if n not in entries]) > _FEW:
            entries |= self._from_bundle(table)
        found = self._files.each(self._entry, [n for n in names if n not in entries])
        read = [one for one in found if one is not None]
        entries |= {entry.name: entry for entry, _ in read}
        self._remember_measures(table, {entry.name: measures for entry, measures in read if measures})
        _remember(self._read, table, {n: entries[n] for n in names if n in entries}, _TABLES)
        removed = self._removed(table)
        log = [e for e in self._read[table].values() if e.kind != HEAD and e.name not in removed]
        return log, len(read) == len(found)

    def _removed(self, table: str) -> set[str]:
        """The names of entries that were removed but are still listed."""
        entries = [entry for entry in self._read[table].values() if entry.kind != HEAD]
        return {entry.name for entry in removed_in(entries, self._heads(table))}

    def _heads(self, table: str) -> list[Entry]:
        """The heads that were listed last."""
        return [entry for entry in self._read.get(table, {}).values() if entry.kind == HEAD]

    def _had_heads(self, table: str) -> bool:
        """Whether a table must have a head, though none is listed."""
        try:
            return "has_heads" in json.loads(self._files.read(f"{folder_of(table)}/table.json"))
        except FileNotFoundError:
            return False
        except (ValueError, TypeError, RecursionError) as damage:
            name = f"{folder_of(table)}/table.json"
            raise self.damaged(name, f"damaged bytes in {name}") from damage

    def _has_lost(self, table: str) -> bool:
        try:
            self._checked(table)
        except StoreError:
            return True
        return False

    def _lost(self, table: str, missing: Mapping[str, Sequence[str]]) -> StoreError:
        folder = f"{folder_of(table)}/log"
        some = [f"{folder}/*-{kind}-{mark}*.json" for kind, marks in missing.items() for mark in marks]
        more = f" and {len(some) - 3} more" if len(some) > 3 else ""
        found = f"that {', '.join(some[:3])}{more} was kept and is gone" if some else f"that all of {folder} is gone"
        what = f"{folder}/*-{HEAD}-*.json" if some else f"{folder_of(table)}/table.json"
        todo = f"restore the store from a backup; to go on without what is lost, remove {what}"
        return StoreError(f"read the history of {table!r} in the store {self._shown}", found, todo)

    def _from_bundle(self, table: str) -> dict[str, Entry]:
        """The entries in the last bundle that was listed; their measures are remembered."""
        for name in reversed(self._bundles.get(table, ())):
            try:
                data = self._files.read(name)
            except OSError:  # Another took its place: what it said is in the entries.
                continue
            entries, measures = bundle.from_bytes(self._key, name, data)
            if entries:
                self._remember_measures(table, measures)
                self._bundled[table] = frozenset(entries)
                return entries
        return {}

    def _remember_measures(self, table: str, measures: dict[str, bytes]) -> None:
        _remember(self._measures, table, self._measures.get(table, {}) | measures, _MEASURED)

    def _bundle(self, table: str, log: Sequence[Entry]) -> None:
        """Write all entries into a bundle, if many are outside of one. What is forgotten meanwhile must not be in
        it.
        """
        before = self._bundles.get(table, ())
        if before and table not in self._bundled:
            self._from_bundle(table)
        inside = self._bundled.get(table, frozenset()) if before else frozenset()
        if not bundle.is_due(len(log), sum(entry.name not in inside for entry in log)):
            return
        folder = f"{folder_of(table)}/log"
        name = f"{folder}/{next_number(log):012d}-bundle-{secrets.token_hex(8)}.bin"
        self._files.put(name, bundle.to_bytes(self._key, name, log, self.measures(table, log)))
        there = self._files.names(folder)
        is_whole = all(entry.name in there for entry in log)
        for old in before if is_whole else (name,):
            self._files.remove(old)
        self._bundles[table] = (name,) if is_whole else before
        self._bundled[table] = frozenset(entry.name for entry in log)

    def _entry(self, name: str) -> tuple[Entry, bytes | None] | None:
        """An entry, and the measures in it; None if it has gone since it was listed."""
        try:
            data = self._files.read(name)
        except FileNotFoundError:
            return None
        try:
            body = json.loads(data)
            version = int(body["byhistory_entry"])
            is_sound = version < 2 and "checksum" not in body
            is_sound = is_sound or body["checksum"] == self._checksum(name, body)
            kept = body.pop(MEASURES, None)
            measures = None if kept is None else base64.b64decode(kept, validate=True)
            entry = entry_of(name, body) if version <= VERSION else None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as damage:
            raise self.damaged(name, f"damaged bytes in {name}") from damage
        if version > VERSION:
            raise self.damaged(name, f"{name} of version {version}, newer than {VERSION}", "upgrade byhistory")
        if not is_sound:
            raise self.damaged(name, f"an entry whose checksum does not match ({name})")
        return None if entry is None else (entry, measures)

    def _checksum(self, name: str, body: Mapping[str, Any]) -> str:
        """The checksum of everything in an entry, and of its name, which tells its table and its place in the log."""
        rest = {key: value for key, value in body.items() if key != "checksum"}
        return checksum(self._key, "entry", name, json.dumps(rest, sort_keys=True))

    def _table_of(self, folder: str) -> str:
        name = f"{folder}/table.json"
        try:
            table = json.loads(self._files.read(name))["table"]
            is_sound = folder_of(table) == folder
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as damage:
            raise self.damaged(name, f"damaged bytes in {name}") from damage
        if not is_sound:
            raise self.damaged(name, f"a name that is not that of its folder ({name})")
        return str(table)

    def _put(self, table: str, log: Sequence[Entry], kind: str, body: Mapping[str, Any]) -> str:
        name = f"{folder_of(table)}/log/{next_number(log):012d}-{kind}-{secrets.token_hex(8)}.json"
        whole = {"byhistory_entry": VERSION, **body}
        self._files.put(name, to_json({**whole, "checksum": self._checksum(name, whole)}))
        return name

    def _put_head(self, table: str, log: Sequence[Entry], heads: Sequence[Entry], removed: Collection[str]) -> None:
        self._put(table, log, HEAD, head_body(log, heads, removed))
        with suppress(OSError):  # Two heads are as good as one.
            for head in heads:
                self._files.remove(head.name)


def with_measures(body: dict[str, Any], measures: bytes) -> dict[str, Any]:
    """The content of a run's entry, with its measures if they are small."""
    return body | {MEASURES: base64.b64encode(measures).decode("ascii")} if 0 < len(measures) <= _SMALL else body


def _remember(kept: dict[str, T], table: str, value: T, most: int) -> None:
    """Keep a value as the latest, and drop the oldest. Several threads may do so at once."""
    kept.pop(table, None)
    kept[table] = value
    for old in list(kept)[:-most]:
        kept.pop(old, None)


def _held(table: str, log: list[Entry], names: Collection[str]) -> list[Entry]:
    """The entries that no other has replaced."""
    runs, last = set(map(id, last_runs(log).values())), _last_programs(table, log, names)
    return [e for e in log if e.kind not in ("run", "programs") or e is last or id(e) in runs]


def _last_programs(table: str, log: list[Entry], names: Collection[str]) -> Entry | None:
    return next((e for e in with_programs(log) if data_file(table, e.body["programs"]) in names), None)


def _left(table: str, log: list[Entry], names: Mapping[str, float | None], ours: str) -> Iterator[str]:
    """Files of replaced data, and files that killed writers left. Our own file tells the time on that file system."""
    runs, last = set(map(id, last_runs(log).values())), _last_programs(table, log, names)
    held: set[str] = set()
    named: set[str] = set()
    for entry in log:
        programs = {data_file(table, entry.body["programs"])} if "programs" in entry.body else set()
        data = {data_file(table, entry.body)} if entry.kind == "run" else set()
        named |= programs | data
        held |= (programs if entry is last else set()) | (data if id(entry) in runs else set())
    now = names.get(ours) or 0.0
    for name, at in names.items():
        is_unfinished = name.endswith(TEMPORARY) or ("/data/" in name and name not in named)
        if name in named - held or (is_unfinished and at is not None and now - at > LEFT_BEHIND):
            yield name


def _is_entry(name: str) -> bool:
    folder, _, last = name.rpartition("/")
    return folder.endswith("/log") and _ENTRY.fullmatch(last) is not None
