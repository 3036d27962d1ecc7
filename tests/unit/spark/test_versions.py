"""Which commits of a table are runs."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from byhistory.spark.versions import Version, Versioned, _delta_versions

START = datetime(2026, 11, 1, 6, 30, tzinfo=timezone.utc)


def table(*ways: str, apart: timedelta = timedelta(days=1)) -> Versioned:
    versions = tuple(Version(n, START + n * apart, way, n - 1 if n else None) for n, way in enumerate(ways))
    read: Any = lambda v: ("read", v.id)  # noqa: E731 - which way was asked, in place of a DataFrame
    added: Any = lambda v: ("added", v.id)  # noqa: E731
    return Versioned("t", versions, read, added)


def test_a_run_is_labelled_with_the_time_of_its_commit():
    way, runs = table("overwrite", "overwrite").runs(60)
    assert way == "overwrite"
    assert [v.run for v in runs] == ["2026-11-01T06:30:00", "2026-11-02T06:30:00"]


@pytest.mark.parametrize(("way", "what"), [("append", "added"), ("overwrite", "read")])
def test_of_a_table_that_grows_a_run_is_what_was_added_and_else_the_whole(way, what):
    history = table(way, way, way)
    found, runs = history.runs(60)
    assert [history.rows(v, found)[0] for v in runs] == ["read", what, what]


def test_a_repair_of_a_table_that_grows_is_no_run():
    way, runs = table("append", "append", "overwrite", "append", "none").runs(60)
    assert (way, [v.id for v in runs]) == ("append", [0, 1, 3])


def test_the_commit_that_made_the_table_is_a_run_of_either_kind():
    way, runs = table("overwrite", "append", "append").runs(60)
    assert (way, [v.id for v in runs]) == ("append", [0, 1, 2])


def test_the_last_commits_are_taken_and_of_two_within_a_second_the_later():
    assert [v.id for v in table(*["append"] * 5).runs(2)[1]] == [3, 4]
    assert [v.id for v in table(*["append"] * 5, apart=timedelta(seconds=0.5)).runs(60)[1]] == [1, 3, 4]


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
    assert [v.way for v in _delta_versions(commits[::-1])] == [
        "overwrite",
        "append",
        "overwrite",
        "none",
        "overwrite",
        "append",
    ]
