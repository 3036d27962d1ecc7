"""Is the place of a run among the others certain, and is it the last?"""

from __future__ import annotations

from collections.abc import Sequence

from byhistory.profile.label import meaning
from byhistory.verdict.verdict import Finding


def twin_finding(twins: Sequence[str]) -> list[Finding]:
    """A warning if a run may already be there under a label that means the same: both would be learned from.

    >>> twin_finding(["2026-01-05"])[0].sentence
    'this run may be one that is there already under another label (2026-01-05): they mean the same'
    """
    if not twins:
        return []
    sentence = f"this run may be one that is there already under another label ({twins[0]}): they mean the same"
    return [Finding("run order", "", sentence, level="warn")]


def late_finding(earlier: Sequence[str], later: Sequence[str], run: str, *, is_by_label: bool = False) -> list[Finding]:
    """What the verdict says about the place of a run; a warning if it is judged by fewer runs than come after it, or
    if its label is the first of which the place is not certain, in a table whose runs are in the order of labels.

    >>> late_finding([], [], "03/04/2026")[0].sentence  # doctest: +ELLIPSIS
    'runs of this table stay in the order in which they come: its label has a date whose day and month cannot be...'
    >>> late_finding(["1"], ["3", "4"], "2")[0].sentence
    'this run comes before 2 that are there already (3 to 4), and is judged by only 1 before it'
    >>> late_finding(["2026-09-01"], [], "2026-13-09", is_by_label=True)[0].sentence
    'its place among the runs is not certain: its label has what looks like a date, and is none'
    """
    doubt = meaning(run).doubt
    if not earlier and not later and doubt:
        sentence = f"runs of this table stay in the order in which they come: its label has {doubt}"
        return [Finding("run order", "", sentence, level="as usual")]
    is_odd = is_by_label and bool(doubt) and not meaning((earlier or later)[-1]).doubt
    odd = f"its place among the runs is not certain: its label has {doubt}"
    found = [Finding("run order", "", odd, level="warn")] if is_odd else []
    if not later:
        return found
    span = f"{later[0]} to {later[-1]}" if len(later) > 1 else later[0]
    only = "only " * (len(earlier) < len(later))
    sentence = f"this run comes before {len(later)} that are there already ({span}), and is judged by {only}"
    return [
        *found,
        Finding("run order", "", f"{sentence}{len(earlier)} before it", level="warn" if only else "as usual"),
    ]
