"""The evaluation: every method on every column of a corpus, scored alike.

    python -m bench.run --corpus DIRECTORY [--methods mad,byhistory] [--quick]

The cache keeps, table by table, profiles, cases, what the training faults would do, and the scores of each method: a
run that was stopped goes on where it was. Results are appended to OUT.jsonl; summary.json beside it is what the tables
and figures of docs/evaluation are made from.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from bench import methods
from bench.cases.build import SEED, VERSION, build, cases_key
from bench.cases.cases import WINDOW, ColumnCases, Store, thinned
from bench.cases.profiles import profile_all
from bench.corpus import Table, corpus_argument, tables
from bench.judge import BAD, Scores, kept_scores, load_scores, responses_of, scores_path
from bench.methods.base import Method
from bench.slice import cut
from bench.summary import COMPARED, KINDS, Layout, describe, joined, summarise

ROOT = Path(__file__).parents[1]
OUT = ROOT / "bench" / "results" / "evaluation"
OURS, SLOW = "byhistory", "slow"
"""The group of our own methods, the others are rivals; and a word for those that take hours."""
CHAMPION = "calibrated"
"""The learner that has to beat the others."""
NOT_QUICK = frozenset({"isolation_forest", "denial_constraints"})
"""Methods that would take most of the time of the quick slice; asked by name they take part."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Say = Callable[[str], object]


@dataclass(frozen=True)
class Corpus:
    """The tables of a corpus that have cases, with the cases."""

    tables: tuple[Table, ...]
    keys: tuple[str, ...]
    cases: tuple[tuple[ColumnCases, ...], ...]

    @property
    def columns(self) -> list[ColumnCases]:
        return [column for of in self.cases for column in of]

    @property
    def key(self) -> str:
        return hashlib.sha256("".join(self.keys).encode()).hexdigest()[:12]


def prepare(directory: Path, cache: Path, processes: int, say: Say = print, every: int = 1) -> Corpus:
    """Profile the tables with Spark and make the cases, as far as they are not kept; use every n-th good run."""
    found = list(tables(directory))
    if not found:
        raise SystemExit(f"no tables/*.parquet in {directory}: give a corpus as docs/reference/corpus.md describes it")
    profile_all(found, cache / "profiles", say)
    store = Store(cache / "cases")
    build(found, cache / "profiles", store, say, processes)
    keys = [cases_key(t) for t in found]
    read = [
        (t, k if every == 1 else f"{k}-{every}", tuple(thinned(store.read(k), every)))
        for t, k in zip(found, keys, strict=True)
    ]
    with_cases = [line for line in read if line[2]]
    return Corpus(*(tuple(part) for part in zip(*with_cases, strict=True)))


def choose(asked: str, say: Say = print) -> list[Method]:
    """Methods by name or group, or `slow`, separated by commas; all that are not slow if nothing is asked for."""
    words = [w.strip() for w in asked.split(",") if w.strip()]
    known = {m.name for m in methods.ALL} | {m.group for m in methods.ALL} | {SLOW}
    if unknown := [w for w in words if w not in known]:
        raise SystemExit(f"no method or group {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    found = [m for m in methods.ALL if {m.name, m.group, *([SLOW] if m.is_slow else [])} & set(words)]
    if not words:
        found = [m for m in methods.ALL if not m.is_slow]
    able = [m for m in found if not m.package or importlib.util.find_spec(m.package)]
    for m in found:
        if m not in able:
            say(f"{m.name} is left out: {m.package} is not installed; see bench/requirements.txt")
    return able


# --- asking ---------------------------------------------------------------------------------------------------------


def ask_all(
    chosen: Sequence[Method], corpus: Corpus, window: int, cache: Path, *, processes: int, say: Say = print
) -> dict[str, Scores]:
    """What each method says of all tables; asks only for what is not kept."""
    found = {}
    everything, names = range(len(corpus.tables)), [t.name for t in corpus.tables]
    os.environ.update(dict.fromkeys(THREADS, "1"))  # a process a core; numpy reads this when a process loads it
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        if any(m.needs_responses for m in chosen):
            each(pool, partial(_respond, cache=cache), everything, corpus, Progress("training faults", 0, say))
        for left, method in zip(range(len(chosen) - 1, -1, -1), chosen, strict=True):
            paths = [scores_path(method, key, window, cache) for key in corpus.keys]
            missing = [i for i in everything if not paths[i].exists()]
            # Where answers go is decided here: somebody may edit the code while this runs.
            ask = partial(
                _ask, name=method.name, window=window, cache=cache, paths=dict(zip(names, paths, strict=True))
            )
            each(pool, ask, missing, corpus, Progress(method.name, left, say))
            found[method.name] = joined([load_scores(path) for path in paths])
            if failed := found[method.name].failed:
                say(f"{method.name} failed on {failed} pasts, first {found[method.name].error}")
    return found


@dataclass(frozen=True)
class Progress:
    """What is being done, how many other things come after it, and whom to tell."""

    what: str
    left: int
    say: Say


def each(
    pool: ProcessPoolExecutor, work: Callable[..., None], asked: Sequence[int], corpus: Corpus, progress: Progress
) -> None:
    """Do it for each of these tables, the largest first, and tell how long it will take."""
    size = {i: sum(len(c.windows) + 10 for c in corpus.cases[i]) for i in asked}
    total, done, start = sum(size.values()), 0, time.monotonic()
    order = sorted(asked, key=lambda i: -size[i])
    jobs = {pool.submit(work, corpus.tables[i], corpus.cases[i]): i for i in order}
    reported = start
    for number, job in enumerate(as_completed(jobs), 1):
        job.result()
        done += size[jobs[job]]
        now = time.monotonic()
        if now - reported > 5 or number == len(jobs):
            reported, rest = now, (now - start) * (total - done) / done
            after = f"; {progress.left} more after it" if progress.left else ""
            left = f"about {span(rest)} left" if number < len(jobs) else "done"
            progress.say(f"{progress.what}: {number} of {len(jobs)} tables in {span(now - start)}, {left}{after}")


def span(seconds: float) -> str:
    """A time in words.

    >>> span(42), span(600)
    ('42 s', '10 min')
    """
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _respond(table: Table, columns: Sequence[ColumnCases], cache: Path) -> None:
    responses_of(table, columns, cache / "profiles", cache / "responses")


def _ask(
    table: Table, columns: Sequence[ColumnCases], *, name: str, window: int, cache: Path, paths: dict[str, Path]
) -> None:
    method = next(m for m in methods.ALL if m.name == name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rivals divide by zero and do not converge; what matters is what they say
        kept_scores(method, table, columns, window=window, cache=cache, path=paths[table.name])


# --- writing --------------------------------------------------------------------------------------------------------


def circumstances(corpus: Corpus, window: int, seed: int) -> dict[str, Any]:
    """What a result was made with; of the machine only its cores, as names of machines are nobody's business."""
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT).stdout.strip() or "none"
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in ("byhistory", "numpy", "scipy", "pyarrow", "pyspark")},
        "cores": os.cpu_count(),
        "seed": seed,
        "window": window,
        "corpus": corpus.key,
        "cases_version": VERSION,
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def write(entries: dict[str, dict[str, Any]], about: dict[str, Any], layout: Layout, out: Path) -> dict[str, Any]:
    """Append one line per method, and renew the summary; entries of other methods on the same cases stay in it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.with_suffix(".jsonl").open("a", encoding="utf-8") as file:
        for name, entry in entries.items():
            # The whole curve is in the summary; a line is for looking back.
            short = {k: _without_curve(v) for k, v in entry.items()}
            file.write(json.dumps({**about, "method": name, **short}, ensure_ascii=False) + "\n")
    path = out.parent / "summary.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    same = all(before.get(key) == about[key] for key in ("corpus", "window", "seed"))
    kept = before.get("methods", {}) if same else {}
    mine = {name: {**entry, "commit": about["commit"], "at": about["at"]} for name, entry in entries.items()}
    order = [m.name for m in methods.ALL]
    both = {**kept, **mine}
    named = sorted(both, key=lambda n: order.index(n) if n in order else len(order))
    summary = {**about, "cases": describe(layout), "methods": {name: both[name] for name in named}}
    path.write_text(json.dumps(summary, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return summary


def _without_curve(value: Any) -> Any:
    return {k: v for k, v in value.items() if k not in ("curve", "by_name")} if isinstance(value, dict) else value


def show(summary: dict[str, Any], say: Say = print) -> None:
    """Recall at a measured rate of 1 %, by quadrant."""
    heads = [f"{s} {k.value[:3]}" for s in BAD for k in KINDS]
    say(f"recall where {COMPARED:.0%} of the good runs are stopped, on {summary['cases']['tables']} tables")
    say(f"{'':24}" + "".join(f"{head:>12}" for head in heads))
    for name, entry in summary["methods"].items():
        values = [recall_of(entry, s, k.value) for s in BAD for k in KINDS]
        say(f"{name:24}" + "".join(f"{v:12.3f}" if v is not None else f"{'':12}" for v in values))


def recall_of(entry: dict[str, Any], name: str, kind: str, rate: float = COMPARED) -> float | None:
    """None for a kind that the method does not judge."""
    return entry[kind]["recall"][name][str(rate)]["recall"] if kind in entry else None


# --- the quick slice ------------------------------------------------------------------------------------------------


def our_best(entries: dict[str, dict[str, Any]]) -> str | None:
    """Which of our entries is compared with the rivals."""
    ours = [name for name, entry in entries.items() if entry["group"] == OURS]
    return next((name for name in ours if name == CHAMPION), ours[0] if ours else None)


def beats_the_median(summary: dict[str, Any], say: Say = print) -> bool:
    """Whether our best learner catches more than the median rival, on average over the quadrants."""
    entries = summary["methods"]
    mine = our_best(entries)
    rivals = [e for e in entries.values() if e["group"] != OURS]
    if mine is None or not rivals:
        say("nothing to compare: a learner of byhistory and at least one rival are needed")
        return False
    margins = []
    for name in BAD:
        for kind in KINDS:
            own = recall_of(entries[mine], name, kind.value)
            theirs = [r for e in rivals if (r := recall_of(e, name, kind.value)) is not None]
            if own is not None and theirs:
                margins.append(own - float(np.median(theirs)))
                say(f"{name} {kind.value}: {mine} {own:.3f}, median rival {np.median(theirs):.3f}")
    ahead = bool(margins) and float(np.mean(margins)) > 0
    say(f"{mine} is {'ahead of' if ahead else 'NOT ahead of'} the median rival: {np.mean(margins):+.3f} on average")
    return ahead


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus_argument(parser)
    parser.add_argument(
        "--methods", default="", help="names or groups, or slow, separated by commas; all fast ones if not given"
    )
    parser.add_argument("--cache", type=Path, default=ROOT / ".bench")
    parser.add_argument("--out", type=Path, help="where results go, without the ending")
    parser.add_argument("--window", type=int, default=WINDOW, help="runs of history that a method sees")
    parser.add_argument("--seed", type=int, default=SEED, help="of the intervals over sources")
    parser.add_argument("--every", type=int, default=1, help="judge every so-manieth good run, for slow methods")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="a small slice, and fail unless we beat the median rival")
    asked = parser.parse_args(arguments)
    chosen = choose(asked.methods)
    directory, cache, out = asked.corpus, asked.cache, asked.out or OUT
    if asked.quick:
        chosen = [m for m in chosen if m.name not in NOT_QUICK or m.name in asked.methods]
        cache = asked.cache / "quick"
        out = asked.out or cache / "results" / "evaluation"
        directory = cut(list(tables(asked.corpus)), cache / "corpus")
    corpus = prepare(directory, cache, asked.processes, every=asked.every)
    judged = ask_all(chosen, corpus, asked.window, cache, processes=asked.processes)
    layout = Layout.of(corpus.columns)
    entries = {m.name: summarise(m, judged[m.name], layout, asked.seed) for m in chosen}
    for m in chosen:
        entries[m.name]["version"] = _version(m.package) if m.package else ""
    summary = write(entries, {**circumstances(corpus, asked.window, asked.seed), "every": asked.every}, layout, out)
    show(summary)
    return 0 if not asked.quick or beats_the_median(summary) else 1


if __name__ == "__main__":
    sys.exit(main())
