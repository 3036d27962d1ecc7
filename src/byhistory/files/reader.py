"""The rows of a piece of a Parquet file, as Spark's reader would give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from byhistory.files.piece import Piece
from byhistory.files.shape import Shape, Unlike
from byhistory.files.types import UNKNOWN, Nanos, Place, arrow_type, has_no_values, places, plain, widens
from byhistory.rows.chunk import CHUNK_ROWS
from byhistory.rows.fold import CHUNK_BYTES

GREGORIAN = {"date": -141_427, "timestamp": -2_208_988_800_000_000}
"""Days and microseconds from which on both calendars and all time zones agree: 1582-10-15 and 1900-01-01."""
SHORT_CODE = 4
"""A column of text with fewer bytes per value is surely written as codes of a dictionary, not as text."""
SMALL_GROUP = 2048
"""Groups with up to this many rows are read as they are: codes gain less than it takes to look for them."""
LARGE_GROUP = 256 << 20
"""Row groups with more bytes are read through a buffer, instead of a whole column at once."""
CALENDAR = (b"org.apache.spark.version", b"org.apache.spark.legacyINT96", b"org.apache.spark.legacyDateTime")
"""The entries of a footer that tell in which calendar its times are written."""


class Declined(Exception):  # noqa: N818 - nothing went wrong: Spark's reader is to be used instead
    """Why files are not read directly: the result would differ from that of Spark's reader, or might."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Which columns are read, and how Spark is set."""

    columns: tuple[tuple[tuple[str, ...], str], ...]
    """For each field, the names on the way to it, and the type that Spark gives it."""
    from_path: tuple[tuple[int, int], ...] = ()
    """Fields that are in the path: which of the columns, and which of the values of a piece."""
    zone: str = "UTC"
    case_sensitive: bool = False
    nanos: Nanos = "time"
    rebase: str = "CORRECTED"
    """What Spark does with dates in files that do not tell their calendar."""
    rebase_int96: str = "CORRECTED"


class ParquetRows:
    """Reads pieces of Parquet files, one after another.

    It is a class because it remembers the layout of the last file: most files of a table are alike, and for small ones
    it would take longer to find the columns than to read them.
    """

    def __init__(self, reading: Reading, like: Shape | None = None) -> None:
        """Read files of any columns, or only those `like` one of them: any other is then refused as `Unlike`."""
        self._reading, self._like = reading, like
        self._last: _Layout | None = None

    def batches(self, source: Any, piece: Piece) -> Iterator[tuple[Any, frozenset[int]]]:
        """Arrow batches with one column for each column of the reading, and the numbers of those missing in the file.

        `source` is a path or an open file.
        """
        file = pq.ParquetFile(source, coerce_int96_timestamp_unit="us")
        metadata = file.metadata
        groups = [g for g in range(metadata.num_row_groups) if piece.start <= _begin(metadata, g) < piece.stop]
        groups = [g for g in groups if metadata.row_group(g).num_rows]
        shape = Shape.of(metadata) if groups or self._like else None
        if self._like and shape and not self._like.is_like(shape):
            raise Unlike(piece.path)
        if not groups or not shape:
            return
        layout = self._layout(metadata, shape, piece)
        first = metadata.row_group(groups[0])
        size = first.total_byte_size
        if first.num_rows > SMALL_GROUP or size > CHUNK_BYTES:
            size = sum(first.column(leaf).total_uncompressed_size for leaf in layout.leaves)
            file = pq.ParquetFile(
                source,
                metadata=metadata,
                read_dictionary=[
                    metadata.schema.column(leaf).path for leaf in layout.texts if _is_coded(metadata, groups, leaf)
                ],
                coerce_int96_timestamp_unit="us",
                buffer_size=1 << 20 if size > LARGE_GROUP else 0,
            )
        at_once = max(1, min(CHUNK_ROWS, CHUNK_BYTES * first.num_rows // max(1, size)))
        for batch in file.iter_batches(at_once, row_groups=groups, columns=layout.names, use_threads=False):
            arrays = layout.arrays(batch, piece)
            if arrays:
                yield pa.RecordBatch.from_arrays(arrays, names=layout.numbers), layout.absent
            else:
                yield batch, layout.absent

    def _layout(self, metadata: Any, shape: Shape, piece: Piece) -> _Layout:
        """The layout of a file: that of the file before it, if both have the same columns and calendar."""
        last, about = self._last, metadata.metadata or {}
        calendar = tuple(about.get(name) for name in CALENDAR)
        if last is None or last.calendar != calendar or not (self._like or shape.is_like(last.shape)):
            columns = _columns(metadata, piece, self._reading)
            last = self._last = _Layout.of(metadata.schema, shape, calendar, columns, self._reading)
        return last


@dataclass(slots=True)
class _Layout:
    """Where the columns of a reading are in a file. It remembers where they were in the last batch."""

    shape: Shape
    calendar: tuple[bytes | None, ...]
    columns: list[_Column]
    targets: list[Any]
    """The Arrow types in which Spark gives the columns."""
    numbers: list[str]
    absent: frozenset[int]
    leaves: list[int]
    """The columns of the file that are read."""
    names: list[str]
    """Their names in the file."""
    texts: list[int]
    """Those of them that may be read as codes."""
    seen: Any = None
    """The schema of the last batch."""
    ready: Sequence[int] = ()
    """Where in such a batch the columns are that are as Spark gives them; -1 for all others."""

    @staticmethod
    def of(
        schema: Any, shape: Shape, calendar: tuple[bytes | None, ...], columns: list[_Column], reading: Reading
    ) -> _Layout:
        wanted = sorted({c.place.leaf for c in columns if isinstance(c, _InFile)})
        return _Layout(
            shape=shape,
            calendar=calendar,
            columns=columns,
            targets=[arrow_type(type_, reading.zone) for _, type_ in reading.columns],
            numbers=[f"c{i}" for i in range(len(columns))],
            absent=frozenset(i for i, column in enumerate(columns) if isinstance(column, _Absent)),
            leaves=wanted,
            names=[schema.column(leaf).path for leaf in wanted],
            texts=[leaf for leaf in wanted if _can_be_coded(schema.column(leaf))],
        )

    def arrays(self, batch: Any, piece: Piece) -> list[Any]:
        """The columns of a batch as Spark gives them."""
        if self.seen is None or not self.seen.equals(batch.schema):
            self.seen = batch.schema
            self.ready = [_ready(c, t, batch.schema) for c, t in zip(self.columns, self.targets, strict=True)]
        return [
            batch.column(at) if at >= 0 else column.of(batch, target, piece)
            for at, column, target in zip(self.ready, self.columns, self.targets, strict=True)
        ]


def _ready(column: _Column, target: Any, schema: Any) -> int:
    """The place of a column that needs no work in a batch; -1 if it needs some."""
    if not isinstance(column, _InFile) or len(column.names) > 1 or column.oldest is not None:
        return -1
    at: int = schema.get_field_index(column.names[0])
    return at if at >= 0 and schema.field(at).type == target and not column.type.startswith(("array<", "map<")) else -1


def _begin(metadata: Any, group: int) -> int:
    """The place in the file where a row group begins."""
    if not metadata.num_columns:
        return 0
    column = metadata.row_group(group).column(0)
    at: int = column.data_page_offset
    return min(at, column.dictionary_page_offset) if column.has_dictionary_page else at


def _can_be_coded(column: Any) -> bool:
    """Whether a column is text at the top level: inside structs, pyarrow cannot read codes."""
    is_text = column.physical_type == "BYTE_ARRAY" and column.logical_type.type == "STRING"
    return bool(is_text and column.max_definition_level <= 1)


def _is_coded(metadata: Any, groups: Sequence[int], leaf: int) -> bool:
    """Whether a column of text is worth reading as codes; pyarrow cannot if texts are written as deltas."""
    first = metadata.row_group(groups[0]).column(leaf)
    if first.total_uncompressed_size >= SHORT_CODE * first.num_values:
        return False
    of = (metadata.row_group(group).column(leaf).encodings for group in groups)
    return not any(encoding.startswith("DELTA") for encodings in of for encoding in encodings)


# ------------------------------------------------------------------------------------------------------ finding columns


def _columns(metadata: Any, piece: Piece, reading: Reading) -> list[_Column]:
    """Where each of the columns comes from: the file, its path, or nowhere."""
    in_file = places(metadata.schema, metadata.schema.to_arrow_schema(), reading.nanos)
    in_path = dict(reading.from_path)
    found: list[_Column] = []
    for number, (path, type_) in enumerate(reading.columns):
        if number in in_path:
            found.append(_InPath(in_path[number]))
            continue
        at = _find(in_file, path, reading.case_sensitive, piece.path)
        if at is None:
            found.append(_Absent())
            continue
        names, place = at
        if not _fits(metadata, place, type_):
            raise Declined(f"{'.'.join(path)!r} is {place.type} and not {type_} in {piece.path}")
        found.append(_InFile(names, place, type_, _oldest(metadata, place, type_, reading)))
    return found


def _fits(metadata: Any, place: Place, type_: str) -> bool:
    """Whether a column of a file can be read as a type."""
    own = str(place.type)
    if own == plain(type_) or widens(own, type_):
        return True
    return own in ("int", UNKNOWN) and has_no_values(metadata.schema.column(place.leaf))


def _find(
    columns: Sequence[tuple[str, Place]], path: tuple[str, ...], case_sensitive: bool, file: str
) -> tuple[tuple[str, ...], Place] | None:
    """The names of a column in this file, and where it is; None if it is not in it."""
    wanted = path[0] if case_sensitive else path[0].lower()
    same = [(name, place) for name, place in columns if (name if case_sensitive else name.lower()) == wanted]
    if len(same) > 1:
        raise Declined(f"{path[0]!r} may be each of {len(same)} columns of {file}")
    if not same:
        return None
    name, place = same[0]
    if len(path) == 1:
        return (name,), place
    if not place.below:
        raise Declined(f"{path[0]!r} is {place.type} and no struct in {file}")
    below = _find(place.below, path[1:], case_sensitive, file)
    return None if below is None else ((name, *below[0]), below[1])


def _oldest(metadata: Any, place: Place, type_: str, reading: Reading) -> int | None:
    """The first day or microsecond that can be read as it is; None if all can.

    Spark 2 and Hive wrote times in the calendar that changed in 1582. Spark tells from the footer which one it is.
    """
    if type_ not in GREGORIAN:
        return None
    about = metadata.metadata or {}
    version = about.get(b"org.apache.spark.version", b"").decode()
    is_int96 = metadata.schema.column(place.leaf).physical_type == "INT96"
    if is_int96 and not reads_int96():
        raise Declined(f"times as INT96, which pyarrow {pa.__version__} misreads before 1970 (23 does not)")
    if not version:
        is_new = (reading.rebase_int96 if is_int96 else reading.rebase) == "CORRECTED"
    elif is_int96:
        is_new = version >= "3.1.0" and b"org.apache.spark.legacyINT96" not in about
    else:
        is_new = version >= "3.0.0" and b"org.apache.spark.legacyDateTime" not in about
    return None if is_new else GREGORIAN[type_]


@cache
def reads_int96() -> bool:
    """Whether this pyarrow reads parts of seconds before 1970 in the old form of times: 14 to 21 give the year 2554."""
    times, file = pa.array([-500_000], pa.timestamp("us")), pa.BufferOutputStream()
    pq.write_table(pa.table({"at": times}), file, use_deprecated_int96_timestamps=True)
    read = pq.read_table(pa.BufferReader(file.getvalue()), coerce_int96_timestamp_unit="us", use_threads=False)
    return bool(read["at"].combine_chunks().equals(times))


# --------------------------------------------------------------------------------------------------- columns of a batch


@dataclass(frozen=True, slots=True)
class _Absent:
    """A column that the file does not have."""

    def of(self, batch: Any, target: Any, piece: Piece) -> Any:  # noqa: ARG002 - as the others
        return pa.nulls(batch.num_rows, target)


@dataclass(frozen=True, slots=True)
class _InPath:
    """A column that has one value in all rows of the file."""

    number: int
    """Which of the values of a piece."""

    def of(self, batch: Any, target: Any, piece: Piece) -> Any:
        return pa.repeat(pa.scalar(piece.values[self.number], target), batch.num_rows)


@dataclass(frozen=True, slots=True)
class _InFile:
    """A column of the file, by its names there."""

    names: tuple[str, ...]
    place: Place
    type: str
    oldest: int | None

    def of(self, batch: Any, target: Any, piece: Piece) -> Any:
        """The column as Spark gives it."""
        number = batch.schema.get_field_index(self.names[0])
        if number < 0:
            raise Declined(f"{self.names[0]!r} is twice in {piece.path}")
        array = batch.column(number)
        for name in self.names[1:]:
            array = _stored(array)
            # A field below a null is null, which `struct_field` respects and `field` does not.
            array = pc.struct_field(array, [array.type.get_field_index(name)])
        array = _converted(_stored(array), self.type, target)
        if self.oldest is not None and _lowest(array) < self.oldest:
            raise Declined(f"{'.'.join(self.names)!r} has times of the old calendar in {piece.path}")
        return array


_Column = _Absent | _InPath | _InFile


def _lowest(array: Any) -> int:
    low = pc.min(array.cast(pa.int32() if pt.is_date32(array.type) else pa.int64())).as_py()
    return 0 if low is None else int(low)


def _stored(array: Any) -> Any:
    """An array as it is stored, without the extension types of other programs."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array


def _converted(array: Any, type_: str, target: Any) -> Any:
    """An array in the Arrow type that Spark gives it; text may stay codes and a dictionary."""
    if type_.startswith(("array<", "map<")):
        return pc.list_value_length(array).cast(target)
    if array.type == target:
        return array
    if pt.is_dictionary(array.type):
        if array.type.value_type == target and pt.is_string(target):
            return array
        array = array.dictionary_decode()
    if pt.is_timestamp(array.type):
        # Only the name of the zone or the unit differs: both store an instant, or both a wall clock.
        if array.type.unit == "ns" and pt.is_timestamp(target):
            array = pc.floor_temporal(array, unit="microsecond")
        micros = array.cast(pa.timestamp("us", array.type.tz)) if pt.is_timestamp(target) else array
        return micros.cast(pa.int64()).cast(target)
    return array.cast(target)
