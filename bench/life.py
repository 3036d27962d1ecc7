"""Would one leave it on? A corpus replayed day by day through the facade, with three ways of answering alarms.

    python -m bench.life --corpus DIRECTORY [--columns N] [--runs N] [--tables N | --only NAMES] [--part 1/4] [--tell]

*attended*: every stop is answered at once, by somebody who knows what the next run looks like: a change that stays is
the new normal, one that goes away is accepted, a listed incident is rejected. *unattended*: nobody ever answers.
*accepted*: everything is accepted. Listed incidents do not count as good runs. A week after each accepted stop and each
new normal, faults are put into the column that it was about, judged and forgotten; the same faults right before the
alarm are what they are compared with. Tables of one source are not independent, so rates are also shown by source.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from bench.cases.profiles import load, profile_all
from bench.corpus import Table, tables

from byhistory.config import Config, TableConfig
from byhistory.history import open_store
from byhistory.metrics import by_name
from byhistory.profile import Kind, TableProfile
from byhistory.profile.column import ColumnProfile
from byhistory.validator import Validator

ROOT = Path(__file__).parents[1]
OUT = ROOT / "bench" / "results" / "life.jsonl"
PAST = 30
"""Runs that are backfilled before the first is judged."""
LATER = 7
"""Runs after an answer at which faults are tried."""
MODES = ("attended", "unattended", "accepted")
NAME, TRIAL = "t", "99999"


@dataclass
class Tally:
    """What happened in one way of answering."""

    runs: int = 0
    stopped: int = 0
    warned: int = 0
    opened: int = 0
    lives: list[int] = field(default_factory=list)
    caught: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: Tally) -> Tally:
        self.runs += other.runs
        self.stopped += other.stopped
        self.warned += other.warned
        self.opened += other.opened
        self.lives += other.lives
        self.caught += other.caught
        self.tried += other.tried
        return self

    def share(self, of: str) -> float:
        return self.caught[of] / self.tried[of] if self.tried[of] else float("nan")


def labelled(run: TableProfile, label: str, columns: Sequence[str]) -> TableProfile:
    return TableProfile(label, run.rows, {n: run.columns[n] for n in columns if n in run.columns})


def faulty(run: TableProfile, column: str) -> Iterator[TableProfile]:
    """The run with its numbers times 2, 10 and 100, and with three values in ten null: exact on the profile."""
    now = run.columns[column]
    if now.kind is Kind.NUMERIC and now.numbers is not None and now.quantiles is not None:
        for factor in (2.0, 10.0, 100.0):
            yield replace(run, columns={**run.columns, column: scaled(now, factor)})
    nulls = now.nulls + round(0.3 * now.present)
    yield replace(run, columns={**run.columns, column: replace(now, nulls=nulls)})


def scaled(now: ColumnProfile, factor: float) -> ColumnProfile:
    """The profile of the same column in other units."""
    n, q = now.numbers, now.quantiles
    assert n is not None and q is not None  # noqa: PT018 - asked before
    numbers = replace(
        n, low=n.low * factor, high=n.high * factor, mean=n.mean * factor, spread=n.spread * factor, exact_sum=None
    )
    return replace(now, numbers=numbers, quantiles=replace(q, values=q.values * factor))


def stays(runs: Sequence[TableProfile], at: int, column: str) -> bool:
    """Whether what a column read in a run is nearer to the next run than to the runs before."""
    if at + 1 >= len(runs) or column not in runs[at].columns or column not in runs[at + 1].columns:
        return False
    now, then = runs[at].columns[column], runs[at + 1].columns[column]
    before = [r.columns[column] for r in runs[max(0, at - 7) : at] if column in r.columns]
    moved, back = 0, 0
    for name in ("mean", "complete_ratio", "unique_ratio", "row_count", "str_len", "top_value_ratio"):
        metric = by_name(name)
        known = [v for p in before if np.isfinite(v := metric(p))]  # type: ignore[call-arg]
        usual = float(np.median(known)) if known else np.nan
        here, next_ = metric(now), metric(then)  # type: ignore[call-arg]
        if np.isfinite([usual, here, next_]).all() and abs(here - usual) > 1e-9 * max(1.0, abs(usual)):
            moved += abs(next_ - here) < abs(next_ - usual)
            back += abs(next_ - here) >= abs(next_ - usual)
    return moved > back


def caught(guard: Validator, run: TableProfile, column: str, tally: Tally, when: str) -> None:
    """Judge the run with faults as if it came next, and forget it again."""
    for bad in faulty(run, column):
        tally.tried[when] += 1
        tally.caught[when] += guard.judge(replace(bad, run=TRIAL), NAME).level == "stop"
        guard.store.forget(NAME, TRIAL)


def answered(
    guard: Validator, runs: Sequence[TableProfile], at: int, columns: Sequence[str], mode: str, *, is_incident: bool
) -> str:
    """Answer a stop as the mode says, and tell after which answer faults are to be tried, if after any."""
    run = runs[at].run
    if mode == "attended" and is_incident:
        guard.decisions.reject(NAME, run)
        return ""
    if mode == "accepted" or (mode == "attended" and not any(stays(runs, at, c) for c in columns[:3])):
        guard.decisions.accept(NAME, run)
        return "after accept"
    if mode == "attended":
        guard.decisions.accept(NAME, run, new_normal=True)
        return "after new normal"
    return ""


def replay(
    table: Table, runs: Sequence[TableProfile], numbers: Sequence[int], mode: str, *, tell: bool = False
) -> Tally:
    """All runs of a table after the first, each answered as the mode says."""
    tally = Tally()
    bad = set(range(len(table.labels))) - set(table.good)
    tries: list[tuple[int, str, str]] = []
    with Validator(open_store("memory:"), config=Config(defaults=TableConfig()), faults=()) as guard:
        guard.remember(runs[:PAST], NAME)
        for at in range(PAST, len(runs)):
            run = runs[at]
            for due, column, when in [t for t in tries if t[0] == at]:
                if column in run.columns:
                    caught(guard, run, column, tally, when)
                tries.remove((due, column, when))
            judged = guard.judge(run, NAME)
            if numbers[at] not in bad:
                tally.runs += 1
                tally.stopped += judged.level == "stop"
                tally.warned += judged.level != "as usual"
            if tell and judged.level != "as usual":
                known = " (a known incident)" * (numbers[at] in bad)
                print(f"{table.name} {table.labels[numbers[at]]}{known}\n{judged.verdict}", flush=True)
            if judged.level != "stop":
                continue
            columns = [f.column for f in judged.findings if f.level == "stop" and f.column]
            when = answered(guard, runs, at, columns, mode, is_incident=numbers[at] in bad)
            tries += [(at + LATER, columns[0], when)] if columns and when else []
            if columns and mode != "unattended":
                caught(guard, runs[at - 1], columns[0], tally, "before")
        alarms = guard.decisions.alarms(NAME)
    tally.opened = len(alarms)
    tally.lives = [len(a.runs) for a in alarms]
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=ROOT / ".bench")
    parser.add_argument("--columns", type=int, default=60, help="of a table at most, evenly chosen")
    parser.add_argument("--runs", type=int, default=120, help="of a table at most, the first ones")
    parser.add_argument("--tables", type=int, default=0, help="so many tables, evenly chosen; all if 0")
    parser.add_argument("--only", default="", help="these tables, by name, with commas between them")
    parser.add_argument("--part", default="1/1", help="1/4: the first of four parts of the tables")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--tell", action="store_true", help="print every message of the attended replay, to read them")
    asked = parser.parse_args()
    found = [t for t in tables(asked.corpus) if len(t.labels) > PAST]
    if asked.tables:
        found = [found[round(i * (len(found) - 1) / max(1, asked.tables - 1))] for i in range(asked.tables)]
    if asked.only:
        found = [t for t in found if t.name in asked.only.split(",")]
    part, parts = map(int, asked.part.split("/"))
    found = found[part - 1 :: parts]
    profile_all(found, asked.cache / "profiles")
    totals = {mode: Tally() for mode in asked.modes.split(",")}
    by_source: dict[str, Tally] = {}
    for table in found:
        read = load(table, asked.cache / "profiles")
        names = list(table.columns(asked.columns // 2))
        numbers = [n for n in range(len(table.labels)) if n in read][: asked.runs]
        runs = [labelled(read[n], f"{n:05}", names) for n in numbers]
        for mode in totals:
            one = replay(table, runs, numbers, mode, tell=asked.tell and mode == "attended")
            totals[mode] += one
            if mode == "attended":
                by_source.setdefault(table.source, Tally()).__iadd__(one)
            print(f"{table.name} {mode}: {one.runs} good runs, {one.stopped} stopped, {one.warned} warned", flush=True)
    rates = sorted(t.stopped / t.runs for t in by_source.values() if t.runs)
    print(f"attended, by source: median {np.median(rates):.2%}, worst {rates[-1]:.2%}" if rates else "")
    for mode, total in totals.items():
        life = np.median(total.lives) if total.lives else float("nan")
        share = f"{total.stopped / max(1, total.runs):.2%} stopped, {total.warned / max(1, total.runs):.2%} warned"
        print(f"{mode}: {total.runs} good table-runs, {share}, {total.opened} alarms, median life {life:.0f} runs")
    line = last_line(totals)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    with OUT.open("a", encoding="utf-8") as file:
        about = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "corpus": asked.corpus.name}
        file.write(json.dumps({**about, "tables": len(found), "runs": asked.runs, "line": line}) + "\n")
    print(line)


def last_line(totals: dict[str, Tally]) -> str:
    """The figures that are compared with their goals."""
    none = Tally()
    attended, unattended = totals.get("attended", none), totals.get("unattended", none)
    accepted = totals.get("accepted", none)
    both = Tally()
    both += attended
    both += accepted
    return (
        f"attended_stop={attended.stopped / max(1, attended.runs):.4f} "
        f"attended_warn={attended.warned / max(1, attended.runs):.4f} "
        f"unattended_stop={unattended.stopped / max(1, unattended.runs):.4f} "
        f"opened_per_100_runs={100 * attended.opened / max(1, attended.runs):.2f} "
        f"caught_before={both.share('before'):.2f} "
        f"caught_after_accept={both.share('after accept'):.2f} "
        f"caught_after_new_normal={attended.share('after new normal'):.2f}"
    )


if __name__ == "__main__":
    main()
