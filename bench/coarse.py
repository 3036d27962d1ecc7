"""What does it cost not to keep the values of single rows? Metrics of small columns, exact and as they are kept.

    python -m bench.coarse

For each metric of a distribution: how far coarsening moves it, in standard deviations of what it reads from run to run,
and how wide its run-to-run spread is after coarsening, as a share of before. A tenth of one is
not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byhistory.metrics import ALL, Measures, Metric
from byhistory.profile import ColumnProfile
from byhistory.profile.coarse import coarsened_table
from byhistory.rows.local import profile_table

ROWS = (20, 50, 200, 1_000, 10_000)
"""Rows of a run, by choice: small ones, where single values show most."""
RUNS = 40
"""Made runs of each size, by choice: enough for a spread."""


def over(rows: int, coarse: bool, metrics: list[Metric]) -> np.ndarray:
    random = np.random.default_rng(11)  # A bench may fix its seed.
    series: list[Any] = []
    before: dict[str, ColumnProfile] = {}
    for run in range(RUNS):
        batch = profile_table({"n": random.lognormal(3.0, 0.6, rows).round(2)}, run=str(run), sample_rows=0)
        batch = coarsened_table(batch) if coarse else batch
        series.append(Measures.of(batch, before, metrics).of_column("n", [m.name for m in metrics]))
        before = dict(batch.columns)
    return np.array(series)[1:]


def main() -> None:
    exact, kept = {}, {}
    for rows in ROWS:
        exact[rows], kept[rows] = over(rows, False, list(ALL)), over(rows, True, list(ALL))
    changed = [
        i
        for i in range(len(ALL))
        if any(not np.array_equal(exact[r][:, i], kept[r][:, i], equal_nan=True) for r in ROWS)
    ]
    print(f"{'metric':28}" + "".join(f"{f'{rows:,} rows':>20}" for rows in ROWS))
    for i in changed:
        cells = []
        for rows in ROWS:
            one, other = exact[rows][:, i], kept[rows][:, i]
            spread = float(one.std()) or 1.0
            cells.append(f"{abs((other - one).mean()) / spread:8.2f} σ, {other.std() / spread:6.0%}")
        print(f"{ALL[i].name:28}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()
