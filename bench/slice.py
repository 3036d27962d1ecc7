"""A small corpus out of a large one: a few columns and runs of a small table from each source.

It has the form of any other corpus, so that everything runs on it as it is.
"""

from __future__ import annotations

import csv
import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
from bench.corpus import LABEL, RUN, Table

from byhistory.profile import Kind

TABLES, RUNS, COLUMNS = 24, 38, 2
"""At most this many tables, runs of each, and columns of a kind."""
LARGEST = 800_000
"""Bytes of a table that can still be read in no time."""


def chosen(tables: Sequence[Table]) -> list[Table]:
    """A small table of each source, then a second one, until there are enough; with the most kinds of columns first."""
    small = sorted(
        (t for t in tables if t.path.stat().st_size <= LARGEST and len(t.good) > 31),
        key=lambda t: (-len(set(t.columns().values())), t.path.stat().st_size),
    )
    rank: dict[str, int] = {}
    order: list[tuple[int, int, Table]] = []
    for table in small:
        rank[table.source] = rank.get(table.source, 0) + 1
        order.append((rank[table.source], len(order), table))
    return sorted((t for *_, t in sorted(order, key=lambda o: o[:2])[:TABLES]), key=lambda t: t.name)


def cut(tables: Sequence[Table], target: Path) -> Path:
    """Write the slice of these tables, and the directory it is in; as it is kept if they have not changed."""
    picked = chosen(tables)
    stamp = hashlib.sha256(repr([(t.name, t.path.stat().st_size, RUNS, COLUMNS) for t in picked]).encode()).hexdigest()
    if (target / "stamp").is_file() and (target / "stamp").read_text() == stamp:
        return target
    shutil.rmtree(target, ignore_errors=True)
    (target / "tables").mkdir(parents=True)
    lines: dict[str, list[dict[str, object]]] = {"catalogue": [], "runs": []}
    for table in picked:
        runs = table.good[:RUNS]
        rows = pq.read_table(table.path, columns=[*_columns(table), RUN, LABEL], filters=pc.field(RUN) <= runs[-1])
        # Bad runs are left out, and the others numbered anew: an incident is not what this slice is for.
        number = {run: i for i, run in enumerate(runs)}
        rows = rows.filter(pc.is_in(rows.column(RUN), pc.cast(list(runs), rows.column(RUN).type)))
        new = [number[run] for run in rows.column(RUN).to_pylist()]
        rows = rows.set_column(rows.column_names.index(RUN), RUN, pc.cast(new, "int32"))
        pq.write_table(rows, target / "tables" / table.path.name)
        lines["catalogue"].append({"table": table.name, "domain": table.domain, "cadence": table.cadence})
        counts = {c["values"]: c["counts"] for c in pc.value_counts(rows.column(RUN)).to_pylist()}
        for run, i in number.items():
            here = counts.get(i, 0)
            delivered = round(here * table.volume[run])
            label = table.labels[run]
            line = {"table": table.name, "run": i, "label": label, "rows": here, "rows_delivered": delivered}
            lines["runs"].append(line)
    for name, of in lines.items():
        with (target / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(of[0]) if of else ["table"])
            writer.writeheader()
            writer.writerows(of)
    (target / "stamp").write_text(stamp)
    return target


def _columns(table: Table) -> list[str]:
    """Two of each kind that have something to say: not the same value throughout."""
    kinds = table.columns()
    rows = pq.read_table(table.path, columns=list(kinds))
    varied = [name for name in kinds if pc.count_distinct(rows.column(name)).as_py() > 1]
    return [n for kind in (Kind.NUMERIC, Kind.CATEGORICAL) for n in [c for c in varied if kinds[c] is kind][:COLUMNS]]
