"""Faults that no learner has trained on: other families, and other parameters of the same ones.

Most are what reports of real incidents tell: a file cut off, an export in another locale, a join that fans out, a
cache that was not refreshed. Each takes the whole rows of a run and gives the column afterwards, or None where it
cannot happen to that column.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.inject.column import Column
from byhistory.inject.conversion import plain
from byhistory.profile import Kind


@dataclass(frozen=True)
class Rows:
    """A run as rows: the column, the whole table, the run before and the random numbers of one fault."""

    table: Any
    name: str
    kind: Kind
    before: Any
    random: np.random.Generator

    @property
    def array(self) -> Any:
        return plain(self.table.column(self.name), self.kind)

    @property
    def column(self) -> Column:
        return Column.of_table(self.table, self.name, self.kind)

    def some(self, share: float) -> Any:
        """A random share of the rows as a mask, at least one."""
        n = self.table.num_rows
        mask = np.zeros(n, bool)
        mask[self.random.permutation(n)[: max(1, round(share * n))]] = True
        return mask


@dataclass(frozen=True)
class Unseen:
    """One fault with its parameter."""

    name: str
    type: str
    kinds: frozenset[Kind]
    apply: Callable[[Rows], Any]


NUMERIC, TEXT = frozenset({Kind.NUMERIC}), frozenset({Kind.CATEGORICAL})
BOTH = NUMERIC | TEXT


def happen(fault: Unseen, table: Any, column: tuple[str, Kind], before: Any, seed: int) -> Any:
    """The column after the fault; None where it cannot happen or changes nothing."""
    name, kind = column
    if kind not in fault.kinds or not table.num_rows:
        return None
    random = np.random.default_rng((seed, zlib.crc32(fault.name.encode())))
    rows = Rows(table, name, kind, before, random)
    if rows.array.null_count == len(rows.array):
        return None
    with np.errstate(all="ignore"):
        after = fault.apply(rows)
    if after is None:
        return None
    after = plain(after, kind)
    return None if Column(rows.array, kind).equals(after) else after


# --- rows that come, go or stay ---------------------------------------------------------------------------------------


def _head(rows: Rows, share: float) -> Any:
    """The delivery was cut off: the last rows are missing."""
    return rows.array[: max(1, round(share * len(rows.array)))]


def _doubled(rows: Rows, share: float) -> Any:
    """A share of the rows is there twice: a retry that was not idempotent."""
    again = np.flatnonzero(rows.some(share))
    return rows.array.take(pa.array(np.concatenate([np.arange(len(rows.array)), again])))


def _fan_out(rows: Rows, _: float) -> Any:
    """A join fanned out: the rows of one frequent value of another column are there five times."""
    mask = _segment(rows, 0)
    if mask is None:
        return None
    return rows.array.take(pa.array(np.repeat(np.arange(len(mask)), np.where(mask, 5, 1))))


def _segment_missing(rows: Rows, place: int) -> Any:
    """All rows of one frequent value of another column are missing: a region did not deliver."""
    mask = _segment(rows, place)
    return None if mask is None else rows.array.filter(pa.array(~mask))


def _segment(rows: Rows, place: int) -> Any:
    """Rows of the most frequent (second most frequent, …) value of the first column that has a few of them."""
    for name in rows.table.column_names:
        if name == rows.name or name.startswith("_run"):
            continue
        column = rows.table.column(name)
        if not (pt.is_string(column.type) or pt.is_large_string(column.type)):
            continue
        counts = sorted(pc.value_counts(column.drop_null()).to_pylist(), key=lambda c: (-c["counts"], c["values"]))
        if len(counts) > place + 1 and 0.02 <= counts[place]["counts"] / len(column) <= 0.7:
            return pc.fill_null(pc.equal(column, counts[place]["values"]), False).to_numpy()
    return None


def _stale(rows: Rows, _: float) -> Any:
    """The run before was delivered again."""
    return None if rows.before is None else rows.before.column(rows.name)


def _half_stale(rows: Rows, share: float) -> Any:
    """The first rows are still those of the run before."""
    if rows.before is None:
        return None
    old, new = plain(rows.before.column(rows.name), rows.kind), rows.array
    cut = round(share * len(new))
    return pa.concat_arrays([old[:cut].cast(new.type, safe=False), new[cut:]])


# --- columns that get mixed up ----------------------------------------------------------------------------------------


def _swapped(rows: Rows, share: float) -> Any:
    """The values of the farthest column of the same kind: columns in another order."""
    mine = rows.array
    for name in reversed(rows.table.column_names):
        if name == rows.name or name.startswith("_run"):
            continue
        other = rows.table.column(name)
        alike = pt.is_string(mine.type) == pt.is_string(other.type) and pt.is_boolean(other.type) == pt.is_boolean(
            mine.type
        )
        if alike and not pt.is_temporal(other.type) and other.null_count < len(other):
            other = plain(other, rows.kind)
            if mine.type != other.type:
                wide = pa.float64() if rows.kind is Kind.NUMERIC else pa.string()
                mine, other = mine.cast(wide, safe=False), other.cast(wide, safe=False)
            return pc.if_else(pa.array(rows.some(share)), other, mine) if share < 1 else other
    return None


def _shifted(rows: Rows, by: int) -> Any:
    """Values slid down against the other columns: no metric of the column alone can see all of it."""
    return pa.concat_arrays([pa.nulls(by, rows.array.type), rows.array[:-by]]) if len(rows.array) > by else None


# --- values that are missing, or stand for missing --------------------------------------------------------------------


def _nulls(rows: Rows, share: float) -> Any:
    """Values went missing."""
    return pc.if_else(pa.array(rows.some(share)), pa.scalar(None, rows.array.type), rows.array)


def _sentinel(rows: Rows, share: float, value: Any) -> Any:
    """Missing values written as a number or word that stands for missing."""
    array = rows.array
    if pt.is_boolean(array.type):
        return None
    if rows.kind is Kind.NUMERIC and pt.is_integer(array.type):
        array = array if pt.is_uint64(array.type) and value >= 0 else array.cast(pa.int64(), safe=False)
    elif rows.kind is Kind.NUMERIC:
        array = array.cast(pa.float64(), safe=False)
    return pc.if_else(pa.array(rows.some(share)), pa.scalar(value, array.type), array)


def _filled(rows: Rows, how: str) -> Any:
    """A tenth of the values replaced by what an imputation would say: the average, or the most frequent value."""
    array = rows.array
    if pt.is_boolean(array.type):
        return None
    if how == "mean":
        array = array.cast(pa.float64(), safe=False)  # a safe cast refuses whole numbers beyond 2^53
        value = pa.scalar(pc.mean(array).as_py(), pa.float64())
    else:
        value = pc.mode(array)[0]["mode"] if rows.kind is Kind.NUMERIC else _most_frequent(array)
    return pc.if_else(pa.array(rows.some(0.1)), value, array)


def _most_frequent(array: Any) -> Any:
    counts = sorted(pc.value_counts(array.drop_null()).to_pylist(), key=lambda c: (-c["counts"], str(c["values"])))
    return pa.scalar(counts[0]["values"], array.type)


def _frozen(rows: Rows, _: float) -> Any:
    """Every value is the first one: a variable that was read outside of the loop."""
    first = rows.array.drop_null()[0]
    return pa.array([first.as_py()] * len(rows.array), rows.array.type)


# --- numbers ----------------------------------------------------------------------------------------------------------


def _numbers(rows: Rows, change: Callable[[Any], Any], share: float = 1.0) -> Any:
    column = rows.column
    old = column.numbers
    new = change(old.astype(np.float64))
    if share < 1.0:
        new = np.where(rows.some(share)[column.present], new, old)
    return column.with_numbers(new)


def _overflow(values: Any, bits: int) -> Any:
    half = 2.0 ** (bits - 1)
    return np.mod(np.trunc(values) + half, 2 * half) - half


def _noise(rows: Rows, size: float) -> Any:
    factor = 1.0 + size * rows.random.standard_normal(len(rows.column.present))
    return _numbers(rows, lambda v: v * factor)


def _clipped(rows: Rows, level: float) -> Any:
    """Capped: everything above a quantile is that quantile."""
    return _numbers(rows, lambda v: np.minimum(v, np.nanquantile(v, level)))


def _shuffled_half(rows: Rows, _: float) -> Any:
    """Only the larger half of the values, each twice: a filter that went wrong."""
    column = rows.column
    upper = column.present[column.order[len(column.order) // 2 :]]
    return rows.array.take(pa.array(np.repeat(upper, 2))) if len(upper) else None


def _outliers(rows: Rows, share: float) -> Any:
    """A few values a thousand times the largest."""
    return _numbers(rows, lambda v: np.full_like(v, 1000.0 * max(1.0, float(np.nanmax(np.abs(v))))), share)


# --- text -------------------------------------------------------------------------------------------------------------


def _texts(rows: Rows, change: Callable[[str], str], share: float = 1.0) -> Any:
    """Change every distinct text once; a share of the rows."""
    array = rows.array
    if pt.is_boolean(array.type):
        return None
    encoded = array.dictionary_encode()
    new = pa.array([None if v is None else change(v) for v in encoded.dictionary.to_pylist()], pa.string())
    after = new.take(encoded.indices)
    return after if share >= 1.0 else pc.if_else(pa.array(rows.some(share)), after, array.cast(pa.string()))


def _mojibake(text: str) -> str:
    """UTF-8 that was read as Latin-1, and what could not be written as a question mark."""
    return text.encode("utf-8").decode("latin-1") if not text.isascii() else text.replace("'", "â€™").replace("e", "Ã©")


def _date_format(text: str) -> str:
    """Year-month-day becomes day/month/year, and the other way round."""
    import re

    day_first = re.sub(r"\b(\d{4})-(\d{2})-(\d{2})\b", r"\3/\2/\1", text)
    if day_first != text:
        return day_first
    return re.sub(r"\b(\d{1,2})/(\d{1,2})/(\d{2,4})\b", r"\3-\1-\2", text) if "-" not in text else text


def _flipped(rows: Rows, share: float) -> Any:
    """Booleans the other way round."""
    if not pt.is_boolean(rows.array.type):
        return None
    return pc.if_else(pa.array(rows.some(share)), pc.invert(rows.array), rows.array)


def _one_for_another(rows: Rows, _: float) -> Any:
    """The two most frequent values under each other's name: a mapping table in the wrong order."""
    array = rows.array
    counts = sorted(pc.value_counts(array.drop_null()).to_pylist(), key=lambda c: (-c["counts"], str(c["values"])))
    if len(counts) < 2:
        return None
    a, b = (pa.scalar(c["values"], array.type) for c in counts[:2])
    return pc.if_else(pc.equal(array, a), b, pc.if_else(pc.equal(array, b), a, array))


def _renamed(rows: Rows, _: float) -> Any:
    """The most frequent value is written in another way."""
    array = rows.array
    if pt.is_boolean(array.type):
        return None
    value = _most_frequent(array)
    return pc.if_else(pc.equal(array, value), pa.scalar(f"{value.as_py()} (new)", array.type), array)


def _each(
    name: str, type_: str, kinds: frozenset[Kind], parameters: dict[str, Any], apply: Callable[..., Any]
) -> tuple[Unseen, ...]:
    return tuple(
        Unseen(f"{name}{suffix}", type_, kinds, partial(_call, apply=apply, parameter=p))
        for suffix, p in parameters.items()
    )


def _call(rows: Rows, apply: Callable[..., Any], parameter: Any) -> Any:
    return apply(rows, *parameter) if isinstance(parameter, tuple) else apply(rows, parameter)


ALL: tuple[Unseen, ...] = (
    *_each("cut_off_", "rows missing", BOTH, {"95%": 0.95, "80%": 0.8, "30%": 0.3}, _head),
    *_each("rows_twice_", "rows repeated", BOTH, {"5%": 0.05, "30%": 0.3}, _doubled),
    *_each("fan_out", "rows repeated", BOTH, {"": 0.0}, _fan_out),
    *_each("segment_missing_", "segment missing", BOTH, {"first": 0, "second": 1}, _segment_missing),
    *_each("stale", "stale copy", BOTH, {"": 0.0}, _stale),
    *_each("stale_", "stale copy", BOTH, {"50%": 0.5}, _half_stale),
    *_each("swapped_", "columns swapped", BOTH, {"all": 1.0, "20%": 0.2}, _swapped),
    *_each("shifted_", "columns swapped", BOTH, {"10": 10}, _shifted),
    *_each("nulls_", "nulls", BOTH, {"1%": 0.01, "5%": 0.05, "20%": 0.2, "80%": 0.8}, _nulls),
    *_each("sentinel_", "sentinel", NUMERIC, {"-999_2%": (0.02, -999), "9999_20%": (0.2, 9999)}, _sentinel),
    *_each("sentinel_", "sentinel", TEXT, {"na_2%": (0.02, "N/A"), "unknown_20%": (0.2, "unknown")}, _sentinel),
    *_each("imputed_", "imputed", NUMERIC, {"mean": "mean", "mode": "mode"}, _filled),
    *_each("imputed_", "imputed", TEXT, {"mode": "mode"}, _filled),
    *_each("frozen", "frozen", BOTH, {"": 0.0}, _frozen),
    *_each("sign_", "sign flip", NUMERIC, {"all": (np.negative,), "10%": (np.negative, 0.1)}, _numbers),
    *_each("rounded_", "rounding", NUMERIC, {"units": (np.round,), "100": (partial(np.round, decimals=-2),)}, _numbers),
    *_each("rounded_", "rounding", NUMERIC, {"1_decimal": (partial(np.round, decimals=1),)}, _numbers),
    *_each("times_", "unit change", NUMERIC, {"1.1": (lambda v: v * 1.1,), "2.54": (lambda v: v * 2.54,)}, _numbers),
    *_each("times_", "unit change", NUMERIC, {"0.45_30%": (lambda v: v * 0.4536, 0.3)}, _numbers),
    *_each("offset_", "offset", NUMERIC, {"1": (lambda v: v + 1,), "sd": (lambda v: v + np.nanstd(v),)}, _numbers),
    *_each("fahrenheit", "unit change", NUMERIC, {"": (lambda v: v * 1.8 + 32,)}, _numbers),
    *_each(
        "overflow_",
        "overflow",
        NUMERIC,
        {"16": (partial(_overflow, bits=16),), "8": (partial(_overflow, bits=8),)},
        _numbers,
    ),
    *_each("noise_", "noise", NUMERIC, {"5%": 0.05, "30%": 0.3}, _noise),
    *_each("capped_", "capped", NUMERIC, {"p95": 0.95, "p75": 0.75}, _clipped),
    *_each("upper_half", "filter wrong", NUMERIC, {"": 0.0}, _shuffled_half),
    *_each("outliers_", "outliers", NUMERIC, {"0.5%": 0.005}, _outliers),
    *_each(
        "truncated_",
        "truncation",
        TEXT,
        {"3": (lambda t: t[:3],), "8": (lambda t: t[:8],), "20": (lambda t: t[:20],)},
        _texts,
    ),
    *_each("encoding_", "encoding", TEXT, {"all": (_mojibake,), "10%": (_mojibake, 0.1)}, _texts),
    *_each("date_format_", "date format", TEXT, {"all": (_date_format,), "10%": (_date_format, 0.1)}, _texts),
    *_each("title_case", "casing", TEXT, {"": (str.title,)}, _texts),
    *_each("quoted_", "format", TEXT, {"all": (lambda t: f'"{t}"',), "10%": (lambda t: f'"{t}"', 0.1)}, _texts),
    *_each("html_", "format", TEXT, {"10%": (lambda t: f"<b>{t}</b>", 0.1)}, _texts),
    *_each("decimal_comma", "format", TEXT, {"": (lambda t: t.replace(".", ","),)}, _texts),
    *_each("leading_zeros_lost", "format", TEXT, {"": (lambda t: t.lstrip("0") or t,)}, _texts),
    *_each("prefix_", "format", TEXT, {"5%": (lambda t: f"x-{t}", 0.05)}, _texts),
    *_each("booleans_flipped_", "sign flip", TEXT, {"all": 1.0, "10%": 0.1}, _flipped),
    *_each("mapping_swapped", "mapping", TEXT, {"": 0.0}, _one_for_another),
    *_each("renamed_value", "mapping", TEXT, {"": 0.0}, _renamed),
)

(THREE_IN_TEN,) = _each("nulls_", "three values in ten null", BOTH, {"30%": 0.3}, _nulls)
"""Not one of `ALL`: a fault that nobody forgives, asked for by itself (`bench.nulls`)."""
