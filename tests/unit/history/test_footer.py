"""The end of a Parquet file is read as pyarrow reads it, and no damage to it ends the process."""

from __future__ import annotations

from datetime import datetime, timezone

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.processes import processes

from byhistory.errors import StoreError
from byhistory.history import Run, RunLine, parquet
from byhistory.history.footer import read_footer, tail_of

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
KEY = b"k" * 32
RUN = Run("orders", "2026-11-01", AT, "as usual", 11, {"a": b"A" * 9, "b": b"B"}, b"m", "{}", id="an id")
LINE = RunLine("orders", "2026-11-01", AT, "as usual", 11, 2, id="an id")
PATIENCE = 300


def file_of(run=RUN):
    return parquet.run_file(KEY, run)


@given(
    columns=st.integers(0, 200),
    how=st.fixed_dictionaries(
        {
            "compression": st.sampled_from(["ZSTD", "NONE", "SNAPPY"]),
            "use_dictionary": st.booleans(),
            "row_group_size": st.integers(1, 9),
            "write_statistics": st.booleans(),
        }
    ),
)
def test_a_footer_is_read_as_pyarrow_reads_it(columns, how):
    names = {f"c{i}" * (1 + i % 40): ["a", None, "bb"] * 4 if i % 2 else [1.5, -2.0, None] * 4 for i in range(columns)}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(names), sink, **how)
    found = read_footer(tail_of(pa.BufferReader(sink.getvalue())))
    right = pq.read_metadata(pa.BufferReader(sink.getvalue()))
    parts = [right.row_group(g).column(c) for g in range(right.num_row_groups) for c in range(right.num_columns)]
    assert found.rows == right.num_rows
    assert [(p.is_packed, p.bytes, p.encodings) for p in found.parts] == [
        (p.compression != "UNCOMPRESSED", p.total_uncompressed_size, frozenset(p.encodings)) for p in parts
    ]


def flipped(pipe, begin, end):
    """Read the file with each bit of some bytes flipped; tell how many readings were right, and how many refused."""
    data, found = file_of(), [0, 0]
    for at in range(begin, end):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            try:
                assert parquet.read_run(KEY, LINE, pa.BufferReader(changed), None, True).columns == RUN.columns
                found[0] += 1
            except (StoreError, OSError, pa.ArrowException):
                found[1] += 1
    pipe.send(found)


def test_no_bit_of_a_footer_ends_the_process():
    data = file_of()
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    with processes(__name__, both_ways=True) as start:
        process, pipe = start(flipped, begin, len(data))
        assert pipe.poll(PATIENCE)
        right, refused = pipe.recv()
        process.join()
    assert right + refused == 8 * (len(data) - begin)
    assert refused > right


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" * 3, b"\xff" * 90 + b"\xff\xff\xff\x7fPAR1", b"\x3c" * 90])
def test_what_is_no_footer_is_a_clear_error(data):
    with pytest.raises(StoreError, match="a damaged file"):
        parquet.read_run(KEY, LINE, pa.BufferReader(data), None, True)


@pytest.mark.parametrize("nested", [b"\x1c" * 5_000, b"\x19" * 5_000, b"\x19\xfc" + b"\xff" * 5_000])
def test_a_footer_that_nests_or_counts_without_end_is_a_clear_error(nested):
    data = b"PAR1" + nested + len(nested).to_bytes(4, "little") + b"PAR1"
    with pytest.raises((ValueError, LookupError)):
        read_footer(tail_of(pa.BufferReader(data)))
