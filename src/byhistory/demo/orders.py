"""The orders of a shop that does not exist: with weekends, growth, noise, and days on which something broke."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

FIRST_DAY = date(2026, 9, 1)
"""The first day of the generated orders, by choice."""
_COUNTRIES = ("DE", "FR", "US", "GB", "PL", "IT", "ES", "NL")
_COUNTRY_SHARES = (0.28, 0.19, 0.17, 0.12, 0.09, 0.07, 0.05, 0.03)
"""Made up, like all of these orders."""
_STATUS = ("paid", "shipped", "returned", "cancelled")
_STATUS_SHARES = (0.55, 0.36, 0.06, 0.03)
"""Made up as well."""


def orders(day: date, rows_a_day: int = 2_000, seed: int = 7) -> Any:
    """The orders of one day as an Arrow table: more on weekdays, slowly growing, the same for the same seed."""
    number = (day - FIRST_DAY).days
    random = np.random.default_rng((seed, number + 10_000))  # noqa: TID251  # named: (seed, day)
    weekday = 1.0 if day.weekday() < 5 else 0.72
    n = int(random.poisson(rows_a_day * weekday * (1 + 0.002 * number)))
    amount = np.round(random.lognormal(3.4, 0.7, n), 2)
    quantity = 1 + random.geometric(0.6, n)
    coupons = np.array([f"SAVE-{k}" for k in (5, 10, 15, 20)])[random.integers(0, 4, n)]
    seconds = np.sort(random.integers(0, 86_400, n))
    start = int((day - date(1970, 1, 1)).days) * 86_400
    return pa.table(
        {
            "order_id": pa.array([f"{day:%y%m%d}-{k:06d}" for k in range(n)]),
            "created_at": pa.array((start + seconds) * 1_000_000, pa.timestamp("us", tz="UTC")),
            "country": pa.array(random.choice(_COUNTRIES, n, p=_COUNTRY_SHARES)),
            "status": pa.array(random.choice(_STATUS, n, p=_STATUS_SHARES)),
            "amount": pa.array(amount),
            "quantity": pa.array(quantity, pa.int32()),
            "coupon": pa.array(coupons, mask=random.random(n) < 0.8),
            "email": pa.array([f"customer{k}@example.org" for k in random.integers(0, 50_000, n)]),
            "is_gift": pa.array(random.random(n) < 0.06),
        }
    )


def _in_cents(table: Any) -> Any:
    return _with(table, "amount", pc.multiply(table["amount"], 100))


def _without_country(table: Any) -> Any:
    return table.filter(pc.not_equal(table["country"], "US"))


def _half_empty_emails(table: Any) -> Any:
    odd = pa.array(np.arange(table.num_rows) % 2 == 1)
    return _with(table, "email", pc.if_else(odd, None, table["email"]))


def _lower_case(table: Any) -> Any:
    return _with(table, "country", pc.utf8_lower(table["country"]))


def _many_coupons(table: Any) -> Any:
    """Every eighth order gets the same coupon, whether it had one or not."""
    chosen = pa.array(np.arange(table.num_rows) % 8 == 0)
    return _with(table, "coupon", pc.if_else(chosen, "SAVE-20", table["coupon"]))


def _renamed_email(table: Any) -> Any:
    return table.rename_columns(["customer_email" if name == "email" else name for name in table.column_names])


def _with(table: Any, name: str, column: Any) -> Any:
    return table.set_column(table.schema.get_field_index(name), name, column)


INCIDENTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "cents": ("the amounts are in cents instead of euros", _in_cents),
    "segment": ("all orders from the US are missing", _without_country),
    "nulls": ("half of the e-mail addresses are missing", _half_empty_emails),
    "casing": ("the country codes are in lower case", _lower_case),
    "coupons": ("a campaign gave a coupon to every eighth order", _many_coupons),
    "renamed": ("the column email is called customer_email", _renamed_email),
}
"""What can break, by name: what happened, and the table after it."""


def write_lake(
    folder: Path, days: int = 30, rows_a_day: int = 2_000, seed: int = 7, incident: str | None = None
) -> list[str]:
    """Write one Parquet file per day into `ds=…` folders, the last with the incident, and return the days."""
    last = {days - 1: incident} if incident is not None else {}
    return [write_day(folder, number, last.get(number), rows_a_day, seed) for number in range(days)]


def write_day(folder: Path, number: int, incident: str | None = None, rows_a_day: int = 2_000, seed: int = 7) -> str:
    """Write the orders of one day, with the incident if one is named, and return the day."""
    day = FIRST_DAY + timedelta(days=number)
    table = orders(day, rows_a_day, seed)
    if incident is not None:
        table = INCIDENTS[incident][1](table)
    path = folder / f"ds={day.isoformat()}"
    path.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path / "part-0.parquet")
    return day.isoformat()
