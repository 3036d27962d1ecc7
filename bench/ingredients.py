"""What does each ingredient of `calibrated` do? Every one left out or replaced, measured by source.

    python -m bench.ingredients --corpus DIRECTORY

For each variant the curves and limits are fitted without a fifth of the sources, and those are then judged by them.
Every good run and every bad one of the evaluation is a case; results are kept in OUT, for the page.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench.cases.build import SEED
from bench.cases.cases import WINDOW, ColumnCases, windows_of
from bench.corpus import corpus_argument
from bench.distances import USUAL_WINDOWS as WINDOWS
from bench.judge import BAD, GOOD, Question, questions
from bench.run import OUT, ROOT, Say, circumstances, prepare
from bench.score import clopper_pearson, threshold_at

from byhistory.learners.calibrated import CALIBRATED, Calibrated
from byhistory.learners.calibrated.fit import (
    FOLDS,
    Replay,
    fit,
    folds_of,
    largest_and_joined,
    source_number,
    surprises_of,
)
from byhistory.learners.calibrated.leaps import leap_ends, leaping
from byhistory.learners.calibrated.learn import forecasts
from byhistory.learners.calibrated.prices import shipped
from byhistory.learners.calibrated.replay import ColumnDistances, pooled
from byhistory.metrics import by_name
from byhistory.profile.arrays import Floats
from byhistory.series.cadence import UNKNOWN

RATES, NOMINAL = (0.001, 0.01), (0.001, 0.01, 0.05)
"""Measured rates of false alarms that are compared at, and budgets whose measured rate is shown."""
SETS, FITTED = (GOOD, *BAD), "fitted"
"""What is judged, and the good runs that prices are fitted to: twice as many, as for those that are shipped."""


@dataclass(frozen=True)
class Variant:
    """The learner with one ingredient changed, or what it is given."""

    name: str
    learner: Calibrated = CALIBRATED
    calendar: bool = True
    metrics: str = "all"

    def forecast_like(self, other: Variant) -> bool:
        """Whether another makes something else of the same distances."""
        mine, theirs = self.learner.forecasting, other.learner.forecasting
        return (mine, self.calendar, self.metrics) == (theirs, other.calendar, other.metrics)


def nothing(surprises: Floats) -> Floats:
    """No run is surprising by all its metrics together."""
    return np.zeros(len(surprises))


def largest(surprises: Floats) -> Floats:
    """A run is as surprising as its most surprising metric."""
    return np.asarray(surprises.max(axis=-1, initial=0.0))


def _forecast(name: str, **changed: Any) -> Variant:
    return Variant(name, replace(CALIBRATED, forecasting=replace(CALIBRATED.forecasting, **changed)))


def _learner(name: str, **changed: Any) -> Variant:
    return Variant(name, replace(CALIBRATED, **changed))


NO_SINGLES: dict[str, tuple[str, ...]] = dict.fromkeys(CALIBRATED.singles, ())
ALL = (
    Variant("as it is"),
    _forecast("forecast by the level only", margin=np.inf),
    Variant("seasons of 7 and 12 runs, and no gaps, whatever the labels say", calendar=False),
    _forecast("metrics as they are, not on an even scale", is_scaled=False),
    _forecast("without the chance within a run", has_noise=False),
    _forecast("without the largest surprise of the past", floor=0.0),
    _forecast("bad runs of the past count in full", bound=np.inf),
    Variant("without the metrics that the paper has not", metrics="paper"),
    Variant("without the metrics of two runs", metrics="one run"),
    _learner("one price curve for all metrics", own_curve_from=sys.maxsize),
    _learner("no leaps", prices=replace(shipped(), leap=0.0)),
    _learner("no weights: the sum of capped surprises", prices=replace(shipped(), weights=None)),
    _learner("no joint clause", joined=nothing),
    _learner("no single clauses", singles=NO_SINGLES),
    _learner("the largest surprise of any metric, instead of their sum", joined=largest, singles=NO_SINGLES),
)


def off(column: ColumnCases, variant: Variant) -> dict[str, ColumnDistances]:
    """How far all cases of a column are from their forecasts, by set."""
    metrics = [m for m in map(by_name, column.metrics) if _has(m, variant)]
    places = [column.metrics.index(m.name) for m in metrics]
    names = tuple(m.name for m in metrics)
    found: dict[str, list[tuple[Floats, Any, Any]]] = {name: [] for name in (FITTED, *SETS)}
    asked = questions(column)
    for at in windows_of(column.series.shape[1], WINDOWS, WINDOW):
        asked.setdefault(at, []).append(Question(FITTED, np.zeros(1, np.int64), column.series[:, at][None]))
    for at, of_run in asked.items():
        past = column.past(at)
        series, seasons = past.on_calendar if variant.calendar else (past.series, UNKNOWN)
        expected = forecasts(metrics, series[places], seasons, by=variant.learner.forecasting)
        for q in of_run:
            if q.set in found:
                distances = expected.distances(q.now[:, places])
                is_leap = leaping(leap_ends(names, series[places]), q.now[:, places])
                found[q.set].append((distances, np.tile(expected.is_constant, (len(distances), 1)), is_leap))
    source = source_number(column.source)
    return {
        name: ColumnDistances(
            source, column.kind.value, WINDOW, names, *(np.vstack(x) for x in zip(*parts, strict=True))
        )
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
    learner = variant.learner
    out = {name: np.zeros(len(r.distances)) for name, r in replays.items()}
    for k in range(FOLDS):
        mine = {name: np.array([fold_of.get(s, 0) == k for s in r.source.tolist()]) for name, r in replays.items()}
        prices = fit(learner, [fitted.of(~mine[FITTED])], {})
        for name, r in replays.items():
            part = r.of(mine[name])
            alone, joint = largest_and_joined(learner, part, surprises_of(part, prices))
            budgets = prices.limit(r.kind, WINDOW).budget(alone, joint)
            out[name][mine[name]] = -np.log10(np.maximum(budgets, np.finfo(float).tiny))
    return out


def entry_of(variant: Variant, said: dict[str, dict[str, Floats]]) -> dict[str, Any]:
    """Recall at a measured rate, and the measured rate at each budget."""
    entry: dict[str, Any] = {"name": variant.name}
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
    looked: list[tuple[Variant, dict[str, dict[str, Replay]]]] = []
    with ProcessPoolExecutor(processes) as pool:
        for number, variant in enumerate(ALL, 1):
            known = next((of for other, of in looked if variant.forecast_like(other)), None)
            if known is None:
                found = list(pool.map(partial(off, variant=variant), columns, chunksize=20))
                known = {
                    name: {r.kind: r for r in pooled([f[name] for f in found if name in f])} for name in (FITTED, *SETS)
                }
                looked.append((variant, known))
            replays = known
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
    corpus_argument(parser)
    parser.add_argument("--cache", type=Path, default=ROOT / ".bench")
    parser.add_argument("--out", type=Path, default=OUT.with_name("ingredients.json"))
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    corpus = prepare(asked.corpus, asked.cache, asked.processes)
    found = {**circumstances(corpus, WINDOW, SEED), "variants": run(corpus.columns, asked.processes)}
    asked.out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
