"""Columns of every type of Arrow go through the whole guard: profiled, judged, learned from, and asked why."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pytest

from byhistory.config import Config
from byhistory.validator import Validator

ROWS = 60


def whole(random):
    return random.integers(0, 100, ROWS)


def halves(random):
    return np.where(random.random(ROWS) < 0.1, np.nan, random.normal(0, 1, ROWS)).astype(np.float16)


def ends(random):
    return random.integers(-(2**62), 2**62, ROWS)


def decimals(random, by=-2):
    return [decimal.Decimal(int(x)).scaleb(by) for x in whole(random)]


def texts(random):
    return [f"v{x % 7}" for x in whole(random)]


UNITS = ("s", "ms", "us", "ns")
TYPES = {
    **{str(t): lambda r, t=t: pa.array(whole(r), t) for t in (pa.int8(), pa.uint16(), pa.int64(), pa.uint64())},
    "beyond int64": lambda r: pa.array(r.integers(2**63, 2**64 - 1, ROWS, dtype=np.uint64)),
    "half floats": lambda r: pa.array(halves(r)),
    "half floats and nulls": lambda r: pa.array(halves(r), mask=r.random(ROWS) < 0.2),
    "half floats in a struct": lambda r: pa.StructArray.from_arrays([pa.array(halves(r))], ["h"]),
    "half floats as codes": lambda r: pa.DictionaryArray.from_arrays(whole(r) % 2, pa.array(halves(r)[:2])),
    "large and infinite": lambda r: pa.array(np.where(r.random(ROWS) < 0.2, np.inf, r.normal(0, 1e308, ROWS))),
    "true or false": lambda r: pa.array(whole(r) > 30),
    "nothing": lambda _: pa.nulls(ROWS),
    "time of the day": lambda r: pa.array(whole(r), pa.time64("us")),
    "interval": lambda r: pa.array([pa.MonthDayNano([int(x), 2, 3]) for x in whole(r)]),
    **{f"duration {u}": lambda r, u=u: pa.array(whole(r), pa.duration(u)) for u in UNITS},
    **{f"times to the {u}": lambda r, u=u: pa.array(whole(r) * 10**9, pa.timestamp(u, "Europe/Berlin")) for u in UNITS},
    **{f"any time to the {u}": lambda r, u=u: pa.array(ends(r), pa.timestamp(u)) for u in UNITS},
    "any day": lambda r: pa.array(r.integers(-(2**31), 2**31, ROWS).astype(np.int32), pa.date32()),
    "date64": lambda r: pa.array(whole(r) * 86_400_000, pa.date64()),
    "decimal": lambda r: pa.array(decimals(r), pa.decimal128(38, 10)),
    "wide decimal": lambda r: pa.array(decimals(r, 30), pa.decimal256(76, 20)),
    **{str(t): lambda r, t=t: pa.array(texts(r), t) for t in (pa.string(), pa.large_string(), pa.binary())},
    "fixed size": lambda r: pa.array([text.encode() for text in texts(r)], pa.binary(2)),
    "codes": lambda r: pa.array(texts(r)).dictionary_encode(),
    "lists": lambda r: pa.array([[1] * int(x % 4) for x in whole(r)]),
    "maps": lambda r: pa.array([[("a", int(x))] for x in whole(r)], pa.map_(pa.string(), pa.int64())),
    "union": lambda r: pa.UnionArray.from_sparse(pa.array([0] * ROWS, pa.int8()), [pa.array(whole(r))]),
}


@pytest.mark.parametrize("type_", TYPES)
def test_a_column_of_any_type_is_learned_from_and_asked_why_and_missed_when_it_is_gone(type_):
    random = np.random.default_rng(14)  # noqa: TID251 - a test names its seed

    def table(shift=0.0):
        return pa.table({"c": TYPES[type_](random), "other": pa.array(random.normal(shift, 1, ROWS))})

    with Validator("memory:", config=Config()) as guard:
        for day in range(1, 9):
            last = table()
            guard.check(last, "orders", run=f"2026-01-{day:02}")
        wrong = table(900.0)
        judged = guard.check(wrong, "orders", run="2026-01-09")
        assert not judged.ok
        for answer in (guard.why(wrong, judged, before=last), guard.why(wrong, judged)):
            assert str(answer)
        assert not guard.check(table().drop_columns(["c"]), "orders", run="2026-01-10").ok
