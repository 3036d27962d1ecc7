"""Which commits of a table are runs."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from byhistory.spark.delta import _versions as delta_versions
from byhistory.spark.iceberg import Snapshot
from byhistory.spark.iceberg import versions_of as iceberg_versions
from byhistory.spark.versions import Version, Versioned, placed

START = datetime(2026, 11, 1, 6, 30, tzinfo=timezone.utc)


def table(*modes: str, apart: timedelta = timedelta(days=1)) -> Versioned:
    versions = placed(Version(n, START + n * apart, mode, n - 1 if n else None) for n, mode in enumerate(modes))
    read: Any = lambda v: ("read", v.id)  # noqa: E731 - which way was asked, in place of a DataFrame
    added: Any = lambda v: ("added", v.id)  # noqa: E731
    return Versioned("t", versions, read, added)


def test_a_run_is_labelled_with_the_time_of_its_commit():
    mode, runs = table("overwrite", "overwrite").runs(60)
    assert mode == "overwrite"
    assert [v.run for v in runs] == ["2026-11-01T06:30:00", "2026-11-02T06:30:00"]


@pytest.mark.parametrize(("mode", "what"), [("append", "added"), ("overwrite", "read")])
def test_of_a_table_that_grows_a_run_is_what_was_added_and_else_the_whole(mode, what):
    history = table(mode, mode, mode)
    found, runs = history.runs(60)
    assert [history.rows(v, found)[0] for v in runs] == ["read", what, what]


def test_a_repair_of_a_table_that_grows_is_no_run():
    mode, runs = table("append", "append", "overwrite", "append", "none").runs(60)
    assert (mode, [v.id for v in runs]) == ("append", [0, 1, 3])


def test_the_commit_that_made_the_table_is_a_run_of_either_kind():
    mode, runs = table("overwrite", "append", "append").runs(60)
    assert (mode, [v.id for v in runs]) == ("append", [0, 1, 2])


def test_the_last_commits_are_taken():
    assert [v.id for v in table(*["append"] * 5).runs(2)[1]] == [3, 4]


def test_of_commits_within_a_second_none_is_lost():
    runs = table(*["append"] * 5, apart=timedelta(seconds=0.4)).runs(60)[1]
    assert [v.id for v in runs] == [0, 1, 2, 3, 4]
    assert [v.run[-6:] for v in runs] == [":30:00", "00.400", "00.800", ":30:01", "01.600"]


def test_a_table_that_was_only_maintained_has_no_runs():
    assert table("none", "none").runs(60) == ("none", [])


def test_what_a_delta_commit_did_is_read_off_its_operation():
    commits = [
        (0, 1.0, "CREATE TABLE", {}),
        (1, 2.0, "WRITE", {"mode": "Append"}),
        (2, 3.0, "WRITE", {"mode": "Overwrite"}),
        (3, 4.0, "OPTIMIZE", {}),
        (4, 5.0, "MERGE", {}),
        (5, 6.0, "STREAMING UPDATE", {}),
    ]
    assert [v.mode for v in delta_versions(commits[::-1])] == [
        "overwrite",
        "append",
        "overwrite",
        "none",
        "overwrite",
        "append",
    ]


def test_what_was_appended_after_the_log_was_cleaned_cannot_be_told_and_is_no_run():
    commits = [(n, float(n), "WRITE", {"mode": "Append"}) for n in (7, 8, 9)]
    assert [v.mode for v in delta_versions(commits)] == ["none", "append", "append"]


# ------------------------------------------------------------------------------------------------------------ Iceberg


def snapshots(*lines: tuple[int, int | None, str]) -> list[Snapshot]:
    return [Snapshot(number, parent, START + number * timedelta(days=1), what) for number, parent, what in lines]


def test_the_past_of_a_branch_is_the_line_of_its_parents():
    known = snapshots((1, None, "append"), (2, 1, "append"), (3, 2, "replace"), (4, 3, "delete"))
    found = iceberg_versions(known[::-1], {"main": 4})
    assert [(v.id, v.mode, v.before) for v in found] == [
        (1, "append", None),
        (2, "append", 1),
        (3, "none", 2),
        (4, "overwrite", 3),
    ]


def test_what_was_left_on_a_branch_or_rolled_back_is_not_the_past():
    known = snapshots((1, None, "append"), (2, 1, "append"), (3, 2, "append"), (4, 2, "append"), (5, 2, "append"))
    heads = {"main": 5, "audit": 3}  # 4 was rolled back
    assert [v.id for v in iceberg_versions(known, heads)] == [1, 2, 5]
    assert [v.id for v in iceberg_versions(known, heads, "audit")] == [1, 2, 3]


def test_a_table_that_is_made_anew_every_day_has_the_days_before_as_its_past():
    known = snapshots((1, None, "append"), (2, None, "overwrite"), (3, None, "append"), (4, 3, "overwrite"))
    found = iceberg_versions(known, {"main": 4})
    assert [(v.id, v.mode) for v in found] == [(1, "append"), (2, "overwrite"), (3, "overwrite"), (4, "overwrite")]


def test_after_snapshots_have_expired_the_oldest_append_is_no_run():
    known = snapshots((5, 4, "append"), (6, 5, "append"))
    assert [(v.id, v.mode) for v in iceberg_versions(known, {"main": 6})] == [(5, "none"), (6, "append")]


def test_a_table_without_rows_has_no_past():
    assert iceberg_versions([], {}) == ()


def test_maintenance_is_no_commit():
    assert table("overwrite", "append", "none").last().id == 1
    assert table("none").last() is None
