"""Answers for tables in memory, without Spark."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.profile import ColumnProfile, TableProfile
from byhistory.rows.field import Options
from byhistory.rows.local import as_arrow, flattened
from byhistory.why.answer import Answer
from byhistory.why.ask import ask
from byhistory.why.features import type_of
from byhistory.why.keys import NEARLY, Key, of_rows, tells_rows_apart
from byhistory.why.parts import plain
from byhistory.why.question import Alarm, Sample
from byhistory.why.twice import copies
from byhistory.why.value_changes import MASK

SAMPLED = 1 << 16
"""The most rows of each run that are searched (a choice)."""
CELLS = 1 << 22
"""The most cells that are searched (a choice): tables with more than 64 columns get fewer rows."""
FEWEST = 4096
"""Rows that are searched however wide the table is (a choice): as many as a sample has."""


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
    key: Collection[str] = (),
    past: Sequence[TableProfile] = (),
    seed: int = 0,
) -> Answer:
    """Find out why columns of an Arrow table, or its number of rows, are not as usual, compared with the run before.

    `key` columns identify a row; if none are given, one is looked for. `past` are the profiles of good runs, oldest
    first: from them is known how much a column changes by itself.

    >>> countries = ["DE", "FR", "US", "PL"] * 500
    >>> before = {"country": countries, "price": [float(i % 50) for i in range(2000)]}
    >>> now = {**before, "price": [None if c == "FR" else p for c, p in zip(countries, before["price"])]}
    >>> print(why_table(now, before, columns=["price"]).sentence)
    all of the new missing values in 'price' are in rows with country = 'FR' (25.00% of the rows)
    """
    random = np.random.default_rng(seed)  # noqa: TID251 - the seed is an argument
    known = tuple(key) or found_key(now if before is None else before)
    here, there = samples(now, before, known, random)
    return ask(
        here,
        there,
        Alarm(tuple(columns), is_about_rows),
        random=random,
        profiles=profiles,
        rows_before=rows_before,
        options=options,
        masked=masked,
        key=known,
        past=past,
    )


def samples(now: Any, before: Any, key: Key, random: np.random.Generator) -> tuple[Sample, Sample | None]:
    """Samples of tables in memory, or all their rows; with a key, both samples have the same keys."""
    tables = [as_arrow(t) for t in (now, before) if t is not None]
    most = max(t.num_rows for t in tables)
    found = [_sample(t, key, most, random) for t in tables]
    return found[0], found[1] if len(found) > 1 else None


def limit_of(columns: int) -> int:
    """The most rows of each run that are searched."""
    return max(FEWEST, min(SAMPLED, CELLS // max(1, columns)))


def _sample(table: Any, key: Key, most: int, random: np.random.Generator) -> Sample:
    names, columns, _ = flattened(table)
    flat = pa.table(columns, names=names)
    rows, limit = table.num_rows, limit_of(len(names))
    if key and all(name in names for name in key):
        share = limit / max(1, most)
        if share < 1:
            flat = flat.filter(pa.array(of_rows(flat, key) < np.uint64(share * 2**64)))
    elif rows > limit:
        flat = flat.take(pa.array(np.sort(random.choice(rows, limit, replace=False, shuffle=False))))
    return Sample(flat, np.full(flat.num_rows, rows / max(1, flat.num_rows)), rows, paths_of(table.schema))


LOOKED_AT = 4096
"""Rows that are checked for whether a column identifies them (a choice): as many as a sample has."""


def found_key(table: Any) -> Key:
    """The first column of text or whole numbers that identifies the rows of a table in memory; empty if there is
    none.
    """
    table = as_arrow(table)
    names, columns, _ = flattened(table)
    first = pa.table([c.slice(0, LOOKED_AT) for c in columns], names=names)
    for name, column in zip(names, columns, strict=True):
        array = plain(first.column(name))
        is_likely = type_of(array.type) in ("text", "whole") and not array.null_count
        if is_likely and len(array.dictionary_encode().dictionary) > NEARLY * len(array):
            whole = pa.table([column], names=[name])
            if tells_rows_apart(whole, [name]):
                return (name,)
    return ()


def mended(now: Any, before: Any, answer: Answer, key: Key) -> Any:
    """A table in memory without what an answer found, to test the answer; None if that cannot be made."""
    table, segment, way = as_arrow(now), answer.segment, answer.way
    if way is None or (way == "with the rows before" and before is None):
        return None
    inside = np.ones(table.num_rows, np.bool_) if segment is None else np.asarray(segment.inside(table))
    if way == "without copies":
        return table.filter(pa.array(~(inside & copies(table, key if answer.view == "key" else ()))))
    if way == "without surplus" and segment is not None:
        random = np.random.default_rng(0)  # noqa: TID251 - the same proof every time
        return table.filter(pa.array(~inside | (random.random(len(inside)) < 1 / segment.rate_now)))
    rest = table.filter(pa.array(~inside))
    if way != "with the rows before" or segment is None:
        return rest
    there = as_arrow(before)
    there = there.filter(segment.before().inside(there))
    shared = [n for n in table.column_names if n in there.column_names]
    return pa.concat_tables([rest.select(shared), there.select(shared)], promote_options="permissive")


def examples(table: Any, rows: int, masked: Collection[str] = ()) -> list[dict[str, Any]]:
    """The first rows, with the values of masked columns hidden.

    >>> examples(pa.table({"id": [1, 2], "who": [{"mail": "a@b"}, {"mail": "c@d"}]}), 1, ["who.mail"])
    [{'id': 1, 'who': {'mail': '•••'}}]
    """
    return [hidden(row, masked) for row in table.slice(0, rows).to_pylist()]


def hidden(row: dict[str, Any], masked: Collection[str], above: str = "") -> dict[str, Any]:
    """A row without the values of masked columns, or of masked fields below them."""
    shown = {}
    for name, value in row.items():
        inner = hidden(value, masked, f"{above}{name}.") if isinstance(value, dict) else value
        shown[name] = MASK if above + name in masked else inner
    return shown


def paths_of(schema: Any) -> dict[str, tuple[str, ...]]:
    """The path to every leaf of a schema, by the dotted name that `flattened` gives it."""
    return {".".join(path): path for path in _paths(schema)}


def _paths(fields: Any) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for f in fields:
        inner = list(f.type) if pa.types.is_struct(f.type) else []
        found += [(f.name, *rest) for rest in _paths(inner)] if inner else [(f.name,)]
    return found
