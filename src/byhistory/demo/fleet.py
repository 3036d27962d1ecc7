"""Thirty tables of a company that does not exist, over six weeks, with a story: an upstream that broke last night.

One currency service began to send amounts in cents, and every table that reads it moved with it. There are also a table
that lost a country, one that is late, one that is new, one whose level moved and was accepted, one with an alarm that
nobody answers, and many in which nothing happened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.config import Config, TableConfig
from byhistory.profile import TableProfile
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

DAYS = 42
"""Six weeks, by choice: enough for a weekly rhythm to be learned."""
_ROWS = 300
"""Rows of a run, by choice: all tables are played in seconds."""
_JUDGED, _QUIETLY = 5, 1
"""How many of the last days are judged as they come, in a table with a long story and in one in which nothing happens
(by choice); the days before are filled in at once."""


@dataclass(frozen=True, slots=True)
class DemoTable:
    """One table: whose it is, what it has, and what happens to it on the last days (0 is the last)."""

    name: str
    owner: str
    tags: tuple[str, ...]
    has_amount: bool = False
    happens: Callable[[dict[str, Any], int], dict[str, Any]] = lambda columns, _: columns
    days: int = DAYS
    missing: tuple[int, ...] = ()
    judged: int = 2


def _in_cents(columns: dict[str, Any], back: int) -> dict[str, Any]:
    return {**columns, "amount": columns["amount"] * 100} if back == 0 else columns


def _lost_country(columns: dict[str, Any], back: int) -> dict[str, Any]:
    if back > 1:
        return columns
    keep = columns["country"] != "US"
    return {name: values[keep] for name, values in columns.items()}


def _half_empty(columns: dict[str, Any], back: int) -> dict[str, Any]:
    if back > 0:
        return columns
    masked = np.where(np.arange(len(columns["country"])) % 2 == 0, None, columns["country"])
    return {**columns, "country": masked}


def _new_level(columns: dict[str, Any], back: int) -> dict[str, Any]:
    return {**columns, "score": columns["score"] + 4.0} if back <= 3 else columns


def _few_rows(columns: dict[str, Any], back: int) -> dict[str, Any]:
    return {name: values[: len(values) // 8] for name, values in columns.items()} if back == 0 else columns


_MONEY = ("orders", "refunds", "invoices", "payments", "payouts", "subscriptions", "vouchers")
_QUIET = (
    "customers", "addresses", "products", "categories", "stock", "shipments", "carriers", "returns", "reviews", "carts",
    "sessions", "searches", "banners", "newsletter", "tickets", "agents", "stores",
)  # fmt: skip

TABLES = (
    *(DemoTable(f"shop.{name}", "payments", ("gold", "money"), True, _in_cents) for name in _MONEY),
    *(DemoTable(f"shop.{name}", "platform", ("silver",), judged=_QUIETLY) for name in _QUIET),
    DemoTable("web.clicks", "web", ("gold",), happens=_lost_country, judged=3),
    DemoTable("web.visits", "web", ("gold",), happens=_half_empty),
    DemoTable("ml.features", "science", ("silver",), happens=_new_level, judged=_JUDGED),
    DemoTable("crm.leads", "sales", (), happens=_few_rows),
    DemoTable("finance.ledger", "finance", ("gold",), missing=(0, 1, 2), judged=_JUDGED),
    DemoTable("lab.experiment", "science", (), days=4, judged=4),
)


def _columns(table: DemoTable, number: int, day: int) -> dict[str, Any]:
    random = np.random.default_rng((11, number, day))  # noqa: TID251  # named: (seed, table, day)
    n = int(random.poisson(_ROWS * (1.0 if day % 7 < 5 else 0.75)))
    columns: dict[str, Any] = {
        "country": random.choice(np.array(["DE", "FR", "US", "GB"], object), n, p=[0.4, 0.3, 0.2, 0.1]),
        "score": np.round(random.normal(10 + number % 5, 1.0, n), 2),
    }
    if table.has_amount:
        columns["amount"] = np.round(random.lognormal(3.4, 0.5, n), 2)
    return columns


def fleet_config() -> Config:
    """Owners and tags, as byhistory.toml would say them."""
    return Config(tables={t.name: replace(TableConfig(), owner=t.owner, tags=t.tags) for t in TABLES})


def play(store: str, now: datetime, tell: Callable[[str], None] = lambda _: None) -> Validator:
    """Tell the whole story into a store, with the last day being that of `now`; the validator over it."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    clock = [now]
    guard = Validator(store, config=fleet_config(), clock=lambda: clock[0])
    for number, table in enumerate(TABLES):
        runs = [(back, _run(table, number, today, back)) for back in range(table.days - 1, -1, -1)]
        past = [run for back, run in runs if back >= table.judged]
        clock[0] = today - timedelta(days=table.judged)
        if past:
            guard.remember(past, table.name)
        for back, run in runs:
            clock[0] = min(now, today - timedelta(days=back) + timedelta(hours=5, minutes=number))
            if back < table.judged and back not in table.missing:
                guard.judge(run, table.name)
                if table.happens is _new_level and back == 3:
                    clock[0] += timedelta(hours=4)
                    why = "the model was trained anew"
                    guard.decisions.accept(table.name, run.run, new_normal=True, who="mira", why=why)
        tell(table.name)
    clock[0] = now
    return Validator(guard.store, config=guard.config)


def _run(table: DemoTable, number: int, today: datetime, back: int) -> TableProfile:
    day = today - timedelta(days=back)
    # Without a sample of rows: no faults are injected, which is most of what learning takes.
    columns = table.happens(_columns(table, number, (day - datetime(2026, 1, 5, tzinfo=timezone.utc)).days), back)
    return profile_table(pa.table({k: pa.array(v) for k, v in columns.items()}), run=f"{day:%Y-%m-%d}", sample_rows=0)
