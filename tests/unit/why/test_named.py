"""A segment is named if the change is in it and nowhere else: not where it only shows, and as wide as it is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from byhistory.why import why_table
from byhistory.why.change import distance
from byhistory.why.scan import Tally, spread
from byhistory.why.views import of_line

ROWS = 4000


def tally(now: int, traits_now: int, before: int, traits_before: int) -> Tally:
    return Tally(*(np.asarray(float(x)) for x in (now, traits_now, before, traits_before)))


@given(st.integers(50, 2000), st.floats(0.0, 0.9), st.floats(0.2, 1.0))
def test_what_happened_outside_as_well_is_spread(rows: int, usual: float, share: float) -> None:
    def side() -> Tally:
        return tally(rows, round(rows * (usual + share * (1 - usual))), rows, round(rows * usual))

    assert spread(side(), side()) > 0


@given(st.integers(200, 2000), st.floats(0.0, 0.8), st.floats(0.3, 1.0))
def test_what_happened_inside_only_is_not(rows: int, usual: float, share: float) -> None:
    had = round(rows * usual)
    inside = tally(rows, round(rows * (usual + share * (1 - usual))), rows, had)
    assert spread(inside, tally(rows, had, rows, had)) < 0


def sales(day: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(day)  # noqa: TID251 - a named seed
    shop = random.choice(["a", "b", "c", "d"], ROWS, p=[0.4, 0.3, 0.2, 0.1])
    kind = np.where(random.random(ROWS) < np.where(shop == "a", 0.9, 0.05), "food", "toys")
    size = random.integers(1, 100, ROWS)
    return {"shop": shop, "kind": kind, "size": size, "price": np.round(size * random.lognormal(1, 0.3, ROWS), 2)}


def test_a_value_renamed_everywhere_is_in_no_segment_where_it_was_frequent() -> None:
    now = sales(2)
    now["kind"] = np.where(now["kind"] == "food", "Food", now["kind"])
    assert why_table(pa.table(now), pa.table(sales(1)), columns=["kind"]).kind == "values everywhere"


def test_one_added_everywhere_is_in_no_segment_where_zeros_were() -> None:
    def zeros(day: int) -> dict[str, np.ndarray]:
        made = sales(day)
        random = np.random.default_rng(day + 10)  # noqa: TID251 - a named seed
        rare = np.where(made["shop"] == "d", 0.6, 0.02)
        return {**made, "returns": np.where(random.random(ROWS) < rare, 0, random.integers(1, 50, ROWS))}

    now = zeros(2)
    now["returns"] = now["returns"] + 1
    assert why_table(pa.table(now), pa.table(zeros(1)), columns=["returns"]).kind == "values everywhere"


def test_a_range_reaches_as_far_as_the_rows_that_changed() -> None:
    now = sales(2)
    large = now["size"] >= 30
    now["price"] = np.where(large, now["price"] * 10, now["price"])
    answer = why_table(pa.table(now), pa.table(sales(1)), columns=["price"])
    assert str(answer.segment) == "size ≥ 30"


def test_numbers_rounded_to_hundreds_are_seen_as_such() -> None:
    now = sales(2)
    now["price"] = np.where(now["shop"] == "b", np.round(now["price"], -2), now["price"])
    answer = why_table(pa.table(now), pa.table(sales(1)), columns=["price"])
    assert str(answer.segment) == "shop = 'b'"


def test_texts_with_another_sign_are_found_though_their_pattern_is_the_same() -> None:
    def prices(day: int) -> dict[str, list[str]]:
        made = sales(day)
        return {"shop": made["shop"].tolist(), "price": [f"${p:.2f}" for p in made["price"]]}

    now = prices(2)
    now["price"] = [p.replace(".", ",") if s == "c" else p for p, s in zip(now["price"], now["shop"], strict=True)]
    answer = why_table(pa.table(now), pa.table(prices(1)), columns=["price"])
    assert (str(answer.segment), answer.view) == ("shop = 'c'", "signs")


@given(st.integers(0, 1000))
def test_two_runs_that_differ_by_chance_are_not_apart(seed: int) -> None:
    random = np.random.default_rng(seed)  # noqa: TID251 - a named seed
    here, there = random.normal(size=500), random.normal(size=500)
    view = of_line("value", here, there)
    rows = np.arange(500)
    assert distance(view, np.ones(500), rows, rows) < 0.35


def test_a_new_value_is_told_as_it_is_written_and_counted_by_itself() -> None:
    now = sales(2)
    now["kind"] = np.where(now["shop"] == "b", "n/a", now["kind"])
    answer = why_table(pa.table(now), pa.table(sales(1)), columns=["kind"])
    assert answer.sentence.startswith("all of the new values 'n/a' in 'kind' are in rows with shop = 'b'")


def test_a_run_before_without_rows_is_one_that_could_not_be_read() -> None:
    before, now = pa.table(sales(1)), sales(2)
    now["price"] = np.where(now["shop"] == "b", np.nan, now["price"])
    from byhistory.rows.local import profile_table

    known = profile_table(before, run="1").columns
    asked = {"columns": ["price"], "profiles": known, "rows_before": ROWS}
    answer = why_table(pa.table(now), before.slice(0, 0), **asked)
    assert answer.unknown
