"""What has drifted slowly, compared with runs that are older than those that a check learns from?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from byhistory.alarms import ROWS
from byhistory.alarms.cause import DRIFT
from byhistory.history import RunLine, runs_before
from byhistory.learners import Override
from byhistory.metrics import Measures, Metric, over_runs
from byhistory.profile import Kind, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.series.drift import BLOCK, FAR_BACK, LEAST, STEPS, has_drifted, path_of
from byhistory.validator.guarded import Guarded
from byhistory.validator.memory import Memory
from byhistory.verdict import Finding
from byhistory.verdict.drift import drift_in_words

_ROWS_METRIC = "row_count"
_WATCHED = (_ROWS_METRIC, "complete_ratio", "mean")
_OF_SPREAD = 0.2
"""Of numbers above and below 0, whose ratio means nothing, the average has to move by this part of their spread (a
choice: as far as a share has to)."""
_GROWS = ("identifier", "counter", "calendar part", "time")
"""Roles of columns whose average grows by nature."""


def drift_findings(
    of: Guarded,
    profile: TableProfile,
    memory: Memory,
    lines: Sequence[RunLine],
    *,
    now: Measures,
    decided: Sequence[Override],
) -> list[Finding]:
    """A warning for each column, and the rows, that drifted since the last such warning; none if the past is short."""
    good = [r.run for r in runs_before(lines, profile.run) if memory.lessons.uses_any(r.run)]
    if not of.config.drift or len(good) + 1 < LEAST or len(memory.runs) + 1 < BLOCK * STEPS:
        return []
    starts = {name: _start(memory, name, good) for name in (ROWS, *profile)}
    old = _Old(of, memory, good, {start for start in starts.values() if len(good) + 1 - start >= LEAST})
    muted = {(o.column, o.metric) for o in decided if o.mute}
    watched = [m for m in of.metrics if m.name in _WATCHED]
    read: list[tuple[str, Metric, int]] = []
    old_reads, recent = [], []
    for i, column in enumerate(name for name in profile if of.config.wants(name)):
        reads = memory.as_read(column, watched), now.of_column(column, [m.name for m in watched])
        for metric, values in zip(watched, np.column_stack(reads), strict=True):
            is_rows = metric.name == _ROWS_METRIC
            start = starts[ROWS if is_rows else column]
            if (is_rows and i) or start not in old.starts or (column, metric.name) in muted:
                continue
            read.append((column, metric, start))
            old_reads.append(old.read(start, column, metric))
            recent.append(values)
    if not read:
        return []
    paths = path_of(np.array(old_reads), np.array(recent))
    of_shares, of_others = (has_drifted(paths, is_share=is_share) for is_share in (True, False))
    found = []
    for (column, metric, start), path, share, other in zip(read, paths, of_shares, of_others, strict=True):
        if not (share if metric.unit == "share" else other) or _grows_anyway(memory, profile, column, metric):
            continue
        if metric.name != "mean" or _is_far(now, column, path):
            is_rows = metric.name == _ROWS_METRIC
            sentence = drift_in_words(metric, profile[column].kind, good[start], path, len(good) - start)
            place = "" if is_rows else column
            found.append(Finding(DRIFT, place, sentence if is_rows else f"{column}: {sentence}", "warn"))
    return found


class _Old:
    """The measures of seven runs from each start on. It is a class because several starts are read at once."""

    def __init__(self, of: Guarded, memory: Memory, good: Sequence[str], starts: set[int]) -> None:
        known: dict[str, Measures] = dict(zip((r.run for r in memory.runs), memory.measures, strict=True))
        self.starts = {start: good[start : start + BLOCK] for start in starts}
        missing = sorted({run for runs in self.starts.values() for run in runs if run not in known})
        packed: Mapping[str, bytes] = of.store.measures(of.table, missing) if missing else {}
        known |= {run: Measures.from_bytes(data) for run, data in packed.items()}
        self._measures = {start: [(r, known[r]) for r in runs if r in known] for start, runs in self.starts.items()}
        self._lessons = memory.lessons

    def read(self, start: int, column: str, metric: Metric) -> Floats:
        """What a metric read in the seven runs from a start on, as far as they are learned from."""
        place = ROWS if metric.name == _ROWS_METRIC else column
        out = np.full(BLOCK, np.nan)
        used = [m for run, m in self._measures[start] if self._lessons.uses(run, place)]
        if used:
            out[: len(used)] = over_runs(tuple(used), column, [metric.name])[0]
        return out


def _start(memory: Memory, place: str, good: Sequence[str]) -> int:
    """The place from which the old level of a column is read: a hundred runs ago, or after its last drift or new
    level.
    """
    at = {run: i for i, run in enumerate(good)}
    drifted = [e.run for e in memory.entries if any(c.about == DRIFT and place in c.columns for c in e.causes)]
    begun = [at[run] + 1 for run in drifted if run in at]
    begun += [at[level[-1]] for level in memory.lessons.levels_of(place) if level[-1] in at]
    return max([0, len(good) + 1 - FAR_BACK, *begun])


def _is_far(now: Measures, column: str, path: Floats) -> bool:
    """Whether an average moved far for the numbers that it is of, if these lie on both sides of 0."""
    low, high, spread = now.of_column(column, ["min", "max", "std"])
    if not low < 0.0 < high:
        return True
    return bool(abs(path[-1] - path[0]) >= _OF_SPREAD * spread)


def _grows_anyway(memory: Memory, profile: TableProfile, column: str, metric: Metric) -> bool:
    """Whether the average of a column grows by nature: times, counters, and identifiers do."""
    if metric.name != "mean":
        return False
    kind = profile[column].kind
    return kind is not Kind.NUMERIC or memory.role(column, kind) in _GROWS
