"""Would one leave it on? A corpus replayed day by day through the facade, with three ways of answering alarms.

    python -m bench.life --corpus DIRECTORY [--corpus DIRECTORY] [--columns N] [--runs N] [--only NAMES] [--part 1/4]
        [--kept FILE] [--minutes N] [--held-out] [--tell]

*attended*: every stop is answered at once, by somebody who knows what the next run looks like: a change that stays is
the new normal, one that goes away is accepted, a listed incident is rejected. *unattended*: nobody ever answers.
*accepted*: everything is accepted. Listed incidents do not count as good runs. A week after each stop, faults are put
into the column that it was about and judged in a copy of the history; the same faults right before the alarm are what
they are compared with. The ways share all runs up to the first stop, which are judged once. Tables come in an order
drawn at random, so that a part of them, or what fits into some minutes, is a fair sample; tables of one source are not
independent, so rates are also shown by source.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from bench.cases.profiles import load, profile_all
from bench.corpus import Table, tables
from bench.life_runs import faulty, labelled, stays
from bench.methods.calibrated import prices_without

from byhistory.config import Config, TableConfig
from byhistory.constraints.always import ALWAYS
from byhistory.history.memory import MemoryStore
from byhistory.profile import TableProfile
from byhistory.validator import Validator
from byhistory.validator.judged import Judged
from byhistory.verdict import Finding

ROOT = Path(__file__).parents[1]
OUT = ROOT / "bench" / "results" / "life.jsonl"
PAST = 30
"""Runs that are backfilled before the first is judged."""
LATER = 7
"""Runs after an answer at which faults are tried."""
MODES = ("attended", "unattended", "accepted")
NAME = "t"
SEED = 12
"""Of the order in which tables are replayed."""


@dataclass
class Tally:
    """What happened in one way of answering."""

    runs: int = 0
    stopped: int = 0
    warned: int = 0
    opened: int = 0
    incidents: Counter[str] = field(default_factory=Counter)
    """Runs of listed incidents, by the level of their verdict."""
    lives: list[int] = field(default_factory=list)
    caught: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    stops: list[Sequence[str]] = field(default_factory=list)
    """Good runs that were stopped: the run, what stopped it (`reason`), and the first message."""

    def __iadd__(self, other: Tally) -> Tally:
        self.runs += other.runs
        self.stopped += other.stopped
        self.warned += other.warned
        self.opened += other.opened
        self.incidents += other.incidents
        self.lives += other.lives
        self.caught += other.caught
        self.tried += other.tried
        self.stops += other.stops
        return self

    @staticmethod
    def of(kept: dict[str, Any]) -> Tally:
        counters: Any = {name: Counter(value) for name, value in kept.items() if isinstance(value, dict)}
        return Tally(**{**kept, **counters})

    def by_reason(self) -> Counter[str]:
        """How many stopped runs there are by what stopped them, and whether that was news."""
        return Counter(why for _, why, _ in self.stops)

    def share(self, of: str) -> float:
        return self.caught[of] / self.tried[of] if self.tried[of] else float("nan")


def reason(judged: Judged) -> str:
    """What stopped a run, in words to count by: a rule, a price or the columns; what always stops comes first."""
    stopping = [f for f in judged.findings if f.stops]
    news = "again" if all(f.again for f in stopping) else "new"
    by = [_by_what(f) for f in stopping if f.again == "" or news == "again"]
    return f"{news} {min(by, key=lambda what: what == 'price')}"


def _by_what(finding: Finding) -> str:
    if finding.outcome is None:
        return finding.about
    clause = finding.outcome.constraint
    return f"rule {clause.metric}" if clause.bound == ALWAYS else "price"


def caught(store: MemoryStore, run: TableProfile, column: str, label: str, config: TableConfig) -> list[bool]:
    """Whether each fault in the column would stop the run, if it came next under this label; the store stays."""
    found = []
    for bad in faulty(run, column):
        with _guard(copy(store), config) as guard:
            found.append(guard.judge(replace(bad, run=label), NAME).level == "stop")
    return found


@dataclass(frozen=True)
class Trial:
    """Faults to be put into a column at a later run, and how the same faults fared before the alarm."""

    at: int
    column: str
    after: str
    before: list[bool]


@dataclass
class Replay:
    """One table under guard, answered in the same way by all of `modes`: they part at the first stop."""

    modes: tuple[str, ...]
    store: MemoryStore
    config: TableConfig
    tally: Tally = field(default_factory=Tally)
    trials: list[Trial] = field(default_factory=list)

    def parted(self) -> list[Replay]:
        return [
            Replay((m,), copy(self.store), self.config, deepcopy(self.tally), list(self.trials)) for m in self.modes
        ]


def _guard(store: MemoryStore, config: TableConfig) -> Validator:
    return Validator(store, config=Config(defaults=config), faults=())


def replay(
    table: Table,
    runs: Sequence[TableProfile],
    numbers: Sequence[int],
    modes: Sequence[str],
    config: TableConfig,
    *,
    tell: bool = False,
) -> dict[str, Tally]:
    """All runs of a table after the first, each answered as the mode says."""
    bad = set(range(len(table.labels))) - set(table.good)
    store = MemoryStore()
    with _guard(store, config) as guard:
        guard.remember(runs[:PAST], NAME)
    ways = [Replay(tuple(modes), store, config)]
    for at in range(PAST, len(runs)):
        is_incident = numbers[at] in bad
        for way in list(ways):
            _try_faults(way, runs[at], at, tell=tell)
            before = copy(way.store)
            with _guard(way.store, way.config) as guard:
                judged = guard.judge(runs[at], NAME)
            _count(way.tally, judged, is_incident=is_incident)
            if tell and judged.level != "as usual" and "attended" in way.modes:
                known = " (a known incident)" * is_incident
                print(f"{table.name} {runs[at].run}{known}\n{judged.verdict}", flush=True)
            if judged.level != "stop":
                continue
            stopped = [f.column for f in judged.findings if f.level == "stop" and f.column]
            parts = way.parted()
            ways = [other for other in ways if other is not way] + parts
            for part in parts:
                _answer(part, before, runs, at, stopped, is_incident=is_incident)
    return {mode: _ended(way) for way in ways for mode in way.modes}


def _try_faults(way: Replay, run: TableProfile, at: int, *, tell: bool) -> None:
    for trial in [t for t in way.trials if t.at == at and t.column in run.columns]:
        found = caught(way.store, run, trial.column, run.run, way.config)
        if len(found) != len(trial.before):  # the column is another one now: nothing to compare
            continue
        if tell:
            print(f"{run.run} {way.modes[0]}, after {trial.after}: {trial.column} {trial.before} {found}", flush=True)
        for when, which in ((f"before {trial.after}", trial.before), (f"after {trial.after}", found)):
            way.tally.tried[when] += len(which)
            way.tally.caught[when] += sum(which)


def _count(tally: Tally, judged: Judged, *, is_incident: bool) -> None:
    if is_incident:
        tally.incidents[judged.level] += 1
        return
    tally.runs += 1
    tally.warned += judged.level != "as usual"
    if judged.level == "stop":
        tally.stopped += 1
        first = next(f for f in judged.findings if f.stops)
        tally.stops.append((judged.run, reason(judged), f"{first.column}: {first.sentence}"))


def _answer(
    way: Replay,
    before: MemoryStore,
    runs: Sequence[TableProfile],
    at: int,
    columns: Sequence[str],
    *,
    is_incident: bool,
) -> None:
    """Answer a stop as the mode says, and put down what is to be tried a week later."""
    (mode,) = way.modes
    run = runs[at].run
    after = "silence"
    if mode != "unattended":
        with _guard(way.store, way.config) as guard:
            if mode == "attended" and is_incident:
                guard.decisions.reject(NAME, run)
                return
            is_new = mode == "attended" and any(stays(runs, at, c) for c in columns[:3])
            guard.decisions.accept(NAME, run, new_normal=is_new)
            after = "new normal" if is_new else "accept"
    if columns and columns[0] in runs[at - 1].columns and not any(t.at > at for t in way.trials):
        found = caught(before, runs[at - 1], columns[0], run, way.config)
        way.trials.append(Trial(at + LATER, columns[0], after, found))


def _ended(way: Replay) -> Tally:
    with _guard(way.store, way.config) as guard:
        alarms = guard.decisions.alarms(NAME)
    tally = deepcopy(way.tally)
    tally.opened = len(alarms)
    tally.lives = [len(a.runs) for a in alarms]
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, action="append", help="may be given more than once")
    parser.add_argument("--cache", type=Path, default=ROOT / ".bench")
    parser.add_argument("--columns", type=int, default=60, help="of a table at most, evenly chosen")
    parser.add_argument("--runs", type=int, default=120, help="of a table at most, the first ones")
    parser.add_argument("--only", default="", help="these tables, by name, with commas between them")
    parser.add_argument("--part", default="1/1", help="1/4: the first of four parts of the tables")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--kept", type=Path, help="a file to go on with: a table that is in it is not replayed again")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no further table after these")
    parser.add_argument("--commit", default="", help="that the kept tables were replayed by; this one if empty")
    parser.add_argument("--held-out", action="store_true", help="judge each table by prices its source had no part in")
    parser.add_argument("--tell", action="store_true", help="print every message of the attended replay, to read them")
    asked = parser.parse_args()
    found = [t for corpus in asked.corpus for t in tables(corpus) if len(t.labels) > PAST]
    found = [found[i] for i in np.random.default_rng(SEED).permutation(len(found))]
    if asked.only:
        found = [t for t in found if t.name in asked.only.split(",")]
    part, parts = map(int, asked.part.split("/"))
    found = found[part - 1 :: parts]
    profile_all(found, asked.cache / "profiles")
    done = _kept(asked.kept)
    began = time.monotonic()
    for table in found:
        if table.name in done or time.monotonic() - began > 60 * asked.minutes:
            continue
        done[table.name] = of = _replayed(table, asked)
        if asked.kept:
            with asked.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"table": table.name, **{mode: vars(one) for mode, one in of.items()}}) + "\n")
    show([t for t in found if t.name in done], done, asked)


def _kept(path: Path | None) -> dict[str, dict[str, Tally]]:
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line.pop("table"): {mode: Tally.of(one) for mode, one in line.items()} for line in lines}


def _replayed(table: Table, asked: argparse.Namespace) -> dict[str, Tally]:
    began = time.monotonic()
    read = load(table, asked.cache / "profiles")
    names = list(table.columns(asked.columns // 2))
    numbers = [n for n in range(len(table.labels)) if n in read][: asked.runs]
    runs = [labelled(read[n], table.labels[n], names) for n in numbers]
    config = TableConfig(prices=prices_without(table.source) if asked.held_out else "")
    of = replay(table, runs, numbers, asked.modes.split(","), config, tell=asked.tell)
    took = f"{time.monotonic() - began:.0f} s"
    for mode, one in of.items():
        counts = f"{one.runs} good runs, {one.stopped} stopped, {one.warned} warned, incidents {dict(one.incidents)}"
        print(f"{table.name} {mode}: {counts} ({took})", flush=True)
    return of


def show(found: Sequence[Table], done: Mapping[str, Mapping[str, Tally]], asked: argparse.Namespace) -> None:
    """The totals, the rates by source, and the line that is compared with the goals."""
    totals: dict[str, Tally] = {}
    for mode in asked.modes.split(","):
        total, by_source = totals.setdefault(mode, Tally()), dict[str, Tally]()
        for table in found:
            total += done[table.name][mode]
            by_source.setdefault(table.source, Tally()).__iadd__(done[table.name][mode])
        life = np.median(total.lives) if total.lives else float("nan")
        share = f"{total.stopped / max(1, total.runs):.2%} stopped, {total.warned / max(1, total.runs):.2%} warned"
        print(f"{mode}: {total.runs} good table-runs, {share}, {total.opened} alarms, median life {life:.0f} runs")
        stops = [t.stopped / t.runs for t in by_source.values() if t.runs] or [0.0]
        warns = [t.warned / t.runs for t in by_source.values() if t.runs] or [0.0]
        worst = ", ".join(f"{s} {t.stopped}/{t.runs}" for s, t in sorted(by_source.items(), key=_by_stops)[:3])
        print(
            f"  means of {len(stops)} sources: stopped {np.mean(stops):.2%}, warned {np.mean(warns):.2%}; most: {worst}"
        )
        print(f"  runs of listed incidents: {dict(total.incidents)}")
        print("  stopped by: " + ", ".join(f"{why} {n}" for why, n in total.by_reason().most_common()))
        for answer in ("accept", "new normal", "silence"):
            before, after = total.share(f"before {answer}"), total.share(f"after {answer}")
            tried = total.tried[f"after {answer}"]
            if tried:
                print(f"  {tried} faults a week after {answer}: {before:.1%} caught before, {after:.1%} after")
    line = last_line(totals)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    with OUT.open("a", encoding="utf-8") as file:
        about = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "corpus": [c.name for c in asked.corpus]}
        about["commit"] = asked.commit or _commit()
        how = {"tables": len(found), "runs": asked.runs, "held_out": asked.held_out}
        file.write(json.dumps({**about, **how, "line": line}) + "\n")
    print(line)


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT).stdout.strip() or "none"


def _by_stops(of: tuple[str, Tally]) -> float:
    return -of[1].stopped / max(1, of[1].runs)


def last_line(totals: Mapping[str, Tally]) -> str:
    """The figures that are compared with their goals."""
    none = Tally()
    attended, unattended = totals.get("attended", none), totals.get("unattended", none)
    both = Tally()
    both += attended
    both += totals.get("accepted", none)
    return (
        f"attended_stop={attended.stopped / max(1, attended.runs):.4f} "
        f"attended_warn={attended.warned / max(1, attended.runs):.4f} "
        f"unattended_stop={unattended.stopped / max(1, unattended.runs):.4f} "
        f"opened_per_100_runs={100 * attended.opened / max(1, attended.runs):.2f} "
        f"caught_before_accept={both.share('before accept'):.2f} "
        f"caught_after_accept={both.share('after accept'):.2f} "
        f"caught_before_new_normal={attended.share('before new normal'):.2f} "
        f"caught_after_new_normal={attended.share('after new normal'):.2f} "
        f"caught_before_silence={unattended.share('before silence'):.2f} "
        f"caught_after_silence={unattended.share('after silence'):.2f}"
    )


if __name__ == "__main__":
    main()
