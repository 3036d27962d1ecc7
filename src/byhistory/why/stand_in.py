"""What does the stored profile of a column tell if the rows of the run before cannot be read?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from byhistory.profile import ColumnProfile, Frequencies
from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.profile.frequencies import digests
from byhistory.rows.field import Options
from byhistory.rows.hashing import hash_strings
from byhistory.rows.text import strings_of
from byhistory.why.features import type_of
from byhistory.why.parts import numbers_of, patterns_of, plain
from byhistory.why.view import MISSING, NEW, PRESENCE, View
from byhistory.why.views import of_line, of_times

ROWS = 20_000
"""How many rows a profile stands for (a choice)."""


def profile_views(now: Any, profile: ColumnProfile, options: Options) -> Iterator[View]:
    """The views of a column that its stored profile can be compared in, with the share of each cell as a number of
    rows.
    """
    now = plain(now)
    nulls = now.is_null().to_numpy(zero_copy_only=False).astype(np.int64)
    missing = profile.nulls / max(1, profile.rows)
    yield View(PRESENCE, nulls, _drawn(np.array([1 - missing, missing])), ("present", MISSING).__getitem__, 2)
    type_ = type_of(now.type)
    if profile.quantiles is not None and len(profile.quantiles.values) and type_ not in ("text", "boolean", "other"):
        present = round(ROWS * (1 - missing))
        ranks = (np.arange(present) + 0.5) / max(1, present)
        before = np.concatenate([np.asarray(profile.quantiles.at(ranks)), np.full(ROWS - present, np.nan)])
        yield of_line("value", numbers_of(now), before) if type_ in ("whole", "number") else of_times(now, before)
    if type_ == "text" and profile.values is not None and profile.values.is_complete:
        yield _of_values(now, profile.values, missing, options)
    if type_ == "text" and profile.patterns is not None and profile.patterns.labels is not None:
        yield _of_patterns(now, profile.patterns, missing)


def gone_values(now: Any, profile: ColumnProfile, options: Options) -> float:
    """The share of the rows of the run before with values that this run does not have; 0 if that is not known."""
    array, known = plain(now), profile.values
    if type_of(array.type) != "text" or known is None or not known.is_complete or not known.total:
        return 0.0
    _, _, is_there = _found_in(array, known, options)
    return float(known.counts[~is_there].sum() / max(1, profile.rows))


def _found_in(now: Any, known: Frequencies, options: Options) -> tuple[Any, Floats, Bools]:
    """The distinct values of a column, how often each was there before, and which of the known values are still."""
    encoded = now.dictionary_encode()
    strings = strings_of(encoded.dictionary)
    found = digests(hash_strings(strings.data, strings.starts, strings.lengths, options.seed), options.key)
    order = np.argsort(known.ids)
    at = np.clip(np.searchsorted(known.ids[order], found), 0, max(0, len(order) - 1))
    is_known = (known.ids[order][at] == found) if len(order) else np.zeros(len(found), np.bool_)
    counts = np.zeros(len(found))
    counts[is_known] = known.counts[order][at][is_known]
    is_there = np.zeros(len(known.ids), np.bool_)
    is_there[order[at[is_known]]] = True
    return encoded, counts, is_there


def _drawn(shares: Floats) -> Ints:
    """As many rows in each cell as its share says."""
    return np.repeat(np.arange(len(shares)), np.rint(shares * ROWS).astype(np.int64))


def _of_values(now: Any, known: Frequencies, missing: float, options: Options) -> View:
    encoded, counts, _ = _found_in(now, known, options)
    names = encoded.dictionary
    size = len(names)
    shares = np.zeros(size + 2)
    shares[:size] = counts / max(1, known.total) * (1 - missing)
    shares[size] = max(0.0, 1 - missing - shares.sum())  # values that are gone, whose names are not known
    shares[size + 1] = missing
    codes = encoded.indices.fill_null(size + 1).to_numpy(zero_copy_only=False).astype(np.int64)

    def label(code: int) -> str:
        if code < size:
            return f"'{names[code].as_py()}'"
        return ("values that are gone", MISSING)[code - size]

    return View("value", codes, _drawn(shares), label, size + 2)


def _of_patterns(now: Any, known: Frequencies, missing: float) -> View:
    codes, written = patterns_of(now)
    size = len(written)
    assert known.labels is not None  # noqa: S101 - asked before
    counts = dict(zip(known.labels.tolist(), known.counts.tolist(), strict=True))
    shares = np.array([counts.get(w, 0) / max(1, known.total) * (1 - missing) for w in written] + [0.0, missing])
    shares[size] = max(0.0, 1 - shares.sum())
    codes = np.where(codes < 0, size + 1, codes)
    names = [*(f"“{w}”" for w in written), NEW, MISSING]
    return View("pattern", codes, _drawn(shares), names.__getitem__, size + 2)
