"""Known faults in known segments: what a case is, and how one is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from bench.cases.unseen import ALL as UNSEEN
from bench.cases.unseen import Unseen, happen

from byhistory.inject import ALL as SEEN
from byhistory.inject import Column, Fault, inject
from byhistory.profile import Kind
from byhistory.rows.local import kind_of
from byhistory.why.condition import Condition
from byhistory.why.features import type_of
from byhistory.why.parts import numbers_of, patterns_of, plain

SMALLEST, LARGEST = 0.005, 0.5
"""Shares of the rows of planted segments, from one row in two hundred to a half (see `bench.why`)."""
_FAULTS: tuple[Fault | Unseen, ...] = (*SEEN, *UNSEEN)
FEWEST_ROWS = 20
"""Rows of a planted segment, at least (a choice: fewer are chance)."""
ROW_FAULTS = {"rows gone": 0.0, "half of the rows gone": 0.5, "rows twice": 2.0}
LEFT_OUT = {
    # Whole-table faults: which rows they take is not a matter of the segment they are planted in.
    "volume change",
    "rows missing",
    "rows repeated",
    "segment missing",
    "filter wrong",
    # The same values in another order, or another day's: no row of the segment can be told to be wrong.
    "stale copy",
}


@dataclass(frozen=True)
class Case:
    table: str
    column: str
    fault: str
    conditions: tuple[Condition, ...]
    """None at all: the fault is everywhere."""
    now: Any
    before: Any
    original: Any
    """The run before the fault."""
    mask: Any
    """The planted rows of the original."""


def segment(
    table: Any, column: str, conditions: int, random: np.random.Generator
) -> tuple[list[Condition], Any] | None:
    """A random conjunction on other columns, with a share of rows between the smallest and the largest."""
    target = np.exp(random.uniform(np.log(SMALLEST), np.log(LARGEST)))
    each = target ** (1 / conditions)
    others = [n for n in table.column_names if n != column]
    for _ in range(40):
        names = random.choice(others, min(conditions, len(others)), replace=False).tolist()
        found = [f for n in names if (f := _condition(table, n, each, random)) is not None]
        if len(found) < max(conditions, len(names)):
            continue
        masks = [f.holds(plain(table[f.column])) for f in found]
        mask = np.logical_and.reduce(masks)
        share = mask.mean()
        if not (SMALLEST <= share <= LARGEST) or mask.sum() < FEWEST_ROWS:
            continue
        # Every condition has to matter, or the truth would have fewer of them.
        alone = [
            np.logical_and.reduce([m for j, m in enumerate(masks) if j != i] or [mask | True])
            for i in range(len(masks))
        ]
        if all(mask.sum() < 0.9 * a.sum() for a in alone):
            return found, mask
    return None


def _condition(table: Any, name: str, share: float, random: np.random.Generator) -> Condition | None:  # noqa: PLR0911 - one way out for each kind
    array = plain(table[name])
    type_ = type_of(array.type)
    if array.null_count > 0.02 * len(array) and random.random() < 0.25:
        return Condition((name,), type_, "null", (bool(random.random() < 0.6),))
    if type_ in ("text", "boolean"):
        counts = pc.value_counts(array.drop_null()).to_pylist()
        if len(counts) <= 60:
            values = [c["values"] for c in counts if c["counts"] >= FEWEST_ROWS]
            return Condition((name,), type_, "value", (values[random.integers(len(values))],)) if values else None
        if type_ == "text":
            codes, patterns = patterns_of(array)
            often = [p for i, p in enumerate(patterns) if 0.005 < (codes == i).mean() < 0.9 and 0 < len(p) <= 20]
            return Condition((name,), type_, "pattern", (often[random.integers(len(often))],)) if often else None
        return None
    if type_ == "other":
        return None
    if type_ in ("time", "local time") and random.random() < 0.6:
        first = int(random.integers(0, 23))
        return Condition((name,), type_, "hour", (), float(first), float(min(24, first + int(random.integers(1, 9)))))
    numbers = numbers_of(array)
    finite = np.sort(numbers[np.isfinite(numbers)])
    if len(finite) < 2 * FEWEST_ROWS or finite[0] == finite[-1]:
        return None
    width = min(0.9, share)
    start = random.choice([0.0, 1.0 - width, random.uniform(0, 1 - width)])
    low, high = np.quantile(finite, [start, min(1.0, start + width)])
    low = -np.inf if start == 0 else float(low)
    high = np.inf if start + width >= 1 else float(high)
    return None if low >= high else Condition((name,), type_, "value", (), low, high)


def faulted(table: Any, before: Any, column: str, fault: str, *, mask: Any, seed: int) -> Any:
    """The table with a fault in some rows; None where it cannot happen or changes almost nothing."""
    random = np.random.default_rng(seed)
    if fault in ROW_FAULTS:
        times = ROW_FAULTS[fault]
        keep = mask & (random.random(len(mask)) < times) if times < 1 else mask
        if times < 1:
            return table.filter(pa.array(~mask | keep))
        return table.take(pa.array(np.concatenate([np.arange(len(mask)), np.flatnonzero(mask)])))
    array = plain(table[column])
    kind = kind_of(table.schema.field(column).type)
    assert kind is not None
    part = table.filter(pa.array(mask))
    after = _after(part, before, (column, kind), fault, seed)
    if after is None or len(after) != part.num_rows:
        return None
    after = plain(after)
    if after.type != array.type:
        if pt.is_integer(array.type) and pt.is_floating(after.type):
            array = array.cast(pa.float64(), safe=False)
            after = after.cast(pa.float64(), safe=False)
        else:
            return None
    whole = pa.concat_arrays([array, after])
    places = np.arange(len(mask))
    places[mask] = len(mask) + np.arange(int(mask.sum()))
    new = whole.take(pa.array(places))
    changed = _differs(array.filter(pa.array(mask)), after)
    if changed.mean() < 0.05 or changed.sum() < 10:
        return None
    return table.set_column(table.column_names.index(column), column, new)


def _after(part: Any, before: Any, column: tuple[str, Kind], fault: str, seed: int) -> Any:
    name, kind = column
    for f in SEEN:
        if f.name == fault and kind in f.kinds:
            return inject(f, Column.of_table(part, name, kind), seed)
    (unseen,) = [f for f in UNSEEN if f.name == fault and kind in f.kinds]
    return happen(unseen, part, column, before, seed)


def _differs(a: Any, b: Any) -> Any:
    same = pc.fill_null(pc.equal(a, b), False)
    both = pc.and_(pc.is_null(a), pc.is_null(b))
    return ~pc.or_(same, both).to_numpy(zero_copy_only=False)


def faults_of(kind: Kind) -> dict[str, list[str]]:
    """Names of the faults that can be planted in part of a column of this kind, by type."""
    by_type: dict[str, list[str]] = {}
    for f in _FAULTS:
        if kind in f.kinds and f.type not in LEFT_OUT:
            by_type.setdefault(f.type, []).append(f.name)
    by_type["rows gone or twice"] = list(ROW_FAULTS)
    return by_type


def type_of_fault(name: str) -> str:
    if name in ROW_FAULTS:
        return "rows gone or twice"
    return next(f.type for f in _FAULTS if f.name == name)
