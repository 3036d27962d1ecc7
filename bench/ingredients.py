"""What does each ingredient of `calibrated` do? Every one left out or replaced, measured by source.

    python -m bench.ingredients --corpus DIRECTORY

For each variant the curves and limits are fitted without a fifth of the sources, and those are then judged by them.
Every good run and every bad one of the evaluation is a case; results are kept in OUT, for the page.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from bench.calibrate import WINDOWS
from bench.cases.build import SEED
from bench.cases.cases import WINDOW, ColumnCases, windows_of
from bench.judge import BAD, GOOD, Question, questions
from bench.run import OUT, ROOT, Say, circumstances, prepare
from bench.score import clopper_pearson, threshold_at

from byhistory.metrics import by_name
from byhistory.prices.fit import FOLDS, Replay, Singles, folds_of, source_number
from byhistory.prices.table import together
from byhistory.profile.arrays import Floats
from byhistory.program.calibrated import SAFETY, SINGLES, forecasts
from byhistory.program.replay import Off, pooled
from byhistory.series.cadence import UNKNOWN

fitting, calibrated, forecast = map(
    import_module, ("byhistory.prices.fit", "byhistory.program.calibrated", "byhistory.series.forecast")
)  # the files, not the functions of the same names
RATES, NOMINAL = (0.001, 0.01), (0.001, 0.01, 0.05)
SETS, FITTED = (GOOD, *BAD), "fitted"
"""What is judged, and the good runs that prices are fitted to: twice as many, as for those that are shipped."""
_NONE_HAS = 100_000
"""More cases than any metric has, and fewer than all have together."""


@dataclass(frozen=True)
class Variant:
    """The learner with one ingredient changed: its forecasts, its metrics, or what it makes of surprises."""

    name: str
    forms: bool = True
    calendar: bool = True
    scales: bool = True
    errors: bool = True
    floor: bool = True
    metrics: str = "all"
    own_curves: bool = True
    joint: str = "sum"
    singles: bool = True


ALL = (
    Variant("as it is"),
    Variant("forecast by the level only", forms=False),
    Variant("seasons of 7 and 12 runs, and no gaps, whatever the labels say", calendar=False),
    Variant("metrics as they are, not on an even scale", scales=False),
    Variant("without the chance within a run", errors=False),
    Variant("without the largest surprise of the past", floor=False),
    Variant("without the metrics that the paper has not", metrics="paper"),
    Variant("without the metrics of two runs", metrics="one run"),
    Variant("one price curve for all metrics", own_curves=False),
    Variant("no joint clause", joint="none"),
    Variant("no single clauses", singles=False),
    Variant("the largest surprise of any metric, instead of their sum", joint="largest", singles=False),
)


@contextmanager
def changed(variant: Variant) -> Iterator[None]:
    """The forecasts of the product with an ingredient out."""
    kept = forecast.SURPRISED, forecast._noise, calibrated.scales_for, forecast.CLEARLY
    if not variant.forms:
        forecast.CLEARLY = np.inf
    if not variant.floor:
        forecast.SURPRISED = 0.0
    if not variant.errors:
        forecast._noise = lambda series, *_: np.zeros(len(series))
    if not variant.scales:
        calibrated.scales_for = lambda _, scales: ("level",) * len(scales)
    try:
        yield
    finally:
        forecast.SURPRISED, forecast._noise, calibrated.scales_for, forecast.CLEARLY = kept


def off(column: ColumnCases, variant: Variant) -> dict[str, Off]:
    """How far all cases of a column are from their forecasts, by set."""
    metrics = [m for m in map(by_name, column.metrics) if _has(m, variant)]
    places = [column.metrics.index(m.name) for m in metrics]
    found: dict[str, list[tuple[Floats, Any]]] = {name: [] for name in (FITTED, *SETS)}
    asked = questions(column)
    for at in windows_of(column.series.shape[1], WINDOWS, WINDOW):
        asked.setdefault(at, []).append(Question(FITTED, np.zeros(1, np.int64), column.series[:, at][None]))
    with changed(variant):
        for at, of_run in asked.items():
            past = column.past(at)
            series, seasons = past.on_calendar if variant.calendar else (past.series, UNKNOWN)
            expected = forecasts(metrics, series[places], seasons)
            for q in of_run:
                if q.set in found:
                    away = expected.away(q.now[:, places])
                    found[q.set].append((away, np.tile(expected.still, (len(away), 1))))
    names, source = tuple(m.name for m in metrics), source_number(column.source)
    return {
        name: Off(source, column.kind.value, WINDOW, names, *(np.vstack(x) for x in zip(*parts, strict=True)))
        for name, parts in found.items()
        if parts
    }


def _has(metric: Any, variant: Variant) -> bool:
    if variant.metrics == "paper":
        return bool(metric.in_paper)
    return variant.metrics == "all" or type(metric).__name__ == "Single"


def scores(replays: dict[str, Replay], variant: Variant) -> dict[str, Floats]:
    """Minus the logarithm of the budget at which each case is stopped, by prices from the other folds."""
    fitted = replays[FITTED]
    fold_of = dict(zip(fitted.source.tolist(), folds_of(fitted.source).tolist(), strict=True))
    singles: Singles = SINGLES if variant.singles else dict.fromkeys(SINGLES, ())
    out = {name: np.zeros(len(r.away)) for name, r in replays.items()}
    for k in range(FOLDS):
        mine = {name: np.array([fold_of.get(s, 0) == k for s in r.source.tolist()]) for name, r in replays.items()}
        with _joined(variant):
            prices = fitting.fit([fitted.of(~mine[FITTED])], singles, {}, SAFETY)
            for name, r in replays.items():
                part = r.of(mine[name])
                alone, joint = fitting._both(part, fitting._surprises(part, prices), singles)
                budgets = prices.limit(r.kind, WINDOW).budget(alone, joint)
                out[name][mine[name]] = -np.log10(np.maximum(budgets, np.finfo(float).tiny))
    return out


@contextmanager
def _joined(variant: Variant) -> Iterator[None]:
    """The product's sum of surprises, or what stands in for it."""
    instead: dict[str, Callable[[Floats], Floats]] = {
        "sum": together,
        "none": lambda s: np.zeros(len(s)),
        "largest": lambda s: np.asarray(s.max(axis=-1, initial=0.0)),
    }
    enough, fitting.together = fitting.ENOUGH, instead[variant.joint]
    if not variant.own_curves:
        fitting.ENOUGH = _NONE_HAS
    try:
        yield
    finally:
        fitting.ENOUGH, fitting.together = enough, together


def entry_of(variant: Variant, said: dict[str, dict[str, Floats]]) -> dict[str, Any]:
    """Recall at a measured rate, and the measured rate at each budget."""
    entry: dict[str, Any] = asdict(variant)
    for kind, of in said.items():
        thresholds = {rate: threshold_at(of[GOOD], rate) for rate in RATES}
        measured = {}
        for budget in NOMINAL:
            rate = clopper_pearson(int((of[GOOD] >= -np.log10(budget)).sum()), len(of[GOOD]))
            measured[str(budget)] = [rate.share, rate.low, rate.high]
        entry[kind] = {
            "fpr": measured,
            "recall": {str(rate): [float((of[n] > limit).mean()) for n in BAD] for rate, limit in thresholds.items()},
        }
    return entry


def run(columns: Sequence[ColumnCases], processes: int, say: Say = print) -> list[dict[str, Any]]:
    """All variants."""
    entries, start = [], time.monotonic()
    looked: dict[Variant, dict[str, dict[str, Replay]]] = {}
    with ProcessPoolExecutor(processes) as pool:
        for number, variant in enumerate(ALL, 1):
            forecasts_of = replace(variant, name="", own_curves=True, joint="sum", singles=True)
            if forecasts_of not in looked:  # the others make something else of the same distances
                found = list(pool.map(partial(off, variant=variant), columns, chunksize=20))
                looked[forecasts_of] = {
                    name: {r.kind: r for r in pooled([f[name] for f in found if name in f])} for name in (FITTED, *SETS)
                }
            replays = looked[forecasts_of]
            kinds = replays[GOOD]
            said = {kind: scores({name: of[kind] for name, of in replays.items()}, variant) for kind in kinds}
            entries.append(entry_of(variant, said))
            took = time.monotonic() - start
            left = took / number * (len(ALL) - number)
            say(f"{variant.name}: {number} of {len(ALL)} in {took:.0f} s, about {left:.0f} s left")
            for kind in kinds:
                say(f"   {kind} {entries[-1][kind]}")
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--cache", type=Path, default=ROOT / ".bench")
    parser.add_argument("--out", type=Path, default=OUT.with_name("ingredients.json"))
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    corpus = prepare(asked.corpus, asked.cache, asked.processes)
    found = {**circumstances(corpus, WINDOW, SEED), "variants": run(corpus.columns, asked.processes)}
    asked.out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
