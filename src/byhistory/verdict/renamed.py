"""Is a column that is missing the one that is new?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from byhistory.metrics import by_name, measure
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.profile.kind import is_same_type
from byhistory.verdict.past import Past
from byhistory.verdict.verdict import Finding

PROBABLY_RENAMED = "probably renamed"
LIKE_ENOUGH = 0.8
"""Columns at least this much alike are taken for the same. Set by hand, and not measured on the corpus yet."""


def with_renamed(findings: Sequence[Finding], profile: TableProfile, past: Past) -> list[Finding]:
    """The findings on the schema, with a missing and a new column of the same content joined: it was renamed."""
    gone = {
        f.column: before for f in findings if f.about == "missing column" if (before := past.column(f.column).before)
    }
    new = {f.column: profile[f.column] for f in findings if f.about == "added column"}
    pairs = renamed(gone, new)
    joined = []
    for f in findings:
        if f.about == "missing column" and f.column in pairs:
            now = pairs[f.column]
            sentence = f"column {f.column!r} is gone, and {now!r} is new with the same content: {PROBABLY_RENAMED}"
            joined.append(replace(f, sentence=sentence))
        elif f.about != "added column" or f.column not in pairs.values():
            joined.append(f)
    return joined


def renamed(gone: dict[str, ColumnProfile], new: dict[str, ColumnProfile]) -> dict[str, str]:
    """Old names to new ones: pairs that are alike, and more alike than either is to any other column."""
    likeness = {(old, now): alike(gone[old], new[now]) for old in gone for now in new}
    found = {}
    for (old, now), like in likeness.items():
        rivals = [x for (a, b), x in likeness.items() if (a == old) != (b == now)]
        if like >= LIKE_ENOUGH and all(like > rival for rival in rivals):
            found[old] = now
    return found


def alike(before: ColumnProfile, now: ColumnProfile) -> float:
    """How alike two columns are, from 0 to 1: in their nulls, and in their numbers, values or patterns of text.

    >>> from byhistory.rows.local import profile_table
    >>> a, b = (profile_table({n: v})[n] for n, v in (("old", ["x", "y"] * 9), ("new", ["x", "y"] * 8)))
    >>> alike(a, b), alike(a, profile_table({"n": [1, 2, 3]})["n"])
    (1.0, 0.0)
    """
    if before.kind is not now.kind or not is_same_type(before.type, now.type) or not before.rows or not now.rows:
        return 0.0
    present = 1.0 - abs(before.present / before.rows - now.present / now.rows)
    if not before.present or not now.present:
        return 0.0
    if before.kind in (Kind.NUMERIC, Kind.TEMPORAL):
        return present * (1.0 - _distance(before, now, "ks_dist"))
    by_value = 1.0 - _distance(before, now, "l1") / 2.0
    if before.kind is not Kind.CATEGORICAL:
        return present * by_value
    if _has_few_values(before):
        return present * by_value
    return present * (1.0 - max(_distance(before, now, "pat_l1") / 2.0, _distance(before, now, "len_ks")))


def _has_few_values(p: ColumnProfile) -> bool:
    """Whether values repeat, so that they can be compared; if not, only their patterns and lengths can."""
    return p.distinct <= p.present / 4


def _distance(before: ColumnProfile, now: ColumnProfile, metric: str) -> float:
    """A distance between the two; the largest possible one if it is undefined."""
    value = float(measure([before, replace(now, name=before.name)], [by_name(metric)])[0, 1])
    return by_name(metric).high if math.isnan(value) else value
