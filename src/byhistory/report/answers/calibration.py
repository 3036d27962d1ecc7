"""How often good runs would have been stopped, by the shipped prices and by a user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from byhistory.constraints.words import percent
from byhistory.plain import as_json, plural, word
from byhistory.report.columns import table

if TYPE_CHECKING:
    from byhistory.learners.rate import Rate
    from byhistory.validator import Calibration


def in_words(found: Calibration, output: Path) -> str:
    """What was measured, as a table, and what to do with it; `output` is the file that the prices were written to."""
    rows = [
        (
            f.kind,
            f.history,
            f"{f.shipped.judged:,}",
            f.tables,
            _rate(f.shipped),
            _rate(f.own) if f.own else "not enough",
        )
        for f in found.families
    ]
    lines = []
    if rows:
        lines.append(f"columns of good runs that would have been stopped within a budget of {percent(found.budget)}:")
        head = ["columns", "history", "judged", "tables", "by the shipped prices", "by your own, from other tables"]
        lines += [table(head, rows, right=["history", "judged", "tables"]), ""]
    if found.undecided:
        lines += [
            f"{plural(found.undecided, 'run')} stopped and never decided on: left out, so these rates may be too low; "
            "`byhistory accept` those that were fine, `byhistory reject` the others, and calibrate again",
            "",
        ]
    if found.prices is None:
        most = max((f.shipped.judged for f in found.families), default=0)
        tables = max((f.tables for f in found.families), default=0)
        lines.append(
            f"not enough history for prices of your own: columns of good runs were judged {most:,} times, in "
            f"{plural(tables, 'table')}; a budget of {percent(found.budget)} needs {found.needed:,} "
            f"in {found.needed_tables}; the shipped prices stay in use"
        )
    else:
        name = word(str(output))
        lines.append(f'written to {name}: to use them, put prices = "{name}" into byhistory.toml')
    return "\n".join(lines)


def to_json(found: Calibration, output: Path) -> str:
    """The same for a program."""
    families = [
        {"kind": f.kind, "history": f.history, "tables": f.tables, "shipped": _json(f.shipped), "own": _json(f.own)}
        for f in found.families
    ]
    body: dict[str, Any] = {
        "byhistory_calibrate": 1,
        "budget": found.budget,
        "needed_runs": found.needed,
        "undecided_runs": found.undecided,
        "prices": None if found.prices is None else str(output),
        "families": families,
    }
    return as_json(body)


def _rate(of: Rate) -> str:
    low, high = of.interval
    return f"{percent(of.share)} ({percent(low)} to {percent(high)})"


def _json(of: Rate | None) -> dict[str, Any] | None:
    if of is None:
        return None
    low, high = of.interval
    return {"stopped": of.stopped, "judged": of.judged, "rate": of.share, "rate_low": low, "rate_high": high}
