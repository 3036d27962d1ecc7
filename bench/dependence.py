"""Would correlations between columns see values that are swapped between rows? What would they cost?

    python -m bench.dependence --corpus DIRECTORY

No profile of one column changes if its values come to stand in other rows. A mergeable state that does change has one
entry for each pair of columns; here it is the sums from which a correlation of logarithms follows. Each pair of numeric
columns that was dependent in 30 past runs forecasts the next run; a column is as far off as its farthest pair, and the
limit is where one good column-run in a hundred is beyond. It is no part of the product: ADR 0026 says why.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from bench.cases.build import Rows
from bench.cases.cases import WINDOW
from bench.corpus import tables

from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

DEPENDENT = 0.3
"""Columns depend on one another if the correlation was at least this in the median of the past runs, on either side."""
RATE, SEED, ROWS, JUDGED = 0.01, 1, 20, 15
"""The share of good runs that may be stopped, the seed of the faults, the fewest rows with both values of a pair, and
the runs of a table that are judged (choices)."""
FAULTS: dict[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "all values in other rows": lambda x, random: random.permutation(x),
    "half of them": lambda x, random: _some_moved(x, random, 0.5),
    "a tenth of them": lambda x, random: _some_moved(x, random, 0.1),
    "slid down by one row": lambda x, _: np.roll(x, 1),
}


def _some_moved(x: Floats, random: np.random.Generator, share: float) -> Floats:
    places = np.flatnonzero(random.random(len(x)) < share)
    out = x.copy()
    out[places] = x[random.permutation(places)]
    return out


def correlations(x: Floats) -> Floats:
    """Fisher's z of each pair of columns, from sums that add up over parts of a run; nan for fewer than 20 rows."""
    known = np.isfinite(x).astype(np.float64)
    x = np.where(known > 0, x, 0.0)
    count, sums, products, squares = known.T @ known, x.T @ known, x.T @ x, (x * x).T @ known
    with np.errstate(all="ignore"):
        spread = np.sqrt(np.maximum(0.0, squares - sums**2 / count))
        r = (products - sums * sums.T / count) / (spread * spread.T)
        z = np.arctanh(np.clip(r, -0.999, 0.999))
    return np.where((count >= ROWS) & (np.eye(len(z)) == 0), z, np.nan)


def numbers(rows: Rows, run: int, names: list[str]) -> Floats:
    """The numeric columns of a run, on a scale on which far values do not decide; nan where null."""
    data = rows.of(run)
    columns = [pc.cast(data.column(name), pa.float64(), safe=False).to_numpy() for name in names]
    x = np.array(columns, np.float64).T.reshape(-1, len(names))
    return np.asarray(np.sign(x) * np.log1p(np.abs(x)))


def off(z: Floats, past: Floats) -> Floats:
    """How far each column (rows of the matrix) is off, by its farthest pair; nan without a dependent one."""
    with np.errstate(all="ignore"):
        known = np.isfinite(past).sum(axis=0) >= WINDOW - 2
        middle = np.nanmedian(past, axis=0)
        spread = np.maximum(np.nanstd(past, axis=0), 0.5 * np.nanmax(np.abs(past - middle), axis=0)) + 0.01
        far = np.where(known & (np.abs(np.tanh(middle)) >= DEPENDENT), np.abs(z - middle) / spread, np.nan)
        return np.asarray(np.nanmax(far, axis=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    asked = parser.parse_args()
    random = np.random.default_rng(SEED)
    good: list[Floats] = []
    bad: dict[str, list[float]] = {name: [] for name in FAULTS}
    columns = dependent = 0
    took = cells = 0.0
    for table in tables(asked.corpus):
        names = [name for name, kind in table.columns().items() if kind is Kind.NUMERIC]
        if len(names) < 2 or len(table.good) <= WINDOW:
            continue
        rows = Rows(table)
        runs = [numbers(rows, run, names) for run in table.good[: WINDOW + JUDGED]]
        start = time.process_time()
        z = np.array([correlations(x) for x in runs])
        took, cells = took + time.process_time() - start, cells + sum(x.size for x in runs)
        judged = [off(z[i], z[i - WINDOW : i]) for i in range(WINDOW, len(z))]
        good += judged
        columns += len(names)
        for c in np.flatnonzero(np.isfinite(judged[0])):
            dependent += 1
            for name, fault in FAULTS.items():
                x = runs[WINDOW].copy()
                x[:, c] = fault(x[:, c], random)
                bad[name].append(float(off(correlations(x), z[:WINDOW])[c]))
    scores = np.concatenate(good)
    limit = float(np.quantile(scores[np.isfinite(scores)], 1.0 - RATE))
    print(f"{columns} numeric columns, {dependent} depend on another; limit {limit:.1f} spreads")
    print(f"{took / cells * 1e9:.0f} ms of CPU for a million values, 40 bytes for each pair of columns")
    for name, each in bad.items():
        print(f"{name:28} told in {np.mean(np.array(each) > limit):.2f} of {len(each)}, at one good run in a hundred")


if __name__ == "__main__":
    main()
