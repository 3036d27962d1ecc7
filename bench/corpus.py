"""A directory of recurring tables (docs/reference/corpus.md): what is in it, and which of its runs are good."""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow.parquet as pq
import pyarrow.types as pt

from byhistory.profile import Kind

RUN, LABEL = "_run", "_run_label"
MOST_COLUMNS = 30
"""Of one kind from one table; wide tables would outweigh everything else."""


@dataclass(frozen=True)
class Incident:
    """Something that really went wrong: first and last run of it, and the columns that a person named."""

    table: str
    label: str
    until: str
    columns: str
    type: str
    visibility: str

    def names(self, column: str) -> bool:
        """Whether the list names this column; "all" names every one, "*_coverage" all that end so."""
        words = [w.strip().strip(".") for w in self.columns.split(",")]
        return any(
            w in (column, "all", "all columns") or (w.startswith("*") and column.endswith(w[1:])) for w in words if w
        )


@dataclass(frozen=True)
class Table:
    """One table: its file, and its runs in the order of delivery."""

    name: str
    path: Path
    domain: str
    cadence: str
    labels: tuple[str, ...]
    volume: tuple[float, ...]
    """Rows as delivered for each row that is here: more than 1 where the table is capped."""
    incidents: tuple[Incident, ...]

    @property
    def source(self) -> str:
        """What tables of one provider share; they are not independent of one another."""
        return self.name.split("__")[0]

    def during(self, incident: Incident) -> range:
        """The runs of an incident; none if it is not in the table."""
        if incident.label not in self.labels:
            return range(0)
        last = incident.until if incident.until in self.labels else incident.label
        return range(self.labels.index(incident.label), self.labels.index(last) + 1)

    @cached_property
    def good(self) -> tuple[int, ...]:
        """The runs that nothing is known against."""
        bad = {run for incident in self.incidents for run in self.during(incident)}
        return tuple(run for run in range(len(self.labels)) if run not in bad)

    def columns(self, most: int = MOST_COLUMNS) -> dict[str, Kind]:
        """The columns to look at, by Spark's reading of their type: evenly drawn from those of a kind if too many."""
        kinds: dict[Kind, list[str]] = {Kind.NUMERIC: [], Kind.CATEGORICAL: []}
        for field in pq.read_schema(self.path):
            if field.name in (RUN, LABEL):
                continue
            if pt.is_integer(field.type) or pt.is_floating(field.type) or pt.is_decimal(field.type):
                kinds[Kind.NUMERIC].append(field.name)
            elif pt.is_string(field.type) or pt.is_large_string(field.type) or pt.is_boolean(field.type):
                kinds[Kind.CATEGORICAL].append(field.name)
        return {name: kind for kind, names in kinds.items() for name in _spread(names, most)}


def _spread(names: list[str], most: int) -> list[str]:
    """At most this many, from the first to the last.

    >>> _spread(list("abcde"), 3)
    ['a', 'c', 'e']
    """
    if len(names) <= most:
        return names
    return [names[round(i * (len(names) - 1) / (most - 1))] for i in range(most)]


def corpus_argument(parser: argparse.ArgumentParser) -> None:
    """Where the corpus is, by option or by the variable CORPUS: this repository has none."""
    named = os.environ.get("CORPUS")
    parser.add_argument(
        "--corpus",
        type=Path,
        default=Path(named) if named else None,
        required=not named,
        help="a directory as docs/reference/corpus.md says; the variable CORPUS names it, too",
    )


def tables(corpus: Path) -> Iterator[Table]:
    """All tables of a corpus, by name."""
    lines = {line["table"]: line for line in _lines(corpus / "catalogue.csv")}
    runs: dict[str, list[dict[str, str]]] = {}
    for line in _lines(corpus / "runs.csv"):
        runs.setdefault(line["table"], []).append(line)
    known = [
        Incident(i["table"], i["run_label"], i.get("until") or "", i["columns"], i["type"], i["visibility"])
        for i in _lines(corpus / "incidents.csv")
    ]
    for path in sorted((corpus / "tables").glob("*.parquet")):
        name = path.stem
        of = sorted(runs.get(name) or _runs_of(path), key=lambda line: int(line["run"]))
        yield Table(
            name,
            path,
            lines.get(name, {}).get("domain", name.split("_")[0]),
            lines.get(name, {}).get("cadence", ""),
            tuple(line["label"] for line in of),
            tuple(_ratio(line) for line in of),
            tuple(i for i in known if i.table == name),
        )


def _lines(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _runs_of(path: Path) -> list[dict[str, str]]:
    """The runs of a table that no list describes, from the table itself."""
    pairs = pq.read_table(path, columns=[RUN, LABEL]).group_by([RUN, LABEL]).aggregate([]).to_pylist()
    return [{"run": str(p[RUN]), "label": str(p[LABEL]), "rows": "", "rows_delivered": ""} for p in pairs]


def _ratio(line: dict[str, str]) -> float:
    rows, delivered = float(line["rows"] or 0), float(line.get("rows_delivered") or 0)
    return delivered / rows if rows > 0 and delivered > 0 else 1.0
