"""From a column of text, booleans or bytes to its states."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.profile import Frequencies, Quantiles, Text
from byhistory.profile.arrays import Bools, Hashes, Ints
from byhistory.profile.frequencies import Labels
from byhistory.profile.quantiles import IN_FLIGHT
from byhistory.rows.arrays import as_numpy
from byhistory.rows.chars import DIGIT, LETTER, PUNCTUATION, SPACE, UPPER, Strings, characters, packed, written
from byhistory.rows.field import Options
from byhistory.rows.hashing import group, hash_strings

PATTERNS_IN_FLIGHT = 512
"""Patterns of a column that are counted while it is read, by choice: four times what is kept."""
_FIRST = 1024
"""How many strings of a chunk are looked at to see whether they repeat, by choice."""
LONGEST_LABEL = 200
"""How many bytes of a plain value are kept if the user asks for plain values, by choice."""


def strings_of(array: Any) -> Strings:
    """The values of an Arrow string or binary array that are not null, without copying them."""
    if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type):
        width = "<i8"
    elif pa.types.is_string(array.type) or pa.types.is_binary(array.type):
        width = "<i4"
    else:
        return strings_of(array.cast(pa.large_string()))
    _, offsets, data = array.buffers()
    if not len(array):
        empty = np.zeros(0, np.int64)
        return Strings(np.zeros(0, np.uint8), empty, empty)
    ends = np.frombuffer(offsets, width)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    body = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]  # a slice of an array brings the whole buffer
    strings = Strings(body, ends[:-1] - ends[0], np.diff(ends))
    if array.null_count:
        strings = strings.take(np.flatnonzero(as_numpy(array.is_valid())))
    return strings


def text_states(array: Any, options: Options) -> tuple[Text, Quantiles, Frequencies, Frequencies, Frequencies]:
    """Character totals, lengths, values, patterns and formats of an Arrow array of strings.

    >>> text, lengths, values, *written = text_states(pa.array(["a-1", "B-2", "B-2"]), Options())
    >>> text.letters, lengths.at(0.5), values.distinct, [table.labels.tolist() for table in written]
    (3, 3.0, 2.0, [['l-d'], ['A-1', 'a-1']])
    """
    weights: Ints | None
    if pa.types.is_dictionary(array.type) or _repeats_itself(array):
        # The characters of a value are counted once, not once per row.
        strings, weights = _counted(array if pa.types.is_dictionary(array.type) else array.dictionary_encode())
    else:
        strings, weights = strings_of(array), None
    hashes, counts, places = _grouped(strings, weights, options)
    if weights is None and len(hashes) * 4 < len(strings.starts):  # they repeat, though the first few did not
        strings, weights, places = strings.take(places), counts, np.arange(len(places))
    chars = characters(strings, weights)
    values = Frequencies.of(hashes, counts, _labels(strings, places) if options.keep_values else None)
    text = Text(
        count=values.total,
        chars=int(chars.totals.sum()),
        letters=int(chars.totals[LETTER] + chars.totals[UPPER]),
        digits=int(chars.totals[DIGIT]),
        punctuation=int(chars.totals[PUNCTUATION]),
        spaces=int(chars.totals[SPACE]),
        uppers=int(chars.totals[UPPER]),
        empties=_weight(chars.lengths == 0, weights),
        edge_spaces=_weight(chars.edge_space, weights),
    )
    runs, times = _distinct_runs(chars.runs, weights)
    patterns, formats = (_pattern_table(of, times, values.total, options) for of in written(runs))
    return text, length_quantiles(chars.lengths, weights), values, patterns, formats


def _counted(encoded: Any) -> tuple[Strings, Ints]:
    """The values of a dictionary that occur, and how often."""
    strings = strings_of(encoded.dictionary)
    indices = encoded.indices.drop_null() if encoded.indices.null_count else encoded.indices
    weights = np.bincount(as_numpy(indices), minlength=len(strings.starts))
    here = np.flatnonzero(weights)
    return (strings, weights) if len(here) == len(weights) else (strings.take(here), weights[here])


def _weight(chosen: Bools, weights: Ints | None) -> int:
    return int(np.count_nonzero(chosen) if weights is None else weights[chosen].sum())


def _repeats_itself(array: Any) -> bool:
    """Whether values occur more than twice on average, judged by the first few."""
    first = array[:_FIRST]
    return len(first.dictionary_encode().dictionary) * 2 < len(first)


def boolean_states(trues: int, falses: int, options: Options) -> tuple[Text, Quantiles, Frequencies, Frequencies]:
    """The states of a column of booleans, written as `true` and `false`, without writing them."""
    words = Strings(np.frombuffer(b"truefalse", np.uint8), np.array([0, 4]), np.array([4, 5]))
    counts = np.array([trues, falses], np.int64)
    here = np.flatnonzero(counts)
    words, counts = words.take(here), counts[here]
    chars = characters(words, counts)
    letters = int(chars.totals.sum())
    hashes = hash_strings(words.data, words.starts, words.lengths, options.seed)
    return (
        Text(count=trues + falses, chars=letters, letters=letters),
        length_quantiles(chars.lengths, counts),
        Frequencies.of(hashes, counts, _labels(words, np.arange(len(here))) if options.keep_values else None),
        _pattern_table(written(chars.runs)[0], counts, trues + falses, options),
    )


def binary_states(strings: Strings, options: Options) -> tuple[Quantiles, Frequencies]:
    """Sizes and distinct values of byte strings."""
    hashes, counts, _ = group(hash_strings(strings.data, strings.starts, strings.lengths, options.seed))
    return length_quantiles(strings.lengths), Frequencies.of(hashes, counts)


def length_quantiles(lengths: Ints, weights: Ints | None = None) -> Quantiles:
    """The shape of the distribution of lengths."""
    if not len(lengths) or int(lengths.max()) >= 1 << 16:
        distinct, inverse = np.unique(lengths, return_inverse=True)
        tally = np.bincount(inverse, weights, minlength=len(distinct))
    else:
        tally = np.bincount(lengths, weights)
        distinct = np.flatnonzero(tally)
        tally = tally[distinct]
    return Quantiles.of_counts(distinct.astype(np.float64), tally.astype(np.int64)).limited(IN_FLIGHT)


def _distinct_runs(runs: Strings, weights: Ints | None) -> tuple[Strings, Ints | None]:
    """The runs that differ and how often each occurs, where they repeat: they are written down once, not by row."""
    if len(runs.starts) == 1 or not _repeats_itself(array := _as_array(runs)):
        return runs, weights
    return _distinct(array, weights)


def _pattern_table(patterns: Strings, weights: Ints | None, rows: int, options: Options) -> Frequencies:
    if len(patterns.starts) == 1:
        weights = np.array([rows], np.int64)
    elif _repeats_itself(_as_array(patterns.take(np.arange(min(len(patterns.starts), _FIRST))))):
        patterns, weights = _distinct(_as_array(patterns), weights)  # thousands of rows share few patterns
    hashes, counts, places = _grouped(patterns, weights, options)
    return Frequencies.of(hashes, counts, _labels(patterns, places), PATTERNS_IN_FLIGHT)


def _grouped(strings: Strings, weights: Ints | None, options: Options) -> tuple[Hashes, Ints, Ints]:
    """The hashes of the strings that differ, how often each occurs, and where one of them is."""
    return group(hash_strings(strings.data, strings.starts, strings.lengths, options.seed), weights)


def _as_array(strings: Strings) -> Any:
    data, starts = packed(strings)  # patterns that were cut leave gaps
    offsets = np.append(starts, len(data)).astype(np.int32)
    buffers = (pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(data)))
    return pa.StringArray.from_buffers(len(starts), *buffers)


def _distinct(array: Any, weights: Ints | None) -> tuple[Strings, Ints]:
    """The strings that differ, and how often each occurs."""
    encoded = array.dictionary_encode()
    distinct = strings_of(encoded.dictionary)
    return distinct, np.bincount(as_numpy(encoded.indices), weights, minlength=len(distinct.starts)).astype(np.int64)


def _labels(strings: Strings, places: Ints) -> Callable[[Ints], Labels]:
    def at(kept: Ints) -> Labels:
        labels = np.empty(len(kept), np.object_)
        chosen = strings.take(places[kept])
        data, starts = packed(Strings(chosen.data, chosen.starts, np.minimum(chosen.lengths, LONGEST_LABEL)))
        ends, raw = np.append(starts, len(data)).tolist(), data.tobytes()
        labels[:] = [raw[a:b].decode("utf-8", "replace") for a, b in pairwise(ends)]
        return labels

    return at
