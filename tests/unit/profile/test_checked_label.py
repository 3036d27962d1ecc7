"""A label is looked at once, before anything is read or written."""

from datetime import datetime, timezone

import pytest

from byhistory.config import Config
from byhistory.errors import ByHistoryError, StoreError
from byhistory.history import Run, open_store
from byhistory.profile.label import LONGEST, checked_label
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

HOSTILE = ("", " ", "..", ".", "../x", "a/../b", "..\\x", "a\nb", "a\0b", "\u202eb", "\ud800", "x\x1b[31m", "9" * 5000)
LOOK_ALIKE = (
    " 2026-11-15",
    "2026-11-15\u2003",
    "2026\u201311\u201315",
    "2026\u221211\u221215",
    "2026-11-15\u00a002:00",
    "\uff12026-11-15",
    "2026-11-1\u0665",
    "2026-11-15\ufe0f",
    "2026-11-15\u3164",
    "Gro\u0308\u00dfe 7",
)


@pytest.mark.parametrize("label", [*HOSTILE, *LOOK_ALIKE], ids=ascii)
def test_a_hostile_label_names_no_run(label):
    with pytest.raises(ByHistoryError, match="as the label of a run"):
        checked_label(label)
    with Validator("memory:", config=Config()) as guard:
        with pytest.raises(ByHistoryError, match="as the label of a run"):
            guard.judge(profile_table({"n": [1]}, run=label), "orders")
        assert guard.store.tables() == []


@pytest.mark.parametrize("label", ["2026-11-15", "03/04/2026", "x" * LONGEST, "größe…", "a'b\"c", "${x}", "::stop::"])
def test_other_labels_do(label):
    assert checked_label(label) == label


def test_a_store_takes_no_label_that_another_could_not_keep():
    with open_store("memory:") as store, pytest.raises(StoreError, match="a run of 5,000 characters"):
        store.record(Run("orders", "9" * 5000, datetime(2026, 1, 1, tzinfo=timezone.utc), "as usual", 1, {}))


@pytest.mark.parametrize(
    ("label", "twin"), [("2026-1-9", "2026-01-09"), ("09.01.2026", "2026-01-09"), ("Batch 9.", "batch 9")]
)
def test_a_label_that_means_what_another_does_is_warned_of(label, twin):
    with Validator("memory:", config=Config()) as guard:
        guard.judge(profile_table({"n": [1]}, run=twin), "orders")
        judged = guard.judge(profile_table({"n": [1]}, run=label), "orders")
        assert any(f"under another label ({twin})" in finding.sentence for finding in judged.verdict.findings)
        again = guard.judge(profile_table({"n": [1]}, run="2026-01-10"), "orders")
        assert not any("another label" in finding.sentence for finding in again.verdict.findings)
