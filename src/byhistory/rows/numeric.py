"""From a column of numbers, dates or timestamps to its states."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from byhistory.profile import Frequencies, Kind, Numbers, Quantiles
from byhistory.profile.arrays import Bools, Floats, Hashes, Ints, weight_of_runs
from byhistory.profile.frequencies import Labels
from byhistory.profile.quantiles import IN_FLIGHT
from byhistory.rows.arrays import as_array, as_numpy
from byhistory.rows.field import Options
from byhistory.rows.hashing import group, hash_words

EXACT_IN_FLOAT = 2.0**53
"""Integers below this are floats without loss."""
_WRITTEN = 2048
"""How many values of a chunk are written out to count their digits, by choice."""
_TICKS_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""How many units of Arrow's times make a second."""


def number_states(array: Any, kind: Kind, options: Options) -> tuple[Numbers, Quantiles, Frequencies]:
    """Totals, shape and table of the numbers in an Arrow array without nulls.

    >>> n, q, f = number_states(pa.array([1.0, 2.0, math.nan]), Kind.NUMERIC, Options())
    >>> n.count, n.nans, n.mean, f.distinct
    (2, 1, 1.5, 3.0)
    """
    if kind is Kind.TEMPORAL:
        return _of_times(array, options)
    if pa.types.is_decimal(array.type):
        return _of_decimals(array, options)
    if pa.types.is_integer(array.type):
        return _of_integers(array, options)
    if pa.types.is_floating(array.type):
        return _of_floats(as_numpy(array).astype(np.float64, copy=False), options)
    return _of_floats(_parsed(array), options)


def _of_floats(x: Floats, options: Options) -> tuple[Numbers, Quantiles, Frequencies]:
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not math.isfinite(float(x.sum()))
    if not suspicious:
        return _of_finite(x, options)
    finite = np.isfinite(x)
    nans, pos, neg = (int(np.count_nonzero(m)) for m in (np.isnan(x), x == math.inf, x == -math.inf))
    numbers, quantiles, table = _of_finite(x[finite], options)
    odd = Numbers(nans=nans, pos_infs=pos, neg_infs=neg)
    specials = [(v, n) for v, n in ((math.nan, nans), (math.inf, pos), (-math.inf, neg)) if n]
    if specials:
        values = np.array([v for v, _ in specials])
        table = table + _table(values, np.array([n for _, n in specials], np.int64), options)
    return numbers + odd, quantiles, table


def _of_finite(x: Floats, options: Options) -> tuple[Numbers, Quantiles, Frequencies]:
    numbers, quantiles, distinct, counts = _shape(x, options)
    return numbers, quantiles, _table(distinct, counts, options)


def _shape(x: Floats, options: Options, whole: bool = False) -> tuple[Numbers, Quantiles, Floats, Ints]:
    """Totals and shape of finite floats, and their distinct values and counts; with `whole`, all are integers."""
    ordered = np.sort(x)
    starts, counts = weight_of_runs(ordered)
    distinct = ordered[starts] + 0.0  # -0.0 and 0.0 are one value
    integers = len(x) if whole else int(np.compress(np.floor(distinct) == distinct, counts).sum())
    mean, spread = _moments(x)
    at = int(np.searchsorted(distinct, 0.0))
    zeros = int(counts[at]) if at < len(distinct) and distinct[at] == 0.0 else 0
    numbers = Numbers(
        count=len(x),
        zeros=zeros,
        negatives=int(np.searchsorted(ordered, 0.0)),
        integers=integers,
        low=float(distinct[0]) if len(x) else math.inf,
        high=float(distinct[-1]) if len(x) else -math.inf,
        mean=mean,
        spread=spread,
    )
    if options.spelling:
        written, digits, decimals = _written(distinct, counts)
        numbers = replace(numbers, written=written, digits=digits, decimals=decimals)
    return numbers, Quantiles.of_counts(distinct, counts).limited(IN_FLIGHT), distinct, counts


def _moments(x: Floats) -> tuple[float, float]:
    """Mean, and root of the sum of squared deviations, also at the ends of the range of a float."""
    if not len(x):
        return 0.0, 0.0
    largest = float(np.abs(x).max())
    scale = 1.0 if 1e-140 < largest < 1e140 or largest == 0.0 else largest
    y = x if scale == 1.0 else x / scale
    mean = float(y.mean())
    return mean * scale, math.sqrt(float(np.square(y - mean).sum())) * scale


def _table(distinct: Floats, counts: Ints, options: Options, whole: bool = False) -> Frequencies:
    write = "{:.0f}".format if whole else repr
    labels = (lambda at: _labels([write(v) for v in distinct[at].tolist()])) if options.keep_values else None
    return Frequencies.of(hash_words(distinct.view(np.uint64), options.seed), counts, labels)


def _labels(texts: list[str]) -> Labels:
    labels = np.empty(len(texts), np.object_)
    labels[:] = texts
    return labels


def _written(distinct: Floats, counts: Ints) -> tuple[float, float, float]:
    """How many values, and their digits and decimal places as written; of very many, some evenly chosen by rank."""
    rows = int(counts.sum())
    if not rows:
        return 0.0, 0.0, 0.0
    some, weights = distinct, counts.astype(np.float64)
    if len(distinct) > _WRITTEN:
        ranks = (np.arange(_WRITTEN) + 0.5) * (rows / _WRITTEN)
        some = distinct[np.searchsorted(np.cumsum(counts), ranks, "right")]
        weights = np.full(_WRITTEN, rows / _WRITTEN)
    texts = pc.cast(as_array(some), pa.string())
    length = as_numpy(pc.binary_length(texts))
    point = as_numpy(pc.find_substring(texts, "."))
    decimals = np.where(point >= 0, length - point - 1, 0)
    digits = length - (point >= 0) - (some < 0)
    if b"e" in texts.buffers()[2].to_pybytes():  # all texts together, which is faster than each
        odd = np.flatnonzero(as_numpy(pc.match_substring(texts, "e")))
        halves = pc.list_flatten(pc.split_pattern(pc.replace_substring(texts.take(as_array(odd)), "e+", "e"), "e"))
        evens = np.arange(0, len(halves), 2)
        mantissa = halves.take(as_array(evens))
        exponent = as_numpy(pc.cast(halves.take(as_array(evens + 1)), pa.int64()))
        at = as_numpy(pc.find_substring(mantissa, "."))
        size = as_numpy(pc.binary_length(mantissa))
        digits[odd] = size - (at >= 0) - (some[odd] < 0)
        decimals[odd] = np.maximum(0, np.where(at >= 0, size - at - 1, 0) - exponent)
    return float(rows), float(digits @ weights), float(decimals @ weights)


def _of_integers(array: Any, options: Options) -> tuple[Numbers, Quantiles, Frequencies]:
    unsigned = pa.types.is_uint64(array.type)
    ints = as_numpy(array).astype(np.uint64 if unsigned else np.int64, copy=False)
    floats = ints.astype(np.float64)
    numbers, quantiles, distinct, counts = _shape(floats, options, whole=True)
    if len(ints) and max(abs(numbers.low), abs(numbers.high)) >= EXACT_IN_FLOAT:
        table = _table_of_rows(_hash_beyond_floats(floats, ints.view(np.uint64), options), array, options)
    else:
        table = _table(distinct, counts, options, whole=True)
    return _with_sum(numbers, _sum_of_words(ints), 0), quantiles, table


def _hash_beyond_floats(floats: Floats, words: Hashes, options: Options, fits: Bools | None = None) -> Hashes:
    """A number that fits into a float has the float's hash in every chunk, type and run; any other has its own."""
    if fits is None:
        fits = np.abs(floats) < EXACT_IN_FLOAT
    plain = hash_words((floats + 0.0).view(np.uint64), options.seed)
    own = hash_words(words, ~options.seed)
    # A word and a seed hash like their complements: 2**64 - 1 like 0. Such words, and only they, are hashed again.
    turned = (~words).view(np.float64)
    with np.errstate(invalid="ignore"):  # some words are signalling NaNs as floats, which numpy warns about
        alike = (np.abs(turned) < EXACT_IN_FLOAT) & (np.trunc(turned) == turned)
    return np.asarray(np.where(fits, plain, np.where(alike, hash_words(own, ~options.seed), own)))


def _table_of_rows(hashes: Hashes, array: Any, options: Options) -> Frequencies:
    """The table from the hash of every row, for values that floats cannot tell apart."""
    distinct, counts, places = group(hashes)
    labels = (lambda at: _labels(_written_out(array.take(as_array(places[at]))))) if options.keep_values else None
    return Frequencies.of(distinct, counts, labels)


def _written_out(array: Any) -> list[str]:
    return [str(v) for v in array.cast(pa.string()).to_pylist()]


def _sum_of_words(ints: Any) -> int:
    """Exact sum of 64-bit integers, signed or not: the halves are added separately, so that nothing overflows."""
    low = int((ints & ints.dtype.type(0xFFFFFFFF)).astype(np.uint64).sum())
    return (int((ints >> ints.dtype.type(32)).sum()) << 32) + low


def _with_sum(numbers: Numbers, total: int, scale: int) -> Numbers:
    return replace(numbers, exact_sum=total, scale=scale)


def _of_decimals(array: Any, options: Options) -> tuple[Numbers, Quantiles, Frequencies]:
    """Distribution as floats, distinct values exact, and the sum exact to the last of 38 digits."""
    scale = array.type.scale
    wide = array.cast(pa.decimal128(38, scale)) if array.type.bit_width < 128 else array
    each = wide.type.bit_width // 64
    words = np.frombuffer(wide.buffers()[1] or b"", "<u8")[each * wide.offset : each * (wide.offset + len(wide))]
    low, high = words[::each], words[1::each].astype(np.int64)
    above = [words[at::each].astype(np.int64) for at in range(2, each)]
    unscaled = low.view(np.int64).astype(np.float64)
    short = high == (low.view(np.int64) >> 63)  # the whole value lies in the lower word
    numerators = np.where(short, unscaled, high.astype(np.float64) * 2.0**64 + low.astype(np.float64))
    floats = numerators / 10.0**scale if scale >= 0 else numerators * 10.0**-scale
    is_wider = np.zeros(len(low), np.bool_)
    for word in above:
        is_wider |= word != high >> 63
    if is_wider.any():
        floats = np.where(is_wider, as_numpy(wide.cast(pa.float64())), floats)
    numbers, quantiles, distinct, counts = _shape(floats, options, whole=scale <= 0)
    # A quotient is rounded: only below 2**52 do different decimals surely give different floats.
    fits = short & ~is_wider & (np.abs(unscaled) < EXACT_IN_FLOAT / 2)
    if bool(fits.all()):
        table = _table(distinct, counts, options)
    else:
        both = hash_words(low, options.seed) + high.view(np.uint64)
        for word in above:
            both = np.where(is_wider, hash_words(both + word.view(np.uint64), options.seed), both)
        table = _table_of_rows(_hash_beyond_floats(floats, both, options, fits), array, options)
    if is_wider.any():
        return numbers, quantiles, table
    return _with_sum(numbers, (_sum_of_words(high) << 64) + _sum_of_words(low), scale), quantiles, table


def _of_times(array: Any, options: Options) -> tuple[Numbers, Quantiles, Frequencies]:
    """Dates and timestamps: seconds since 1970 as numbers, distinct to the microsecond."""
    days = pa.types.is_date32(array.type)
    ticks: Ints = as_numpy(array.cast(pa.int32() if days else pa.int64())).astype(np.int64, copy=False)
    unit = "day" if days else "ms" if pa.types.is_date64(array.type) else array.type.unit
    seconds = ticks.astype(np.float64) * 86_400.0 if days else ticks / float(_TICKS_A_SECOND[unit])
    # Far beyond year 9999 the product wraps around; still no two dates get the same word.
    micros = ticks // 1_000 if unit == "ns" else ticks * (86_400_000_000 if days else 10**6 // _TICKS_A_SECOND[unit])
    numbers, quantiles, _, _ = _shape(seconds, options)
    return numbers, quantiles, _table_of_rows(hash_words(micros.view(np.uint64), options.seed), array, options)


def _parsed(array: Any) -> Floats:
    """Text or booleans read as numbers, because the user said they are; what cannot be read is NaN, and counted."""
    if pa.types.is_boolean(array.type):
        return np.asarray(as_numpy(array).astype(np.float64))
    encoded = array.dictionary_encode()
    values = np.array([_number(v) for v in encoded.dictionary.to_pylist()], np.float64)
    return values[as_numpy(encoded.indices)] if len(array) else values


def _number(text: str) -> float:
    try:
        return float(text) if "_" not in text else math.nan  # Python reads 1_000 as a number, nobody else does
    except ValueError:
        return math.nan
