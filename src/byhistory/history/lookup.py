"""Find runs and their parts in a database, and notice if an index misses what is there.

A damaged page of an index loses rows without an error, so what it lacks is looked up once more, in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, Text, bindparam, case, func, select

from byhistory.history import row
from byhistory.history.order import BY_LABEL, order_key
from byhistory.history.record import Run, RunLine
from byhistory.history.refuse import damaged
from byhistory.history.schema import BODIES, DECISIONS, PROFILES, PROGRAMS, RUNS, SETTINGS, TABLES

AT_ONCE = 400  # Names in one question: SQLite before 3.32 takes 999 at most.
LINE = (*(RUNS.c[name] for name in row.RUN_FIELDS), RUNS.c.checksum)

# Queries are made once and used with other parameters: to make one takes as long as SQLite takes to answer it.
_TABLE = bindparam("of_table", type_=Text)
_NAMES: BindParameter[Any] = bindparam("names", expanding=True)
HEAD = select(TABLES).where(TABLES.c.table_name == _TABLE)
OWN_HEAD = HEAD.with_for_update()
ALL_LINES = select(*LINE).where(RUNS.c.table_name == _TABLE)
LAST_LINES = ALL_LINES.order_by(RUNS.c.sort_key.desc(), RUNS.c.run.desc()).limit(bindparam("last"))
DECISIONS_ON = select(DECISIONS).where(DECISIONS.c.table_name == _TABLE).order_by(DECISIONS.c.number, DECISIONS.c.id)
SETTINGS_OF = select(SETTINGS).where(SETTINGS.c.table_name == _TABLE).order_by(SETTINGS.c.number, SETTINGS.c.id)
PROGRAMS_OF = select(PROGRAMS).where(PROGRAMS.c.table_name == _TABLE)
ALL_MEASURES = (
    select(*LINE, BODIES.c.measures, BODIES.c.measures_checksum)
    .join(BODIES, BODIES.c.run_id == RUNS.c.id, isouter=True)
    .where(RUNS.c.table_name == _TABLE)
)
SOME_MEASURES = ALL_MEASURES.where(RUNS.c.run.in_(_NAMES))
_RUNS_NAMED = select(RUNS.c.id, *LINE).where(RUNS.c.table_name == _TABLE, RUNS.c.run.in_(_NAMES))
# `|| ''` keeps the database from using the same index again, which has found nothing.
_SO_CALLED = select(RUNS.c.run).where(RUNS.c.table_name == _TABLE, (RUNS.c.run + "").in_(_NAMES))
_BY_PLACE = _SO_CALLED.where(RUNS.c.sort_key.in_(bindparam("places", expanding=True)))
_IN_ANY_PLACE = _SO_CALLED.where(RUNS.c.sort_key >= b"")
_BODIES_OF = select(BODIES).where(BODIES.c.run_id.in_(_NAMES))
_PROFILES_OF = (
    select(*(PROFILES.c[name] for name in ("run_id", "position", "name", "profile", "checksum")))
    .where(PROFILES.c.run_id.in_(_NAMES))
    .order_by(PROFILES.c.run_id, PROFILES.c.position)
)
_PROFILES_NAMED = _PROFILES_OF.where(PROFILES.c.name.in_(bindparam("columns", expanding=True)))


def find_runs(db: Connection, table: str, labels: Sequence[str], ordered: str) -> list[Any]:
    """The ids and fields of the runs with some labels, in any order; labels without a run are left out."""
    found = [r for part in parts(labels) for r in db.execute(_RUNS_NAMED, {"of_table": table, "names": part})]
    must_be_missing(db, table, set(labels) - {r.run for r in found}, ordered)
    return found


def must_be_missing(db: Connection, table: str, labels: set[str], ordered: str) -> None:
    """Raise an error if a run that was not found by its label is found by its place among the others."""
    for part in parts(sorted(labels)):
        of = {"of_table": table, "names": part}
        if ordered == BY_LABEL:
            found = db.scalars(_BY_PLACE, {**of, "places": [order_key(run, ordered, 0) for run in part]})
        else:
            found = db.scalars(_IN_ANY_PLACE, of)
        for run in found:
            raise damaged(table, f"the run {run!r}, which its index has lost, in a list")


def has_no_later(db: Connection, table: str, lines: Sequence[RunLine], runs: int) -> bool:
    """Whether these are the last of the `runs` runs of a table, whatever the index of their order says.

    Checking the checksums of all would take as long as reading all. Counting those that are later than the first of
    them takes 4 ms with 20,000 runs, by the index of the labels (`run >= ''` chooses it).
    """
    lowest = min(line.order for line in lines)
    later = func.sum(case((RUNS.c.sort_key > lowest, 1), else_=0))
    counted = select(func.count(), later).where(RUNS.c.table_name == table, RUNS.c.run >= "")
    is_each_once = len({line.run for line in lines}) == len(lines)
    return is_each_once and tuple(db.execute(counted).one()) == (runs, sum(line.order > lowest for line in lines))


def load_runs(db: Connection, key: bytes, table: str, found: Sequence[Any], columns: Sequence[str] | None) -> list[Run]:
    """Whole runs in run order, or with some profiles, from what `find_runs` found."""
    lines = {r[0]: row.line_of_row(key, table, r[1:]) for r in found}
    profiles: dict[int, dict[str, bytes]] = {}
    runs: dict[int, Run] = {}
    for part in parts(sorted(lines)):
        for body in db.execute(_BODIES_OF, {"names": part}):
            line = lines[body.run_id]
            verdict = row.verdict_of(key, line, body)
            measures = row.measures_of(key, table, (line.run, line.id, body.measures, body.measures_checksum))
            profiles[body.run_id] = {}
            runs[body.run_id] = _run(line, profiles[body.run_id], measures, verdict)
    lost = [line.run for id_, line in lines.items() if id_ not in runs]
    if lost:
        raise damaged(table, f"the run {lost[0]!r} in parts")
    for profile in _profiles(db, sorted(runs), columns):
        profiles[profile.run_id][profile.name] = row.profile_of(key, lines[profile.run_id], profile)
    _complete(db, key, lines, profiles, columns)
    return [runs[id_] for id_ in sorted(runs, key=lambda id_: (lines[id_].order, lines[id_].run))]


def _complete(
    db: Connection,
    key: bytes,
    lines: Mapping[int, RunLine],
    profiles: Mapping[int, dict[str, bytes]],
    columns: Sequence[str] | None,
) -> None:
    """Raise an error for a run that has lost a profile. Whether it ever had a column, all of its profiles tell."""
    wanted = set(columns or ())
    short = [id_ for id_ in lines if wanted - set(profiles[id_])] if columns is not None else list(lines)
    if not short:
        return
    counted = dict.fromkeys(short, 0)
    if columns is None:
        counted = {id_: len(profiles[id_]) for id_ in short}
    else:
        for profile in _profiles(db, short, None):
            row.profile_of(key, lines[profile.run_id], profile)
            counted[profile.run_id] += 1
    for id_, count in counted.items():
        if count != lines[id_].columns:
            raise damaged(lines[id_].table, f"the run {lines[id_].run!r} in parts")


def _profiles(db: Connection, run_ids: Sequence[int], columns: Sequence[str] | None) -> Iterator[Any]:
    """Rows of profiles in the order of each schema."""
    wanted = None if columns is None else set(columns)
    if wanted is not None and not wanted:
        return
    for part in parts(run_ids):
        is_named = wanted is not None and len(wanted) <= AT_ONCE
        named = {"columns": sorted(wanted)} if wanted is not None and is_named else {}
        for found in db.execute(_PROFILES_NAMED if is_named else _PROFILES_OF, {"names": part, **named}):
            if found.run_id not in part:  # An index with a damaged entry gives rows that were not asked for.
                raise damaged("all tables", f"a profile of the run {found.run_id!r}, which was not asked for,")
            if wanted is None or found.name in wanted:
                yield found


def _run(line: RunLine, profiles: dict[str, bytes], measures: bytes, verdict: str) -> Run:
    about = (line.table, line.run, line.at, line.outcome, line.rows, profiles, measures, verdict, line.note)
    return Run(*about, line.scores, line.causes, line.id, line.digest)


def parts(names: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The names, each once, in parts as large as one query takes."""
    names = list(dict.fromkeys(names))
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]
