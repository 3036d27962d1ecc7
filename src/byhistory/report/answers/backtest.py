"""The past judged again: what would have been stopped, what would be caught, and how that fits the budget."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from byhistory.constraints.words import percent
from byhistory.plain import as_json, plural, word
from byhistory.report.columns import bar

if TYPE_CHECKING:
    from byhistory.validator import Backtest


def in_words(table: str, replay: Backtest) -> str:
    """The replay for a person, with bars; the last line is the answer."""
    if not replay.runs:
        return f"not enough history: {word(table)} has no run with enough runs before it to be judged by"
    lines = [f"{word(table)}: {plural(len(replay.runs), 'past run')} judged again, each by the runs before it", ""]
    stopped = [r for r in replay.runs if r.broken]
    lines.append(f"would have been stopped: {len(stopped)} of {len(replay.runs)}")
    for r in stopped:
        columns: dict[str, list[str]] = {}
        for column, metric in r.broken:
            columns.setdefault(column, []).append(metric)
        broken = ", ".join(f"{word(c)} ({', '.join(metrics)})" for c, metrics in columns.items())
        lines.append(f"  {word(r.run)}  {broken}")
    lines += ["", "would be caught, of faults put into every column:"]
    width = max((len(type_) for type_ in replay.caught), default=0)
    lines += [f"  {t:<{width}}  {bar(share)} {percent(share)}" for t, share in replay.caught.items()]
    if not replay.caught:
        lines.append("  (not known: no run came with rows to put faults into)")
    rate, low, high = replay.rate
    lines += [
        "",
        f"measured: {replay.stopped:,} of {replay.judged:,} judged columns would have been stopped: {percent(rate)} "
        f"(95 % interval {percent(low)} to {percent(high)}), where the budget is {percent(replay.budget)}",
    ]
    within = low <= replay.budget
    lines.append(f"{'within' if within else 'above'} the budget: {word(table)}, {plural(len(stopped), 'run')} stopped")
    return "\n".join(lines)


def to_json(table: str, replay: Backtest) -> str:
    """The same for a program."""
    rate, low, high = (None if math.isnan(x) else x for x in replay.rate)
    body: dict[str, Any] = {
        "byhistory_backtest": 1,
        "table": table,
        "budget": replay.budget,
        "judged_columns": replay.judged,
        "stopped_columns": replay.stopped,
        "rate": rate,
        "rate_low": low,
        "rate_high": high,
        "runs": [
            {"run": r.run, "columns": r.columns, "broken": [{"column": c, "metric": m} for c, m in r.broken]}
            for r in replay.runs
        ],
        "caught": dict(replay.caught),
    }
    return as_json(body)
