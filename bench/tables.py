"""Generated tables to time on: fixed seeds, mixed kinds, written as Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CITIES = ["Berlin", "Zürich", "New York", "São Paulo", "München", "Tokyo 東京", "Łódź", "Paris", "Oslo", "Kraków"]
WORDS = [
    "the",
    "run",
    "of",
    "a",
    "table",
    "is",
    "as",
    "usual",
    "unless",
    "late",
    "double",
    "lost",
    "null",
    "price",
    "order",
    "item",
    "sold",
    "back",
    "sent",
    "paid",
    "new",
]


def mixed(rows: int, seed: int, start: int = 0) -> pa.Table:
    """20 numeric and 20 text columns: keys, counts, prices, rates, categories, codes, names, free text."""
    random = np.random.default_rng(seed)
    columns = {**numbers(rows, random, start), **texts(rows, random)}
    return pa.table(columns)


def numbers(rows: int, random: np.random.Generator, start: int) -> dict[str, pa.Array]:
    price = np.round(random.lognormal(3, 1, rows), 2)
    return {
        "id": pa.array(np.arange(start, start + rows)),
        "customer": pa.array(random.integers(0, 50_000, rows)),
        "product": pa.array(random.zipf(1.3, rows).clip(0, 10**6)),
        "quantity": pa.array(random.poisson(3, rows).astype(np.int32)),
        "small": pa.array(random.integers(0, 100, rows).astype(np.int16)),
        "flag": pa.array(random.integers(0, 2, rows).astype(np.int8)),
        "year": pa.array(random.integers(1990, 2027, rows).astype(np.int32)),
        "wide": pa.array(random.integers(-(2**62), 2**62, rows)),
        "price": pa.array(price, mask=random.random(rows) < 0.02),
        "discount": pa.array(np.round(random.beta(1, 9, rows), 2), mask=random.random(rows) < 0.5),
        "amount": pa.array(np.round(price * 1.19, 2)),
        "weight": pa.array(random.normal(70, 15, rows)),
        "height": pa.array(random.normal(1.7, 0.1, rows).astype(np.float32)),
        "rate": pa.array(random.random(rows)),
        "score": pa.array(random.standard_t(3, rows)),
        "latency": pa.array(random.exponential(120, rows), mask=random.random(rows) < 0.1),
        "balance": pa.array(np.round(random.normal(0, 1e5, rows), 2)),
        "ratio": pa.array(np.where(random.random(rows) < 0.01, np.nan, random.random(rows))),
        "zeroes": pa.array(np.where(random.random(rows) < 0.9, 0.0, random.gamma(2, 2, rows))),
        "count": pa.array(random.negative_binomial(5, 0.1, rows)),
    }


def texts(rows: int, random: np.random.Generator) -> dict[str, pa.Array]:
    def chosen(words: list[str], p: list[float] | None = None, missing: float = 0.0) -> pa.Array:
        codes = random.choice(len(words), rows, p=p).astype(np.int32)
        mask = random.random(rows) < missing if missing else None
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=mask), pa.array(words)).cast(pa.string())

    def written(shape: str, *numbers: np.ndarray) -> pa.Array:
        return pa.array([shape.format(*n) for n in zip(*(x.tolist() for x in numbers), strict=True)])

    def whole(high: int) -> np.ndarray:
        return random.integers(0, high, rows)

    names = [f"{a}{b}" for a in ("An", "Be", "Ca", "Do", "El") for b in ("na", "rt", "rl", "ra", "if", "sa")]
    skewed = (1 / np.arange(1, 501)) / (1 / np.arange(1, 501)).sum()
    return {
        "country": chosen(["DE", "FR", "US", "PL", "JP"], [0.5, 0.2, 0.15, 0.1, 0.05]),
        "status": chosen(["new", "paid", "sent", "returned"], missing=0.03),
        "channel": chosen(["web", "app", "shop"]),
        "currency": chosen(["EUR", "USD", "JPY", "PLN"]),
        "city": chosen(CITIES),
        "brand": chosen([f"Brand {i}" for i in range(500)], skewed.tolist()),
        "name": chosen(names),
        "order_code": written("AB-{:06d}", whole(10**6)),
        "sku": written("{:04d}-{:02X}", whole(5000), whole(256)),
        "uuid": written("{:016x}-{:016x}", whole(2**62), whole(2**62)),
        "email": written("user{}@mail{}.example", whole(200_000), whole(20)),
        "phone": written("+49 {:03d} {:07d}", whole(1000), whole(10**7)),
        "day": written("2026-{:02d}-{:02d}", whole(12) + 1, whole(28) + 1),
        "time": written("{:02d}:{:02d}:{:02d}", whole(24), whole(60), whole(60)),
        "address": written("{} Long Street, {:05d} Town", whole(300), whole(10**5)),
        "url": written("https://shop.example/p/{}?ref={}", whole(10**5), whole(100)),
        "version": written("{}.{}.{}", whole(4), whole(20), whole(50)),
        "number": written("{}", whole(10**4)),
        "comment": written(" ".join(["{}"] * 6), *(np.array(WORDS)[whole(len(WORDS))] for _ in range(6))),
        "note": chosen(["", "n/a", "see ticket", "call back!", "Rückfrage nötig"], missing=0.6),
    }


def write(path: Path, rows: int, files: int = 8, seed: int = 7) -> Path:
    """The mixed table in some files."""
    path.mkdir(parents=True, exist_ok=True)
    part = rows // files
    for i in range(files):
        pq.write_table(mixed(part, seed + i, start=i * part), path / f"part-{i}.parquet")
    return path


def write_runs(path: Path, rows: int, runs: int, seed: int = 7) -> Path:
    """The same, one folder per run."""
    part = rows // runs
    for i in range(runs):
        folder = path / f"ds=2026-{1 + i // 28:02d}-{1 + i % 28:02d}"
        folder.mkdir(parents=True)
        pq.write_table(mixed(part, seed + i, start=i * part), folder / "part-0.parquet")
    return path
