"""From the tables of an earlier version to those of today, in the transaction of the caller."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Column, Connection, Table, delete, insert, select, text, update
from sqlalchemy.schema import CreateColumn

from byhistory.history import row
from byhistory.history.checksum import checksum
from byhistory.history.order import order_key, ordering
from byhistory.history.record import Decision, Run, Setting, identified, new_id
from byhistory.history.schema import (
    BODIES,
    DECISIONS,
    FACTS,
    METADATA,
    PROFILES,
    PROGRAMS,
    RUNS,
    SETTINGS,
    TABLES,
    VERSION,
)
from byhistory.profile.label import ORDER_VERSION

_ADDED: dict[Table, tuple[str, ...]] = {
    RUNS: ("arrived", "record", "digest", "sort_key", "checksum", "scores", "causes"),
    PROFILES: ("checksum",),
    PROGRAMS: ("learned_from", "checksum"),
    DECISIONS: ("number", "name", "until", "record", "digest", "checksum"),
    SETTINGS: ("number", "checksum"),
}
"""Columns that version 1 did not have."""


def migrate(db: Connection, key: bytes) -> None:
    """From version 1: every record gets its checksum, every decision the record it is about.

    Everything is read once and most of it is written again, in one transaction: a killed process leaves version 1.
    """
    found = db.execute(select(FACTS.c.value).where(FACTS.c.name == "version")).scalar_one()
    if found != "1":  # Another process was faster.
        return
    METADATA.create_all(db)
    for table, names in _ADDED.items():
        for name in names:
            db.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {_definition(db, table.c[name])}"))
    for index in RUNS.indexes:
        index.create(db)
    heads: dict[str, row.Head] = {}
    records = _runs(db, key, heads)
    for name in ("verdict", "measures"):
        db.execute(text(f"ALTER TABLE {RUNS.name} DROP COLUMN {name}"))
    _decisions(db, key, heads, records)
    _settings(db, key, heads)
    _programs(db, key)
    for table_name, head in heads.items():
        db.execute(insert(TABLES), {"table_name": table_name, **row.head_values(key, table_name, head)})
    db.execute(insert(FACTS), {"name": "key_checksum", "value": checksum(key, "key")})
    db.execute(insert(FACTS), {"name": "order", "value": str(ORDER_VERSION)})
    db.execute(update(FACTS).where(FACTS.c.name == "version").values(value=str(VERSION)))


@dataclass(frozen=True, slots=True)
class _Record:
    id: str
    digest: str
    at: str


def _definition(db: Connection, column: Column[Any]) -> str:
    return str(CreateColumn(column).compile(dialect=db.dialect))


def _runs(db: Connection, key: bytes, heads: dict[str, row.Head]) -> dict[tuple[str, str], _Record]:
    records = {}
    old = (
        "SELECT id, table_name, run, at, outcome, row_count, note, verdict, measures FROM byhistory_run WHERE id = :id"
    )
    for run_id in list(db.scalars(select(RUNS.c.id).order_by(RUNS.c.id))):
        r = db.execute(text(old), {"id": run_id}).one()
        p = PROFILES.c
        profiles = db.execute(select(p.id, p.name, p.profile).where(p.run_id == run_id).order_by(p.position)).all()
        columns = {name: bytes(data) for _, name, data in profiles}
        time = row.time_of(r.at)
        run = identified(
            Run(r.table_name, r.run, time, r.outcome, r.row_count, columns, bytes(r.measures), r.verdict, r.note)
        )
        head = heads.setdefault(run.table, row.Head(ordered=ordering(run.run)))
        values = row.run_values(key, run, run_id, head.ordered)
        db.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values))
        db.execute(insert(BODIES), {"run_id": run_id, **row.body_values(key, run)})
        for (profile_id, _, _), made in zip(profiles, row.profile_values(key, run), strict=True):
            changed = {"checksum": made["checksum"], "position": made["position"]}
            db.execute(update(PROFILES).where(p.id == profile_id).values(**changed))
        _counted(heads, run.table, "runs", values["checksum"], run_id)
        records[run.table, run.run] = _Record(run.id, run.digest, r.at)
    return records


def _decisions(db: Connection, key: bytes, heads: dict[str, row.Head], records: dict[tuple[str, str], _Record]) -> None:
    for d in db.execute(select(DECISIONS).order_by(DECISIONS.c.id)).all():
        record = records.get((d.table_name, d.run))
        # Version 1 had only times: a decision made before the run's time was about an earlier record of it.
        is_about = record is not None and row.time_of(d.at) >= row.time_of(record.at)
        decision = Decision(
            d.table_name,
            d.run,
            d.what,
            d.who,
            row.time_of(d.at),
            d.why,
            tuple(json.loads(d.columns)),
            record=record.id if record and is_about else "",
            digest=record.digest if record and is_about else "",
            id=new_id(),
        )
        values = row.decision_values(key, decision, d.id)
        db.execute(update(DECISIONS).where(DECISIONS.c.id == d.id).values(**values))
        _counted(heads, d.table_name, "decisions", values["checksum"], d.id)


def _settings(db: Connection, key: bytes, heads: dict[str, row.Head]) -> None:
    for s in db.execute(select(SETTINGS).order_by(SETTINGS.c.id)).all():
        values = row.setting_values(key, Setting(s.table_name, s.name, s.text, s.who, row.time_of(s.at)), s.id)
        db.execute(update(SETTINGS).where(SETTINGS.c.id == s.id).values(**values))
        _counted(heads, s.table_name, "settings", values["checksum"], s.id)


def _counted(heads: dict[str, row.Head], table: str, kind: str, made: str, number: int) -> None:
    """Count one more row; the next number that is given out must be larger than any that is there."""
    head = heads.get(table, row.Head()).with_(kind, more=[made])
    heads[table] = replace(head, changes=max(head.changes, number))


def _programs(db: Connection, key: bytes) -> None:
    for p in db.execute(select(PROGRAMS)).all():
        data = bytes(p.programs)
        about = (p.as_of_run, p.at, "")
        values = {"checksum": checksum(key, "programs", p.table_name, *about, data=data)}
        db.execute(update(PROGRAMS).where(PROGRAMS.c.table_name == p.table_name).values(**values))


def reorder(db: Connection, key: bytes) -> None:
    """Sort the runs of all tables as this release does, if an earlier one read labels differently."""
    order = db.execute(select(FACTS.c.value).where(FACTS.c.name == "order")).scalar_one_or_none()
    if order == str(ORDER_VERSION):  # Another process was faster.
        return
    fields = [RUNS.c[name] for name in row.RUN_FIELDS]
    for found in db.execute(select(TABLES)).all():
        head, table = row.head_of(key, found.table_name, found), found.table_name
        for run_id, kept, *values in db.execute(
            select(RUNS.c.id, RUNS.c.checksum, *fields).where(RUNS.c.table_name == table)
        ).all():
            row.line_of_row(key, table, (*values, kept))
            values[-1] = order_key(values[0], head.ordered, values[row.RUN_FIELDS.index("arrived")])
            made = row.run_checksum(key, table, tuple(values))
            db.execute(update(RUNS).where(RUNS.c.id == run_id).values(sort_key=values[-1], checksum=made))
            head = replace(head.with_("runs", more=[made], less=[kept]), changes=head.changes)
        values_of_head = row.head_values(key, table, head)
        db.execute(update(TABLES).where(TABLES.c.table_name == table).values(**values_of_head))
    db.execute(delete(FACTS).where(FACTS.c.name == "order"))
    db.execute(insert(FACTS), {"name": "order", "value": str(ORDER_VERSION)})
