"""Records as rows of a database, and back, with a checksum that is compared on the way back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from byhistory.errors import StoreError
from byhistory.history.checksum import as_bytes, checksum, combined
from byhistory.history.order import BY_LABEL, order_key
from byhistory.history.record import Decision, Run, RunLine, Setting
from byhistory.history.refuse import damaged

EMPTY = combined([])


@dataclass(frozen=True, slots=True)
class Head:
    """What there is of a table: how many rows of each kind, and their checksums in one."""

    changes: int = 0
    ordered: str = BY_LABEL
    runs: int = 0
    runs_checksum: str = EMPTY
    decisions: int = 0
    decisions_checksum: str = EMPTY
    settings: int = 0
    settings_checksum: str = EMPTY

    def with_(self, kind: str, *, more: list[str] | None = None, less: list[str] | None = None) -> Head:
        """The head after rows of a kind came and went: their checksums."""
        came, went = more or [], less or []
        count = getattr(self, kind) + len(came) - len(went)
        total = combined([getattr(self, f"{kind}_checksum"), *came, *went])
        fields: dict[str, Any] = {"changes": self.changes + 1, kind: count, f"{kind}_checksum": total}
        return replace(self, **fields)

    def has(self, kind: str, checksums: list[str]) -> bool:
        """Whether these are all rows of a kind."""
        return (getattr(self, kind), getattr(self, f"{kind}_checksum")) == (len(checksums), combined(checksums))

    def has_none(self, kind: str) -> bool:
        """Whether there are surely no rows of a kind, so that none need be looked for; without a head there may be."""
        return self.changes > 0 and self.has(kind, [])


def head_values(key: bytes, table: str, head: Head) -> dict[str, Any]:
    """The row of a table."""
    values = {name: getattr(head, name) for name in Head.__slots__}
    return {**values, "checksum": checksum(key, "table", table, *values.values())}


def head_of(key: bytes, table: str, row: Any) -> Head:
    """The head in such a row."""
    values = tuple(row)[1 : len(Head.__slots__) + 1]  # In the order of the schema: the name first, the checksum last.
    if row.checksum != checksum(key, "table", table, *values):
        raise damaged(table, "the entry of the table")
    return Head(*values)


RUN_FIELDS = (
    "run",
    "at",
    "outcome",
    "row_count",
    "column_count",
    "note",
    "arrived",
    "record",
    "digest",
    "scores",
    "causes",
    "sort_key",
)


def run_values(key: bytes, run: Run, arrived: int, ordered: str) -> dict[str, Any]:
    """The row of a run, without its large parts; `ordered` says how the table's runs are ordered."""
    fields = (
        run.run,
        run.at.isoformat(),
        run.outcome,
        run.rows,
        len(run.columns),
        run.note,
        arrived,
        run.id,
        run.digest,
        run.scores,
        run.causes,
        order_key(run.run, ordered, arrived),
    )
    values = dict(zip(RUN_FIELDS, fields, strict=True))
    return {**values, "checksum": run_checksum(key, run.table, fields)}


def run_checksum(key: bytes, table: str, fields: tuple[Any, ...]) -> str:
    """The checksum of the fields, in the order of `RUN_FIELDS`."""
    return checksum(key, "run", table, *fields[:-1], data=as_bytes(fields[-1]))


def line_of_row(key: bytes, table: str, row: Any) -> RunLine:
    """The run in such a row: `RUN_FIELDS`, then the checksum."""
    run, at, outcome, rows, columns, note, _, record, digest, scores, causes, order, _ = row
    must_be_whole(key, table, row)
    about = (table, run, time_of(at), outcome, rows, columns, note, None, record, digest, scores, causes)
    return RunLine(*about, bytes(order))


def must_be_whole(key: bytes, table: str, row: Sequence[Any]) -> None:
    """Raise an error unless these fields of a run have the checksum that follows them.

    A damaged index gives the label that was asked for with the fields of another run, which are whole by themselves.
    """
    if row[-1] != run_checksum(key, table, tuple(row)[:-1]):
        raise damaged(table, f"the record of the run {row[0]!r}", _again(table, row[0]))


def body_values(key: bytes, run: Run) -> dict[str, Any]:
    """The row with the large parts of a run."""
    return {
        "verdict": run.verdict,
        "verdict_checksum": checksum(key, "verdict", run.id, run.verdict),
        "measures": run.measures,
        "measures_checksum": checksum(key, "measures", run.id, data=run.measures),
    }


def verdict_of(key: bytes, line: RunLine, row: Any) -> str:
    """The verdict in such a row."""
    if row.verdict_checksum != checksum(key, "verdict", line.id, row.verdict):
        raise damaged(line.table, f"the verdict on the run {line.run!r}", _again(line.table, line.run))
    return str(row.verdict)


def measures_of(key: bytes, table: str, found: tuple[Any, ...]) -> bytes:
    """The measures, from the label, the id of the record, the measures and their checksum."""
    run, record, measures, kept = found
    if measures is None:
        raise damaged(table, f"the run {run!r} in parts", _again(table, run))
    if kept != checksum(key, "measures", record, data=as_bytes(measures)):
        raise damaged(table, f"the measures of the run {run!r}", _again(table, run))
    return bytes(measures)


def profile_values(key: bytes, run: Run) -> list[dict[str, Any]]:
    """One row per column."""
    return [
        {
            "position": i,
            "name": name,
            "profile": profile,
            "checksum": checksum(key, "profile", run.id, i, name, data=profile),
        }
        for i, (name, profile) in enumerate(run.columns.items())
    ]


def profile_of(key: bytes, line: RunLine, row: Any) -> bytes:
    """The profile in such a row."""
    data = as_bytes(row.profile)
    if row.checksum != checksum(key, "profile", line.id, row.position, row.name, data=data):
        what = f"the profile of the column {row.name!r} in the run {line.run!r}"
        raise damaged(line.table, what, _again(line.table, line.run))
    return data


def decision_values(key: bytes, decision: Decision, number: int) -> dict[str, Any]:
    """The row of a decision."""
    values: dict[str, Any] = {
        "table_name": decision.table,
        "run": decision.run,
        "what": decision.what,
        "who": decision.who,
        "at": decision.at.isoformat(),
        "why": decision.why,
        "columns": json.dumps(decision.columns),
        "number": number,
        "name": decision.id,
        "until": decision.until,
        "record": decision.record,
        "digest": decision.digest,
    }
    return {**values, "checksum": checksum(key, "decision", *values.values())}


def decision_of(key: bytes, table: str, row: Mapping[str, Any]) -> Decision:
    """The decision in such a row."""
    fields = [value for name, value in row.items() if name not in ("id", "checksum")]
    if row["checksum"] != checksum(key, "decision", *fields):
        raise damaged(table, f"a decision on the run {row['run']!r}")
    try:
        columns = tuple(map(str, json.loads(row["columns"])))
    except (ValueError, TypeError, RecursionError) as why:
        raise damaged(table, f"a decision on the run {row['run']!r}, with no list of columns,") from why
    return Decision(
        table,
        row["run"],
        row["what"],
        row["who"],
        time_of(row["at"]),
        row["why"],
        columns,
        row["until"],
        row["record"],
        row["digest"],
        row["name"],
    )


def setting_values(key: bytes, setting: Setting, number: int) -> dict[str, Any]:
    """The row of a setting."""
    values: dict[str, Any] = {
        "table_name": setting.table,
        "name": setting.name,
        "text": setting.text,
        "who": setting.who,
        "at": setting.at.isoformat(),
        "number": number,
    }
    return {**values, "checksum": checksum(key, "setting", *values.values())}


def setting_of(key: bytes, table: str, row: Mapping[str, Any]) -> Setting:
    """The setting in such a row."""
    fields = [value for name, value in row.items() if name not in ("id", "checksum")]
    if row["checksum"] != checksum(key, "setting", *fields):
        raise damaged(table, f"the setting {row['name']!r}")
    return Setting(table, row["name"], row["text"], row["who"], time_of(row["at"]))


def time_of(text: str) -> datetime:
    """A time as it is kept; a clear error for what is none, which only who has the key can have written."""
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError) as why:
        todo = "restore the store from a backup"
        raise StoreError("read a time in the store", f"{str(text)[:40]!r}, which is none", todo) from why


def _again(table: str, run: str) -> str:
    return f"restore the store from a backup, or check {run!r} of {table!r} again: that writes it anew"
