"""A guard of an earlier version opens and goes on, with the decisions that were made."""

import shutil
from pathlib import Path

import pytest
from tests.golden import guard_make as golden

from byhistory.config import Config
from byhistory.validator import Validator

FOLDER = Path(golden.__file__).parent
VERSIONS = sorted(p.name for p in FOLDER.glob("guard-v*"))


@pytest.fixture(params=VERSIONS)
def url(request, tmp_path):
    here = tmp_path / request.param
    (shutil.copytree if (FOLDER / request.param).is_dir() else shutil.copy)(FOLDER / request.param, here)
    return str(here)


def test_there_are_golden_guards_of_both_kinds_and_all_versions():
    assert {"guard-v1.db", "guard-v1", "guard-v2.db", "guard-v3.db"} <= set(VERSIONS)


def test_a_guard_of_an_earlier_version_verifies(url):
    with Validator(url, config=Config()) as guard:
        assert guard.records.verify().problems == ()


def test_the_same_data_delivered_to_a_later_version_keep_what_was_said_of_them(url):
    if "guard-v1" in url:
        pytest.skip("the first format told data apart by the bytes of exact profiles: privacy.md says what follows")
    with Validator(url, config=Config()) as guard:
        key = guard.store.key()
        assert guard.judge(golden.run(golden.ACCEPTED, 1.4, key), "orders").ok
        assert not guard.judge(golden.run(golden.BAD, 100.0, key), "orders").ok
        decided = {line.run: line.decision.what for line in guard.store.runs("orders") if line.decision is not None}
        assert decided == {golden.label(golden.BAD): "reject", golden.label(golden.ACCEPTED): "accept"}


def test_a_guard_of_an_earlier_version_goes_on(url):
    with Validator(url, config=Config()) as guard:
        key = guard.store.key()
        lines = guard.store.runs("orders")
        assert [line.run for line in lines] == [golden.label(day) for day in range(15)]
        decided = {line.run: line.decision.what for line in lines if line.decision is not None}
        assert decided == {golden.label(golden.BAD): "reject", golden.label(golden.ACCEPTED): "accept"}
        assert [(o.column, o.metric) for o in guard.overrides.of("orders")] == [golden.MUTED]
        assert guard.judge(golden.run(15, key=key), "orders").ok
        assert not guard.judge(golden.run(16, 100.0, key), "orders").ok
    with Validator(url, config=Config()) as guard:
        assert [line.outcome for line in guard.store.runs("orders")][-2:] == ["as usual", "stop"]


def test_a_retry_of_what_an_earlier_version_recorded_keeps_its_decision(url):
    with Validator(url, config=Config()) as guard:
        (run,) = guard.store.load("orders", [golden.label(golden.ACCEPTED)])
        guard.store.record(run)
        assert guard.store.runs("orders")[-1].decision.what == "accept"
