"""Is `looks like` right? By fault, on tables that nothing about it was chosen on.

Every third table of the corpus: programs are learned from twenty runs, a fault happens to the next one, and where that
stops the run, the fault that it is said to look like is compared with the one that it was. Faults that no learner
trained on are among them: to name anything but a fault of the same type is wrong there. One line per named type, then
the totals.

    python -m bench.resemble --corpus DIRECTORY --out FILE
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from bench.cases import unseen
from bench.corpus import RUN, Table, corpus_argument, tables

from byhistory import inject
from byhistory.inject.column import Column
from byhistory.learners import Program, learn
from byhistory.learners.calibrated import CALIBRATED
from byhistory.metrics import ALL, measure
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.local import profile_table
from byhistory.verdict import Past, check_column
from byhistory.verdict.resemble import _OF_ROWS, _likeness, _moves, _rows_in_words, _shows, rule_of

PAST, COLUMNS, SEED = 20, 3, 7
"""Runs to learn from, columns of a table, and the seed of the faults (choices)."""
MOST_ROWS = 4_000
"""Rows of a run, by choice: as many as the sample that responses are made from."""
BY_NAME = {m.name: m for m in ALL}


@dataclass(frozen=True)
class Named:
    """A run that was stopped: what happened to it, the fault it is most like, and how much it is like others."""

    source: str
    column: str
    true: str
    true_type: str
    named: str
    named_type: str
    likeness: float
    other_type: float
    """The likeness of the nearest fault of another type."""
    shows: bool
    """Whether the product would name it if it were alike enough: it is silent where what the fault is about did not
    move, or where rows hardly changed."""


def main() -> None:
    """Measure, keep every case, print precision by type."""
    options = argparse.ArgumentParser(description=__doc__)
    corpus_argument(options)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--every", type=int, default=3)
    options.add_argument("--first", type=int, default=0)
    given = options.parse_args()
    chosen = [t for t in tables(given.corpus) if len(t.good) > PAST + 1][given.first :: given.every]
    found: list[Named] = []
    for table in chosen:
        found += list(_of_table(table))
        print(table.name, len(found), flush=True)
        given.out.write_text(json.dumps([asdict(n) for n in found]))
    show(found)


SAME = {
    ("casing change", "casing"),
    ("increased nulls", "nulls"),
    ("volume change", "rows missing"),
    ("volume change", "rows repeated"),
    ("volume change", "segment missing"),
}
"""Other names of what happened under which the one that is named is right, too."""


def is_right(named: Named) -> bool:
    """Whether a person would call the name right."""
    return named.named_type == named.true_type or (named.named_type, named.true_type) in SAME


def is_named(named: Named) -> bool:
    """Whether the product names it."""
    least, clearly = rule_of(named.named)
    return named.shows and named.likeness >= least and named.likeness - named.other_type >= clearly


def show(found: list[Named]) -> None:
    """Precision by the type that is named."""
    by_type: dict[str, list[bool]] = defaultdict(list)
    for named in filter(is_named, found):
        by_type[named.named_type].append(is_right(named))
    for name, right in sorted(by_type.items()):
        print(f"{name:28} named {len(right):5}  right {sum(right) / len(right):.3f}")
    rights = [right for rights in by_type.values() for right in rights]
    print(f"stopped={len(found)} named={len(rights)} precision={sum(rights) / max(1, len(rights)):.3f}")


def _of_table(table: Table) -> Iterator[Named]:
    good = table.good[-PAST - 1 :]
    rows = [pq.read_table(table.path, filters=[(RUN, "==", run)]).slice(0, MOST_ROWS) for run in good]
    kinds = table.columns()
    some = list(kinds)[:: max(1, len(kinds) // COLUMNS)][:COLUMNS]
    profiles = [profile_table(r.select(some), run=f"{i:03}") for i, r in enumerate(rows)]
    programs = learn(profiles[:-1])
    past = Past.of(profiles[:-1])
    for name in some:
        program = programs.get(name)
        if program is None or program.responses is None or not program.clauses:
            continue
        for fault, type_, profile in _faults(rows[-1], rows[-2], profiles[-1], name, kinds[name]):
            said = _named(profile, program, past)
            if said is not None:
                yield Named(table.source, name, fault, type_, *said)


def _faults(
    rows: Any, before: Any, now: TableProfile, name: str, kind: Kind
) -> Iterator[tuple[str, str, ColumnProfile]]:
    like = now[name]
    column = Column.of_table(_plain(rows), name, like.kind)
    for fault in inject.of_kind(like.kind):
        array = inject.inject(fault, column, SEED)
        if array is not None:
            yield fault.name, fault.type, _profile(array, like)
    for other in unseen.ALL:
        array = unseen.happen(other, rows, (name, kind), before, SEED)
        if array is not None:
            yield other.name, other.type, _profile(array, like)


def _plain(rows: Any) -> Any:
    return rows.drop_columns([name for name in rows.column_names if name.startswith("_run")])


def _profile(array: Any, like: ColumnProfile) -> ColumnProfile:
    field = Field(like.name, like.kind, like.type, like.nullable, like.position)
    return profile_array(array, field, Options()).sealed(b"")


def _named(now: ColumnProfile, program: Program, past: Past) -> tuple[str, str, float, float, bool] | None:
    """The fault it is most like, its type, how much, how much it is like one of another type, and whether that shows;
    None if it is not stopped.
    """
    own = past.column(program.column)
    reads = dict(zip(BY_NAME, measure([own.before, now], ALL)[:, -1].tolist(), strict=True))
    if not check_column(program, reads, own, BY_NAME, CALIBRATED).broken or program.responses is None:
        return None
    responses = program.responses
    known = [m for m in ALL if m.name in responses.metrics]
    before, here = own.series(known), np.array([reads[m.name] for m in known])
    moves, move = _moves(responses.of([m.name for m in known]), before), _moves(here[None, :], before)[0]
    likeness = _likeness(moves, move)
    types = {f.name: f.type for f in inject.ALL}
    best = int(np.argmax(likeness))
    type_ = types[responses.faults[best]]
    others = [float(x) for x, fault in zip(likeness, responses.faults, strict=True) if types[fault] != type_]
    shows = _shows(type_, known, move, moves[best])
    if type_ == _OF_ROWS:
        shows = shows and bool(_rows_in_words(known, here, before))
    return responses.faults[best], type_, float(likeness[best]), max(others, default=0.0), shows


if __name__ == "__main__":
    main()
