"""What do the values themselves say of a change: are they those of another column, or is one value's part missing?

A fault is recognised by how metrics move, which many faults share; these two by comparing contents, and only where
nothing else would explain them.
"""

from __future__ import annotations

import numpy as np

from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.frequencies import Frequencies
from byhistory.verdict.past import Past
from byhistory.verdict.renamed import alike
from byhistory.verdict.verdict import Resemblance

_THE_SAME, _ANOTHER = 0.9, 0.5
"""From which likeness on two columns hold the same, and up to which they hold something else (choices)."""
_TELLING = 3
"""Different values that it takes to tell a column from another: flags are alike by chance."""
_LEAST_PART = 0.05
"""The part of the rows that a missing value must have made up (a choice)."""
_NEARLY = 0.05
"""By how much the rows that are left may be more or fewer than before, and be divided in another way (a choice)."""


def values_of_another(name: str, profile: TableProfile, past: Past) -> Resemblance | None:
    """The column whose values of the run before these are, where they are not its own and are those of only one."""
    now, own = profile[name], past.column(name).before
    if own is None or now.distinct < _TELLING or alike(own, now) > _ANOTHER:
        return None
    others = (other for other in profile if other != name and profile[other].kind is now.kind)
    known = ((other, past.column(other).before) for other in others)
    found = [other for other, before in known if before is not None and alike(before, now) >= _THE_SAME]
    if len(found) != 1:
        return None
    return Resemblance("values_of_another", f"the values of {found[0]!r}", 1.0, "columns swapped")


def rows_of_one_value(profile: TableProfile, past: Past) -> Resemblance | None:
    """The column of which the rows of one value are missing while all others are there as before."""
    for name in sorted(profile, key=lambda n: profile[n].distinct):
        before = past.column(name).before
        part = None if before is None else _missing_part(before, profile[name])
        if part is not None:
            sentence = f"the rows of one value of {name!r} are missing, {part:.0%} of them"
            return Resemblance("segment_missing", sentence, 1.0, "volume change")
    return None


def _missing_part(before: ColumnProfile, now: ColumnProfile) -> float | None:
    """The part of the rows before that had the one value that is missing; None if that is not what happened."""
    then, here = _counted(before), _counted(now)
    if then is None or here is None or then.is_sealed != here.is_sealed or not before.rows:
        return None
    gone = ~np.isin(then.ids, here.ids)
    if int(gone.sum()) != 1 or len(then.ids) < _TELLING or not np.isin(here.ids, then.ids).all():
        return None
    lost = int(then.counts[gone][0])
    left = before.rows - lost
    if lost < _LEAST_PART * before.rows or abs(now.rows - left) > _NEARLY * left:
        return None
    order = np.searchsorted(then.ids[~gone], here.ids)
    shares = here.counts / here.counts.sum(), then.counts[~gone][order] / then.counts[~gone].sum()
    return lost / before.rows if np.abs(shares[0] - shares[1]).sum() / 2 <= _NEARLY else None


def _counted(column: ColumnProfile) -> Frequencies | None:
    """The counts of all values, if they are all known."""
    found = column.values
    return found if found is not None and found.is_complete and len(found.ids) else None
