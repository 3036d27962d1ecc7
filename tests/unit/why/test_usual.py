"""What good runs do by themselves is not what an alarm is about: their profiles say how far apart they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from byhistory.rows.local import profile_table
from byhistory.why import why_table
from byhistory.why.usual import FEWEST, usual

ROWS = 3000


def forecasts(day: int) -> dict[str, pa.Array]:
    """A table in which the numbers of every place move from day to day, as tied counts do."""
    random = np.random.default_rng((3, day))  # noqa: TID251 - named by the day
    place = random.choice(["north", "south", "east", "west"], ROWS)
    level = {
        name: base + random.integers(0, 4) for base, name in ((5, "north"), (15, "south"), (25, "east"), (35, "west"))
    }
    hour = random.integers(0, 24, ROWS)
    return {
        "place": pa.array(place),
        "hour": pa.array(hour),
        "count": pa.array([int(level[p] + h // 8) for p, h in zip(place.tolist(), hour.tolist(), strict=True)]),
    }


def profiles(days: int):
    return [profile_table(forecasts(day), run=f"{day:02}", sample_rows=0) for day in range(days)]


def with_nulls(day: int, share: float = 1.0) -> dict[str, pa.Array]:
    table = forecasts(day)
    random = np.random.default_rng(day)  # noqa: TID251 - named by the day
    some = (np.asarray(table["place"]) == "north") & (np.asarray(table["hour"]) >= 16) & (random.random(ROWS) < share)
    return {**table, "count": pa.array(table["count"].to_numpy(), mask=some)}


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_what_moves_by_itself_does_not_hide_where_values_are_missing(share: float) -> None:
    answer = why_table(with_nulls(11, share), forecasts(10), columns=["count"], past=profiles(11))
    assert {str(c) for c in answer.segment.conditions} == {"place = 'north'", "hour ≥ 16"}
    assert answer.sentence.startswith("all of the new missing values in 'count'")


def test_values_that_moved_farther_than_they_ever_do_are_told() -> None:
    now = forecasts(11)
    broken = np.asarray(now["place"]) == "south"
    now["count"] = pa.array(np.where(broken, now["count"].to_numpy() * 100, now["count"].to_numpy()))
    answer = why_table(now, forecasts(10), columns=["count"], past=profiles(11))
    assert str(answer.segment) == "place = 'south'"


def test_of_few_good_runs_nothing_is_said_to_be_usual() -> None:
    assert usual(profiles(FEWEST - 1), "count") == {}
    assert usual(profiles(FEWEST), "count")["value"] > 0.1
    assert usual(profiles(FEWEST), "count")["presence"] == 0.0


def test_a_column_that_no_good_run_has_is_not_known() -> None:
    assert usual(profiles(6), "other") == {}


def test_rows_that_keep_their_numbers_are_compared_though_nearly_half_of_them_changed() -> None:
    def register(day: int) -> dict[str, pa.Array]:
        random = np.random.default_rng(7)  # noqa: TID251 - the same rows every day
        return {
            "name": pa.array([f"agency {k}" for k in range(ROWS)]),
            "type": pa.array(random.choice(["city", "county"], ROWS, p=[0.4, 0.6])),
            "id": pa.array(random.permutation(np.arange(10_000, 10_000 + ROWS))),
            "seen": pa.array(np.full(ROWS, day)),
        }

    now = register(11)
    noise = 1 + 0.05 * np.random.default_rng(0).normal(size=ROWS)  # noqa: TID251 - a named seed
    city = np.asarray(now["type"]) == "city"
    now["id"] = pa.array(np.where(city, np.rint(now["id"].to_numpy() * noise), now["id"].to_numpy()).astype(np.int64))
    past = [profile_table(register(day), run=f"{day:02}", sample_rows=0) for day in range(11)]
    answer = why_table(now, register(10), columns=["id"], past=past)
    assert str(answer.segment) == "type = 'city'"
