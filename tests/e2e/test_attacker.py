"""What somebody with a copy of a store can find out about the values of single rows: he has the key that is in it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from byhistory.config import Config
from byhistory.history import open_store
from byhistory.profile import from_bytes
from byhistory.profile.coarse import LEAST
from byhistory.profile.frequencies import digests
from byhistory.rows.hashing import hash_words, seed_of
from byhistory.validator import Validator

DAY = 86_400


def stolen(path, values):
    """The key and the profile of a column, out of a store in which one run of it was recorded."""
    with Validator(str(path), config=Config()) as guard:
        guard.check(pa.table({"secret": values}), "people", run="2026-11-01")
    with open_store(str(path)) as store:
        (run,) = store.load("people", ["2026-11-01"])
        return store.key(), from_bytes(run.columns["secret"])


def recovered(key, profile, words):
    """The guesses that are in the profile, by their place, and how many rows have each."""
    found = digests(hash_words(words, seed_of(key)), key)
    counts = dict(zip(profile.values.ids.tolist(), profile.values.counts.tolist(), strict=True))
    return {at: counts[digest] for at, digest in enumerate(found.tolist()) if digest in counts}


COLUMNS = {
    "two hundred salaries": lambda random: random.integers(20_000, 90_000, 200),
    "salaries in steps of a thousand": lambda random: 1_000 * random.integers(20, 90, 120),
    "ages": lambda random: random.integers(18, 95, 150),
    "ages that most share": lambda random: np.concatenate([random.integers(30, 36, 150), random.integers(18, 95, 6)]),
    "children": lambda random: random.poisson(1.2, 300),
}


@pytest.mark.parametrize("url", ["history.db", "history"])
@pytest.mark.parametrize("column", COLUMNS)
def test_no_number_of_fewer_rows_than_five_is_found_by_trying_all(column, url, tmp_path):
    values = COLUMNS[column](np.random.default_rng(14))  # noqa: TID251 - a test names its seed
    key, profile = stolen(tmp_path / url, values)
    guesses = np.arange(100_000)
    found = recovered(key, profile, guesses.astype(np.float64).view(np.uint64))
    rows = Counter(values.tolist())
    assert all(rows[guess] == count >= LEAST for guess, count in found.items())


def test_no_date_of_birth_is_found_by_trying_all_days(tmp_path):
    days = np.random.default_rng(14).integers(-15_000, 12_000, 200)  # noqa: TID251 - a test names its seed
    key, profile = stolen(tmp_path / "history.db", pa.array(days.astype(np.int32)).cast(pa.date32()))
    guesses = np.arange(-30_000, 30_000)
    assert recovered(key, profile, (guesses * DAY * 1_000_000).view(np.uint64)) == {}
    shown = set((profile.quantiles.values / DAY).tolist()) & set(days.tolist())
    assert shown == {days.min(), days.max()}
