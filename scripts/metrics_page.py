"""The reference page, from the metrics themselves: `python -m scripts.metrics_page > docs/reference/metrics.md`."""

from __future__ import annotations

import math

from byhistory import metrics
from byhistory.metrics.base import Metric
from byhistory.profile import ALL_KINDS, Kind

_INTRO = """# Metrics

What is measured on a column. Written by `python -m scripts.metrics_page`; a test holds it to the code.

Each metric is a pure function of one profile, or of two (a run and the run before), in a file of its own under
`src/byhistory/metrics/`; its docstring says its unit, when it is undefined and how exact it is. Undefined is `nan`.
Metrics of one run can move either way; distances are 0 for the same data, and only growth is bad.

- *kinds*: the kinds of column it is for. `numeric*`: only for numbers that take few values.
- *bound*: the inequality that prices an interval under the learner `paper`.
- *scale*: on which scale it varies evenly (level: as it is; count: logarithm; ratio: logit; distance: square root).
- *paper*: in Tables 3 and 4 of the paper.
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join([_INTRO, *_table("Of one run", metrics.SINGLE), "", *_table("Between two runs", metrics.PAIR), ""])


def _table(title: str, of: tuple[Metric, ...]) -> list[str]:
    head = [
        f"## {title}",
        "",
        "| name | in a message | kinds | bound | range | scale | paper |",
        "|---|---|---|---|---|---|---|",
    ]
    return head + [f"| {' | '.join(_cells(m))} |" for m in of]


def _cells(m: Metric) -> tuple[str, ...]:
    return f"`{m.name}`", m.title, _kinds(m), m.bound.name, _range(m), m.scale, "yes" if m.in_paper else ""


def _kinds(m: Metric) -> str:
    if m.kinds == ALL_KINDS:
        return "all"
    return ", ".join(f"{k}*" if m.discrete_only and k is Kind.NUMERIC else str(k) for k in Kind if k in m.kinds)


def _range(m: Metric) -> str:
    return f"{_end(m.low)} … {_end(m.high)}"


def _end(x: float) -> str:
    return f"{x:.3g}" if math.isfinite(x) else "∞" if x > 0 else "−∞"


if __name__ == "__main__":
    print(page(), end="")
