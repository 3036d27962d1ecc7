"""A small lake with a history, and the examples of a how-to page, for hosts that are tested with both."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq
from tests.integrations.hosts import ROOT

from byhistory.config import Config
from byhistory.demo.orders import FIRST_DAY, INCIDENTS, orders
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

GOOD, BAD = "2026-10-01", "2026-10-02"
"""The days after the history: one as it should be, one with amounts in cents."""
COLUMNS = ["country", "amount"]
STORE = "sqlite:///byhistory.db"
"""Where a command looks if nobody says otherwise."""


def make_lake(folder: Path, *tables: str) -> None:
    """Thirty past days in the store of a folder for each table, and the two days that follow in `lake/orders`."""
    days = [FIRST_DAY + timedelta(days=n) for n in range(32)]
    assert [day.isoformat() for day in days[-2:]] == [GOOD, BAD]
    rows = [orders(day, 200).select(COLUMNS) for day in days]
    rows[-1] = INCIDENTS["cents"][1](rows[-1])
    with Validator(f"sqlite:///{folder / 'byhistory.db'}", config=Config()) as guard:
        for name in tables:
            how = guard.profiling(name)
            past = [
                profile_table(day_rows, run=day.isoformat(), **how)
                for day, day_rows in zip(days[:30], rows, strict=False)
            ]
            guard.remember(past, name)
    for day, table in zip(days[-2:], rows[-2:], strict=True):
        path = folder / "lake" / "orders" / f"ds={day.isoformat()}"
        path.mkdir(parents=True)
        pq.write_table(table, path / "part-0.parquet")


def example(page: str, after: str = "") -> str:
    """The first Python block of a how-to page, or the first after some words of it."""
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text[text.index(after) :], re.MULTILINE | re.DOTALL)[0]
