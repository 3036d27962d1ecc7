"""What happened to a table, as a directory stores it: small entries, and what follows from them together."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from byhistory.history.order import BY_LABEL, order_key, ordering
from byhistory.history.record import Decision, RunLine
from byhistory.history.refuse import damaged


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened to a table: the name of its file, and what is in it.

    Those of version 1 have no checksum, no id and no digest: the first two are made up from the name.
    """

    name: str
    kind: str
    body: dict[str, Any]

    @property
    def has_sums(self) -> bool:
        """Whether it was written with checksums."""
        return "checksum" in self.body

    @property
    def id(self) -> str:
        """The id of the record."""
        return str(self.body.get("id") or f"v1-{self.name.rpartition('-')[2].partition('.')[0]}")

    @property
    def arrived(self) -> int:
        """The number of the first record of the run."""
        given = self.body.get("arrived")
        return self.number if given is None else int(given)

    @property
    def number(self) -> int:
        """The number of the entry: one more than any that its writer saw."""
        return int(self.name.rpartition("/")[2].partition("-")[0])


_NEEDED = {
    "run": ("run", "at", "outcome", "rows", "columns", "note", "file"),
    "decision": ("run", "what", "who", "at", "why", "columns"),
    "setting": ("name", "text", "who", "at"),
    "programs": ("programs",),
    "head": ("entries", "gone"),
}


_TEXTS = frozenset(
    [
        "run",
        "at",
        "outcome",
        "note",
        "file",
        "what",
        "who",
        "why",
        "name",
        "text",
        "id",
        "digest",
        "scores",
        "causes",
        "since",
        "ordered",
        "until",
        "record",
    ]
)
_PROGRAMS = ("as_of_run", "at", "file")
"""What is said of programs, wherever they are named."""


def entry_of(name: str, body: dict[str, Any]) -> Entry:
    """The entry in a file; KeyError, TypeError or ValueError if something is missing or of another type."""
    kind = re.search(r"-([a-z]+)-", name.rpartition("/")[2])
    entry = Entry(name, kind[1] if kind else "", body)
    for needed in _NEEDED[entry.kind]:
        body[needed]
    _must_be(str, *(value for key, value in body.items() if key in _TEXTS))
    for key in {"at", "since"} & body.keys():
        datetime.fromisoformat(body[key])
    if "programs" in body:
        _must_be(dict, body["programs"])
        _must_be(str, *(body["programs"][key] for key in _PROGRAMS), body["programs"].get("learned_from", ""))
        datetime.fromisoformat(body["programs"]["at"])
    match entry.kind:
        case "run":
            _must_be(int, body["rows"], body["columns"], body.get("arrived", 0))
            if not 0 <= body.get("arrived", 0) < 1 << 63:
                raise ValueError(f"a run that was number {body['arrived']}")
        case "decision":
            _must_be(list, body["columns"])
            _must_be(str, *body["columns"])
        case "head":
            _must_be(dict, body["entries"])
            _must_be(str, body["gone"], *body["entries"].values())
    return entry


def _must_be(type_: type, *values: object) -> None:
    wrong = next((value for value in values if type(value) is not type_), None)
    if wrong is not None or None in values:
        raise TypeError(f"{str(wrong)[:40]!r} where {type_.__name__} was written")


def last_runs(log: list[Entry]) -> dict[str, Entry]:
    """The entry in force for each run, in no order, which takes a tenth of the time."""
    return {e.body["run"]: e for e in log if e.kind == "run"}


def runs_in(log: list[Entry]) -> dict[str, Entry]:
    """The entry in force for each run, in run order."""
    last = last_runs(log)
    how = ordering_in(last.values())
    return {run: last[run] for run in sorted(last, key=lambda run: (_order(last[run], how), run))}


def ordering_in(runs: Iterable[Entry]) -> str:
    """How the runs are ordered: as the first one says, or by the meaning of its label if it is of an earlier
    version.
    """
    first = min(runs, key=lambda e: e.arrived, default=None)
    return BY_LABEL if first is None else str(first.body.get("ordered") or ordering(first.body["run"]))


def _order(entry: Entry, how: str) -> bytes:
    return order_key(entry.body["run"], how, entry.arrived)


def with_programs(log: list[Entry]) -> Iterator[Entry]:
    """The entries that name programs, the last one first."""
    return (e for e in reversed(log) if "programs" in e.body)


def line_of(table: str, entry: Entry, how: str = BY_LABEL) -> RunLine:
    """The run of an entry, as it is in a list."""
    b = entry.body
    about = (table, b["run"], time_of(b), b["outcome"], b["rows"], b["columns"], b["note"], None)
    texts = (b.get("digest", ""), b.get("scores", ""), b.get("causes", ""))
    return RunLine(*about, entry.id, *texts, _order(entry, how))


def decisions_in(table: str, log: list[Entry]) -> list[Decision]:
    """All decisions; those of version 1 have only times, and are about the record that was there then."""
    runs, found = last_runs(log), []
    for b in (e.body for e in log if e.kind == "decision"):
        record, digest = b.get("record", ""), b.get("digest", "")
        entry = runs.get(b["run"])
        if "record" not in b and entry is not None and time_of(b) >= _since(entry):
            record, digest = entry.id, entry.body.get("digest", "")
        about = (table, b["run"], b["what"], b["who"], time_of(b), b["why"], tuple(b["columns"]), b.get("until", ""))
        found.append(Decision(*about, record, digest, b.get("id", "")))
    return found


def _since(entry: Entry) -> datetime:
    """Since when the data of a run have been the same."""
    return datetime.fromisoformat(entry.body.get("since", entry.body["at"]))


def state_of(log: list[Entry]) -> str:
    """Changes with every run, decision and setting, but not with programs, and not when old files are cleaned up."""
    runs = {e.name for e in last_runs(log).values()}
    names = [e.name for e in log if e.kind in ("decision", "setting") or e.name in runs]
    return hashlib.blake2b("\n".join(names).encode(), digest_size=8).hexdigest()


def next_number(log: Iterable[Entry]) -> int:
    """One more than any that is there."""
    return 1 + max((e.number for e in log), default=0)


def data_file(table: str, body: dict[str, Any]) -> str:
    """The file that an entry names: one of the table's own, whatever the entry says."""
    name = str(body["file"])
    folder, _, last = name.rpartition("/")
    if folder != f"{folder_of(table)}/data" or not re.fullmatch(r"[0-9a-f]{16}\.parquet", last):
        raise damaged(table, f"an entry that names the file {name!r}, which is none of the table's,")
    return name


def folder_of(table: str) -> str:
    """The folder of a table: one of its own for every name, even where case does not count or names must be short."""
    readable = re.sub(r"[^a-z0-9]+", "-", table.lower())[:40].strip("-")
    return f"tables/{readable}-{hashlib.blake2b(table.encode(), digest_size=8).hexdigest()}"


def to_json(body: dict[str, Any]) -> bytes:
    """The bytes of an entry."""
    return json.dumps(body, indent=1, ensure_ascii=False).encode()


def time_of(body: dict[str, Any]) -> datetime:
    """When something happened."""
    return datetime.fromisoformat(body["at"])
