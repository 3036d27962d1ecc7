"""Rows in which a column no longer goes with another are found, also where its values are as frequent as they were."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from byhistory.why import why_table
from byhistory.why.features import features
from byhistory.why.fits import fits, of_ranges
from byhistory.why.view import FIT
from byhistory.why.views import views

ROWS = 3000


def games(day: int, rows: int = ROWS) -> dict[str, pa.Array]:
    random = np.random.default_rng(day)  # noqa: TID251 - a named seed
    points = random.gamma(2.0, 300.0, rows).round()
    rank = np.empty(rows)
    rank[np.argsort(-points, kind="stable")] = np.arange(1, rows + 1)
    team = random.choice(["north", "south", "east", "west"], rows)
    return {
        "team": pa.array(team),
        "points": pa.array(points),
        "rank": pa.array(rank),
        "age": pa.array(random.integers(16, 40, rows)),
    }


def shuffled(values: pa.Array, rows: np.ndarray) -> pa.Array:
    """The values of some rows dealt out anew among them: every one is as frequent as before."""
    numbers = np.asarray(values.to_pylist(), object)
    numbers[rows] = np.random.default_rng(0).permutation(numbers[rows])  # noqa: TID251 - a named seed
    return pa.array(numbers.tolist(), values.type)


def test_values_that_went_to_other_rows_are_found_by_the_column_that_they_follow() -> None:
    now = games(2)
    north = np.flatnonzero(np.asarray(now["team"]) == "north")
    now["rank"] = shuffled(now["rank"], north)
    answer = why_table(pa.table(now), pa.table(games(1)), columns=["rank"])
    assert str(answer.segment) == "team = 'north'"
    assert answer.view == FIT + "points"
    assert answer.sentence.startswith("all of the values of 'rank' that do not go with 'points' as before are in rows")


def test_values_that_went_to_other_rows_everywhere_are_in_no_segment() -> None:
    now = games(2)
    now["rank"] = shuffled(now["rank"], np.arange(ROWS))
    answer = why_table(pa.table(now), pa.table(games(1)), columns=["rank"])
    assert (answer.kind, answer.segments) == ("values everywhere", ())


def test_a_link_that_has_another_name_in_it_is_found() -> None:
    def links(day: int) -> dict[str, pa.Array]:
        random = np.random.default_rng(day)  # noqa: TID251 - a named seed
        names = [f"item{n:05d}" for n in random.permutation(50_000)[:ROWS]]
        return {
            "name": pa.array(names),
            "url": pa.array([f"https://example.org/{n}" for n in names]),
            "shop": pa.array(random.choice(["a", "b", "c"], ROWS)),
        }

    now = links(2)
    now["url"] = shuffled(now["url"], np.flatnonzero(np.asarray(now["shop"]) == "b"))
    answer = why_table(pa.table(now), pa.table(links(1)), columns=["url"])
    assert (str(answer.segment), answer.view) == ("shop = 'b'", FIT + "name")


@pytest.mark.parametrize("day", [3, 4])
def test_a_good_run_goes_with_the_other_columns_as_the_one_before(day: int) -> None:
    def prices(seed: int) -> tuple[pa.Array, pa.Array]:
        random = np.random.default_rng(seed)  # noqa: TID251 - a named seed
        size = random.integers(1, 100, ROWS)
        return pa.array(size), pa.array(size * random.lognormal(1, 0.1, ROWS))

    (sizes, now), (sizes_before, before) = prices(day), prices(1)
    view = of_ranges(now, before)
    assert view is not None
    fit = fits(view, list(features(("size",), sizes, sizes_before)))
    assert fit is not None
    assert fit.name == FIT + "size"
    odd_now, odd_before = (float(np.isin(c, (1, 2)).mean()) for c in (fit.now, fit.before))
    assert abs(odd_now - odd_before) <= 0.02


def test_a_column_that_follows_no_other_is_not_judged_by_one() -> None:
    now, before = games(2), games(1)
    others = list(features(("points",), now["points"], before["points"]))
    (view,) = (v for v in views(now["age"], before["age"]) if v.name == "value")
    assert fits(view, others) is None
