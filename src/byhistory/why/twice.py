"""Which rows came twice?"""

from __future__ import annotations

from typing import Any

import numpy as np

from byhistory.profile.arrays import Bools, Hashes, Ints
from byhistory.rows.hashing import hash_words
from byhistory.why.change import Change, change
from byhistory.why.keys import Key, of_rows
from byhistory.why.parts import plain
from byhistory.why.view import View

COLUMN = "rows that are there more than once"
_SEED = np.uint64(0x5851F42D4C957F2D)
"""An odd number without pattern, by choice (Knuth's MMIX multiplier): only that it stays the same matters."""


def repeated(table: Any) -> Bools:
    """Which rows of an Arrow table are equal to an earlier or a later one.

    >>> import pyarrow as pa
    >>> repeated(pa.table({"a": [1, 2, 1], "b": ["x", "y", "x"]})).tolist()
    [True, False, True]
    """
    return _more_than_once(_rows(table))


def copies(table: Any, key: Key = ()) -> Bools:
    """Which rows are equal to an earlier one, or have its key.

    >>> import pyarrow as pa
    >>> copies(pa.table({"a": [1, 2, 1], "b": ["x", "y", "x"]})).tolist()
    [False, False, True]
    """
    rows = of_rows(table, key) if key else _rows(table)
    _, first = np.unique(rows, return_index=True)
    is_copy = np.ones(len(rows), np.bool_)
    is_copy[first] = False
    return is_copy


def _rows(table: Any) -> Hashes:
    rows: Hashes = np.zeros(table.num_rows, np.uint64)
    for name in table.column_names:
        rows = hash_words(rows ^ hash_words(_codes(plain(table.column(name))).view(np.uint64), _SEED), _SEED)
    return rows


def _more_than_once(rows: Hashes) -> Bools:
    _, inverse, counts = np.unique(rows, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


def _codes(array: Any) -> Ints:
    """A number for each distinct value, the same within one column."""
    try:
        encoded = array.dictionary_encode()
    except (NotImplementedError, TypeError, ValueError):  # collections cannot be compared: told apart by the rest
        return np.zeros(len(array), np.int64)
    return np.asarray(encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)


def twice(now: Any, before: Any, weights: Any, key: Key = ()) -> Change:
    """The change of an imagined column that tells whether a row, or its key, is there more than once."""
    rows = [_more_than_once(of_rows(t, key)) if key else repeated(t) for t in (now, before)]
    codes = [r.astype(np.int64) for r in rows]
    view = View("key" if key else "rows", codes[0], codes[1], ("once", "more than once").__getitem__, 2)
    return change(COLUMN, view, weights)
