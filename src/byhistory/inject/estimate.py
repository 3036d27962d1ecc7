"""What the profile of all rows would be after a fault, from a sample of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from byhistory.inject.base import Fault, inject, stream
from byhistory.inject.column import Column
from byhistory.inject.growth import PARTLY, After, Growth
from byhistory.inject.scale import scaled, scaled_table, thinned_table
from byhistory.profile import NUMBER_LIKE, ColumnProfile, Frequencies, Numbers
from byhistory.profile.arrays import Hashes, Ints
from byhistory.profile.column import FORMATS, PATTERNS
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.hashing import group
from byhistory.rows.numeric import number_states


class Scene:
    """What is known about a column before any fault. It is a class because all faults of the column share it.

    `clean` is the sample as it is, scaled to the size of the whole run, with what only that tells (extremes, distinct
    values); it is what the result of `after` is compared with. `values_matter` can be set to False if no
    metric depends on which values there are; that saves most of the work on tables of values.
    """

    def __init__(self, here: Column, now: ColumnProfile, field: Field, options: Options) -> None:
        self.here, self.now, self.field, self.options = here, now, field, options
        self.values_matter = True
        self.ratio = now.rows / here.rows if here.rows else 1.0
        self.sample = profile_array(here.array, field, options)
        self.hashes = None if now.values is None else here.codes(options)
        hashes = None if self.hashes is None else self.hashes[here.present]
        self.growth = None if hashes is None or now.values is None else Growth.of(hashes, now.values, now.present)
        up = self._sealed(scaled(self.sample, self.ratio))
        self.clean = replace(
            up,
            rows=now.rows,
            numbers=_with_ends(up.numbers, now.numbers),
            values=_with_distinct(up.values, now.values),
            patterns=_with_distinct(up.patterns, now.patterns),
            formats=_with_distinct(up.formats, now.formats),
        )

    def without_values(self) -> ColumnProfile:
        """Like `clean`, with values that no other profile has."""
        return replace(self.clean, values=_with_distinct(self.sample.values, self.now.values))

    def _sealed(self, profile: ColumnProfile) -> ColumnProfile:
        patterns, formats, values = profile.patterns, profile.formats, profile.values
        return replace(
            profile,
            values=values.sealed(self.options.key) if values is not None and self.values_matter else values,
            patterns=None if patterns is None else patterns.sealed(self.options.key, PATTERNS),
            formats=None if formats is None else formats.sealed(self.options.key, FORMATS),
        )

    def after(self, fault: Fault, array: Any, seed: int) -> tuple[ColumnProfile, bool]:
        """The profile of all rows after the fault, and whether a part of the values stayed."""
        faulty = profile_array(array, self.field, self.options)
        up = scaled(faulty, self.ratio)
        values, is_partly = self._values(fault, Column(array, self.here.kind), up, seed)
        up = self._sealed(replace(up, values=values))
        numbers = up.numbers
        patterns = _grown(up.patterns, self.now.patterns, self.sample.patterns)
        formats = _grown(up.formats, self.now.formats, self.sample.formats)
        if numbers is not None and self.now.numbers is not None and numbers.count:
            ends = self._ends(fault, faulty, is_partly)
            numbers = replace(numbers, low=ends[0], high=ends[1])
        return replace(up, numbers=numbers, patterns=patterns, formats=formats), is_partly

    def _values(self, fault: Fault, column: Column, up: ColumnProfile, seed: int) -> tuple[Frequencies | None, bool]:
        """The table of values of all rows after the fault: what stays of the old one, with the changed values added."""
        if self.hashes is None or self.now.values is None or up.values is None or self.growth is None:
            return up.values, False
        hashes = column.codes(self.options)
        if column.rows == self.here.rows:
            same = (hashes == self.hashes) & column.valid & self.here.valid
        else:  # a fault of the user's own that moves rows
            same = np.zeros(column.rows, np.bool_)
        stays = float(np.count_nonzero(same)) / max(1, len(self.here.present))
        changed = ~same[column.present] if len(column.present) < column.rows else ~same
        present = hashes[column.present] if len(column.present) < column.rows else hashes
        after = self.growth.after(present, changed, fault.each, stays)
        values, is_partly = up.values, stays >= PARTLY
        if is_partly and self.values_matter:
            rows = column.present[changed]
            new = self._changed(column, hashes, rows, after)
            values = thinned_table(self.now.values, stays, stream(fault, seed)) + new  # the rest is that of all rows
        return replace(values, distinct=max(up.distinct, min(float(up.present), after.distinct))), is_partly

    def _changed(self, column: Column, hashes: Hashes, rows: Ints, after: After) -> Frequencies:
        """The table of the changed values of all rows, from those of the sample.

        A value of the sample counts for as many rows as it stands for. If those are many different values that the run
        never had, and if its table is a sample by hash (see `Frequencies`), they become more such entries instead:
        otherwise each of them would seem to be a frequent value.
        """
        assert self.now.values is not None  # noqa: S101 - for the type checker
        level, key = self.now.values.level, self.options.key
        rare = np.zeros(len(rows), np.bool_)
        if level and after.fresh.any():
            _, counts, places = group(hashes[rows])
            rare[places[counts == 1]] = True
            rare &= after.fresh
        table = scaled_table(self._table(column, hashes, rows[~rare]), max(1, round(self.ratio))).sealed(key)
        if not rare.any():
            return table
        mask = np.uint64((1 << max(0, level - round(math.log2(after.stands_for)))) - 1)
        each = max(1, round(self.ratio / after.stands_for))
        entries = self._table(column, hashes, rows[rare])
        drawn = entries.ids[(entries.ids & mask) == 0]
        entries = Frequencies.of(drawn, np.full(len(drawn), each)).sealed(key)
        return table + replace(
            entries,
            total=round(int(rare.sum()) * self.ratio),
            zeros=np.maximum(entries.zeros, level).astype(np.uint8),
            level=level,
            missed=each,
        )

    def _table(self, column: Column, hashes: Hashes, rows: Ints) -> Frequencies:
        """The table of some rows, in flight."""
        if column.kind in NUMBER_LIKE:  # how numbers are hashed is the profile's own affair
            return number_states(column.taken(rows), column.kind, self.options)[2]
        ids, counts, _ = group(hashes[rows])
        return Frequencies.of(ids, counts)

    def _ends(self, fault: Fault, faulty: ColumnProfile, is_partly: bool) -> tuple[float, float]:
        """Smallest and largest number of all rows after the fault."""
        n, c, f = self.now.numbers, self.sample.numbers, faulty.numbers
        assert n is not None and c is not None and f is not None  # noqa: PT018, S101 - for the type checker
        if fault.each and n.count:
            ends = inject(fault, self.here.like(np.array([n.low, n.high])))
            both = np.zeros(0) if ends is None else Column(ends, self.here.kind).seconds()
            if len(both) == 2 and np.isfinite(both).all():
                return float(both.min()), float(both.max())
        if is_partly:  # the extremes of all rows are probably among what stays
            return min(n.low, f.low), max(n.high, f.high)
        low = n.low if f.low == c.low else min(f.low, n.low) if f.low < c.low else f.low
        high = n.high if f.high == c.high else max(f.high, n.high) if f.high > c.high else f.high
        return low, high


def _with_ends(numbers: Numbers | None, of_all: Numbers | None) -> Numbers | None:
    return numbers if numbers is None or of_all is None else replace(numbers, low=of_all.low, high=of_all.high)


def _with_distinct(table: Frequencies | None, of_all: Frequencies | None) -> Frequencies | None:
    return table if table is None or of_all is None else replace(table, distinct=of_all.distinct)


def _grown(table: Frequencies | None, of_all: Frequencies | None, of_sample: Frequencies | None) -> Frequencies | None:
    """With as many more distinct entries as all rows have than their sample."""
    if table is None or of_all is None or of_sample is None:
        return table
    return replace(table, distinct=table.distinct * of_all.distinct / max(1.0, of_sample.distinct))
