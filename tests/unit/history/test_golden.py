"""Every stored version loads for ever."""

import hashlib
import shutil
from pathlib import Path

import pytest
from tests.golden import history_make as golden

from byhistory.history import open_store

FOLDER = Path(golden.__file__).parent
VERSIONS = sorted(p.name for p in FOLDER.glob("history-v*"))


def test_there_are_golden_stores_of_both_kinds():
    assert {"history-v1.db", "history-v1"} <= set(VERSIONS)


@pytest.mark.parametrize("name", VERSIONS)
def test_a_store_of_an_earlier_version_loads_and_takes_new_runs(name, tmp_path):
    here = tmp_path / name
    (shutil.copytree if (FOLDER / name).is_dir() else shutil.copy)(FOLDER / name, here)
    with open_store(str(here)) as store:
        assert len(store.key()) == 32
        assert store.tables() == ["orders"]
        assert store.load("orders", ["2026-11-15", "2026-11-9"]) == golden.RUNS
        assert [line.decision for line in store.runs("orders")] == [None, golden.DECISIONS[1]]
        assert store.programs("orders") == golden.PROGRAMS
        assert store.decisions("orders") == golden.DECISIONS
        assert store.setting_changes("orders") == golden.SETTINGS
        assert store.record(golden.RUNS[0]) is True
        assert store.load("orders", ["2026-11-15", "2026-11-9"]) == golden.RUNS


def test_the_golden_store_is_the_one_of_the_first_release():
    made = hashlib.sha256((FOLDER / "history-v1.db").read_bytes()).hexdigest()
    assert made == "aec1bc0732bea3ceb34029c8034846e3e9f3e2137ea2fa91394965cc64b1b693"
