"""Tables in memory: the same answer without Spark."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.profile import ColumnProfile
from byhistory.rows.field import Options
from byhistory.rows.local import as_arrow, flattened
from byhistory.why.answer import Answer
from byhistory.why.ask import Alarm, Sample, ask
from byhistory.why.features import type_of
from byhistory.why.parts import hashed, plain

SAMPLED = 1 << 16
"""Rows of each run that are searched, at most."""
CELLS = 1 << 22
"""And cells: fewer rows of tables with more than 64 columns."""
FEWEST = 4096
KEY = 0.95
"""A column with more distinct values than this share of its rows can tell rows apart."""


def why_table(
    now: Any,
    before: Any = None,
    *,
    columns: Collection[str] = (),
    is_about_rows: bool = False,
    profiles: Mapping[str, ColumnProfile] | None = None,
    rows_before: int | None = None,
    options: Options | None = None,
    masked: Collection[str] = (),
    seed: int = 0,
) -> Answer:
    """Why columns of an Arrow table, or its number of rows, are not as usual, compared with the run before.

    >>> countries = ["DE", "FR", "US", "PL"] * 500
    >>> before = {"country": countries, "price": [float(i % 50) for i in range(2000)]}
    >>> now = {**before, "price": [None if c == "FR" else p for c, p in zip(countries, before["price"])]}
    >>> print(why_table(now, before, columns=["price"]).sentence)
    all of the new missing values in 'price' are in rows with country = 'FR' (25.00% of the rows)
    """
    random = np.random.default_rng(seed)  # noqa: TID251 - the seed is an argument
    here = sample(now, random)
    there = None if before is None else sample(before, random)
    alarm = Alarm(tuple(columns), is_about_rows)
    return ask(
        here,
        there,
        alarm,
        random=random,
        profiles=profiles,
        rows_before=rows_before,
        options=options,
        masked=masked,
    )


def sample(table: Any, random: np.random.Generator) -> Sample:
    """Rows of a table in memory, all of them or a random part."""
    table = as_arrow(table)
    names, columns, _ = flattened(table)
    flat = pa.table(columns, names=names)
    limit = max(FEWEST, min(SAMPLED, CELLS // max(1, len(names))))
    rows = table.num_rows
    if rows > limit:
        chosen = np.sort(np.argpartition(_priorities(flat, random), limit)[:limit])
        flat = flat.take(pa.array(chosen))
    return Sample(flat, np.full(flat.num_rows, rows / max(1, flat.num_rows)), rows, paths_of(table.schema))


LOOKED_AT = 4096


def _priorities(table: Any, random: np.random.Generator) -> Any:
    """A number per row; rows with the same key have the same, so that those that came twice are taken together."""
    first = table.slice(0, LOOKED_AT)
    for name in table.column_names:
        array = plain(first.column(name))
        if type_of(array.type) in ("text", "whole") and len(array.dictionary_encode().dictionary) > KEY * len(array):
            return hashed(table.column(name))
    return random.random(table.num_rows)


def paths_of(schema: Any) -> dict[str, tuple[str, ...]]:
    """The names down to every leaf of a schema, by the dotted name that `flattened` gives it."""
    return {".".join(path): path for path in _paths(schema)}


def _paths(fields: Any) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for f in fields:
        inner = list(f.type) if pa.types.is_struct(f.type) else []
        found += [(f.name, *rest) for rest in _paths(inner)] if inner else [(f.name,)]
    return found
