"""How the golden profiles were made: `python -m tests.golden.profile_make FOLDER`, once a version, never again.

What it wrote for version 1 is tests/golden/profile-v1-*: every later release loads them and finds the same facts.
"""

import datetime as dt
import json
import math
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.unit.profile.test_codec import described

from byhistory.profile import to_bytes
from byhistory.profile.codec import VERSION
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table

RANDOM = np.random.default_rng(2026)  # noqa: TID251 - the seed is here
TEXTS = pa.array(["a-1", "Ärger 😀", "", None, "a-1"])
COLUMNS = {
    "numeric-exact": pa.array([1.5, -2.0, None, math.nan, math.inf, -math.inf, 1.5]),
    "numeric-large": pa.array(np.round(RANDOM.lognormal(3, 1, 20_000), 3)),
    "integer": pa.array([2**63 - 1, -(2**63), 5, None]),
    "decimal": pa.array([Decimal("9" * 36 + ".99"), Decimal("0.01"), None], pa.decimal128(38, 2)),
    "text": TEXTS,
    "text-plain": TEXTS,
    "text-large": pa.array([f"user{i % 9000}@mail{i % 7}.example" for i in range(20_000)]),
    "boolean": pa.array([True, False, None, True]),
    "timestamp": pa.array([dt.datetime(2026, 1, 1), dt.datetime(1, 1, 1), None], pa.timestamp("us")),  # noqa: DTZ001
    "binary": pa.array([b"", b"\x00\xff", None]),
    "list": pa.array([[1, 2], [], None]),
    "empty": pa.array([], pa.float64()),
}


def main(folder: Path) -> None:
    for name, array in COLUMNS.items():
        options = Options(b"golden key", keep_values=name == "text-plain")
        profile = profile_table({"column é": array}, options=options)["column é"]
        file = folder / f"profile-v{VERSION}-{name}"
        file.with_suffix(".bin").write_bytes(to_bytes(profile))
        file.with_suffix(".json").write_text(json.dumps(described(profile)) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
