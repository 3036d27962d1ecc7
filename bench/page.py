"""Tables of docs/evaluation/README.md from the results: whatever is between two marks is written anew.

    python -m bench.page

A mark is `<!-- table: name -->`, and ends at the next `<!-- end -->`; the prose around them is a person's.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.by_table import RATES as OF_TABLES
from bench.by_table import ROWS
from bench.cells import number, percent, table
from bench.judge import BAD, INCIDENT
from bench.published import AT_PRECISION_95, BY_BUDGET, BY_TYPE, CLAUSES, QUADRANTS, RIVALS
from bench.score import BUDGETS, RATES

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "bench" / "results", ROOT / "docs" / "evaluation" / "README.md"
KINDS = ("numeric", "categorical")
MARK = re.compile(r"(<!-- table: (?P<name>[a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
NOT_YET = "*Not measured yet.*"
APART = ("slow", "earlier")
"""Folders of results of methods that were not asked with the others: of a part of the runs, or of earlier cases."""
Results = dict[str, Any]


def with_interval(entry: Results) -> str:
    return f"{number(entry['recall'])} ({number(entry['low'], 2)}–{number(entry['high'], 2)})"


# --- the evaluation -------------------------------------------------------------------------------------------------


def cases(results: Results) -> str:
    found = results["summary"]["cases"]
    heads = ("columns", "good", *BAD, INCIDENT, "incident_named")
    names = ("columns", "good runs", *BAD, "at an incident", "of them named by its report")
    lines = [[kind, *(f"{found[kind][h]:,}" for h in heads)] for kind in KINDS]
    start = f"{found['tables']} tables of {found['sources']} sources in {found['domains']} domains.\n\n"
    return start + table(["", *names], lines)


def fair(results: Results, rate: float = 0.01) -> str:
    """Recall at one measured rate for every method, best first."""
    entries = results["summary"]["methods"].values()
    order = sorted(entries, key=lambda e: -_mean(e, rate))
    heads = ["method", "group", *(f"{s} {k}" for k in KINDS for s in BAD), "mean"]
    return table(heads, [_fair_line(e, rate) for e in order])


def _fair_line(entry: Results, rate: float) -> list[str]:
    cells = [
        with_interval(entry[k]["recall"][s][str(rate)]) if k in entry and entry[k]["recall"][s][str(rate)]["n"] else "–"
        for k in KINDS
        for s in BAD
    ]
    title = f"**{entry['title']}**" if entry["group"] == "byhistory" else entry["title"]
    return [title, entry["group"], *cells, number(_mean(entry, rate))]


def _mean(entry: Results, rate: float) -> float:
    """Over the quadrants that the method judges."""
    values = [entry[k]["recall"][s][str(rate)]["recall"] for k in KINDS if k in entry for s in BAD]
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else 0.0


def learners(results: Results) -> list[Results]:
    return [e for e in results["summary"]["methods"].values() if any("budgets" in e.get(k, {}) for k in KINDS)]


def budgets(results: Results) -> str:
    """Measured rate of false alarms at each budget."""
    lines = []
    for entry in learners(results):
        for kind in (k for k in KINDS if k in entry):
            at = entry[kind]["budgets"]
            cells = [
                f"{percent(at[str(b)]['fpr'])} ({percent(at[str(b)]['low'])}–{percent(at[str(b)]['high'])})"
                for b in BUDGETS
            ]
            lines.append([entry["title"], kind, *cells])
    return table(["method", "kind", *(percent(b) for b in BUDGETS)], lines)


def against_paper(results: Results) -> str:
    """Recall and precision at a budget: published, and ours on this corpus."""
    heads = ["budget", "method", *(f"{'real' if s == 'real' else 'synthetic'} {k}" for s, k in QUADRANTS)]
    lines = []
    for budget, published in BY_BUDGET.items():
        lines.append([percent(budget), "as published", *(f"{number(r)} / {number(p)}" for r, p in published)])
        for entry in learners(results):
            cells = []
            for name, kind in QUADRANTS:
                q = entry.get(kind, {}).get("budgets", {}).get(str(budget), {}).get("quality", {}).get(name, {})
                cells.append(f"{number(q.get('recall_macro'))} / {number(q.get('precision_macro'))}")
            lines.append([percent(budget), entry["title"], *cells])
    return table(heads, lines)


def precise(results: Results) -> str:
    """Best recall at the paper's precision of at least 0.95."""
    lines = [[f"{name}, as published", *(number(v) for v in values)] for name, values in AT_PRECISION_95.items()]
    found = []
    for entry in results["summary"]["methods"].values():
        values = [entry[k]["curve"][s]["best_at_precision_95"] if k in entry else None for s, k in QUADRANTS]
        found.append((-sum(v or 0.0 for v in values), [entry["title"], *(number(v) for v in values)]))
    return table(["method", *(f"{s} {k}" for s, k in QUADRANTS)], lines + [line for _, line in sorted(found)])


def rivals(results: Results) -> str:
    """Each method where its F1 is best, Real numeric: published, and here."""
    lines = []
    for name, entry in results["summary"]["methods"].items():
        if "numeric" in entry:
            best = entry["numeric"]["curve"]["real"]["best_f1"]
            here = f"{number(best['recall_macro'])} / {number(best['precision_macro'])}"
            there = f"{number(RIVALS[name][0])} / {number(RIVALS[name][1])}" if name in RIVALS else "–"
            lines.append([entry["title"], there, here, percent(best["fpr"])])
    return table(["method", "published", "here", "false alarms here"], lines)


def by_type(results: Results, of: str) -> str:
    """Recall by type of fault at a measured rate of 1 %: our learners, and the best rival of each line.

    The paper's is at a budget of 1 %, and so ours at that budget is beside it.
    """
    methods = results["summary"]["methods"].values()
    ours = [e for e in methods if e["group"] == "byhistory"]
    theirs = [e for e in methods if e["group"] != "byhistory"]
    promised = learners(results) if of == "seen" else []
    paper = ["published, budget 1 %", *(f"{e['title']}, budget 1 %" for e in promised)] if of == "seen" else []
    lines = []
    for kind in KINDS:
        types = sorted({t for e in methods if kind in e for t in e[kind]["by_type"][of]})
        for type_ in types:
            published = [number(BY_TYPE[kind].get(type_))] if of == "seen" else []
            published += [
                number(e[kind]["budgets"]["0.01"]["by_type"][of][type_][0]) if kind in e else "–" for e in promised
            ]
            known = [(e[kind]["by_type"][of].get(type_, [0.0])[0], e["title"]) for e in theirs if kind in e]
            best = f"{number(max(known)[0])} {max(known)[1]}" if known else "–"
            mine = [number(e[kind]["by_type"][of][type_][0]) if kind in e else "–" for e in ours]
            lines.append([kind, type_, *published, *mine, best])
    return table(["kind", "type", *paper, *(e["title"] for e in ours), "best rival"], lines)


def by_domain(results: Results) -> str:
    """False alarms and recall of unseen faults by domain, where 1 % of all good runs are stopped; both kinds."""
    entry = next((e for e in results["summary"]["methods"].values() if e["group"] == "byhistory"), None)
    if entry is None:
        return NOT_YET
    domains: dict[str, list[list[float]]] = {}
    for kind in (k for k in KINDS if k in entry):
        for i, of in enumerate((entry[kind]["false_by_domain"], entry[kind]["by_domain"]["unseen"])):
            for domain, (share, n) in of.items():
                sums = domains.setdefault(domain, [[0.0, 0.0], [0.0, 0.0]])[i]
                sums[0] += share * n
                sums[1] += n
    lines = [
        [domain, f"{int(good[1]):,}", percent(good[0] / good[1]), number(bad[0] / bad[1]) if bad[1] else "–"]
        for domain, (good, bad) in sorted(domains.items(), key=lambda d: -d[1][0][0] / max(1.0, d[1][0][1]))
        if good[1]
    ]
    return table(["domain", "good runs", "stopped", f"recall, unseen ({entry['title']})"], lines)


def incidents(results: Results) -> str:
    """Real incidents: share that is caught, by column that the report names and by table."""
    lines = []
    for entry in sorted(results["summary"]["methods"].values(), key=lambda e: -_incident(e, "0.01")):
        at = [entry["table"]["rates"][str(rate)][INCIDENT] for rate in RATES]
        columns = [entry[k]["recall"][INCIDENT]["0.01"]["recall"] if k in entry else None for k in KINDS]
        lines.append([entry["title"], *(number(c) for c in columns), *(number(a["share"]) for a in at)])
    heads = [*(f"{k} columns, 1 %" for k in KINDS), *(f"tables, {percent(r)}" for r in RATES)]
    return table(["method", *heads], lines)


def _incident(entry: Results, rate: str) -> float:
    return entry["table"]["rates"][rate][INCIDENT]["share"] or 0.0


def table_recall(results: Results) -> str:
    """Recall where this many good runs of tables are stopped, each method with its best way to join columns."""
    judged = [e for e in results["summary"]["methods"].values() if "by_table" in e]
    if not judged:
        return NOT_YET
    sets = ("seen", "unseen", "real", f"{ROWS}, seen", f"{ROWS}, unseen", INCIDENT)
    lines = []
    for entry in sorted(judged, key=lambda e: -e["by_table"]["unseen"]["0.05"]["share"]):
        of = entry["by_table"]
        cells = [" / ".join(number(of[s][str(rate)]["share"], 2) for s in sets) for rate in OF_TABLES]
        lines.append([entry["title"], *cells, of["way"]])
    heads = [f"at {percent(rate)} of good table-runs" for rate in OF_TABLES]
    said = "Faults in one column, seen / unseen / real; of whole rows, seen / unseen; incidents."
    return f"{said}\n\n" + table(["method", *heads, "columns joined by"], lines)


def tables(results: Results) -> str:
    """A run of a table is stopped if any column is: at the thresholds of the columns."""
    lines = []
    for entry in results["summary"]["methods"].values():
        cells = []
        for rate in RATES:
            at = entry["table"]["rates"][str(rate)]
            cells += [percent(at["fpr"]["share"]), number(at["seen"]["share"]), number(at["unseen"]["share"])]
        lines.append([entry["title"], *cells])
    heads = [f"{what}, {percent(rate)}" for rate in RATES for what in ("good runs stopped", "seen", "unseen")]
    return table(["method", *heads], lines)


def methods(results: Results) -> str:
    """What each is, and what stands in for it."""
    heads = ["method", "group", "time", "could not judge", "note"]
    lines = []
    for entry in results["summary"]["methods"].values():
        note = " ".join(part for part in (entry.get("version", ""), entry["note"]) if part)
        lines.append([entry["title"], entry["group"], f"{entry['seconds']:,.0f} s", str(entry["failed"]), note or "–"])
    return table(heads, lines)


# --- the other figures ----------------------------------------------------------------------------------------------


def ablations(results: Results, figure: str) -> str:
    """At a budget of 1 %, for each learner and variant."""
    lines = []
    for learner, found in results["ablations"].items():
        for entry in (e for e in found["variants"] if e["figure"] == figure):
            for kind in (k for k in KINDS if k in entry):
                at = entry[kind]["budgets"]["0.01"]
                recall = [number(at["recall"][s]["share"]) for s in BAD]
                precision = number(at["quality"]["real"]["precision_macro"])
                lines.append([learner, entry["label"], kind, percent(at["fpr"]), precision, *recall])
    return table(["learner", figure, "kind", "false alarms", "precision, real", *(f"recall, {s}" for s in BAD)], lines)


def clause_counts(results: Results) -> str:
    """How many clauses a program has: published, and ours."""
    lines = [["as published", "–", k, str(median), str(mean)] for k, (median, mean) in CLAUSES.items()]
    for learner, found in results["ablations"].items():
        free = next(e for e in found["variants"] if e["figure"] == "clauses" and e["max_clauses"] is None)
        for kind in (k for k in KINDS if k in free):
            for budget, counted in free[kind]["clauses"].items():
                median = f"{counted['median'] or 0:.0f}"
                lines.append([learner, percent(float(budget)), kind, median, f"{counted['mean'] or 0:.2f}"])
    return table(["learner", "budget", "kind", "median", "mean"], lines)


def ingredients(results: Results) -> str:
    """Each ingredient of `calibrated` left out: recall at a measured rate, and the measured rate at a budget of 1 %."""
    lines = []
    for kind in KINDS:
        for entry in results["ingredients"]["variants"]:
            at = entry[kind]
            rate, low, high = at["fpr"]["0.01"]
            recall = [number(share) for rate_ in ("0.001", "0.01") for share in at["recall"][rate_]]
            lines.append([kind, entry["name"], *recall, f"{percent(rate)} ({percent(low)}–{percent(high)})"])
    heads = [f"{s}, {rate}" for rate in ("0.1 %", "1 %") for s in BAD]
    return table(["kind", "variant", *heads, "stopped at a budget of 1 %"], lines)


def latency(results: Results) -> str:
    """Milliseconds for one column by rows, and seconds for forty."""
    found = results["latency"]
    lines = []
    for kind in KINDS:
        for at in found[kind]:
            parts = [at["single"], at["pair"], at["program"]]
            lines.append([kind, f"{at['rows']:,}", *(f"{1000 * p:,.1f}" for p in (*parts, sum(parts)))])
    text = table(["column", "rows", "one run, ms", "two runs, ms", "program, ms", "all, ms"], lines)
    through = {at["rows"]: f"{at['profile']:.2f}" for at in found.get("spark", [])}
    lines = []
    for at in found.get("wide", []):
        parts = [f"{at[part]:.2f}" for part in ("profile", "learn", "check")]
        lines.append([f"{at['rows']:,}", *parts, through.get(at["rows"], "–")])
    heads = ["rows, 40 columns", "profile, s", "learn, s", "check, s", "profile through Spark, s"]
    return text + "\n\n" + table(heads, lines)


TABLES: dict[str, tuple[str, Callable[[Results], str]]] = {
    "cases": ("summary", cases),
    "by-table": ("summary", table_recall),
    "fair": ("summary", fair),
    "fair-01": ("summary", lambda r: fair(r, 0.001)),
    "fair-5": ("summary", lambda r: fair(r, 0.05)),
    "budgets": ("summary", budgets),
    "against-paper": ("summary", against_paper),
    "precise": ("summary", precise),
    "rivals": ("summary", rivals),
    "seen-by-type": ("summary", lambda r: by_type(r, "seen")),
    "unseen-by-type": ("summary", lambda r: by_type(r, "unseen")),
    "domains": ("summary", by_domain),
    "incidents": ("summary", incidents),
    "tables": ("summary", tables),
    "methods": ("summary", methods),
    "history": ("ablations", lambda r: ablations(r, "history")),
    "metrics": ("ablations", lambda r: ablations(r, "metrics")),
    "clauses": ("ablations", lambda r: ablations(r, "clauses")),
    "stationarity": ("ablations", lambda r: ablations(r, "stationarity")),
    "clause-counts": ("ablations", clause_counts),
    "ingredients": ("ingredients", ingredients),
    "latency": ("latency", latency),
}
"""By name: which results each needs, and how it is made from them."""


def read(folder: Path = RESULTS) -> Results:
    """What there is of the results; of latency the last measurement."""
    found: Results = {}
    for name in ("summary", "ablations", "ingredients"):
        if (folder / f"{name}.json").is_file():
            found[name] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    for name in APART:
        path = folder / name / "summary.json"
        if "summary" in found and path.is_file():
            apart = json.loads(path.read_text(encoding="utf-8"))
            why = not_alike(apart, found["summary"])
            titled = {n: {**e, "title": f"{e['title']} ({why})"} for n, e in apart["methods"].items()}
            found["summary"]["methods"] |= titled
    if (folder / "latency.jsonl").is_file():
        found["latency"] = json.loads((folder / "latency.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    return found


def not_alike(apart: Results, summary: Results) -> str:
    """What keeps methods that were asked apart from being compared with the others as they are.

    >>> not_alike({"every": 5}, {"cases_version": 2})
    'every 5th run, earlier cases'
    """
    why = [f"every {apart['every']}th run"] if apart.get("every", 1) > 1 else []
    earlier = apart.get("cases_version", 1) < summary.get("cases_version", 1)
    return ", ".join([*why, *(["earlier cases"] if earlier else [])]) or "asked apart"


def filled(page: str, results: Results) -> str:
    """The page with its tables from these results; a table without results says so."""

    def one(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in TABLES:
            raise SystemExit(f"no table {name!r}; there are {', '.join(TABLES)}")
        needs, make = TABLES[name]
        return f"{match[1]}\n{make(results) if needs in results else NOT_YET}\n\n{match[3]}"

    return MARK.sub(one, page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    asked = parser.parse_args()
    page = asked.page.read_text(encoding="utf-8")
    asked.page.write_text(filled(page, read(asked.results)), encoding="utf-8")


if __name__ == "__main__":
    main()
