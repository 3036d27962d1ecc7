"""Dates and times that are written as text, largest part first: such texts have the order of their times."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.profile.arrays import Floats

MOSTLY = 0.9
"""A column is written in a format if this share of its texts is in it (a choice)."""
_DAY = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_ZONE = r"(Z|[+-][0-9]{2}:?[0-9]{2})?$"
FORMATS = {
    "%Y-%m-%d": f"^{_DAY}$",
    "%Y-%m-%d %H:%M": f"^{_DAY} {_CLOCK}{_ZONE}",
    "%Y-%m-%dT%H:%M": f"^{_DAY}T{_CLOCK}{_ZONE}",
    "%Y-%m-%d %H:%M:%S": f"^{_DAY} {_CLOCK}:[0-5][0-9]([.][0-9]+)?{_ZONE}",
    "%Y-%m-%dT%H:%M:%S": f"^{_DAY}T{_CLOCK}:[0-5][0-9]([.][0-9]+)?{_ZONE}",
}
"""The formats that can be read, and the expression of all texts in each, which Java reads as Arrow does. An offset is
not counted: what is compared is what is written."""
_LENGTHS = {f: len(datetime(2000, 1, 1, tzinfo=timezone.utc).strftime(f)) for f in FORMATS}
HOUR_AT = 12
"""The place of the hour in a text, counted from 1 as in SQL."""


def format_of(array: Any) -> str:
    """The format of nearly all texts of an Arrow array; empty if there is none.

    >>> format_of(pa.array(["2026-11-15T14:05:07.5Z", None])), format_of(pa.array(["15 Nov 2026"]))
    ('%Y-%m-%dT%H:%M:%S', '')
    """
    if not pt.is_string(array.type) or array.null_count == len(array):
        return ""
    texts = array.drop_null()
    first = str(texts[0].as_py())
    likely = [f for f, known in _LENGTHS.items() if len(first) >= known]
    shares = {f: pc.sum(pc.match_substring_regex(texts, FORMATS[f])).as_py() / len(texts) for f in likely}
    return next((f for f, share in shares.items() if share >= MOSTLY), "")


def seconds_of(array: Any, written: str) -> Floats:
    """The times of texts in a format, in whole seconds since 1970; nan for other texts and null.

    >>> seconds_of(pa.array(["1970-01-02", "soon", None]), "%Y-%m-%d").tolist()
    [86400.0, nan, nan]
    """
    encoded = array.combine_chunks().dictionary_encode() if isinstance(array, pa.ChunkedArray) else _encoded(array)
    is_written = pc.match_substring_regex(encoded.dictionary, FORMATS[written]).to_numpy(zero_copy_only=False)
    texts = pc.utf8_slice_codeunits(encoded.dictionary, 0, _LENGTHS[written]).to_pylist()
    seconds = [_moment(t) if ok else np.nan for t, ok in zip(texts, is_written, strict=True)]
    places = encoded.indices.fill_null(len(seconds)).to_numpy(zero_copy_only=False)
    return np.asarray(np.append(seconds, np.nan)[places], np.float64)


def _encoded(array: Any) -> Any:
    return array if pt.is_dictionary(array.type) else array.dictionary_encode()


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:  # the 31st of February
        return np.nan
