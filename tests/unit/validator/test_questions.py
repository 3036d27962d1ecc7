"""How often does a check ask its store? Each question is a request where the store is far away."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import event

from byhistory import Validator, profile_table
from byhistory.config import Config
from byhistory.history.files import Files

RUNS = [profile_table({"n": range(i, i + 20), "word": ["a", "b"] * 10}, run=f"2026-01-{i + 1:02}") for i in range(12)]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are listed from now on."""
    listed: list[str] = []
    ask = Files._listed

    def listing(self: Files, folder: str, deep: bool = False) -> list[object]:
        listed.append(folder)
        return ask(self, folder, deep)

    monkeypatch.setattr(Files, "_listed", listing)
    return listed


def test_a_check_lists_a_directory_six_times(tmp_path: Path, counted: list[str]) -> None:
    with Validator(str(tmp_path / "history"), config=Config()) as guard:
        guard.remember(RUNS[:-2], "orders")
        guard.judge(RUNS[-2], "orders")
        counted.clear()
        guard.judge(RUNS[-1], "orders")
    assert len(counted) == 6, "settings, the past, before and after the record, left-overs"
    assert counted.count(str(tmp_path / "history")) == 1, "which objects never leave in the folder itself"


def test_a_check_reads_in_two_transactions_and_writes_in_one(tmp_path: Path) -> None:
    begun: list[bool] = []
    with Validator(f"sqlite:///{tmp_path / 'history.db'}", config=Config()) as guard:
        guard.remember(RUNS[:-2], "orders")
        guard.judge(RUNS[-2], "orders")
        engine = guard.store._database.engine
        event.listen(
            engine, "begin", lambda db: begun.append(db.get_execution_options().get("byhistory_writes", False))
        )
        guard.judge(RUNS[-1], "orders")
    assert begun == [False, False, True]
