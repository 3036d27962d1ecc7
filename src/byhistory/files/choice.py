"""Which run of the files at a path is meant?"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from byhistory.errors import BadInput, ByHistoryError
from byhistory.files.folders import NO_VALUE, label_of
from byhistory.files.here import read_here
from byhistory.files.lines import Lines
from byhistory.files.schemas import merged
from byhistory.files.storage import Storage
from byhistory.files.table import Table
from byhistory.profile.past import run_key
from byhistory.rows.how import How

_NAMED = 4
"""How many labels an error names, by choice."""
_WRITTEN_ALIKE = {"string", "date", "timestamp", "timestamp_ntz", "tinyint", "smallint", "int", "bigint"}
"""Types whose values make the same label here as with Spark."""

Only = tuple[tuple[str, ...], str]
"""Columns that make a label, and the label of the run that is meant."""


@dataclass(frozen=True, slots=True)
class ChosenRun:
    """The label of a run, empty if nothing tells it, and what of the files belongs to it."""

    label: str
    only: Only | None = None
    """How its files are selected; all of them if None."""
    without: tuple[str, ...] = ()
    """Columns that are not measured where files have them, since they only say which run a row is of."""


def run_in_files(
    path: str,
    columns: tuple[str, ...],
    *,
    given: str = "",
    named: str = "",
    latest: bool = False,
    storage: Storage,
    lines: Lines | None = None,
) -> ChosenRun:
    """The run that is meant.

    `columns` make the label of a run, if they are in the folders below the path or in the files. `given` is the label
    that the user wants, `named` the one in the path itself, and `latest` means the last one.
    """
    table = Table.of(path, (), storage, lines)
    if columns and set(columns) <= set(table.in_path):
        return _in_folders(table.with_runs_by(columns), given, latest)
    if not columns or (named and given in ("", named)):  # the path is the run, whatever the columns in it say
        return ChosenRun(given or named, without=columns)
    with read_here(path):
        found = _labels_in_rows(table, columns)
    if found is None:
        return ChosenRun(given or named)
    return _in_rows(table, columns, found, given)


def _in_folders(table: Table, given: str, latest: bool) -> ChosenRun:
    columns = table.by
    if given:
        return ChosenRun(given, (columns, given))
    labels = {label for piece in table.listing.files if (label := table.label(piece)) is not None}
    found = sorted(labels, key=run_key)
    asked = f"take the run from the folders {','.join(columns)!r} of {table.path}"
    label = single(found, asked, "no folder with a value in its name", latest=latest)
    return ChosenRun(label, (columns, label))


def single(labels: Sequence[str], asked: str, none: str, *, latest: bool) -> str:
    """The only label, or the last of several if `latest`; else an error, which says `none` if there are none.

    >>> single(["5", "7"], "take the run", "no run", latest=True)
    '7'
    """
    if len(labels) == 1 or (labels and latest):
        return labels[-1]
    if not labels:
        raise BadInput(asked, none, "name the run with --run")
    several = f"{len(labels)} runs (the last ones are {', '.join(labels[-_NAMED:])})"
    raise BadInput(asked, several, "name one of them with --run, or say --latest")


def _in_rows(table: Table, columns: tuple[str, ...], found: set[str | None], given: str) -> ChosenRun:
    """The run of all rows: among the rows of others, only Spark looks for it."""
    labels = sorted((label for label in found if label is not None), key=run_key)
    if found <= {given} if given else len(found) == 1 == len(labels):
        return ChosenRun(given or labels[0], without=columns)
    several = f"rows of {len(labels):,} runs (the last ones are {', '.join(labels[-_NAMED:])})"
    what = several if len(labels) > 1 else f"rows of the run {labels[0]!r}" if labels else ""
    without = "rows without a run" if None in found or not labels else ""
    raise ByHistoryError(
        f"check {given or 'a run'} in {table.path}",
        f"{' and '.join(filter(None, (what, without)))}, by their {','.join(columns)!r}",
        "give the path of that run, or let Spark select its rows (--engine spark)",
    )


def _labels_in_rows(table: Table, columns: tuple[str, ...]) -> set[str | None] | None:
    """The labels of all rows; None if the files do not have the columns."""
    filled = [piece for piece in table.listing.files if piece.bytes]
    schema = table.schema_of_all() if table.lines and filled else merged(table.schemas(filled))
    types = {leaf.name: leaf.type for leaf in table.leaves(schema)}
    if not set(columns) <= set(types):
        return None
    odd = next((name for name in columns if types[name] not in _WRITTEN_ALIKE), "")
    if odd:
        raise ByHistoryError(
            f"take the run from the column {odd!r} of {table.path}",
            f"{types[odd]}, which only Spark writes as a label",
            "read it with Spark (--engine spark)",
        )
    wanted = table.columns(schema, How(include=set(columns)))
    order = [[field.name for field in wanted.fields].index(name) for name in columns]
    read = table.reader()(table.storage, wanted.reading)
    batches = (batch for piece in filled for batch, _ in read(piece))
    return {_label([row[i] for i in order]) for batch in batches for row in _distinct(batch)}


def _distinct(batch: Any) -> Iterator[tuple[Any, ...]]:
    """The rows that differ."""
    plain = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in batch.columns]
    names = [str(i) for i in range(len(plain))]
    found = pa.table(plain, names=names).group_by(names).aggregate([])
    return zip(*(found[name].to_pylist() for name in names), strict=True)


def _label(values: list[Any]) -> str | None:
    return label_of([None if value == NO_VALUE else _clock(value) for value in values])


def _clock(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value  # the zone is UTC
