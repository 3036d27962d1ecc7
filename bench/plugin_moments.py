"""What do estimated means and spreads do to the bounds' prices?

Draws many histories of K good runs and one good run more, builds the interval from the history's own mean and standard
deviation, as the paper does, and counts how often the next run falls outside. Prints a markdown table.

    python bench/plugin_moments.py
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from byhistory import bounds
from byhistory.bounds import Bound

HISTORIES = 1_000_000
"""Drawn for each cell, by choice: a rate of 0.1 % is then known to 0.003 %."""
LENGTHS = (7, 14, 28)
"""Runs of a history: one, two and four weeks of days."""
KNOWN = 0  # In place of a length: mean and spread are the true ones.
PRICES = (0.001, 0.01)
"""At which clauses are sold, by choice: once in a thousand and once in a hundred."""
CHUNK = 100_000
"""Histories that are drawn at once, by choice: what fits into the memory."""

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
DISTRIBUTIONS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "lognormal (σ = 1)": lambda rng, shape: rng.lognormal(0.0, 1.0, shape),
    "t3": lambda rng, shape: rng.standard_t(3, shape),
}
MOMENTS = {
    "normal": (0.0, 1.0),
    "lognormal (σ = 1)": (np.exp(0.5), np.sqrt((np.e - 1) * np.e)),
    "t3": (0.0, np.sqrt(3.0)),
}


def scores(name: str, length: int, histories: int, ddof: int = 1) -> np.ndarray:
    """How far each next run falls from its history's mean, in its history's standard deviations."""
    rng, draw, parts = np.random.default_rng(list(DISTRIBUTIONS).index(name)), DISTRIBUTIONS[name], []
    if length == KNOWN:
        mean, std = MOMENTS[name]
        return np.asarray((draw(rng, (1, histories))[0] - mean) / std)
    for _ in range(histories // CHUNK):
        x = draw(rng, (CHUNK, length + 1))
        past = x[:, :-1]
        parts.append((x[:, -1] - past.mean(axis=1)) / past.std(axis=1, ddof=ddof))
    return np.concatenate(parts)


def rate(bound: Bound, score: np.ndarray, price: float) -> float:
    """The share of good runs outside the interval that the bound sells for this price."""
    outside = np.abs(score) if bound.sides == "both" else score
    return float(np.mean(outside > bound.width(price)))


def table(histories: int) -> list[str]:
    lines = [
        "| runs | price | bound | " + " | ".join(DISTRIBUTIONS) + " |",
        "|---|---|---|" + "---|" * len(DISTRIBUTIONS),
    ]
    for length in (*LENGTHS, KNOWN):
        drawn = {name: scores(name, length, histories) for name in DISTRIBUTIONS}
        for price in PRICES:
            for bound in bounds.ALL:
                cells = [percent(rate(bound, drawn[name], price)) for name in DISTRIBUTIONS]
                lines.append(f"| {length or 'known'} | {percent(price)} | {bound.name} | " + " | ".join(cells) + " |")
    return lines


def denominators(histories: int) -> list[str]:
    """The same with n instead of n − 1, for normal runs and the central limit price of 0.1 %."""
    lines = ["| runs | n − 1 | n |", "|---|---|---|"]
    for length in LENGTHS:
        cells = [percent(rate(bounds.CLT, scores("normal", length, histories, ddof), 0.001)) for ddof in (1, 0)]
        lines.append(f"| {length} | " + " | ".join(cells) + " |")
    return lines


def percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share >= 0.0001 else f"{100 * share:.4f} %"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=HISTORIES, help="histories drawn for each cell")
    asked = parser.parse_args()
    print("\n".join(table(asked.histories)), "\n")
    print("\n".join(denominators(asked.histories)))
