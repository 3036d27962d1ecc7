"""Where is what of the paper? Writes docs/paper-map.md from the `Paper:` tags in the code."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from byhistory.metrics import ALL, Single

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "paper-map.md"

ITEMS = {
    "Definition 1": "a constraint on one distribution",
    "Definition 2": "a constraint on two distributions",
    "Definition 3": "a conjunctive program",
    "Prop. 1": "Chebyshev's price",
    "Prop. 2": "Cantelli's price",
    "Prop. 3": "the central limit theorem's price",
    "Prop. 4": "the greedy choice is at least (1 − 1/e)/2 of the best",
    "Algorithm 1": "Auto-Validate by-History: the choice",
    "Algorithm 2": "Pattern generation",
    "Algorithm 3": "Construct DQ constraints",
    "Time-series differencing": "which form of a metric is stationary",
    **{
        f"Training data, type {i}": name
        for i, name in enumerate(
            (
                "schema change",
                "unit change",
                "casing change",
                "increased nulls",
                "volume change",
                "distribution change",
                "character perturbation",
                "character insertion",
                "character deletion",
                "padding",
            ),
            1,
        )
    },
}
"""What the tags may name. Appendix algorithms are numbered in the order in which the text refers to them."""

DEPARTURES = (
    ("prices from plug-in moments are kept, and measured", "0002-plug-in-moments-break-the-prices"),
    ("a constant has a price", "0003-constants-have-a-price"),
    ("a clause has three outcomes", "0004-three-outcomes"),
    ("KS and chi-squared as statistics", "0005-statistics-instead-of-p-values"),
    ("implied clauses are dropped", "0006-implied-clauses-are-dropped"),
    ("the learner `calibrated` has prices measured on other columns", "0007-prices-measured-on-other-columns"),
    ("it is the default, at 1 %", "0008-the-default-is-calibrated-at-one-per-cent"),
    (
        "how far a metric is off counts, and a table is judged as one",
        "0009-how-far-counts-and-tables-are-judged-as-one",
    ),
    ("what touches hardly a row warns at most", "0012-what-touches-hardly-a-row-warns"),
    (
        "a metric counts by side, and a constant by how much it moves",
        "0013-sides-and-small-moves-of-constants",
    ),
)


def named(tag: str) -> list[str]:
    """The items that a tag names.

    >>> named('Algorithm 1, Prop. 4.'), named('Appendix "Synthetic training data", type 5.')
    (['Prop. 4', 'Algorithm 1'], ['Training data, type 5'])
    """
    items = [f"Prop. {n}" for n in re.findall(r"Prop\. (\d)", tag)]
    for word in ("Definition", "Algorithm"):
        for one, two in re.findall(rf"{word}s? (\d)(?: and (\d))?", tag):
            items += [f"{word} {n}" for n in (one, two) if n]
    if "Time-series differencing" in tag:
        items.append("Time-series differencing")
    return items + [f"Training data, type {n}" for n in re.findall(r'training data", type (\d+)', tag)]


def tags() -> dict[str, list[str]]:
    """Item to the files that cite it."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted((ROOT / "src").rglob("*.py")):
        for tag in re.findall(r"Paper: ([^\n]*)", file.read_text(encoding="utf-8")):
            for item in named(tag):
                path = str(file.relative_to(ROOT / "src" / "byhistory"))
                if path not in found[item]:
                    found[item].append(path)
    return found


def page() -> str:
    found = tags()
    unknown = sorted(set(found) - set(ITEMS))
    if unknown:
        raise SystemExit(f"a Paper: tag names {unknown[0]!r}, which this map does not know: add it to ITEMS")
    lines = [
        "# Paper map",
        "",
        "Where each part of *Auto-Validate by-History* (KDD 2023) lives, from the `Paper:` tags in the code.",
        "Written by `python scripts/paper_map.py`; a test holds it to the code.",
        "",
        "| in the paper | what | in `src/byhistory/` |",
        "|---|---|---|",
    ]
    for item, what in ITEMS.items():
        places = ", ".join(f"`{path}`" for path in found.get(item, ()))
        lines.append(f"| {item} | {what} | {places or '—'} |")
    for title, single in (("Tables 3 and 4, one distribution", True), ("Tables 3 and 4, two distributions", False)):
        names = ", ".join(f"`{m.name}`" for m in ALL if m.in_paper and isinstance(m, Single) is single)
        lines.append(f"| {title} | metrics | `metrics/{'single' if single else 'pair'}/`: {names} |")
    lines += ["", "## Where we depart from it", ""]
    lines += [f"- {claim}: [ADR {file[:4]}](adr/{file}.md)" for claim, file in DEPARTURES]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
