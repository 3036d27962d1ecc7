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

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import pyarrow as pa

from byhistory.errors import StoreError
from byhistory.history import parquet
from byhistory.history.files import TEMPORARY, Files, files_at
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
from byhistory.history.store import Store
from byhistory.history.url import redacted, without_secrets
from byhistory.profile.past import run_key

VERSION = 1
LEFT_BEHIND = 86_400.0
"""Seconds after which a file that no entry names is what a killed writer left, and not what one is still writing."""
_MARK = re.compile(r"byhistory[^/]*\.json")
_ENTRY = re.compile(r"[0-9]{12,}-(run|programs|decision|setting)-[0-9a-f]+\.json")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened to a table: the name of its file, and what is in it."""

    name: str
    kind: str
    body: dict[str, Any]


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
            bodies = self._files.each(self._files.read, [f"{folder}/table.json" for folder in sorted(folders)])
            return sorted(json.loads(body)["table"] for body in bodies)

    def runs(self, table: str) -> list[RunLine]:
        with self._explained(f"list the runs of {table!r}"):
            log = self._log(table)
        latest = {d.run: d for d in _decisions(table, log)}
        return [
            RunLine(table, run, _time(b), b["outcome"], b["rows"], b["columns"], b["note"], latest.get(run))
            for run, b in ((run, entry.body) for run, entry in _runs(log).items())
        ]

    def record(self, run: Run, programs: Programs | None = None) -> bool:
        checked_run(run, programs)
        with self._explained(f"record the run {run.run!r} of {run.table!r}"):
            log = self._log(run.table)
            before = _runs(log).get(run.run)
            body = {
                "run": run.run,
                "at": run.at.isoformat(),
                "outcome": run.outcome,
                "rows": run.rows,
                "columns": len(run.columns),
                "note": run.note,
                "file": self._put_data(run.table, parquet.run_file(run.columns, run.measures, run.verdict)),
            }
            if programs is not None:
                body["programs"] = self._programs_body(programs)
            elif before is not None and before is next(_with_programs(log), None):
                body["programs"] = before.body["programs"]  # The entry that has them is about to go.
            name = self._put_entry(run.table, log, "run", body)
            self._sweep(run.table, name)
            return before is not None

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        def one(item: tuple[str, Entry]) -> Run:
            run, b = item[0], item[1].body
            with self._files.opened(b["file"]) as file:
                profiles, measures, verdict = parquet.read_run(file, columns)
            return Run(table, run, _time(b), b["outcome"], b["rows"], profiles, measures, verdict, b["note"])

        asked = set(runs)
        with self._explained(f"load runs of {table!r}"):
            return self._current(
                table, lambda log: self._files.each(one, [(r, e) for r, e in _runs(log).items() if r in asked])
            )

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        def one(item: tuple[str, Entry]) -> tuple[str, bytes]:
            with self._files.opened(item[1].body["file"]) as file:
                return item[0], parquet.read_measures(file)

        asked = None if runs is None else set(runs)
        with self._explained(f"load measures of {table!r}"):
            return self._current(
                table,
                lambda log: dict(
                    self._files.each(one, [(r, e) for r, e in _runs(log).items() if asked is None or r in asked])
                ),
            )

    def programs(self, table: str) -> Programs | None:
        def last(log: list[Entry]) -> Programs | None:
            missing: OSError | None = None
            for kept in (e.body["programs"] for e in _with_programs(log)):
                try:
                    with self._files.opened(kept["file"]) as file:
                        return Programs(table, kept["as_of_run"], _time(kept), parquet.read_programs(file))
                except FileNotFoundError as gone:  # noqa: PERF203 - the first one is there, but for a rare race
                    # Two writers at once: one passed on the programs that the other had just replaced.
                    missing = gone
            if missing is not None:
                raise missing
            return None

        with self._explained(f"load the programs of {table!r}"):
            return self._current(table, last)

    def save_programs(self, programs: Programs) -> None:
        checked_programs(programs)
        with self._explained(f"keep the programs of {programs.table!r}"):
            log = self._log(programs.table)
            name = self._put_entry(programs.table, log, "programs", {"programs": self._programs_body(programs)})
            self._sweep(programs.table, name)

    def decide(self, decision: Decision) -> None:
        checked_decision(decision)
        asked = f"{decision.what} the run {decision.run!r} of {decision.table!r}"
        with self._explained(asked):
            log = self._log(decision.table)
            if decision.run not in _runs(log):
                raise no_such_run(asked, decision.table, decision.run, list(_runs(log)))
            body = {
                "run": decision.run,
                "what": decision.what,
                "who": decision.who,
                "at": decision.at.isoformat(),
                "why": decision.why,
                "columns": list(decision.columns),
            }
            self._put_entry(decision.table, log, "decision", body)

    def decisions(self, table: str) -> list[Decision]:
        with self._explained(f"list the decisions on {table!r}"):
            return _decisions(table, self._log(table))

    def settings(self, table: str) -> dict[str, Setting]:
        return {s.name: s for s in self.setting_changes(table)}

    def setting_changes(self, table: str) -> list[Setting]:
        with self._explained(f"load the settings of {table!r}"):
            bodies = [e.body for e in self._log(table) if e.kind == "setting"]
        return [Setting(table, b["name"], b["text"], b["who"], _time(b)) for b in bodies]

    def put_setting(self, setting: Setting) -> None:
        checked_setting(setting)
        with self._explained(f"keep the setting {setting.name!r} of {setting.table!r}"):
            body = {"name": setting.name, "text": setting.text, "who": setting.who, "at": setting.at.isoformat()}
            self._put_entry(setting.table, self._log(setting.table), "setting", body)

    def forget(self, table: str, run: str) -> bool:
        with self._explained(f"forget the run {run!r} of {table!r}"):
            log = self._log(table)
            last = next(_with_programs(log), None)
            if last is not None and last.kind == "run" and last.body["run"] == run:
                self._put_entry(table, log, "programs", {"programs": last.body["programs"]})
            # The oldest first: were we killed half way, what is left is still the last record, and not an older one.
            about = [e for e in log if e.body.get("run") == run]
            for entry in about:
                self._files.remove(entry.name)
            for entry in about:
                if entry.kind == "run":
                    self._files.remove(entry.body["file"])
            return any(entry.kind == "run" for entry in about)

    def close(self) -> None:
        self._read.clear()

    def _log(self, table: str) -> list[Entry]:
        """Everything that happened to a table, in order."""
        folder = f"{_folder(table)}/log"
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
        match = re.search(r"-([a-z]+)-", name.rpartition("/")[2])
        try:
            body = json.loads(data)
            version = body["byhistory_entry"]
        except (ValueError, KeyError, TypeError) as damage:
            raise self._damaged(name, f"damaged bytes in {name}") from damage
        if version > VERSION:
            raise self._damaged(name, f"{name} of version {version}, newer than {VERSION}", "upgrade byhistory")
        return Entry(name, match[1] if match else "", body)

    def _current(self, table: str, work: Callable[[list[Entry]], T]) -> T:
        """The work on the log; once more if a file went away meanwhile because its run was recorded again."""
        for _ in range(4):
            with suppress(FileNotFoundError):
                return work(self._log(table))
        return work(self._log(table))

    def _put_data(self, table: str, data: bytes) -> str:
        name = f"{_folder(table)}/data/{secrets.token_hex(8)}.parquet"
        self._files.put(name, data)
        return name

    def _programs_body(self, programs: Programs) -> dict[str, str]:
        file = self._put_data(programs.table, parquet.programs_file(programs.by_column))
        return {"as_of_run": programs.as_of_run, "at": programs.at.isoformat(), "file": file}

    def _put_entry(self, table: str, log: list[Entry], kind: str, body: dict[str, Any]) -> str:
        folder = _folder(table)
        if not log:
            # Every writer writes the same bytes, so it does not matter who is last.
            self._files.put(f"{folder}/table.json", _json({"byhistory_table": VERSION, "table": table}))
        number = 1 + max((int(e.name.rpartition("/")[2].partition("-")[0]) for e in log), default=0)
        name = f"{folder}/log/{number:012d}-{kind}-{secrets.token_hex(8)}.json"
        self._files.put(name, _json({"byhistory_entry": VERSION, **body}))
        return name

    def _sweep(self, table: str, ours: str) -> None:
        """Remove what was replaced, and what killed writers left. Our own file tells the time on that file system."""
        with suppress(OSError):  # The record itself is safe. What is left now goes the next time.
            log, runs = self._log(table), set(map(id, _runs(self._log(table)).values()))
            names = self._files.names() | self._files.names(_folder(table), deep=True)
            last = next((e for e in _with_programs(log) if e.body["programs"]["file"] in names), None)
            held: set[str] = set()
            named: set[str] = set()
            for entry in log:
                programs = {entry.body["programs"]["file"]} if "programs" in entry.body else set()
                data = {entry.body["file"]} if entry.kind == "run" else set()
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
            mark = _json({"byhistory_store": VERSION, "key": secrets.token_hex(32)})
            if not self._files.put_if_absent("byhistory.json", mark):
                # Several may do so at once. All of them then take the oldest.
                self._files.put(f"byhistory-{secrets.token_hex(6)}.json", mark)
            marks = self._marks()
        try:
            body = json.loads(self._files.read(marks[0]))
            version, key = int(body["byhistory_store"]), bytes.fromhex(body["key"])
        except (ValueError, KeyError, TypeError) as damage:
            raise self._damaged(marks[0], f"{marks[0]}, which is not ours or damaged") from damage
        if version > VERSION:
            raise self._damaged(marks[0], f"version {version}, newer than {VERSION}", "upgrade byhistory")
        return key

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
            raise StoreError(asked, f"an error of the file system ({said})", "see whether it can be reached") from None


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


def _runs(log: list[Entry]) -> dict[str, Entry]:
    """The entry that holds for each run, in run order."""
    last = {e.body["run"]: e for e in log if e.kind == "run"}
    return {run: last[run] for run in sorted(last, key=run_key)}


def _with_programs(log: list[Entry]) -> Iterator[Entry]:
    """The entries that name programs, the last one first."""
    return (e for e in reversed(log) if "programs" in e.body)


def _decisions(table: str, log: list[Entry]) -> list[Decision]:
    bodies = [e.body for e in log if e.kind == "decision"]
    return [Decision(table, b["run"], b["what"], b["who"], _time(b), b["why"], tuple(b["columns"])) for b in bodies]


def _folder(table: str) -> str:
    """A folder of its own for every name, also where case does not count or names must be short."""
    readable = re.sub(r"[^a-z0-9]+", "-", table.lower())[:40].strip("-")
    return f"tables/{readable}-{hashlib.blake2b(table.encode(), digest_size=8).hexdigest()}"


def _json(body: dict[str, Any]) -> bytes:
    return json.dumps(body, indent=1, ensure_ascii=False).encode()


def _time(body: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(body["at"])
