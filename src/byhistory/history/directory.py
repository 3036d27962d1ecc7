"""The past in a directory of files, for lakes without a database.

    byhistory.json                                what this is, its version and its key
    tables/orders-1f3a…/table.json                the name of the table
    tables/orders-1f3a…/log/000000000007-run-….json   what happened, one small file each: a run, a decision, …
    tables/orders-1f3a…/log/000000000008-head-….json  what must be in the log, so that a lost file is noticed
    tables/orders-1f3a…/log/000000000009-bundle-….bin  many entries in one, so that a reader need not open all of them
    tables/orders-1f3a…/data/….parquet            the profiles of a run, or programs; read only if the log names it

A file is never changed. An entry of the log is written last and appears as a whole, so it is the transaction: what no
entry names did not happen. Of several entries on one run the last one holds, and entries have numbers: one more than
any that its writer saw. Two writers at once may take the same number; then all readers agree by name which is later.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa

from byhistory.errors import StoreError
from byhistory.history import parquet
from byhistory.history.checksum import checksum
from byhistory.history.files import Files, files_at
from byhistory.history.journal import Journal, with_measures
from byhistory.history.log import (
    Entry,
    data_file,
    decisions_in,
    line_of,
    next_number,
    ordering_in,
    runs_in,
    state_of,
    time_of,
    with_programs,
)
from byhistory.history.mark import opened_key
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

T = TypeVar("T")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class DirectoryStore(Store):
    """A store over files."""

    def __init__(self, files: Files, url: str) -> None:
        self._files = files
        self._url = url
        with self._explained(""):
            self._key = opened_key(files, redacted(url))
        self._journal = Journal(files, self._key, redacted(url))
        self._shared = threading.local()

    def __repr__(self) -> str:
        return f"<store {redacted(self._url)}>"

    def key(self) -> bytes:
        return self._key

    def tables(self) -> list[str]:
        with self._explained("list the tables"):
            return self._journal.tables()

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
            log = self._journal.read(run.table)
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
                "file": self._journal.put_data(run.table, parquet.run_file(self._key, run)),
            }
            if programs is not None and seen in (None, state_of(log)):
                body["programs"] = self._programs_body(programs)
            elif before is not None and before is next(with_programs(log), None):
                body["programs"] = before.body["programs"]  # The entry that has them is about to go.
            self._journal.add(run.table, log, "run", with_measures(body, run.measures))
            return before is not None

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        def one(entry: Entry) -> Run:
            with self._opened(data_file(table, entry.body), is_whole=columns is None) as file:
                return parquet.read_run(self._key, line_of(table, entry), file, columns, entry.has_sums)

        asked = set(runs)
        with self._explained(f"load runs of {table!r}"):
            return self._current(
                table, lambda log: self._files.each(one, [e for r, e in runs_in(log).items() if r in asked])
            )

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        def one(entry: Entry) -> tuple[str, bytes]:
            with self._opened(data_file(table, entry.body)) as file:
                line = line_of(table, entry)
                return line.run, parquet.read_measures(self._key, line, file, entry.has_sums)

        def all_of(log: list[Entry]) -> dict[str, bytes]:
            entries = {r: e for r, e in runs_in(log).items() if asked is None or r in asked}
            kept = self._journal.measures(table, entries.values())
            found = {r: kept[e.name] for r, e in entries.items() if e.name in kept}
            found |= self._files.each(one, [e for r, e in entries.items() if r not in found])
            return {run: found[run] for run in entries}

        asked = None if runs is None else set(runs)
        with self._explained(f"load measures of {table!r}"):
            return self._current(table, all_of)

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
            log = self._journal.read(programs.table)
            if seen is not None and seen != state_of(log):
                return False
            self._journal.add(programs.table, log, "programs", {"programs": self._programs_body(programs)})
            return True

    def decide(self, decision: Decision) -> Decision:
        checked_decision(decision)
        asked = f"{decision.what} the run {decision.run!r} of {decision.table!r}"
        with self._explained(asked):
            log = self._journal.read(decision.table)
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
            self._journal.add(decision.table, log, "decision", body)
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
            self._journal.add(setting.table, self._journal.read(setting.table), "setting", body)

    def forget(self, table: str, run: str) -> bool:
        with self._explained(f"forget the run {run!r} of {table!r}"):
            log = self._journal.read(table)
            last = next(with_programs(log), None)
            if last is not None and last.kind == "run" and last.body["run"] == run:
                self._journal.add(table, log, "programs", {"programs": last.body["programs"]})
            about = [e for e in log if e.body.get("run") == run]
            if about:
                self._journal.remove(table, about)
            return any(entry.kind == "run" for entry in about)

    def damage(self) -> list[str]:
        with self._explained("look for damaged entries"):
            return list(self._journal.damage())

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        before, self._shared.logs = self._logs, {}
        try:
            yield
        finally:
            self._shared.logs = before

    def close(self) -> None:
        self._journal.close()

    @property
    def _logs(self) -> dict[str, list[Entry]] | None:
        """The logs that were read in a snapshot of this thread; None outside of one."""
        return getattr(self._shared, "logs", None)

    def _log(self, table: str) -> list[Entry]:
        logs = self._logs
        if logs is None:
            return self._journal.read(table)
        if table not in logs:
            logs[table] = self._journal.read(table)
        return logs[table]

    def _opened(self, name: str, is_whole: bool = False) -> Any:
        """A file to be read in parts, or as a whole, which is one request instead of five if files are objects."""
        return (
            pa.BufferReader(self._files.read(name))
            if is_whole and self._files.has_objects
            else self._files.opened(name)
        )

    def _digest(self, table: str, entry: Entry) -> str:
        """The digest of the data of a record of version 1."""
        with self._opened(data_file(table, entry.body)) as file:
            run = parquet.read_run(self._key, line_of(table, entry), file, None, entry.has_sums)
        return digest_of(run.rows, run.columns)

    def _as_before(self, run: Run, before: Entry | None) -> tuple[Run, str]:
        """The run, and since when its data have been the same; if a record of version 1 is replaced, with its id."""
        if before is None:
            return run, run.at.isoformat()
        if before.body.get("digest") == run.digest:
            return run, str(before.body["since"])
        if not before.has_sums:
            with suppress(OSError, pa.ArrowException, StoreError):  # Data that cannot be read are not the same.
                if self._digest(run.table, before) == digest_of(run.rows, run.columns):
                    return replace(run, id=before.id), str(before.body["at"])
        return run, run.at.isoformat()

    def _current(self, table: str, work: Callable[[list[Entry]], T]) -> T:
        """The result of work on the log; tried again if a file has gone because its run was recorded again."""
        for _ in range(4):
            log = self._log(table)
            try:
                return work(log)
            except FileNotFoundError:
                self._shared.logs = None if self._logs is None else {}
            except OSError:
                if self._files.local is not None:
                    raise
                # An object that is removed while it is sent ends too early, which each server words differently.
                self._shared.logs = None if self._logs is None else {}
        return work(self._journal.read(table))

    def _programs_body(self, programs: Programs) -> dict[str, str]:
        data = parquet.programs_file(programs.by_column)
        return {
            "as_of_run": programs.as_of_run,
            "at": programs.at.isoformat(),
            "learned_from": programs.learned_from,
            "checksum": checksum(self._key, "programs", data=data),
            "file": self._journal.put_data(programs.table, data),
        }

    @contextmanager
    def _explained(self, asked: str) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as why:
            asked = f"{asked or 'open'}{' in' * bool(asked)} the store {redacted(self._url)}"
            message = " ".join(without_secrets(str(why), self._url).split())
            if isinstance(why, FileNotFoundError):
                raise StoreError(asked, f"a missing file ({message})", "restore it, or record that run again") from None
            if isinstance(why, PermissionError):
                raise StoreError(
                    asked, f"no right to do that ({message})", "let this user read and write there"
                ) from None
            if isinstance(why, OSError) and why.errno in _FULL:
                raise StoreError(
                    asked, f"no space left ({message})", "make room; what was kept before is safe"
                ) from None
            if isinstance(why, pa.ArrowInvalid):
                raise StoreError(asked, f"a damaged file ({message})", "restore it, or record that run again") from None
            found, is_far = f"an error of the file system ({message})", self._files.local is None
            raise StoreError(asked, found, "see whether it can be reached", is_transient=is_far) from None


def open_directory(url: str) -> DirectoryStore:
    """The store in the directory that a path or an address names; made if there is none."""
    try:
        files = files_at(url)
    except (ImportError, OSError, ValueError, pa.ArrowException) as why:
        message = " ".join(without_secrets(str(why), url).split())
        raise StoreError(
            f"open the store {redacted(url)}",
            f"no file system that reaches it ({message})",
            "correct the address; for others than s3, gs, abfss and hdfs install fsspec and its driver",
        ) from None
    return DirectoryStore(files, url)
