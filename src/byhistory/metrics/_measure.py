"""Many metrics of many runs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from byhistory.metrics._match import Match, On
from byhistory.metrics.base import Metric, Pair, Single
from byhistory.profile import UNDEFINED, ColumnProfile
from byhistory.profile.arrays import Floats

_AT_ONCE = 256
"""Columns whose distances are taken at once: each has a row of up to a thousand cells."""


def measure(profiles: Sequence[ColumnProfile | None], metrics: Sequence[Metric]) -> Floats:
    """Each metric (a row of the answer) on each run (a column), in the order given.

    `profiles` are the runs of one column, oldest first, None where a run has no profile. A distance is taken to the
    last run before that has one. What is undefined is nan: a missing run, the distance of the first run, a metric
    on a column of another kind, a distance across a change of kind.

    >>> from byhistory.metrics import by_name
    >>> from byhistory.rows.local import profile_table
    >>> runs = [profile_table({"x": [1.0] * rows})["x"] for rows in (4, 6)]
    >>> measure([runs[0], None, runs[1]], [by_name("row_count"), by_name("ks_dist")]).tolist()
    [[4.0, nan, 6.0], [nan, nan, 0.0]]
    """
    result = np.full((len(metrics), len(profiles)), UNDEFINED)
    runs = [(i, p) for i, p in enumerate(profiles) if p is not None]
    for kind in {p.kind: None for _, p in runs}:
        of_one = [(i, m.compute) for i, m in enumerate(metrics) if isinstance(m, Single) and kind in m.kinds]
        of_two = [(i, m.compute) for i, m in enumerate(metrics) if isinstance(m, Pair) and kind in m.kinds]
        ours = [(run, p) for run, p in runs if p.kind is kind]
        if of_one:
            places = np.array([place for place, _ in of_one])
            values = [[compute(p) for _, compute in of_one] for _, p in ours]
            result[places[:, None], [run for run, _ in ours]] = np.array(values).T
        if of_two:
            pairs = [
                (run, Match(now, before))
                for (run, now), (_, before) in zip(runs[1:], runs[:-1], strict=True)
                if now.kind is before.kind is kind
            ]
            compare(pairs, of_two, result)
    return result


def measure_columns(columns: Sequence[tuple[ColumnProfile, ColumnProfile | None]], metrics: Sequence[Metric]) -> Floats:
    """Each metric (a column of the answer) on each column of one run (a row), given as now and before.

    The same numbers as `measure` gives one by one, with the distances of all columns of a kind taken at once.
    """
    result = np.full((len(metrics), len(columns)), UNDEFINED)
    for kind in {now.kind: None for now, _ in columns}:
        of_one = [(i, m.compute) for i, m in enumerate(metrics) if isinstance(m, Single) and kind in m.kinds]
        of_two = [(i, m.compute) for i, m in enumerate(metrics) if isinstance(m, Pair) and kind in m.kinds]
        ours = [(place, now, before) for place, (now, before) in enumerate(columns) if now.kind is kind]
        for place, now, _ in ours:
            result[[i for i, _ in of_one], place] = [compute(now) for _, compute in of_one]
        pairs = [(p, Match(now, before)) for p, now, before in ours if before is not None and before.kind is kind]
        for start in range(0, len(pairs), _AT_ONCE):
            compare(pairs[start : start + _AT_ONCE], of_two, result)
    return np.ascontiguousarray(result.T)


def compare(
    pairs: list[tuple[int, Match]], distances: list[tuple[int, Callable[[Match], float]]], result: Floats
) -> None:
    """Write the distances of pairs of runs into a table (one row per metric), for all pairs at once where possible."""
    stacks: dict[Any, tuple[list[int], Any]] = {}
    for place, compute in distances:
        if not isinstance(compute, On):
            result[place, [run for run, _ in pairs]] = [compute(match) for _, match in pairs]
            continue
        if compute.part not in stacks:
            found = [(run, part) for run, match in pairs if (part := compute.part(match)) is not None]
            stack = type(found[0][1]).stacked([part for _, part in found]) if found else None
            stacks[compute.part] = [run for run, _ in found], stack
        at, stack = stacks[compute.part]
        if at:
            result[place, at] = compute.distance(stack)
