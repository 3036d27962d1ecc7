"""A column that held values and holds none stops, whatever the budget, in tables that nobody made for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bench.cases.profiles import profile_all
from bench.corpus import tables
from bench.wholly_null import BUDGETS, answers
from scripts.make_corpus import write_corpus


@pytest.mark.parametrize("corpus", ["made", os.environ.get("CORPUS")], ids=["made", "named"])
def test_a_steady_column_that_is_wholly_null_stops_at_every_budget(corpus: str | None, tmp_path: Path) -> None:
    if not corpus:
        pytest.skip("no corpus is named; CORPUS=directory names one")
    found = list(tables(write_corpus(tmp_path / "corpus") if corpus == "made" else Path(corpus)))
    profile_all(found, tmp_path / "profiles")
    said = [answer for table in found for answer in answers(table, tmp_path / "profiles")]
    assert len(said) >= 4 * len(BUDGETS)
    assert [answer for answer in said if not answer.stops] == []
