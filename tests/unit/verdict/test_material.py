"""What touches hardly a row is told a level lower: it never stops, and is warned about where it would have stopped."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from byhistory.config import parse_config
from byhistory.metrics import ALL, Measures
from byhistory.profile import Kind, TableProfile
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.verdict.material import is_material, weighed

ROWS = 413


def snapshot(rows: int = ROWS, run: str = "", **changed: object) -> TableProfile:
    """A list of programs that never changes: a key, a price, a state, and a note that one row in a hundred has."""
    index = np.arange(rows)
    table = {
        "id": pa.array(index + 1000),
        "price": pa.array(np.round(10.25 + index % 37 / 4, 2)),
        "state": pa.array(np.array(["open", "paused", "closed"])[index % 3]),
        "note": pa.array([f"note {i}" if i % 100 == 7 else None for i in index]),
    }
    return profile_table(pa.table({**table, **changed}), run=run)


def differs(now: TableProfile, name: str) -> bool:
    before = snapshot()
    reads = Measures.of(now, before.columns, ALL).reads(name)
    return is_material(now[name].kind, reads, Measures.of(before, {}, ALL).reads(name))


@pytest.mark.parametrize("name", ["id", "price", "state", "note"])
def test_a_row_more_of_four_hundred_is_not_material(name: str) -> None:
    assert not differs(snapshot(ROWS + 1), name)
    assert differs(snapshot(ROWS + 25), name), "25 rows more are more than one in twenty"


def test_numbers_count_by_how_far_they_moved_too() -> None:
    price = np.round(10.25 + np.arange(ROWS) % 37 / 4, 2)
    one_vast = np.where(np.arange(ROWS) == 5, 1e9, price)
    assert differs(snapshot(price=pa.array(one_vast)), "price"), "one number a hundred million times too large"
    assert differs(snapshot(price=pa.array(np.round(price))), "price"), "the decimal places are gone"
    assert differs(snapshot(price=pa.array(price, mask=np.arange(ROWS) < 6)), "price"), "six values are null"
    assert not differs(snapshot(price=pa.array(price, mask=np.arange(ROWS) == 200)), "price")


@pytest.mark.parametrize(("rows", "odd", "counts"), [(96, 2, False), (96, 3, True), (10, 1, True), (1_000, 9, False)])
def test_one_or_two_odd_texts_of_a_hundred_do_not_count(rows: int, odd: int, counts: bool) -> None:
    usual = {"row_count": float(rows), "complete_ratio": 1.0}
    assert is_material(Kind.CATEGORICAL, {**usual, "l1": 2.0 * odd / rows}, usual) == counts


@pytest.mark.parametrize(("lost", "levels"), [(3, ("warn", "as usual")), (15, ("stop", "warn"))])
def test_the_number_of_rows_is_weighed_by_itself(lost: int, levels: tuple[str, str]) -> None:
    before, now = {"row_count": float(ROWS)}, {"row_count": float(ROWS - lost)}
    assert tuple(weighed(level, "row_count", Kind.NUMERIC, now, before) for level in ("stop", "warn")) == levels


def test_the_rows_of_the_day_before_are_too_few_for_a_day_that_has_more_every_week() -> None:
    rows = {"row_count": float(ROWS)}
    assert weighed("stop", "row_count", Kind.NUMERIC, rows, rows, compared=10.0 * ROWS) == "stop"
    assert weighed("stop", "row_count", Kind.NUMERIC, rows, rows, compared=ROWS + 2.0) == "warn"


def test_what_cannot_be_compared_is_material() -> None:
    usual = {"row_count": 100.0, "complete_ratio": 1.0}
    assert is_material(Kind.CATEGORICAL, usual, {}), "there was no run before"
    assert is_material(Kind.CATEGORICAL, usual, usual), "no distance is known"
    assert not is_material(Kind.CATEGORICAL, {**usual, "l1": 0.0}, usual)
    assert is_material(Kind.NUMERIC, {**usual, "ks_dist": 0.0}, usual), "nor how far the numbers moved"
    assert is_material(Kind.TEMPORAL, {**usual, "ks_dist": 0.0}, usual), "a date that is off by little is off"


@pytest.mark.parametrize(("more", "level"), [(1, "as usual"), (3, "as usual"), (5, "warn"), (20, "warn"), (41, "stop")])
def test_a_table_that_never_changed_may_gain_a_row_and_not_a_tenth_of_them(more: int, level: str) -> None:
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([snapshot(run=f"{day:02}") for day in range(30)], "t")
        grown = guard.judge(snapshot(ROWS + more, run="30"), "t")
        assert grown.level == level
        told = [f.sentence for f in grown.verdict.causes]
        assert level == "as usual" or any(f"{ROWS + more} rows, usually {ROWS}" in sentence for sentence in told)


@pytest.mark.parametrize(("budget", "levels"), [(0.01, ("warn", "stop")), (0.002, ("as usual", "warn"))])
def test_a_new_value_in_three_rows_is_told_a_level_lower_than_one_in_five(
    budget: float, levels: tuple[str, str]
) -> None:
    state = np.array(["open", "paused", "closed"])[np.arange(ROWS) % 3]
    with Validator("memory:", config=parse_config(f"budget = {budget}")) as guard:
        guard.remember([snapshot(run=f"{day:02}") for day in range(30)], "t")
        for rows, level in zip((3, 5), levels, strict=True):
            changed = np.where(np.arange(ROWS) < rows, "gone", state)
            judged = guard.judge(snapshot(run="30", state=pa.array(changed)), "t")
            assert judged.level == level
            assert [(f.column, f.level) for f in judged.findings] == [("state", level)], "it is told all the same"


@pytest.mark.parametrize(("growth", "level"), [(8, "as usual"), (41, "warn")])
def test_rows_that_come_and_go_make_no_more_of_three_odd_values(growth: int, level: str) -> None:
    state = np.array(["open", "paused", "closed"])[np.arange(ROWS) % 3]
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([snapshot(ROWS + day % 2 * growth, f"{day:02}") for day in range(30)], "t")
        changed = np.where(np.arange(ROWS) < 3, "gone", state)
        judged = guard.judge(snapshot(run="30", state=pa.array(changed)), "t")
        assert [f.level for f in judged.findings if f.column == "state"] == [level]
