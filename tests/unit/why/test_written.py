"""Dates and times that are written as text are conditions like others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.strategies import seeded
from tests.unit.why.test_why import BEFORE, NOW, nulled, with_column

from byhistory.why import Condition, why_table
from byhistory.why.features import features
from byhistory.why.written import FORMATS, format_of


def written(table: pa.Table, form: str) -> pa.Table:
    return with_column(table, "at", pc.strftime(pc.cast(table["at"], pa.timestamp("s", "UTC")), form))


@pytest.mark.parametrize("form", [f for f in FORMATS if "%H" in f])
def test_values_that_changed_after_an_hour_are_found_there_though_times_are_text(form: str) -> None:
    late = pc.greater_equal(pc.hour(NOW["at"]), 20).to_numpy(zero_copy_only=False)
    answer = why_table(written(nulled(NOW, "amount", late), form), written(BEFORE, form), columns=["amount"])
    assert answer.segment is not None
    assert [c.column for c in answer.segment.conditions] == ["at"], answer.sentence
    assert answer.segment.inside(written(NOW, form)).to_pylist() == late.tolist()


def test_a_load_that_ends_early_is_told_by_the_text_where_it_ends() -> None:
    form = "%Y-%m-%dT%H:%M:%S"
    some = pc.less(pc.cast(NOW["at"], pa.int64()), (1_767_225_600 + 2 * 86_400 + 14 * 3_600 + 1_200) * 10**6)  # 14:20
    answer = why_table(written(NOW.filter(some), form), written(BEFORE, form), is_about_rows=True)
    assert answer.sentence.startswith("the load is partial: it has no rows with at ≥ '2026-01-03T"), answer.sentence


@pytest.mark.parametrize("form", FORMATS)
def test_texts_have_the_order_of_their_times(form: str) -> None:
    times = pa.array(np.sort(seeded(5).integers(0, 2 * 10**9, 400)), pa.timestamp("s"))
    texts = pc.strftime(times, form)
    condition = Condition(
        ("at",), "local time", low=5e8 // 86_400 * 86_400, high=1.5e9 // 86_400 * 86_400, written=form
    )
    low, high = (pc.strftime(pa.array([int(x)], pa.timestamp("s")), form)[0] for x in condition.ends)
    as_texts = pc.and_(pc.greater_equal(texts, low), pc.less(texts, high))
    assert condition.holds(texts).tolist() == as_texts.to_pylist()
    assert repr(low.as_py()) in condition.sql()


def test_texts_that_are_no_times_meet_no_condition_of_time() -> None:
    array = pa.array(["2026-02-31", "soon", None, "2026-03-01"])
    assert Condition(("at",), "date", low=0.0, written="%Y-%m-%d").holds(array).tolist() == [False, False, False, True]


@pytest.mark.parametrize("texts", [["1.5", "2"], ["2026-13-01"] * 9, ["15/11/2026"], [None], []])
def test_other_texts_are_no_times(texts: list[str | None]) -> None:
    array = pa.array(texts, pa.string())
    assert not format_of(array)
    assert not any(f.written for f in features(("at",), array, array))
