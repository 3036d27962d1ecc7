"""The paper's other figures: what does each part of the learner do for it?

    python -m bench.ablations --corpus DIRECTORY [--learner paper] [--every 5]

Length of history, metrics of one run or of two, how many clauses, and the stationarity step. Every fifth window is
enough to tell variants apart; the cases, and what the training faults would do, are those of the evaluation.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from bench import methods
from bench.cases.build import SEED
from bench.cases.cases import WINDOW, ColumnCases, Past, thinned
from bench.corpus import Table, corpus_argument
from bench.judge import BAD, Scores, code_of, judge, responses_of, write_whole
from bench.methods.base import Method
from bench.run import OUT, ROOT, THREADS, Corpus, Progress, Say, circumstances, each, prepare
from bench.score import BUDGETS
from bench.summary import KINDS, Layout, joined, summarise

from byhistory.learners import Learner, by_name
from byhistory.learners.paper import Paper
from byhistory.profile.arrays import Bools, Floats, Ints

SHOWN = (0.001, 0.01)
"""Budgets that variants are asked for: more would take longer, and tell no more."""
MANY = 12
"""Clauses that are counted as one group: this many or more."""


@dataclass(frozen=True)
class Variant:
    """The learner with one thing changed."""

    figure: str
    """Which question it belongs to: history, metrics, clauses or stationarity."""
    label: str
    window: int = WINDOW
    max_clauses: int | None = None
    pairs: bool = True
    stationary: bool = True

    def of(self, learner: Learner) -> Learner:
        """That learner, varied."""
        return replace(learner, is_stationary=self.stationary) if isinstance(learner, Paper) else learner

    @property
    def slug(self) -> str:
        return f"{self.figure}-{self.label}".replace(" ", "_")


ALL: tuple[Variant, ...] = (
    *(Variant("history", str(runs), window=runs) for runs in (7, 14, 21, 28)),
    Variant("metrics", "one run", pairs=False),
    Variant("metrics", "one and two runs"),
    *(Variant("clauses", str(most), max_clauses=most) for most in (1, 2, 3, 4, 5)),
    Variant("clauses", "no limit"),
    Variant("stationarity", "without", stationary=False),
    Variant("stationarity", "with"),
)


AlarmsWith = Callable[..., tuple[Bools, Ints]]
"""`(past, now, budgets, *, learner, max_clauses, pairs)`: alarms (one row per run, one column per budget) and how
many clauses the program of each budget has."""


def ask(variant: Variant, learner: str, alarms_with: AlarmsWith, columns: Sequence[ColumnCases], answers: Any) -> Any:
    """What a variant says of some columns, and for each of their pasts the kind and the number of clauses by budget."""
    counts: list[tuple[int, list[int]]] = []

    def alarms(past: Past, now: Floats, budgets: tuple[float, ...]) -> Bools:
        options = {"max_clauses": variant.max_clauses, "pairs": variant.pairs}
        stopped = np.zeros((len(now), len(budgets)), np.bool_)
        asked = [budgets.index(b) for b in SHOWN]
        stopped[:, asked], clauses = alarms_with(past, now, SHOWN, learner=variant.of(by_name(learner)), **options)
        counts.append((KINDS.index(past.kind), [int(n) for n in clauses]))
        return stopped

    method = Method(variant.slug, variant.label, "byhistory", _silent, alarms=alarms)
    return judge(method, columns, variant.window, BUDGETS, answers), counts


def _silent(past: Past, now: Floats) -> Floats:  # noqa: ARG001 - the shape of a score; variants only say yes or no
    return np.full(len(now), np.nan)


def _work(
    table: Table,
    columns: Sequence[ColumnCases],
    *,
    variant: Variant,
    learner: str,
    every: int,
    cache: Path,
    paths: dict[str, Path],
) -> None:
    from bench.methods.byhistory import alarms_with

    trained = next(m for m in methods.ALL if m.name == learner).needs_responses
    answers = responses_of(table, columns, cache / "profiles", cache / "responses") if trained else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = ask(variant, learner, alarms_with, thinned(columns, every), answers)
    write_whole(paths[table.name], pickle.dumps(judged))


def kept_at(variant: Variant, learner: str, every: int, key: str, cache: Path) -> Path:
    """Renewed when the learner's code changes."""
    ours = next(m for m in methods.ALL if m.group == "byhistory")
    return cache / "ablations" / f"{learner}-{variant.slug}" / f"{key}-{every}-{code_of(ours)}.pickle"


def entry_of(
    variant: Variant, judged: Scores, counts: Sequence[tuple[int, list[int]]], layout: Layout
) -> dict[str, Any]:
    """Measured rate, precision and recall at each budget, and how many clauses programs have."""
    method = Method(variant.slug, variant.label, "byhistory", _silent, alarms=lambda *_: np.zeros((0, 0), bool))
    whole = summarise(method, judged, layout, SEED)
    entry: dict[str, Any] = {**asdict(variant), "failed": judged.failed, "error": judged.error}
    for i, kind in enumerate(KINDS):
        if kind.value not in whole:
            continue
        budgets = whole[kind.value]["budgets"]
        entry[kind.value] = {
            "budgets": {str(b): {k: v for k, v in budgets[str(b)].items() if k != "by_type"} for b in SHOWN},
            "clauses": {str(b): _counted([n for k, n in counts if k == i], SHOWN.index(b)) for b in SHOWN},
        }
    return entry


def _counted(programs: Sequence[Sequence[int]], budget: int) -> dict[str, Any]:
    clauses = np.array([p[budget] for p in programs], np.int64)
    if not len(clauses):
        return {"programs": 0, "median": None, "mean": None, "share": []}
    share = np.bincount(np.minimum(clauses, MANY), minlength=MANY + 1) / len(clauses)
    return {
        "programs": len(clauses),
        "median": float(np.median(clauses)),
        "mean": round(float(clauses.mean()), 3),
        "share": np.round(share, 4).tolist(),
    }


def run(corpus: Corpus, learner: str, every: int, cache: Path, processes: int, *, say: Say = print) -> list[Any]:
    """All variants, asked as far as they are not kept."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    layout = Layout.of([c for of in corpus.cases for c in thinned(of, every)])
    entries, everything = [], range(len(corpus.tables))
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for left, variant in zip(range(len(ALL) - 1, -1, -1), ALL, strict=True):
            paths = [kept_at(variant, learner, every, key, cache) for key in corpus.keys]
            missing = [i for i in everything if not paths[i].exists()]
            named = {t.name: path for t, path in zip(corpus.tables, paths, strict=True)}
            work = partial(_work, variant=variant, learner=learner, every=every, cache=cache, paths=named)
            each(pool, work, missing, corpus, Progress(f"{learner}, {variant.figure} {variant.label}", left, say))
            parts = [pickle.loads(path.read_bytes()) for path in paths]  # noqa: S301 - our own files
            judged, counts = joined([s for s, _ in parts]), [n for _, of in parts for n in of]
            entries.append(entry_of(variant, judged, counts, layout))
            if judged.failed:
                say(f"{variant.slug} failed on {judged.failed} pasts, first {judged.error}")
    return entries


def show(entries: Sequence[dict[str, Any]], say: Say = print) -> None:
    say(f"{'at a budget of 1 %':34}" + "".join(f"{h:>13}" for h in ("kind", "measured", *BAD, "clauses")))
    for entry in entries:
        for kind in KINDS:
            if kind.value in entry:
                at = entry[kind.value]["budgets"]["0.01"]
                values = [at["fpr"], *(at["recall"][n]["share"] for n in BAD)]
                line = "".join(f"{v:13.4f}" if v is not None else f"{'':13}" for v in values)
                clauses = entry[kind.value]["clauses"]["0.01"]["median"]
                say(f"{entry['figure']:14}{entry['label']:20}{kind.value:>13}{line}{clauses or 0:13.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus_argument(parser)
    parser.add_argument("--cache", type=Path, default=ROOT / ".bench")
    parser.add_argument("--out", type=Path, default=OUT.with_name("ablations"))
    parser.add_argument("--learner", default="paper")
    parser.add_argument("--every", type=int, default=5, help="use every so-manieth window")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    corpus = prepare(asked.corpus, asked.cache, asked.processes)
    entries = run(corpus, asked.learner, asked.every, asked.cache, asked.processes)
    about = {**circumstances(corpus, WINDOW, SEED), "learner": asked.learner, "every": asked.every}
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with asked.out.with_suffix(".jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({**about, "variants": entries}, ensure_ascii=False) + "\n")
    path = asked.out.with_suffix(".json")
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    both = {**before, asked.learner: {**about, "variants": entries}}
    path.write_text(json.dumps(both, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    show(entries)


if __name__ == "__main__":
    main()
