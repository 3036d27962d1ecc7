"""One column of the sample, with what several faults need to know about it, worked out once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.errors import BadInput
from byhistory.inject.conversion import (
    as_integers,
    cased,
    from_ticks,
    narrowed,
    plain,
    ticks_a_second,
    ticks_of_rows,
    ticks_type,
)
from byhistory.inject.spelling import Digits, digits_of
from byhistory.profile import NUMBER_LIKE, Kind
from byhistory.profile.arrays import Bools, Floats, Hashes, Ints
from byhistory.rows.chars import Strings
from byhistory.rows.field import Options
from byhistory.rows.hashing import hash_strings, hash_words
from byhistory.rows.local import kind_of
from byhistory.rows.text import strings_of


class Column:
    """The values of a column, with the columns beside it (nearest first).

    It is a class because it remembers: thirty faults need the same sorted order, the same digits, the same capitals.
    Results keep the type of the column where the new values fit it; integers that do not fit become 64 bits wide, and
    floats beyond.

    >>> c = Column(pa.array([3, None, 1]), Kind.NUMERIC)
    >>> c.present.tolist(), c.numbers.tolist(), c.with_numbers(c.numbers * 10).to_pylist()
    ([0, 2], [3, 1], [30, None, 10])
    """

    def __init__(self, array: Any, kind: Kind, neighbours: tuple[Any, ...] = ()) -> None:
        self.kind = kind
        self.array = plain(array, kind)
        self.rows = len(self.array)
        self._neighbours = neighbours

    @staticmethod
    def of_table(table: Any, name: str, kind: Kind) -> Column:
        """A column of an Arrow table with its neighbours in the order of their distance, the right one first."""
        here = table.column_names.index(name)
        return Column(table.column(here), kind, tuple(table.column(i) for i in _beside(table, here)))

    @cached_property
    def valid(self) -> Bools:
        """Which rows are not null."""
        if not self.array.null_count:
            return np.ones(self.rows, np.bool_)
        return np.asarray(self.array.is_valid().to_numpy(zero_copy_only=False))

    @cached_property
    def present(self) -> Ints:
        """The rows that are not null. The attributes below are about the values of these rows, in this order."""
        return np.flatnonzero(self.valid).astype(np.int64)

    @cached_property
    def values(self) -> Any:
        """The values that are not null, as an Arrow array."""
        return self.array.drop_null() if self.array.null_count else self.array

    @cached_property
    def is_boolean(self) -> bool:
        """Whether the values are true and false, which have no characters."""
        return bool(pt.is_boolean(self.array.type))

    @cached_property
    def is_text(self) -> bool:
        """Whether the values are text."""
        return bool(pt.is_string(self.array.type) or pt.is_large_string(self.array.type))

    @cached_property
    def numbers(self) -> Any:
        """The values as 64-bit integers (integers; dates and timestamps in their own unit) or floats."""
        type_ = self.array.type
        if self.kind is Kind.TEMPORAL:
            return self.values.cast(ticks_type(type_)).to_numpy(zero_copy_only=False).astype(np.int64)
        if pt.is_decimal(type_):
            return self.values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        wide = np.int64 if pt.is_integer(type_) else np.float64
        return self.values.to_numpy(zero_copy_only=False).astype(wide, copy=False)

    def seconds(self) -> Floats:
        """The numbers as a profile has them: dates and timestamps in seconds since 1970."""
        scale = ticks_a_second(self.array.type) if self.kind is Kind.TEMPORAL else 1.0
        return np.asarray(self.numbers / scale)

    @cached_property
    def strings(self) -> Strings:
        """The values as bytes side by side, the first of them at 0."""
        strings = strings_of(self.values)
        if not len(strings.starts):
            return strings
        first, end = int(strings.starts[0]), int(strings.starts[-1] + strings.lengths[-1])
        return Strings(strings.data[first:end], strings.starts - first, strings.lengths)

    @cached_property
    def digits(self) -> Digits:
        """The numbers as they are written, and where their digits are."""
        narrow = self.values if not pt.is_decimal(self.array.type) else pc.cast(self.values, pa.string())
        return digits_of(strings_of(narrow if pt.is_string(narrow.type) else pc.cast(narrow, pa.string())))

    @cached_property
    def order(self) -> Ints:
        """Places among the values, from the smallest value to the largest; NaN comes last."""
        if self.is_boolean:
            return np.argsort(self.values.to_numpy(zero_copy_only=False), kind="stable")
        return np.asarray(pc.sort_indices(self.values).to_numpy().astype(np.int64))

    def codes(self, options: Options) -> Hashes:
        """A hash for the value in each row, the same for the same value; without meaning where there is no value.

        Those of text and bytes are the hashes that the profile has.
        """
        if self.is_boolean:
            words = Strings(np.frombuffer(b"falsetrue", np.uint8), np.array([0, 5]), np.array([5, 4]))
            both = hash_strings(words.data, words.starts, words.lengths, options.seed)
            hashes = both[self.values.to_numpy(zero_copy_only=False).astype(np.int64)]
        elif self.kind in NUMBER_LIKE:
            hashes = hash_words(self._words(), options.seed)
        else:
            hashes = hash_strings(self.strings.data, self.strings.starts, self.strings.lengths, options.seed)
        if len(hashes) == self.rows:
            return np.asarray(hashes)
        full = np.zeros(self.rows, np.uint64)
        full[self.present] = hashes
        return full

    def _words(self) -> Hashes:
        """Sixty-four bits for each number, the same for the same number whether it is an integer or a float."""
        numbers = self.numbers
        if self.kind is Kind.TEMPORAL:
            return np.asarray(numbers.view(np.uint64))
        words = (numbers + 0.0).view(np.uint64)  # + 0.0: -0.0 and 0.0 are one value
        if numbers.dtype.kind == "i" and len(numbers) and max(-int(numbers.min()), int(numbers.max())) >= 2**53:
            words = np.where(np.abs(numbers + 0.0) < 2.0**53, words, numbers.view(np.uint64))
        return np.asarray(words)

    def like(self, numbers: Floats) -> Column:
        """A column of the same type with these numbers (dates: seconds since 1970) as its values."""
        if self.kind is Kind.TEMPORAL:
            ends = np.nextafter(2.0**63, 0.0)  # the largest float that is a 64-bit integer
            ticks = np.clip(np.round(numbers * ticks_a_second(self.array.type)), -ends, ends).astype(np.int64)
            return Column(from_ticks(ticks, pa.array(ticks), self.array.type), self.kind)
        if pt.is_integer(self.array.type) and bool((np.abs(numbers) < 2.0**63).all()):
            return Column(pa.array(numbers.astype(np.int64)), self.kind)
        return Column(pa.array(numbers), self.kind)

    @cached_property
    def upper(self) -> Any:
        """The whole column in capitals."""
        return cased(self.array, pc.utf8_upper, pc.ascii_upper)

    @cached_property
    def lower(self) -> Any:
        """The whole column in small letters."""
        return cased(self.array, pc.utf8_lower, pc.ascii_lower)

    @cached_property
    def neighbour(self) -> Any:
        """The nearest column of the same kind that has values, as a type that fits into this one; None if none does."""
        for column in self._neighbours:
            if self._takes(column):
                return self._as_this(plain(column, self.kind))
        return None

    def _takes(self, other: Any) -> bool:
        """Whether values of another column fit into this one."""
        return other.null_count < len(other) and bool(_is_alike(other.type, self.array.type))

    def _as_this(self, other: Any) -> Any:
        mine = self.array.type
        if other.type == mine:
            return other
        if self.kind is Kind.TEMPORAL:
            seconds = Column(other, Kind.TEMPORAL).numbers / ticks_a_second(other.type)
            return from_ticks(ticks_of_rows(seconds * ticks_a_second(mine), other), other, mine)
        if pt.is_integer(mine) and pt.is_integer(other.type):
            return other.cast(pa.int64())
        return other.cast(pa.float64() if self.kind is Kind.NUMERIC else mine, safe=False)

    def some(self, share: float, random: np.random.Generator, among: Ints | None = None) -> Ints:
        """A random share of the values (their places, rising), at least one if there are any."""
        places = np.arange(len(self.present)) if among is None else among
        wanted = max(1, round(share * len(places)))
        if wanted >= len(places):
            return places
        return places[np.sort(random.choice(len(places), wanted, replace=False, shuffle=False))]

    def some_rows(self, share: float, random: np.random.Generator) -> Ints:
        """A random share of all rows, null or not, rising."""
        wanted = max(1, round(share * self.rows))
        return np.sort(random.choice(self.rows, wanted, replace=False, shuffle=False)).astype(np.int64)

    def taken(self, rows: Ints) -> Any:
        """These rows of the column, in this order."""
        return self.array.take(pa.array(rows))

    def with_nulls(self, places: Ints) -> Any:
        """The column with these values null."""
        gone = np.zeros(self.rows, np.bool_)
        gone[self.present[places]] = True
        return self.array.take(pa.array(np.arange(self.rows), mask=gone))

    def with_numbers(self, numbers: Any, lost: Bools | None = None) -> Any:
        """The column with other numbers (in the form of `numbers`) in place of its own; those `lost` are null."""
        if lost is not None and lost.any():
            valid = self.valid.copy()
            valid[self.present[lost]] = False
        else:
            valid = self.valid
        if self.kind is Kind.TEMPORAL:
            full = np.zeros(self.rows, np.int64)
            full[self.present] = numbers
            return from_ticks(full, pa.array(full, mask=~valid), self.array.type)
        if pt.is_decimal(self.array.type):
            return self._with_decimals(numbers, valid)
        if pt.is_integer(self.array.type):
            numbers = as_integers(numbers)
        full = np.zeros(self.rows, numbers.dtype)
        full[self.present] = numbers
        array = pa.array(full, mask=None if valid.all() else ~valid)
        return narrowed(array, self.array.type)

    def _with_decimals(self, numbers: Floats, valid: Bools) -> Any:
        """Only what changed goes through floats, because a float has 16 digits and a decimal up to 38."""
        wide = pa.decimal128(38, self.array.type.scale)
        full, changed = np.zeros(self.rows), np.zeros(self.rows, np.bool_)
        full[self.present] = numbers
        changed[self.present] = numbers != self.numbers
        new = pa.array(full, mask=~valid)
        try:
            return pc.if_else(pa.array(changed | ~valid), new.cast(wide), self.array.cast(wide))
        except pa.ArrowInvalid:  # more digits than a decimal has
            return new

    def with_strings(self, strings: Strings) -> Any:
        """The column with other texts (packed, one for each value) in place of its own."""
        lengths = np.zeros(self.rows + 1, np.int64)
        lengths[self.present + 1] = strings.lengths
        offsets = np.cumsum(lengths)
        large = pt.is_large_string(self.array.type) or pt.is_large_binary(self.array.type) or offsets[-1] > 2**31 - 1
        text = not (pt.is_binary(self.array.type) or pt.is_large_binary(self.array.type))
        type_ = (pa.large_string() if large else pa.string()) if text else (pa.large_binary() if large else pa.binary())
        validity = None
        if self.array.null_count:
            validity = pa.py_buffer(np.packbits(self.valid, bitorder="little"))
        buffers = [validity, pa.py_buffer(offsets.astype(np.int64 if large else np.int32)), pa.py_buffer(strings.data)]
        return pa.Array.from_buffers(type_, self.rows, buffers, self.array.null_count)

    def with_booleans(self, places: Ints, new: Bools) -> Any:
        """The column with other booleans at some places."""
        full = np.zeros(self.rows, np.bool_)
        full[self.present] = self.values.to_numpy(zero_copy_only=False)
        full[self.present[places]] = new
        return pa.array(full, mask=~self.valid if self.array.null_count else None)

    def equals(self, other: Any) -> bool:
        """Whether nothing changed: NaN is the same as NaN here."""
        if other is self.array or self.array.equals(other):
            return True
        if not pt.is_floating(self.array.type) or other.type != self.array.type or len(other) != self.rows:
            return False
        if other.null_count != self.array.null_count:
            return False
        a, b = (x.to_numpy(zero_copy_only=False) for x in (self.array, other))
        return np.array_equal(a, b, equal_nan=True)


def _is_alike(one: Any, other: Any) -> bool:
    """Whether a value of the one type fits into the other: the same kind, and booleans only with booleans."""
    try:
        return kind_of(one) is kind_of(other) and pt.is_boolean(one) == pt.is_boolean(other) and not pt.is_null(one)
    except BadInput:  # a type on which nothing is measured
        return False


def with_neighbour(table: Any, name: str, kind: Kind) -> Any:
    """A column of an Arrow table and the one neighbour that faults look at: all that has to be sent to a worker.

    >>> with_neighbour(pa.table({"a": [1], "s": ["x"], "b": [2], "c": [3]}), "a", Kind.NUMERIC).column_names
    ['a', 'b']
    """
    here = table.column_names.index(name)
    column = Column(table.column(here), kind)
    other = next((i for i in _beside(table, here) if column._takes(table.column(i))), None)
    return table.select([here] if other is None else [here, other])


def _beside(table: Any, here: int) -> list[int]:
    """The places of the other columns, nearest first, the right one before the left."""
    others = (i for i in range(table.num_columns) if i != here)
    return sorted(others, key=lambda i: (abs(i - here), i < here))
