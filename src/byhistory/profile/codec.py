"""A column profile as bytes and back: versioned, compact, readable for ever."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import fields
from typing import Any

import numpy as np

from byhistory.errors import BadProfile
from byhistory.profile.column import ColumnProfile
from byhistory.profile.frequencies import Frequencies
from byhistory.profile.kind import Kind
from byhistory.profile.numbers import Numbers
from byhistory.profile.possible import must_be_possible
from byhistory.profile.quantiles import Quantiles
from byhistory.profile.text import Text
from byhistory.profile.unzip import DAMAGE, unzipped

MAGIC = b"BHP"
VERSION = 2
READ = (1, 2)
"""Formats that are read: profiles of the first have no formats of text."""
_RESTORE = "restore the history from a copy, or profile that run again"
_STATES = {
    "numbers": Numbers,
    "quantiles": Quantiles,
    "text": Text,
    "lengths": Quantiles,
    "values": Frequencies,
    "patterns": Frequencies,
    "formats": Frequencies,
}
_FIELDS: dict[type[Any], tuple[str, ...]] = {
    value: tuple(f.name for f in fields(value)) for value in (ColumnProfile, *_STATES.values())
}
_ARRAY_TYPES = {
    "values": "<f8",
    "weights": "<i8",
    "atoms": "|b1",
    "ids": "<u8",
    "counts": "<i8",
    "zeros": "|u1",
    "registers": "|u1",
}
_KEPT_AS = {"f": "f", "i": "iu", "u": "iu", "b": "b"}
"""The kinds of numbers that an array may be kept as: whole numbers in fewer bytes, all else as it is."""


def to_bytes(profile: ColumnProfile, level: int = 1) -> bytes:
    """Versioned bytes of a profile: a header of plain numbers and the arrays behind it, compressed together.

    With a `level` of 0 they are not compressed, for a caller who compresses many profiles together.
    """
    arrays: list[bytes] = []
    header: dict[str, Any] = {}
    for name in _FIELDS[ColumnProfile]:
        value = getattr(profile, name)
        header[name] = _state_header(value, arrays) if name in _STATES and value is not None else value
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=True).encode()
    body = struct.pack("<I", len(head)) + head + b"".join(arrays)
    return MAGIC + bytes([VERSION]) + zlib.compress(body, level)


def from_bytes(data: bytes | bytearray) -> ColumnProfile:
    """The profile back; a clear error for bytes that are no profile, are damaged or come from a later version."""
    if data[:3] != MAGIC or len(data) < 4:
        raise BadProfile("read a stored profile", f"bytes that do not begin as one ({data[:8]!r})", _RESTORE)
    if data[3] not in READ:
        raise BadProfile("read a stored profile", f"format {data[3]}, newer than {VERSION}", "upgrade byhistory")
    try:
        body = unzipped(data[4:])
        (size,) = struct.unpack_from("<I", body)
        header = json.loads(body[4 : 4 + size])
        rest = memoryview(body)[4 + size :]
        if data[3] == 1:
            header["formats"] = None
        for name, state in _STATES.items():
            if header[name] is not None:
                header[name], rest = _state(state, header[name], rest)
        header["kind"] = Kind(header["kind"])
        return must_be_possible(ColumnProfile(**header))
    except (struct.error, *DAMAGE) as damage:
        raise BadProfile(
            "read a stored profile", f"damaged bytes ({type(damage).__name__}: {damage})", _RESTORE
        ) from damage


def _state_header(state: Any, arrays: list[bytes]) -> dict[str, Any]:
    """The plain fields of a state; each array becomes [narrowest type, length] and its bytes are put aside."""
    header: dict[str, Any] = {}
    for name in _FIELDS[type(state)]:
        value = getattr(state, name)
        if isinstance(value, np.ndarray) and name == "labels":
            value = value.tolist()
        elif isinstance(value, np.ndarray):
            narrow = _narrow(value)
            arrays.append(_planes(narrow))
            value = [narrow.dtype.str, len(narrow)]
        header[name] = value
    return header


def _state(state: type[Any], header: dict[str, Any], rest: memoryview) -> tuple[Any, memoryview]:
    for name in _FIELDS[state]:
        value = header[name]
        if name == "labels" and value is not None:
            labels = np.empty(len(value), np.object_)
            labels[:] = value
            header[name] = labels
        elif name in _ARRAY_TYPES and value is not None and isinstance(value, list):
            dtype = np.dtype(value[0])
            if dtype.kind not in _KEPT_AS[np.dtype(_ARRAY_TYPES[name]).kind] or value[1] < 0:
                raise ValueError(f"an array of {value[1]} {dtype}")
            size = dtype.itemsize * value[1]
            planes = np.frombuffer(rest[:size], np.uint8).reshape(dtype.itemsize, value[1])
            if len(rest) < size:
                raise ValueError("the bytes end too early")
            header[name] = np.ascontiguousarray(planes.T).view(dtype).ravel().astype(_ARRAY_TYPES[name])
            rest = rest[size:]
    return state(**header), rest


def _narrow(array: Any) -> Any:
    """The same whole numbers in the fewest bytes."""
    dtype = array.dtype
    if dtype.itemsize > 1 and dtype.kind in "iu" and len(array) and (dtype.kind == "u" or array.min() >= 0):
        dtype = np.min_scalar_type(int(array.max()))
    return array.astype(dtype.newbyteorder("<"), copy=False)


def _planes(array: Any) -> bytes:
    """The first bytes of all elements, then all second bytes, and so on: this compresses far better."""
    return np.ascontiguousarray(array.view(np.uint8).reshape(len(array), -1).T).tobytes() if len(array) else b""
