"""Files are read as Spark reads them, or not at all."""

from __future__ import annotations

import base64
import datetime as dt
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from byhistory.files.folding import fold_pieces
from byhistory.files.piece import END, Piece
from byhistory.files.reader import Declined, ParquetRows, Reading, reads_int96
from byhistory.profile import Kind, to_bytes
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.runs import Runs


def read(path: Path, reading: Reading, start: int = 0, stop: int = END, values: tuple[Any, ...] = ()) -> list[Any]:
    piece = Piece(str(path), 1, "", values, start, stop)
    return [batch for batch, _ in ParquetRows(reading).batches(str(path), piece)]


def folded(path: Path) -> None:
    fields = (Field("a", Kind.NUMERIC, "bigint"),)
    runs = Runs(fields, Options(), 0, (0,))
    list(fold_pieces([Piece(str(path), 1)], Reading(((("a",), "bigint"),)), {}, fields, runs))


def test_pieces_of_a_file_have_all_its_row_groups_once(tmp_path):
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"a": range(1000)}), path, row_group_size=50)
    size = path.stat().st_size
    ends = [0, *(size * i // 7 for i in range(1, 7)), END]
    reading = Reading(((("a",), "bigint"),))
    parts = [read(path, reading, start, stop) for start, stop in pairwise(ends)]
    assert [v for part in parts for batch in part for v in batch.column(0).to_pylist()] == list(range(1000))
    assert sum(1 for part in parts if part) > 4


def test_only_the_wanted_columns_in_the_wanted_order_and_types(tmp_path):
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"A": pa.array([1, 2], pa.uint8()), "s": [{"x": 1, "y": [1, 2]}, None]}), path)
    columns = ((("s", "y"), "array<bigint>"), (("a",), "smallint"), (("day",), "date"), (("gone",), "string"))
    (batch,) = read(path, Reading(columns, from_path=((2, 0),)), values=(dt.date(2026, 1, 2),))
    assert batch.schema.types == [pa.int32(), pa.int16(), pa.date32(), pa.string()]
    assert [c.to_pylist() for c in batch.columns] == [[2, None], [1, 2], [dt.date(2026, 1, 2)] * 2, [None, None]]


@pytest.mark.parametrize("type_", ["int", "string", "timestamp", "array<int>"])
def test_another_type_is_declined_with_its_file(tmp_path, type_):
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(Declined, match=rf"'a' is bigint and not {type_} in .*f\.parquet"):
        read(path, Reading(((("a",), type_),)))


def test_names_that_differ_in_case_only_are_declined_unless_case_counts(tmp_path):
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"a": [1], "A": [2]}), path)
    with pytest.raises(Declined, match="may be each of 2 columns"):
        read(path, Reading(((("a",), "bigint"),)))
    (batch,) = read(path, Reading(((("A",), "bigint"),), case_sensitive=True))
    assert batch.column(0).to_pylist() == [2]


def test_a_damaged_or_missing_file_is_named(tmp_path):
    path = tmp_path / "f.parquet"
    for content in (b"", b"no Parquet at all", None):
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(Declined, match=r"f\.parquet cannot be read \(.+\)"):
            folded(path)
    pq.write_table(pa.table({"a": range(10_000)}), path, use_dictionary=False, compression="zstd")
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + b"\xff" * 200 + whole[204:])
    with pytest.raises(Declined, match=r"f\.parquet cannot be read"):
        folded(path)


class NoSecret(pe.KmsClient):
    """Keys that are not encrypted: enough for a file that is."""

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:  # noqa: ARG002 - pyarrow's signature
        return base64.b64encode(key_bytes)

    def unwrap_key(self, wrapped_key: bytes, master_key_identifier: str) -> bytes:  # noqa: ARG002 - pyarrow's signature
        return base64.b64decode(wrapped_key)


def test_an_encrypted_file_is_named(tmp_path):
    path = tmp_path / "f.parquet"
    config = pe.EncryptionConfiguration(footer_key="k", column_keys={"k": ["a"]})
    factory = pe.CryptoFactory(lambda _: NoSecret())
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), config)
    with pq.ParquetWriter(path, pa.schema({"a": pa.int64()}), encryption_properties=properties) as writer:
        writer.write_table(pa.table({"a": [1]}))
    with pytest.raises(Declined, match=r"f\.parquet cannot be read"):
        folded(path)


@pytest.mark.parametrize("words", [["a", "b", None, "a", ""], ["x"] * 5, [None] * 3, []])
def test_text_in_codes_has_the_profile_of_text(words):
    field = Field("s", Kind.CATEGORICAL, "string")
    plain = pa.array(words, pa.string())
    indices = [None if w is None else ["unused", "", "a", "b", "x", "a"].index(w) for w in words]
    # The dictionary of a file may have values that no row has, and a value twice.
    coded = pa.DictionaryArray.from_arrays(
        pa.array([5 if v == 2 and i else v for i, v in enumerate(indices)], pa.int32()),
        pa.array(["unused", "", "a", "b", "x", "a"]),
    )
    options = Options(b"k", keep_values=True)
    mine, yours = (profile_array(array, field, options).sealed(b"k") for array in (coded, plain))
    assert to_bytes(mine) == to_bytes(yours)


def test_parts_of_seconds_before_1970_are_read_as_they_are_or_not_at_all(tmp_path):
    path = tmp_path / "f.parquet"
    times = [dt.datetime(1969, 12, 31, 23, 59, 59, 500_000), dt.datetime(1950, 1, 1, 0, 0, 0, 250_000)]  # noqa: DTZ001
    written = pa.table({"at": pa.array(times, pa.timestamp("us"))})
    pq.write_table(written, path, use_deprecated_int96_timestamps=True)
    asked = Reading(((("at",), "timestamp"),))
    if not reads_int96():  # pyarrow 14 to 21 read them as of 2554
        with pytest.raises(Declined, match="INT96"):
            read(path, asked)
        return
    (batch,) = read(path, asked)
    assert [value.replace(tzinfo=None) for value in batch[0].to_pylist()] == times
