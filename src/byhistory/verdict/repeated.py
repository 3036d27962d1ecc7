"""Is this the run before, delivered again?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from byhistory.constraints.always import DISTANCES, SAME_AGAIN, always_changed, is_same_again, same_again
from byhistory.metrics import Measures, Metric
from byhistory.plain import some_of
from byhistory.profile.arrays import Floats
from byhistory.verdict.past import Past
from byhistory.verdict.verdict import Finding

REPEATED: Final = "repeated run"
"""What a finding on the data of an earlier run, delivered again, is about."""
_NAMED = 4
"""How many columns a finding names, by choice."""


def repeated_finding(
    measures: Measures, past: Past, by_name: Mapping[str, Metric], off: Collection[str] = ()
) -> list[Finding]:
    """A finding if columns of a run are the same as in the run before, though they had always changed so far.

    The past of the other columns is looked at only if this is so for two columns, which saves work on most runs.
    """
    metrics = [by_name[name] for name in DISTANCES if name in by_name]
    if SAME_AGAIN in off or not metrics:
        return []
    names = [m.name for m in metrics]
    now = {name: bool(is_same_again(measures.of_column(name, names)[:, None])[0]) for name in measures.types}
    before: dict[str, Floats] = {}

    def changed(name: str) -> bool:
        before[name] = past.column(name).series(metrics)
        return always_changed(before[name])

    same = [name for name, is_same in now.items() if is_same and changed(name)]
    if len(same) < 2:
        return []
    changing = [*same, *(name for name, is_same in now.items() if not is_same and changed(name))]
    runs = min(int(np.isfinite(before[name]).any(axis=0).sum()) for name in same)
    level = same_again(changing, same, runs)
    if level == "as usual":
        return []
    partly = "" if len(same) == len(changing) else "partly "
    count = f"{len(same)} of {len(changing)} columns that always changed did not ({some_of(same, _NAMED)})"
    sentence = f"{partly}the same data as the run before: {count}"
    return [Finding(REPEATED, "", sentence, level)]
