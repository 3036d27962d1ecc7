"""Shared hypothesis strategies: columns as lists of values with nulls, of every kind."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import settings
from hypothesis import strategies as st

from byhistory.profile import Kind

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
"""Whether laws are tried on as many examples as a night has time for; by default on as many as a push has."""


def examples(count: int) -> Callable[[Any], Any]:
    """Try a law on so many examples, or on twenty times as many in a thorough run: for laws that are slow to try."""
    return settings(max_examples=20 * count if THOROUGH else count)


TYPES: dict[Kind, Any] = {
    Kind.NUMERIC: pa.float64(),
    Kind.CATEGORICAL: pa.string(),
    Kind.TEMPORAL: pa.timestamp("us"),
    Kind.BINARY: pa.binary(),
    Kind.NESTED: pa.list_(pa.int64()),
}
"""The Arrow type in which the values of a kind are drawn."""

moderate = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
"""Numbers whose sums are good to many digits, so that one can ask for equality."""
extreme = st.floats(allow_nan=True, allow_infinity=True)
"""Any float there is."""
small_integers = st.integers(-5, 5).map(float)
texts = st.text(st.sampled_from("aB1-, é漢"), max_size=6)
unicode_texts = st.text(max_size=12) | st.text(
    st.sampled_from("aZß9٣½-_€ \t\x00\u00a0\u2003漢é\u0301😀𝐀𠀀"), max_size=12
)
"""Text of any characters, also those of more than two bytes that are letters, digits and blanks."""
times = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))  # noqa: DTZ001 - a column without a zone

VALUES: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.NUMERIC: moderate | small_integers,
    Kind.CATEGORICAL: texts,
    Kind.TEMPORAL: times,
    Kind.BINARY: st.binary(max_size=4),
    Kind.NESTED: st.lists(st.integers(0, 3), max_size=4),
}

kinds = st.sampled_from(list(Kind))


def columns(kind: Kind, min_size: int = 0, max_size: int = 40) -> st.SearchStrategy[list[Any]]:
    """Values of one kind with some nulls among them."""
    return st.lists(st.none() | VALUES[kind], min_size=min_size, max_size=max_size)


@st.composite
def batches(draw: st.DrawFn, runs: int = 1, min_size: int = 0) -> tuple[Kind, list[list[Any]]]:
    """A kind, and so many runs of a column of it."""
    kind = draw(kinds)
    return kind, [draw(columns(kind, min_size)) for _ in range(runs)]


def seeded(seed: int) -> np.random.Generator:
    """Random numbers that are the same in every run of a test."""
    return np.random.default_rng(seed)  # noqa: TID251 - the seed is an argument
