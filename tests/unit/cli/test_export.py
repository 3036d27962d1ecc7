"""`byhistory export` on a small history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.histories import demo
from tests.shell import byhistory

from byhistory.config import Config
from byhistory.export import ALL
from byhistory.profile import TableProfile
from byhistory.validator import Validator


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('export')}/h.db"
    with Validator(url, config=Config()) as guard:
        runs = [TableProfile(r.run, r.rows, {"amount": r["amount"]}) for r in demo(8)]
        guard.remember(runs, "orders")
    return url


@pytest.mark.parametrize("to", [format_.name for format_ in ALL])
def test_files_are_written_and_what_is_not_in_them_is_listed(store: str, tmp_path: Path, to: str) -> None:
    answer = byhistory("export", "orders", "--to", to, "--dir", str(tmp_path / "new"), "--store", store)
    assert answer.code == 0, answer.err
    written = [line.removeprefix("written: ") for line in answer.out.splitlines() if line.startswith("written: ")]
    assert written
    assert all(Path(path).read_text() for path in written)
    assert "not exported: amount: that all metrics together are as usual" in answer.out
    assert answer.last.startswith("orders: ")


def test_the_suite_is_that_of_the_table(store: str, tmp_path: Path) -> None:
    byhistory("export", "orders", "--to", "gx", "--dir", str(tmp_path), "--store", store)
    suite = json.loads((tmp_path / "orders.gx.json").read_text())
    assert suite["name"] == "orders"
    assert suite["expectations"][0]["kwargs"]["column_set"] == ["amount"]


def test_a_format_that_is_not_there_and_a_table_that_is_not_known_are_clear_errors(store: str) -> None:
    for args, said in ((("orders", "--to", "excel"), "gx, odcs, dbt, soda"), (("other", "--to", "gx"), "other")):
        answer = byhistory("export", *args, "--store", store)
        assert answer.code == 2
        assert said in answer.err
