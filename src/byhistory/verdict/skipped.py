"""Which runs should have come before this one?"""

from __future__ import annotations

from collections.abc import Iterable

from byhistory.series.due import skipped
from byhistory.verdict.verdict import Finding


def skipped_finding(past: Iterable[str], run: str) -> list[Finding]:
    """What the verdict on a run says about runs before it that never came; it stops nothing.

    `past` are the labels of all earlier runs, including those that were stopped.

    >>> skipped_finding([f"2026-10-{day:02}" for day in range(1, 31)], "2026-11-02")[0].sentence
    'runs 2026-10-31 and 2026-11-01 were skipped'
    """
    gone = skipped(list(past), run)
    if not gone:
        return []
    if len(gone) == 1:
        return [Finding("skipped runs", "", f"run {gone[0]} was skipped", level="as usual")]
    named = f"{gone[0]} and {gone[1]}" if len(gone) == 2 else f"{gone[0]} to {gone[-1]} ({len(gone)})"
    return [Finding("skipped runs", "", f"runs {named} were skipped", level="as usual")]
