"""Does the calendar help where runs come every hour? Weekly and daily tables of the corpus, cut into hours.

Every seventh hour is judged by the hours before it, once by the last sixty as if their labels said nothing, and once by
the three weeks that the labels ask for: `python -m bench.hourly`. The bad runs are the same hour with half of its rows,
and the hour ten runs before. Prices are those that the table had no part in.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from bench.cases.cases import Past
from bench.corpus import corpus_argument
from bench.methods.calibrated import priced_score, prices_for

from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.forecast import RECENT
from byhistory.learners.learn import suited
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import measure
from byhistory.profile import ColumnProfile
from byhistory.profile.arrays import Floats
from byhistory.rows.local import profile_table

TABLES = {
    "flights_nyc__departures": ("time_hour", ("dep_delay", "distance", "flight", "carrier", "origin", "dest")),
    "electricity_vic__half_hourly": ("Time", ("Demand", "Temperature")),
    "roadtraffic_i94__hourly": ("date_time", ("temp", "traffic_volume", "weather_main")),
}
"""The column that tells the time, and those that are judged."""
THREE_WEEKS, FIRST, EVERY, HOURS = 504, 530, 7, 3000
"""Hours of history; the first hour that is judged, and every n-th from there; and the hours that are cut, by choice."""
AGO = 10
"""The hour that is delivered again is this many before, by choice: at another time of the day."""
BUDGETS = (0.01, 0.001)
"""Of a column: once in a hundred and once in a thousand (a choice)."""


@dataclass(frozen=True)
class Hours:
    """One column, hour by hour: labels, profiles, and profiles of half of the rows."""

    table: str
    column: str
    labels: tuple[str, ...]
    whole: tuple[ColumnProfile, ...]
    half: tuple[ColumnProfile, ...]


def cut(corpus: Path, table: str) -> list[Hours]:
    """The columns of a table by the hour."""
    time, columns = TABLES[table]
    rows = pq.read_table(corpus / "tables" / f"{table}.parquet")
    hour = pc.replace_substring(pc.utf8_slice_codeunits(rows.column(time), 0, 13), "T", " ")
    rows = rows.append_column("_hour", hour).sort_by("_hour")
    labels, counts = (x.to_pylist() for x in pc.value_counts(rows.column("_hour")).flatten())  # in the order they come
    starts = np.concatenate([[0], np.cumsum(counts)])[:HOURS]
    parts = [rows.slice(a, n).select(columns) for a, n in zip(starts, counts, strict=False)]
    whole = [profile_table(p) for p in parts]
    half = [profile_table(p.slice(0, max(1, p.num_rows // 2))) for p in parts]
    return [
        Hours(table, c, tuple(labels[:HOURS]), tuple(w[c] for w in whole), tuple(h[c] for h in half)) for c in columns
    ]


def judged(hours: Hours) -> tuple[str, str, dict[str, Floats]]:
    """The smallest budget at which the hour itself, half of it and an older one are stopped, by what is looked at."""
    metrics = suited(hours.whole, ALL_METRICS, CALIBRATED)
    series, names = measure(hours.whole, metrics), tuple(m.name for m in metrics)
    source = hours.table.split("__")[0]
    found: dict[str, list[Floats]] = {"the last 60 runs": [], "the calendar": []}
    for at in range(FIRST, len(hours.labels), EVERY):
        bad = [measure([hours.whole[at - 1], p], metrics)[:, -1] for p in (hours.half[at], hours.whole[at - AGO])]
        now = np.vstack([series[:, at], *bad])
        for how, runs in zip(found, (RECENT, THREE_WEEKS), strict=True):
            labels = hours.labels[at - runs : at + 1] if runs > RECENT else tuple(map(str, range(runs + 1)))
            past = Past(hours.whole[0].kind, names, series[:, at - runs : at], labels)
            found[how].append(10.0 ** -priced_score(past, now, prices_for(source)))
    return hours.table, hours.column, {how: np.array(of) for how, of in found.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    corpus_argument(arguments)
    corpus = arguments.parse_args().corpus
    print(f"{'':44}{'':18}{'runs':>6}" + "".join(f"{f'good at {b:.1%}':>15}{'half':>6}{'older':>6}" for b in BUDGETS))
    everything: dict[str, list[Floats]] = {}
    with ProcessPoolExecutor(2) as pool:
        for table, column, found in pool.map(judged, [h for name in TABLES for h in cut(corpus, name)]):
            for how, budgets in found.items():
                line(f"{table}.{column}", how, budgets)
                everything.setdefault(how, []).append(budgets)
    for how, all_ in everything.items():
        line("all", how, np.vstack(all_))


def line(name: str, how: str, budgets: Floats) -> None:
    """One line of the table."""
    shares = [(budgets <= b).mean(axis=0) for b in BUDGETS]
    numbers = "".join(f"{good:15.2%}{half:6.2f}{older:6.2f}" for good, half, older in shares)
    print(f"{name:44}{how:18}{len(budgets):6}{numbers}", flush=True)


if __name__ == "__main__":
    main()
