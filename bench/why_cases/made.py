"""Runs of a shop that does not exist, with columns that depend on one another, as wide and long as wanted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

START = 1_767_225_600  # 2026-01-01 UTC


def shop(rows: int, columns: int, day: int, seed: int = 3) -> pa.Table:
    """One day's orders: the same for the same arguments."""
    random = np.random.default_rng((seed, day))
    source = random.choice(["web", "mobile", "store", "partner"], rows, p=[0.48, 0.33, 0.15, 0.04])
    version = np.where(source == "store", np.nan, np.round(random.integers(30, 56, rows) / 10, 1))
    region = random.choice(["EU", "NA", "APAC", "LATAM"], rows, p=[0.45, 0.3, 0.18, 0.07])
    countries = {"EU": ["DE", "FR", "PL", "IT"], "NA": ["US", "CA"], "APAC": ["JP", "IN", "AU"], "LATAM": ["BR", "MX"]}
    country = np.empty(rows, object)
    for name, some in countries.items():
        here = region == name
        country[here] = random.choice(some, int(here.sum()))
    hours = np.clip(random.normal(14, 5, rows), 0, 23.999)
    amount = np.round(random.lognormal(3, 0.8, rows) * np.where(source == "mobile", 0.7, 1.0), 2)
    amount *= np.where(country == "JP", 150, 1)
    quantity = 1 + random.geometric(0.5, rows)
    digits = random.integers(0, 10**6, rows)
    kind = random.choice(["A", "B", "K9", "Z-X"], rows, p=[0.5, 0.3, 0.15, 0.05])
    made = {
        "id": pa.array(day * 10**8 + np.arange(rows)),
        "at": pa.array(((START + day * 86_400 + hours * 3600) * 1e6).astype(np.int64), pa.timestamp("us", tz="UTC")),
        "source": pa.array(source),
        "version": pa.array(version, from_pandas=True),
        "region": pa.array(region),
        "country": pa.array(country),
        "status": pa.array(random.choice(["paid", "open", "sent", "void"], rows, p=[0.6, 0.25, 0.12, 0.03])),
        "amount": pa.array(np.round(amount, 2)),
        "tax": pa.array(np.round(amount * 0.19, 2)),
        "quantity": pa.array(quantity),
        "coupon": pa.array(random.choice(["SAVE-5", "SAVE-10", "VIP"], rows), mask=random.random(rows) < 0.8),
        "sku": pa.array([f"{k}-{d:06d}" for k, d in zip(kind.tolist(), digits.tolist(), strict=True)]),
        "email": pa.array([f"user{d}@example.{'org' if d % 3 else 'com'}" for d in digits.tolist()]),
        "is_gift": pa.array(random.random(rows) < 0.07),
        "age": pa.array(np.clip(random.normal(41, 14, rows), 16, 95).astype(np.int32), mask=random.random(rows) < 0.1),
        "score": pa.array(random.beta(2, 5, rows)),
    }
    more = columns - len(made)
    for i in range(max(0, more)):
        made[f"x{i}"] = (
            pa.array(random.normal(i, 1 + i, rows))
            if i % 3 == 0
            else pa.array(random.integers(0, 5 + i, rows))
            if i % 3 == 1
            else pa.array(np.array([f"v{k}" for k in range(4 + i)])[random.integers(0, 4 + i, rows)])
        )
    return pa.table(dict(list(made.items())[:columns]))
