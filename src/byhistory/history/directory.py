"""The past in a directory of files, for lakes without a database.

    byhistory.json                                what this is, its version and its key
    tables/orders-1f3a…/table.json                the name of the table
    tables/orders-1f3a…/log/000000000007-run-….json   what happened, one small file each: a run, a decision, …
    tables/orders-1f3a…/data/….parquet            the profiles of a run, or programs; read only if the log names it

A file is never changed. An entry of the log is written last and appears as a whole, so it is the transaction: what no
entry names did not happen. Of several entries on one run the last one holds, and entries have numbers: one more than
any that its writer saw. Two writers at once may take the same number; then all readers agree by name which is later.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa

from byhistory.errors import StoreError
from byhistory.history import parquet
from byhistory.history.checksum import checksum
from byhistory.history.files import TEMPORARY, Files, files_at
from byhistory.history.key import given_key, key_of
from byhistory.history.log import (
    Entry,
    data_file,
    decisions_in,
    entry_of,
    folder_of,
    line_of,
    next_number,
    ordering_in,
    runs_in,
    state_of,
    time_of,
    to_json,
    with_programs,
)
from byhistory.history.order import ordering
from byhistory.history.record import (
    Decision,
    Programs,
    Run,
    RunLine,
    Setting,
    digest_of,
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
    no_such_run,
)
from byhistory.history.store import Store
from byhistory.history.url import redacted, without_secrets

VERSION = 2
LEFT_BEHIND = 86_400.0
"""Seconds after which a file that no entry names is what a killed writer left, and not what one is still writing."""
_MARK = re.compile(r"byhistory[^/]*\.json")
_ENTRY = re.compile(r"[0-9]{12,}-(run|programs|decision|setting)-[0-9a-f]+\.json")
T = TypeVar("T")


class DirectoryStore(Store):
    """A store over files. It keeps the entries that it has read: they never change."""

    def __init__(self, files: Files, url: str) -> None:
        self._files = files
        self._url = url
        self._read: dict[str, dict[str, Entry]] = {}
        with self._explained(""):
            self._key = self._opened()

    def __repr__(self) -> str:
        return f"<store {redacted(self._url)}>"

    def key(self) -> bytes:
        return self._key

    def tables(self) -> list[str]:
        with self._explained("list the tables"):
            names = self._files.names("tables", deep=True)
            folders = {n.split("/log/")[0] for n in names if "/log/" in n and "-run-" in n and _ENTRY.search(n)}
            return sorted(self._files.each(self._table_of, sorted(folders)))

    def state(self, table: str) -> str:
        with self._explained(f"look at {table!r}"):
            return state_of(self._log(table))

    def runs(self, table: str, last: int | None = None) -> list[RunLine]:
        with self._explained(f"list the runs of {table!r}"):
            log = self._log(table)
        runs = list(runs_in(log).values())
        how = ordering_in(runs)
        lines = [line_of(table, e, how) for e in (runs[-last:] if last else runs)]
        return with_decisions(lines, decisions_in(table, log))

    def record(self, run: Run, programs: Programs | None = None, seen: str | None = None) -> bool:
        checked_run(run, programs)
        with self._explained(f"record the run {run.run!r} of {run.table!r}"):
            log = self._log(run.table)
            kept = runs_in(log)
            before = kept.get(run.run)
            run, since = self._as_before(identified(run), before)
            body = {
                "run": run.run,
                "at": run.at.isoformat(),
                "outcome": run.outcome,
                "rows": run.rows,
                "columns": len(run.columns),
                "note": run.note,
                "scores": run.scores,
                "causes": run.causes,
                "id": run.id,
                "digest": run.digest,
                "since": since,
                "arrived": before.arrived if before else next_number(log),
                "ordered": ordering_in(kept.values()) if kept else ordering(run.run),
                "file": self._put_data(run.table, parquet.run_file(self._key, run)),
            }
            if programs is not None and seen in (None, state_of(log)):
                body["programs"] = self._programs_body(programs)
            elif before is not None and before is next(with_programs(log), None):
                body["programs"] = before.body["programs"]  # The entry that has them is about to go.
            name = self._put_entry(run.table, log, "run", body)
            self._sweep(run.table, name)
            return before is not None

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        def one(entry: Entry) -> Run:
            with self._files.opened(data_file(table, entry.body)) as file:
                return parquet.read_run(self._key, line_of(table, entry), file, columns, entry.has_sums)

        asked = set(runs)
        with self._explained(f"load runs of {table!r}"):
            return self._current(
                table, lambda log: self._files.each(one, [e for r, e in runs_in(log).items() if r in asked])
            )

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        def one(entry: Entry) -> tuple[str, bytes]:
            with self._files.opened(data_file(table, entry.body)) as file:
                line = line_of(table, entry)
                return line.run, parquet.read_measures(self._key, line, file, entry.has_sums)

        asked = None if runs is None else set(runs)
        with self._explained(f"load measures of {table!r}"):
            return self._current(
                table,
                lambda log: dict(
                    self._files.each(one, [e for r, e in runs_in(log).items() if asked is None or r in asked])
                ),
            )

    def programs(self, table: str) -> Programs | None:
        def last(log: list[Entry]) -> Programs | None:
            missing: OSError | None = None
            for kept in (e.body["programs"] for e in with_programs(log)):
                try:
                    data = self._files.read(data_file(table, kept))
                except FileNotFoundError as gone:
                    # Two writers at once: one passed on the programs that the other had just replaced.
                    missing = gone
                    continue
                if "checksum" in kept and kept["checksum"] != checksum(self._key, "programs", data=data):
                    return None
                with suppress(pa.ArrowException, StoreError, UnicodeDecodeError):
                    texts = parquet.read_programs(pa.BufferReader(data))
                    return Programs(table, kept["as_of_run"], time_of(kept), texts, kept.get("learned_from", ""))
                return None
            if missing is not None:
                raise missing
            return None

        with self._explained(f"load the programs of {table!r}"):
            try:
                return self._current(table, last)
            except FileNotFoundError:
                return None

    def save_programs(self, programs: Programs, seen: str | None = None) -> bool:
        checked_programs(programs)
        with self._explained(f"keep the programs of {programs.table!r}"):
            log = self._log(programs.table)
            if seen is not None and seen != state_of(log):
                return False
            name = self._put_entry(programs.table, log, "programs", {"programs": self._programs_body(programs)})
            self._sweep(programs.table, name)
            return True

    def decide(self, decision: Decision) -> Decision:
        checked_decision(decision)
        asked = f"{decision.what} the run {decision.run!r} of {decision.table!r}"
        with self._explained(asked):
            log = self._log(decision.table)
            entry = runs_in(log).get(decision.run)
            if entry is None:
                raise no_such_run(asked, decision.table, decision.run, list(runs_in(log)))
            line = line_of(decision.table, entry)
            if decision.record and not holds(decision, line):
                raise another_record(asked, decision, line)
            digest = line.digest or self._digest(decision.table, entry)
            kept = replace(decision, record=line.id, digest=digest, id=decision.id or new_id())
            body = {
                "run": kept.run,
                "what": kept.what,
                "who": kept.who,
                "at": kept.at.isoformat(),
                "why": kept.why,
                "columns": list(kept.columns),
                "until": kept.until,
                "record": kept.record,
                "digest": kept.digest,
                "id": kept.id,
            }
            self._put_entry(decision.table, log, "decision", body)
            return kept

    def decisions(self, table: str) -> list[Decision]:
        with self._explained(f"list the decisions on {table!r}"):
            return decisions_in(table, self._log(table))

    def settings(self, table: str) -> dict[str, Setting]:
        return {s.name: s for s in self.setting_changes(table)}

    def setting_changes(self, table: str) -> list[Setting]:
        with self._explained(f"load the settings of {table!r}"):
            bodies = [e.body for e in self._log(table) if e.kind == "setting"]
        return [Setting(table, b["name"], b["text"], b["who"], time_of(b)) for b in bodies]

    def put_setting(self, setting: Setting) -> None:
        checked_setting(setting)
        with self._explained(f"keep the setting {setting.name!r} of {setting.table!r}"):
            body = {"name": setting.name, "text": setting.text, "who": setting.who, "at": setting.at.isoformat()}
            self._put_entry(setting.table, self._log(setting.table), "setting", body)

    def forget(self, table: str, run: str) -> bool:
        with self._explained(f"forget the run {run!r} of {table!r}"):
            log = self._log(table)
            last = next(with_programs(log), None)
            if last is not None and last.kind == "run" and last.body["run"] == run:
                self._put_entry(table, log, "programs", {"programs": last.body["programs"]})
            # The oldest first: were we killed half way, what is left is still the last record, and not an older one.
            about = [e for e in log if e.body.get("run") == run]
            files = [data_file(table, entry.body) for entry in about if entry.kind == "run"]
            for entry in about:
                self._files.remove(entry.name)
            for file in files:
                self._files.remove(file)
            return bool(files)

    def close(self) -> None:
        self._read.clear()

    def _log(self, table: str) -> list[Entry]:
        """Everything that happened to a table, in order."""
        folder = f"{folder_of(table)}/log"
        names = sorted(n for n in self._files.names(folder) if _ENTRY.fullmatch(n.rpartition("/")[2]))
        before = self._read.get(table, {})
        read = self._files.each(self._entry, [n for n in names if n not in before])
        entries = before | {entry.name: entry for entry in read if entry is not None}
        self._read[table] = {n: entries[n] for n in names if n in entries}
        return list(self._read[table].values())

    def _entry(self, name: str) -> Entry | None:
        try:
            data = self._files.read(name)
        except FileNotFoundError:
            return None  # Replaced or forgotten since we listed it.
        try:
            body = json.loads(data)
            version = int(body["byhistory_entry"])
            is_sound = version < 2 and "checksum" not in body
            is_sound = is_sound or body["checksum"] == self._checksum(name, body)
            entry = entry_of(name, body) if version <= VERSION else None
        except (ValueError, KeyError, TypeError, RecursionError) as damage:
            raise self._damaged(name, f"damaged bytes in {name}") from damage
        if version > VERSION:
            raise self._damaged(name, f"{name} of version {version}, newer than {VERSION}", "upgrade byhistory")
        if not is_sound:
            raise self._damaged(name, f"an entry whose checksum does not match ({name})")
        return entry

    def _checksum(self, name: str, body: dict[str, Any]) -> str:
        """Of everything an entry says, and of its name: which says to what it happened, and in what order."""
        said = {key: value for key, value in body.items() if key != "checksum"}
        return checksum(self._key, "entry", name, json.dumps(said, sort_keys=True))

    def _table_of(self, folder: str) -> str:
        name = f"{folder}/table.json"
        try:
            table = json.loads(self._files.read(name))["table"]
            is_sound = folder_of(table) == folder
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as damage:
            raise self._damaged(name, f"damaged bytes in {name}") from damage
        if not is_sound:
            raise self._damaged(name, f"a name that is not that of its folder ({name})")
        return str(table)

    def _digest(self, table: str, entry: Entry) -> str:
        """What the data of a record of version 1 looked like."""
        with self._files.opened(data_file(table, entry.body)) as file:
            run = parquet.read_run(self._key, line_of(table, entry), file, None, entry.has_sums)
        return digest_of(run.rows, run.columns)

    def _as_before(self, run: Run, before: Entry | None) -> tuple[Run, str]:
        """Since when the data of a run have looked the same; where the record before was of version 1, with its id."""
        if before is None:
            return run, run.at.isoformat()
        if before.body.get("digest") == run.digest:
            return run, str(before.body["since"])
        if not before.has_sums:
            with suppress(OSError, pa.ArrowException, StoreError):  # What cannot be read looked like nothing.
                if self._digest(run.table, before) == run.digest:
                    return replace(run, id=before.id), str(before.body["at"])
        return run, run.at.isoformat()

    def _current(self, table: str, work: Callable[[list[Entry]], T]) -> T:
        """The work on the log; once more if a file went away meanwhile because its run was recorded again."""
        for _ in range(4):
            with suppress(FileNotFoundError):
                return work(self._log(table))
        return work(self._log(table))

    def _put_data(self, table: str, data: bytes) -> str:
        name = f"{folder_of(table)}/data/{secrets.token_hex(8)}.parquet"
        self._files.put(name, data)
        return name

    def _programs_body(self, programs: Programs) -> dict[str, str]:
        data = parquet.programs_file(programs.by_column)
        return {
            "as_of_run": programs.as_of_run,
            "at": programs.at.isoformat(),
            "learned_from": programs.learned_from,
            "checksum": checksum(self._key, "programs", data=data),
            "file": self._put_data(programs.table, data),
        }

    def _put_entry(self, table: str, log: list[Entry], kind: str, body: dict[str, Any]) -> str:
        folder = folder_of(table)
        if not log:
            # Every writer writes the same bytes, so it does not matter who is last.
            self._files.put(f"{folder}/table.json", to_json({"byhistory_table": VERSION, "table": table}))
        name = f"{folder}/log/{next_number(log):012d}-{kind}-{secrets.token_hex(8)}.json"
        body = {"byhistory_entry": VERSION, **body}
        self._files.put(name, to_json({**body, "checksum": self._checksum(name, body)}))
        return name

    def _sweep(self, table: str, ours: str) -> None:
        """Remove what was replaced, and what killed writers left. Our own file tells the time on that file system."""
        with suppress(OSError):  # The record itself is safe. What is left now goes the next time.
            log, runs = self._log(table), set(map(id, runs_in(self._log(table)).values()))
            names = self._files.names() | self._files.names(folder_of(table), deep=True)
            last = next((e for e in with_programs(log) if data_file(table, e.body["programs"]) in names), None)
            held: set[str] = set()
            named: set[str] = set()
            for entry in log:
                programs = {data_file(table, entry.body["programs"])} if "programs" in entry.body else set()
                data = {data_file(table, entry.body)} if entry.kind == "run" else set()
                named |= programs | data
                held |= (programs if entry is last else set()) | (data if id(entry) in runs else set())
                if entry.kind in ("run", "programs") and entry is not last and id(entry) not in runs:
                    self._files.remove(entry.name)
            now = names.get(ours) or 0.0
            for name, at in names.items():
                is_unfinished = name.endswith(TEMPORARY) or ("/data/" in name and name not in named)
                if name in named - held or (is_unfinished and at is not None and now - at > LEFT_BEHIND):
                    self._files.remove(name)

    def _opened(self) -> bytes:
        """The key, after the mark was written if there was none and nothing else was there."""
        marks = self._marks()
        if not marks:
            given = given_key(f"make the store {redacted(self._url)}")
            key = secrets.token_bytes(32) if given is None else given
            kept = key.hex() if given is None else ""
            made = {"byhistory_store": VERSION, "key": kept, "key_checksum": checksum(key, "key")}
            mark = to_json(made)
            if not self._files.put_if_absent("byhistory.json", mark):
                # Several may do so at once. All of them then take the oldest.
                self._files.put(f"byhistory-{secrets.token_hex(6)}.json", mark)
            marks = self._marks()
        try:
            body = json.loads(self._files.read(marks[0]))
            version, kept, made_of = int(body["byhistory_store"]), str(body["key"]), body.get("key_checksum")
            is_sound = version < 2 or isinstance(made_of, str)
            bytes.fromhex(kept)
        except (ValueError, KeyError, TypeError, RecursionError) as damage:
            raise self._damaged(marks[0], f"{marks[0]}, which is not ours or damaged") from damage
        if version > VERSION:
            raise self._damaged(marks[0], f"version {version}, newer than {VERSION}", "upgrade byhistory")
        if not is_sound:
            raise self._damaged(marks[0], f"a key without its checksum ({marks[0]})")
        return key_of(f"read {marks[0]} in the store {redacted(self._url)}", kept, made_of)

    def _marks(self) -> list[str]:
        if self._files.is_file():
            raise self._damaged("", "a file, not a directory", "give a directory, or a path that ends in .db")
        marks = sorted((at or 0.0, name) for name, at in self._files.names().items() if _MARK.fullmatch(name))
        others = [] if marks else [n for n in self._files.top() if not n.startswith(".")]
        if others and not any(map(_MARK.fullmatch, others)):  # A mark may have come since we looked.
            found = f"a directory of something else, with {', '.join(others[:3])} in it"
            raise self._damaged("", found, "give a new or an empty directory; this one was left as it is")
        return [name for _, name in marks]

    def _damaged(self, name: str, found: str, todo: str = "restore it from a copy, or move it away") -> StoreError:
        shown = redacted(self._url)
        return StoreError(f"read {name} in the store {shown}" if name else f"open the store {shown}", found, todo)

    @contextmanager
    def _explained(self, asked: str) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as why:
            asked = f"{asked or 'open'}{' in' * bool(asked)} the store {redacted(self._url)}"
            said = " ".join(without_secrets(str(why), self._url).split())
            if isinstance(why, FileNotFoundError):
                raise StoreError(asked, f"a missing file ({said})", "restore it, or record that run again") from None
            if isinstance(why, PermissionError):
                raise StoreError(asked, f"no right to do that ({said})", "let this user read and write there") from None
            if isinstance(why, pa.ArrowInvalid):
                raise StoreError(asked, f"a damaged file ({said})", "restore it, or record that run again") from None
            found, is_far = f"an error of the file system ({said})", self._files.local is None
            raise StoreError(asked, found, "see whether it can be reached", is_transient=is_far) from None


def open_directory(url: str) -> DirectoryStore:
    """The store in the directory that a path or an address names; made if there is none."""
    try:
        files = files_at(url)
    except (ImportError, OSError, ValueError, pa.ArrowException) as why:
        said = " ".join(without_secrets(str(why), url).split())
        raise StoreError(
            f"open the store {redacted(url)}",
            f"no file system that reaches it ({said})",
            "correct the address; for others than s3, gs, abfss and hdfs install fsspec and its driver",
        ) from None
    return DirectoryStore(files, url)
