"""How the golden guards were made: `python -m tests.golden.guard_make FOLDER`, once per version, never again.

Real profiles, programs, decisions and overrides of a small table: tests/golden/guard-v1.db and tests/golden/guard-v1
as the first format was written, guard-v2.db with formats of text, and guard-v3.db without digests of rare numbers.
Every later release opens them and goes on.
"""

import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.config import Config
from byhistory.profile import TableProfile
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

FIRST = datetime(2026, 11, 1, 4, 30, tzinfo=timezone.utc)
BAD, ACCEPTED = 13, 14
"""Days whose amounts are 100 and 1.4 times too large: one was rejected, one was accepted."""
MUTED = ("country", "row_count")


def label(day: int) -> str:
    return str((FIRST + timedelta(days=day)).date())


def run(day: int, times: float = 1.0, key: bytes = b"") -> TableProfile:
    random = np.random.default_rng(day)  # noqa: TID251 - a golden file is made from named seeds
    columns: dict[str, Any] = {
        "amount": pa.array(times * random.gamma(4.0, 10.0, 200)),
        "country": pa.array(random.choice(["de", "fr", "it"], 200)),
    }
    return profile_table(columns, run=label(day), options=Options(key))


def fill(url: str) -> None:
    days = iter(range(100))
    with Validator(url, config=Config(), clock=lambda: FIRST + timedelta(days=next(days))) as guard:
        key = guard.store.key()
        guard.remember([run(day, key=key) for day in range(12)], "orders")
        guard.judge(run(12, key=key), "orders")
        guard.judge(run(BAD, 100.0, key), "orders")
        guard.decisions.reject("orders", label(BAD), why="cents", who="ann")
        guard.judge(run(ACCEPTED, 1.4, key), "orders")
        guard.decisions.accept("orders", label(ACCEPTED), why="a sale", who="bob")
        guard.overrides.mute("orders", *MUTED, who="ann")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    fill(str(folder / "guard-v3.db"))
