"""Columns that were mixed up, values that are there again and again, and rows that were like this before."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from byhistory.why import why_table
from byhistory.why.view import COPY, NEWNESS

ROWS = 4000


def machines(day: int, rows: int = ROWS) -> dict[str, pa.Array]:
    random = np.random.default_rng((11, day))  # noqa: TID251 - named by the day
    cpus = random.choice([2, 4, 8, 96, 208], rows, p=[0.3, 0.3, 0.2, 0.12, 0.08])
    memory = cpus * random.choice([2, 4, 8], rows)
    kind = random.integers(0, 12, rows)
    names = [f"type {k}" if c < 208 or k % 2 else "giant" for c, k in zip(cpus.tolist(), kind.tolist(), strict=True)]
    return {
        "cpus": pa.array(cpus),
        "memory": pa.array(memory),
        "zone": pa.array(random.choice(["a", "b", "c"], rows)),
        "name": pa.array(names),
        "price": pa.array(np.round(cpus * 1.3 + random.random(rows), 4)),
        "id": pa.array([f"{k:06d}" for k in random.permutation(900_000)[:rows]]),
    }


def changed(table: dict[str, pa.Array], column: str, rows: np.ndarray, values: list[object]) -> dict[str, pa.Array]:
    new = table[column].to_pylist()
    for row, value in zip(np.flatnonzero(rows).tolist(), values, strict=True):
        new[row] = value
    return {**table, column: pa.array(new)}


@pytest.mark.parametrize("in_zone", [True, False])
def test_a_column_with_the_values_of_another_one_is_told_as_that(in_zone: bool) -> None:
    now = machines(2)
    rows = np.asarray(now["zone"]) == "b" if in_zone else np.ones(ROWS, np.bool_)
    now = changed(now, "price", rows, np.asarray(now["memory"])[rows].astype(float).tolist())
    answer = why_table(now, machines(1), columns=["price"])
    assert answer.view == COPY + "memory"
    assert "the values of 'price' that are those of 'memory'" in answer.sentence
    assert [str(s) for s in answer.segments[:1]] == (["zone = 'b'"] if in_zone else [])


def test_a_column_that_became_zero_is_no_copy_of_one_with_zeros_in_some_rows() -> None:
    """Where the year is mostly known there are zeros: that both are 0 is no news about which rows changed."""

    def traded(day: int) -> dict[str, pa.Array]:
        now = machines(day)
        random = np.random.default_rng((13, day))  # noqa: TID251 - named by the day
        idle = (np.asarray(now["zone"]) == "b") & (random.random(ROWS) < 0.2)
        unknown = (np.asarray(now["zone"]) != "b") & (random.random(ROWS) < 0.85)
        year = pa.array(random.integers(1990, 2027, ROWS), mask=unknown)
        return {**now, "traded": pa.array(np.where(idle, 0, random.integers(1, 99, ROWS))), "year": year}

    now = traded(2)
    now["year"] = pa.array(np.zeros(ROWS, np.int64), mask=now["year"].is_null().to_numpy(zero_copy_only=False))
    answer = why_table(now, traded(1), columns=["year"])
    assert (answer.kind, answer.view.startswith(COPY)) == ("values everywhere", False), answer


def test_columns_that_are_often_equal_anyway_are_no_copies() -> None:
    def table(day: int) -> dict[str, pa.Array]:
        now = machines(day)
        return {**now, "listed": now["price"]}

    now = table(2)
    rows = np.asarray(now["zone"]) == "b"
    now["price"] = pa.array(now["price"].to_numpy(), mask=rows)
    answer = why_table(now, table(1), columns=["price"])
    assert not answer.view.startswith(COPY)
    assert str(answer.segment) == "zone = 'b'"


def test_a_frozen_value_is_found_in_all_rows_though_some_of_them_had_it_before() -> None:
    now = machines(2)
    rows = np.asarray(now["cpus"]) >= 96
    answer = why_table(changed(now, "name", rows, ["giant"] * int(rows.sum())), machines(1), columns=["name"])
    assert str(answer.segment) == "cpus ≥ 96"


def test_a_number_of_documents_that_is_there_again_and_again_is_told() -> None:
    now = machines(2)
    rows = np.asarray(now["zone"]) == "c"
    some = [now["id"][int(i)].as_py() for i in np.flatnonzero(rows)[:40]]
    answer = why_table(changed(now, "id", rows, np.resize(some, rows.sum()).tolist()), machines(1), columns=["id"])
    assert str(answer.segment) == "zone = 'c'"


def test_a_few_values_that_were_never_there_are_seen_among_hundreds_that_were() -> None:
    now, before = machines(2), machines(1)
    for table in (now, before):
        table["code"] = pa.array([f"c{k % 300}" for k in range(ROWS)])
    rows = (np.asarray(now["zone"]) == "a") & (np.asarray(now["cpus"]) == 208)
    rows &= np.cumsum(rows) <= 12
    answer = why_table(changed(now, "code", rows, [f"x{k}" for k in range(12)]), before, columns=["code"])
    assert (answer.view, len(answer.segments) > 0) == (NEWNESS, True)


def test_rows_that_all_came_twice_are_told_as_that_though_the_alarm_is_about_a_column() -> None:
    now, before = machines(2), machines(1)
    twice = {name: pa.chunked_array([values, values]) for name, values in now.items()}
    answer = why_table(twice, before, columns=["id"])
    assert answer.kind == "rows repeated everywhere"


def test_texts_that_were_cut_are_found_by_their_length_though_new_patterns_come_with_every_run() -> None:
    def places(day: int) -> dict[str, pa.Array]:
        random = np.random.default_rng((13, day))  # noqa: TID251 - named by the day
        words = ["North", "Café 24", "J&J", "No. 1", "Main St.", "O'Neill", "#5", "Öl-Depot", "A/B", "Mini (II)"]
        names = [" ".join(random.choice(words, random.integers(2, 5))) for _ in range(1500)]
        return {"name": pa.array(names), "state": pa.array(random.choice(list("ABCDEF"), 1500))}

    now = places(2)
    rows = np.asarray(now["state"]) == "C"
    cut = [now["name"][int(i)].as_py()[:8] for i in np.flatnonzero(rows)]
    answer = why_table(changed(now, "name", rows, cut), places(1), columns=["name"])
    assert str(answer.segment) == "state = 'C'"


def test_a_register_of_text_shows_values_that_no_run_had() -> None:
    def register(day: int) -> dict[str, pa.Array]:
        del day
        random = np.random.default_rng(17)  # noqa: TID251 - the same rows every day
        prints = [f"{k:08X}" for k in random.integers(0, 2**32, 700)]
        both = np.repeat(prints, 2)  # each has two addresses
        return {"print": pa.array(both), "port": pa.array(np.repeat(random.choice([80, 443, 9001], 700), 2))}

    now = register(2)
    rows = np.asarray(now["port"]) == 80
    rows &= np.cumsum(rows) <= 60
    now = changed(now, "print", rows, [f"new {k}" for k in range(60)])
    answer = why_table(now, register(1), columns=["print"])
    assert (answer.view, str(answer.segment)) == (NEWNESS, "port < 443")


def test_a_column_is_no_copy_of_one_whose_values_are_missing() -> None:
    def table(day: int) -> dict[str, pa.Array]:
        random = np.random.default_rng((19, day))  # noqa: TID251 - named by the day
        return {**machines(day), "count": pa.array(random.integers(0, 9, ROWS)), "other": random.integers(0, 9, ROWS)}

    now = table(2)
    now["other"] = pa.array(np.asarray(now["other"]), mask=np.asarray(now["zone"]) == "b")
    assert why_table(now, table(1), columns=["count"]).kind == "nothing found"


def test_rows_that_came_twice_are_said_once_whatever_columns_they_do_not_explain() -> None:
    now = machines(2)
    rows = np.concatenate([np.arange(ROWS), np.flatnonzero(np.asarray(now["zone"]) == "b")])
    twice = {name: values.take(pa.array(rows)) for name, values in now.items()}
    twice["id"] = pa.array([f"x{k}" for k in twice["id"].to_pylist()])  # a column that changed, too
    answer = why_table(twice, machines(1), columns=["id", "name"], is_about_rows=True)
    told = [(a.kind, a.segments) for a in (answer, *answer.also)]
    assert len(told) == len(set(told))
