"""What would each metric read if a fault had happened to the whole run?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from byhistory.errors import BadInput
from byhistory.inject.base import Fault, inject, stream
from byhistory.inject.column import Column
from byhistory.inject.estimate import Scene
from byhistory.inject.faults import ALL
from byhistory.inject.scale import kept
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Match, Metric, Single
from byhistory.metrics._measure import compare
from byhistory.profile import UNDEFINED, ColumnProfile, Kind
from byhistory.profile.arrays import Floats
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """What each metric (a column of `values`) would read after each fault (a row); nan where it is undefined.

    A fault that cannot happen to the column, or that would change nothing, is not listed.
    """

    faults: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Floats
    packed: str = ""
    """The values as they are written in a program, if they were read from one: they are written again in every run."""

    def of(self, metrics: Sequence[str]) -> Floats:
        """The same for these metrics, in this order; nan throughout for one that was not measured."""
        known = np.column_stack([self.values, np.full(len(self.faults), UNDEFINED)])
        place = {name: i for i, name in enumerate(self.metrics)}
        return np.asarray(known[:, [place.get(name, len(self.metrics)) for name in metrics]])


_UNSPELLED = frozenset(m.name for m in ALL_METRICS) - {"digits", "decimals"}
"""Metrics that are known not to look at how numbers are written."""

Read = Callable[[Sequence[ColumnProfile]], Floats]
"""All metrics of some profiles, one row per profile; distances to the run before."""


def responses(
    sample: Any,
    column: str,
    now: ColumnProfile,
    before: ColumnProfile | None,
    metrics: Sequence[Metric],
    *,
    field: Field,
    options: Options | None = None,
    seed: int = 0,
    faults: Sequence[Fault] = ALL,
    reads: Floats | None = None,
) -> Responses:
    """Every fault of the column's kind, and what the metrics would read if it had happened to all rows of the run.

    `sample` is the sample of whole rows that a table profile carries; `now` is the sealed profile of all rows, `before`
    that of the run before it (None: distances are undefined). `reads` is what the metrics read in all rows, if that is
    known already.

    >>> from byhistory.metrics import by_name
    >>> from byhistory.rows.local import profile_table
    >>> p = profile_table({"x": [1, 2, 3, None]})
    >>> r = responses(p.sample, "x", p["x"], None, [by_name("mean")], field=Field("x", p["x"].kind, "int64"))
    >>> dict(zip(r.faults, r.values[:, 0].tolist()))["unit_change×10"]
    20.0
    """
    options = replace(options or Options(), spelling=any(m.name not in _UNSPELLED for m in metrics))
    if column not in sample.column_names:
        raise BadInput(
            f"inject faults into the column {column!r}", "a sample without it", "give the sample of that run"
        )
    here = Column.of_table(sample, column, field.kind)
    read = _reader(metrics, field.kind, before)
    if here.rows >= now.rows:
        after = _exact(here, now, read, faults, field=field, options=options, seed=seed)
    else:
        scene = Scene(here, now, field, options)
        full = read([now])[0] if reads is None else reads
        after = _estimated(scene, read, metrics, faults, seed=seed, full=full)
    values = np.array(list(after.values())).reshape(len(after), len(metrics))
    return Responses(tuple(after), tuple(m.name for m in metrics), values)


def _reader(metrics: Sequence[Metric], kind: Kind, before: ColumnProfile | None) -> Read:
    singles = [(i, m.compute) for i, m in enumerate(metrics) if isinstance(m, Single) and kind in m.kinds]
    pairs = [(i, m.compute) for i, m in enumerate(metrics) if not isinstance(m, Single) and kind in m.kinds]

    def read(profiles: Sequence[ColumnProfile]) -> Floats:
        table = np.full((len(metrics), len(profiles)), UNDEFINED)
        if singles:
            table[[i for i, _ in singles]] = np.array([[of_one(p) for p in profiles] for _, of_one in singles])
        if before is not None:
            compare([(j, Match(p, before)) for j, p in enumerate(profiles) if p.kind is before.kind], pairs, table)
        return np.ascontiguousarray(table.T)

    return read


def _exact(
    here: Column,
    now: ColumnProfile,
    read: Read,
    faults: Sequence[Fault],
    *,
    field: Field,
    options: Options,
    seed: int,
) -> dict[str, Floats]:
    """The sample is the whole run: make each fault happen, and measure."""
    after = {}
    for fault in faults:
        if fault.keeps is not None and fault.keeps >= 1.0 and here.rows and field.kind in fault.kinds:
            after[fault.name] = kept(now, fault.keeps, fault.rows, stream(fault, seed))  # the same, and faster
            continue
        array = inject(fault, here, seed)
        if array is not None:
            after[fault.name] = profile_array(array, field, options).sealed(options.key)
    return dict(zip(after, read(list(after.values())), strict=True)) if after else {}


def _estimated(
    scene: Scene, read: Read, metrics: Sequence[Metric], faults: Sequence[Fault], *, seed: int, full: Floats
) -> dict[str, Floats]:
    """The run is larger than its sample, so responses are estimated.

    What a fault does is the difference of two profiles of the size of the run, one made from the sample as it is and
    one from the sample after the fault. Both have the same sampling error, so their difference has none, and a metric
    that the fault does not affect reads exactly what it reads now, in all rows (`full`).
    """
    now = scene.now
    low, high = np.array([m.low for m in metrics]), np.array([m.high for m in metrics])
    profiles = [scene.clean, scene.clean]
    if now.values is not None:
        # Tables take most of the time, and many columns have no metric that tells values apart: find out once.
        unknown, known = read([scene.without_values(), scene.clean])
        scene.values_matter = not np.array_equal(unknown, known, equal_nan=True)
        profiles[1] = replace(scene.clean, values=now.values) if scene.values_matter else scene.clean
    found: list[tuple[str, int | None]] = []  # faults, and which of the profiles above each is compared with, if any
    for fault in faults:
        if now.kind not in fault.kinds:
            continue
        if fault.keeps is not None:
            if now.present or fault.rows != 1.0:
                found.append((fault.name, None))
                profiles.append(kept(now, fault.keeps, fault.rows, stream(fault, seed)))
            continue
        array = inject(fault, scene.here, seed)
        if array is not None:
            profile, is_partly = scene.after(fault, array, seed)
            found.append((fault.name, 1 if is_partly else 0))
            profiles.append(profile)
    # Read all at once: faster, and what a fault does not affect reads the same to the last bit.
    lines = read(profiles)
    return {
        name: line if of is None else _moved(full, lines[of], line, low, high)
        for (name, of), line in zip(found, lines[2:], strict=True)
    }


def _moved(full: Floats, clean: Floats, faulty: Floats, low: Floats, high: Floats) -> Floats:
    """`full` moved as far as from `clean` to `faulty`.

    It is moved by the difference, or, towards an end of the range, by the same part of the way to that end: so nothing
    goes beyond, and what reaches the end in the sample reaches it here. What cannot be compared is taken as it is.

    >>> one = np.ones(1)
    >>> _moved(5 * one, 6 * one, 8 * one, 0 * one, np.inf * one), _moved(0.5 * one, 0.9 * one, one, 0 * one, one)
    (array([7.]), array([1.]))
    """
    with np.errstate(all="ignore"):
        moved = full + (faulty - clean)
        down = low + (full - low) * ((faulty - low) / (clean - low))
        up = high - (high - full) * ((high - faulty) / (high - clean))
        moved = np.where((faulty < clean) & np.isfinite(low), down, moved)
        moved = np.where((faulty > clean) & np.isfinite(high), up, moved)
        moved = np.where(faulty == clean, full, moved)
        return np.where(np.isfinite(moved) & np.isfinite(faulty), np.clip(moved, low, high), faulty)
