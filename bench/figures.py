"""The plots of docs/evaluation from the results.

    python -m bench.figures

As SVG, without dates or random names in them, so that a plot changes only if its numbers do.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench.judge import BAD
from bench.page import KINDS, RESULTS, ROOT, Results, learners, read
from bench.published import BY_BUDGET, BY_TYPE, QUADRANTS, SECONDS_AT_100K_ROWS
from bench.score import BUDGETS, RATES

FOLDER = ROOT / "docs" / "evaluation"
COLOURS = {
    "byhistory": "#c2410c",
    "commercial": "#1d4ed8",
    "time series": "#0f766e",
    "anomaly detection": "#6d28d9",
    "statistical test": "#4d7c0f",
    "constraint": "#78716c",
}
GREY = "#a8a29e"
SETTINGS = {
    "svg.hashsalt": "byhistory",
    "svg.fonttype": "none",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}
TITLES = {"real": "Real: another column", "seen": "Synthetic, seen in learning", "unseen": "Synthetic, unseen"}


def colour(entry: Results) -> str:
    """By group; one that is not listed is grey.

    >>> colour({"group": "byhistory"}) == COLOURS["byhistory"], colour({"group": "?"}) == GREY
    (True, True)
    """
    return COLOURS.get(entry["group"], GREY)


def entries(results: Results, kind: str) -> list[Results]:
    return [e for e in results["summary"]["methods"].values() if kind in e]


# --- the evaluation -------------------------------------------------------------------------------------------------


def scatter(results: Results, plt: Any, of: str) -> Any:
    """The paper's figures: a learner at each budget, every rival where its F1 is best, precision over recall."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 4.5), width_ratios=(4, 4, 1.6))
    numbers = {entry["title"]: i for i, entry in enumerate(results["summary"]["methods"].values(), 1)}
    for axis, kind in zip(axes[:2], KINDS, strict=True):
        for entry in entries(results, kind):
            points = _points(entry[kind], of)
            axis.plot(*zip(*points, strict=True), "o-", color=colour(entry), markersize=3.5)
            label = str(numbers[entry["title"]])
            axis.annotate(label, points[-1], fontsize=7, xytext=(2, 2), textcoords="offset points")
        if (of, kind) in QUADRANTS:
            pairs = [line[QUADRANTS.index((of, kind))] for line in BY_BUDGET.values()]
            axis.plot(*zip(*pairs, strict=True), "s:", color="black", fillstyle="none", markersize=4, label="published")
            axis.legend(loc="lower left", frameon=False)
        axis.set(title=f"{TITLES[of]}, {kind}", xlabel="recall (mean over columns)", xlim=(0, 1.02), ylim=(0, 1.02))
    axes[0].set_ylabel("precision (mean over columns)")
    axes[2].axis("off")
    for i, entry in enumerate(results["summary"]["methods"].values()):
        axes[2].text(0, 1 - 0.042 * i, f"{i + 1}  {entry['title']}", fontsize=7, color=colour(entry), va="top")
    return figure


def _points(entry: Results, of: str) -> list[tuple[float, float]]:
    """Recall and precision: at each budget that stops anything, or where F1 is best."""
    at = [entry["budgets"][str(b)]["quality"][of] for b in BUDGETS] if "budgets" in entry else []
    known = [(q["recall_macro"], q["precision_macro"]) for q in at if q["precision_macro"] is not None]
    best = entry["curve"][of]["best_f1"]
    return known or [(best["recall_macro"] or 0.0, best["precision_macro"] or 0.0)]


def fair(results: Results, plt: Any) -> Any:
    """Recall where the same share of good runs is stopped: bars at 1 %, marks at 0.1 and 5 %."""
    most = max(len(entries(results, kind)) for kind in KINDS)
    figure, axes = plt.subplots(2, 3, figsize=(11, 1.5 + 0.32 * most), sharex=True)
    for line, kind in zip(axes, KINDS, strict=True):
        for axis, of in zip(line, BAD, strict=True):
            found = [e for e in entries(results, kind) if e[kind]["recall"][of]["0.01"]["n"]]
            found.sort(key=lambda e: e[kind]["recall"][of]["0.01"]["recall"])
            at = {rate: [e[kind]["recall"][of][str(rate)] for e in found] for rate in RATES}
            value = np.array([a["recall"] for a in at[0.01]])
            ends = {e: np.array([a["recall"] if a[e] is None else a[e] for a in at[0.01]]) for e in ("low", "high")}
            error = np.maximum(0.0, [value - ends["low"], ends["high"] - value])
            places = np.arange(len(found))
            axis.barh(places, value, xerr=error, color=[colour(e) for e in found], ecolor="#44403c", alpha=0.75)
            for rate, mark in ((0.001, "<"), (0.05, ">")):
                axis.plot([a["recall"] for a in at[rate]], places, mark, color="black", markersize=2.5)
            axis.set_yticks(places, [e["title"] for e in found], fontsize=6)
            axis.set(title=f"{TITLES[of]}, {kind}", xlim=(0, 1))
    figure.supxlabel("recall at 1 % measured false alarms (‹ at 0.1 %, › at 5 %; lines: interval over sources)")
    return figure


def curves(results: Results, plt: Any) -> Any:
    """The whole curve of every method: recall over the measured rate of false alarms; ours and the best rival named."""
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.5), sharex=True, sharey=True)
    for line, kind in zip(axes, KINDS, strict=True):
        for axis, of in zip(line, BAD, strict=True):
            found = entries(results, kind)
            rivals = [e for e in found if e["group"] != "byhistory"]
            best = max(rivals, key=lambda e: e[kind]["recall"][of]["0.01"]["recall"] or 0.0, default=None)
            for entry in sorted(found, key=lambda e: e["group"] == "byhistory"):
                points = [(x, y) for x, y in entry[kind]["curve"][of]["points"] if x and y is not None]
                named = entry["group"] == "byhistory" or entry is best
                style = {"linewidth": 2.0, "label": entry["title"]} if named else {"linewidth": 0.8, "alpha": 0.5}
                style |= {"linestyle": "--"} if entry["title"].startswith("byhistory paper") else {}
                axis.plot([x for x, _ in points], [y for _, y in points], color=colour(entry), **style)
            axis.set(title=f"{TITLES[of]}, {kind}", xscale="log", xlim=(1e-4, 1), ylim=(0, 1.02))
            axis.legend(frameon=False, loc="upper left", fontsize=6)
    figure.supxlabel("measured rate of false alarms")
    figure.supylabel("recall")
    return figure


def budget(results: Results, plt: Any) -> Any:
    """Is the promise kept? Measured rate over budget; below the diagonal it is."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
    marks = ["o", "s", "^", "d", "v"]
    for axis, kind in zip(axes, KINDS, strict=True):
        axis.plot([5e-5, 0.2], [5e-5, 0.2], ":", color=GREY)
        for entry, mark in zip([e for e in learners(results) if kind in e], marks * 9, strict=False):
            at = [entry[kind]["budgets"][str(b)] for b in BUDGETS]
            value = np.array([max(a["fpr"], 1e-5) for a in at])
            error = np.maximum(0.0, [value - [a["low"] for a in at], [a["high"] for a in at] - value])
            axis.errorbar(BUDGETS, value, yerr=error, fmt=f"{mark}-", markersize=4, capsize=2, label=entry["title"])
        axis.set(title=kind, xlabel="budget", xscale="log", yscale="log", ylim=(1e-5, 1))
        if learners(results):
            axis.legend(frameon=False)
    axes[0].set_ylabel("measured rate of false alarms")
    return figure


def by_type(results: Results, plt: Any, of: str) -> Any:
    """Recall by type of fault at 1 % measured false alarms: ours, the best rival, and the published."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 5.5 if of == "unseen" else 4))
    for axis, kind in zip(axes, KINDS, strict=True):
        found = entries(results, kind)
        ours = [e for e in found if e["group"] == "byhistory"]
        theirs = [e for e in found if e["group"] != "byhistory"]
        types = sorted({t for e in found for t in e[kind]["by_type"][of]}, reverse=True)
        places = np.arange(len(types))
        thick = 0.8 / max(1, len(ours))
        for i, entry in enumerate(ours):
            shares = [entry[kind]["by_type"][of][t][0] for t in types]
            axis.barh(places + i * thick - 0.4 + thick / 2, shares, thick, alpha=0.75, label=entry["title"])
        if theirs:
            best = [max(e[kind]["by_type"][of][t][0] for e in theirs) for t in types]
            axis.plot(best, places, "|", color="black", markersize=10, label="best rival for the type")
        if of == "seen":
            there = [(BY_TYPE[kind][t], p) for t, p in zip(types, places, strict=True) if t in BY_TYPE[kind]]
            axis.plot(*zip(*there, strict=True), "s", color="black", fillstyle="none", markersize=4, label="published")
        axis.set_yticks(places, types)
        axis.set(title=f"{TITLES[of]}, {kind}", xlabel="recall", xlim=(0, 1.02))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure


# --- the other figures ----------------------------------------------------------------------------------------------


def ablation(results: Results, plt: Any, figure_of: str) -> Any:
    """Precision and recall of each variant at a budget of 1 %, as the paper draws them; one row per learner."""
    found = results["ablations"]
    figure, axes = plt.subplots(len(found), 2, figsize=(9, 2.8 * len(found)), sharey=True, squeeze=False)
    bars = (("precision, real", "#78716c"), ("recall, real", "#1d4ed8"), ("recall, unseen", "#c2410c"))
    for line, (learner, of) in zip(axes, found.items(), strict=True):
        for axis, kind in zip(line, KINDS, strict=True):
            variants = [v for v in of["variants"] if v["figure"] == figure_of and kind in v]
            at = [v[kind]["budgets"]["0.01"] for v in variants]
            values = (
                [a["quality"]["real"]["precision_macro"] or 0.0 for a in at],
                [a["recall"]["real"]["share"] or 0.0 for a in at],
                [a["recall"]["unseen"]["share"] or 0.0 for a in at],
            )
            for i, ((label, shade), value) in enumerate(zip(bars, values, strict=True)):
                axis.bar(np.arange(len(variants)) + 0.27 * (i - 1), value, 0.25, color=shade, label=label)
            rates = [f"{v['label']}\n{100 * a['fpr']:.2g} %" for v, a in zip(variants, at, strict=True)]
            axis.set_xticks(range(len(variants)), rates)
            axis.set(title=f"{learner}, {kind}", ylim=(0, 1.02))
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    figure.supxlabel(f"{figure_of}; below it the measured rate of false alarms at a budget of 1 %", fontsize=8)
    return figure


def clause_counts(results: Results, plt: Any) -> Any:
    """How many clauses programs have at a budget of 1 %."""
    found = results["ablations"]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True)
    for axis, kind in zip(axes, KINDS, strict=True):
        thick = 0.8 / len(found)
        for i, (learner, of) in enumerate(found.items()):
            free = next(v for v in of["variants"] if v["figure"] == "clauses" and v["max_clauses"] is None)
            share = free.get(kind, {}).get("clauses", {}).get("0.01", {}).get("share", [])
            axis.bar(np.arange(len(share)) + i * thick - 0.4 + thick / 2, share, thick, label=learner)
            axis.set_xticks(range(len(share)), [*map(str, range(len(share) - 1)), f"{len(share) - 1}+"][: len(share)])
        axis.set(title=kind, xlabel="clauses")
        axis.legend(frameon=False)
    axes[0].set_ylabel("share of programs")
    return figure


def latency(results: Results, plt: Any) -> Any:
    """Seconds over rows for one column, split as the paper splits it."""
    found = results["latency"]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True)
    green, blue, red = "#4d7c0f", "#1d4ed8", "#c2410c"
    parts = (("single", "metrics of one run", green), ("pair", "of two runs", blue), ("program", "program", red))
    for axis, kind in zip(axes, KINDS, strict=True):
        rows = [f"{at['rows']:,}" for at in found[kind]]
        below = np.zeros(len(rows))
        for part, label, shade in parts:
            values = np.array([at[part] for at in found[kind]])
            axis.bar(rows, values, bottom=below, color=shade, label=label, width=0.6)
            below += values
        if "100,000" in rows:
            axis.plot("100,000", SECONDS_AT_100K_ROWS, "s", color="black", fillstyle="none", label="published")
        axis.set(title=f"one {kind} column", xlabel="rows")
        axis.legend(frameon=False)
    axes[0].set_ylabel("seconds")
    return figure


def not_yet(plt: Any) -> Any:
    """Instead of a figure whose results are not there, so that the page shows something."""
    figure = plt.figure(figsize=(4, 0.6))
    figure.text(0.5, 0.5, "not measured yet", ha="center", va="center", color=GREY)
    return figure


FIGURES: dict[str, tuple[str, Callable[[Results, Any], Any]]] = {
    **{f"scatter-{of}": ("summary", lambda r, plt, of=of: scatter(r, plt, of)) for of in BAD},
    "recall-at-rate": ("summary", fair),
    "curves": ("summary", curves),
    "budget": ("summary", budget),
    **{f"by-type-{of}": ("summary", lambda r, plt, of=of: by_type(r, plt, of)) for of in ("seen", "unseen")},
    **{
        name: ("ablations", lambda r, plt, name=name: ablation(r, plt, name))
        for name in ("history", "metrics", "clauses", "stationarity")
    },
    "clause-counts": ("ablations", clause_counts),
    "latency": ("latency", latency),
}
"""By name: which results each needs, and how it is drawn."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=FOLDER)
    asked = parser.parse_args()
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    results = read(asked.results)
    asked.out.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(SETTINGS):
        for name, (needs, draw) in FIGURES.items():
            path = asked.out / f"{name}.svg"
            if needs not in results and path.exists():
                print(f"{name} stays as it is: there is no {needs} in {asked.results.name}")
                continue
            figure = draw(results, plt) if needs in results else not_yet(plt)
            figure.savefig(path, metadata={"Date": None, "Creator": None})
            plt.close(figure)


if __name__ == "__main__":
    main()
