"""What a day of the demonstration looked like: what is kept of it, and its pictures in letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from byhistory.constraints.words import amount
from byhistory.metrics import Single, by_name
from byhistory.report.columns import bar, table
from byhistory.report.terminal import sparkline

if TYPE_CHECKING:
    from byhistory.profile import ColumnProfile
    from byhistory.report.story import Story

_BAR = 24
"""Places of a bar, by choice: two bars and a label fit into 80."""
_SHOWN = ("complete_ratio", "dist_val_count", "mean", "std", "min", "max", "str_len")


def measured(columns: Mapping[str, ColumnProfile]) -> str:
    """A table of some metrics of all columns of a run."""
    shown = [m for name in _SHOWN if isinstance(m := by_name(name), Single)]
    rows = [
        [name, p.kind, *(amount(m(p), m, p.kind) if p.kind in m.kinds else "" for m in shown)]
        for name, p in columns.items()
    ]
    return table(["column", "kind", *(m.name for m in shown)], rows, right=[m.name for m in shown])


def picture(story: Story, column: str) -> str:
    """A column's distribution before and on the day, as bars side by side, and the past of what broke."""
    shown = next(c for c in story.columns if c.name == column)
    lines = [
        f"{clause.title}: {sparkline(clause.line.values)} ({clause.write(clause.line.values[-1])} on the last day)"
        for clause in shown.clauses
        if clause.outcome.status == "broken"
    ]
    for shape in shown.shapes[:1]:
        most = max([*shape.before, *shape.now])
        rows = [
            (label, bar(a / most, _BAR), bar(b / most, _BAR))
            for label, a, b in zip(shape.labels, shape.before, shape.now, strict=True)
            if a or b
        ]
        lines.append(table([shape.title, "the good run before", "on the day"], rows))
    return "\n".join(lines)
