"""What to look for in the rows: what was drawn by chance, what is new, what another column shows."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from byhistory.why import why_table
from byhistory.why.change import change
from byhistory.why.locate import CLEAR
from byhistory.why.views import views

N = 5_000


def drawn(seed: int) -> np.random.Generator:
    """Randomness of a named seed."""
    return np.random.default_rng(seed)  # noqa: TID251 - a named seed


def prices(random: np.random.Generator) -> NDArray[np.float64]:
    """Amounts of which a cent more or less is drawn by chance."""
    return np.asarray(np.round(random.lognormal(1.3, 0.8, N), 2))


def test_values_that_are_more_frequent_by_chance_are_no_change():
    clear = 0
    for seed in range(40):
        random = drawn(seed)
        now, before = (pa.array(prices(random)) for _ in range(2))
        clear += any(change("x", view, np.ones(N)).evidence > CLEAR for view in views(now, before))
    assert clear <= 2


def shop(seed: int) -> dict[str, NDArray[np.generic]]:
    random = drawn(seed)
    return {
        "status": random.choice(["paid", "open", "sent"], N, p=[0.7, 0.2, 0.1]),
        "coupon": random.choice(["none", "SAVE-5", "VIP"], N, p=[0.9, 0.07, 0.03]),
        "score": np.round(random.random(N), 4),
        "tax": prices(random),
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_few_new_nulls_are_found_among_prices_that_vary(seed):
    before, now = shop(100 + seed), shop(200 + seed)
    planted = (now["status"] == "open") & (now["coupon"] == "SAVE-5")
    broken = {**now, "tax": pa.array(now["tax"], mask=planted & (np.arange(N) % 2 == 0))}
    answer = why_table(broken, before, columns=["tax"])
    assert answer.segment is not None
    assert {str(c) for c in answer.segment.conditions} == {"status = 'open'", "coupon = 'SAVE-5'"}


def tickers(day: int) -> dict[str, object]:
    """Names that stay, and prices written as text that move every day."""
    fixed, random = drawn(0), drawn(day)
    return {
        "symbol": [f"T{i:04}" for i in range(N)],
        "sector": fixed.choice(["Energy", "Health", "Finance"], N, p=[0.1, 0.4, 0.5]),
        "price": [f"${p:.2f}" for p in fixed.lognormal(3, 1, N) * random.normal(1, 0.02, N)],
    }


def test_prices_written_as_text_move_by_themselves_and_hide_no_nulls():
    now = tickers(2)
    missing = (np.asarray(now["sector"]) == "Energy") & (np.arange(N) % 2 == 0)
    broken = {**now, "price": pa.array(now["price"], mask=missing)}
    answer = why_table(broken, tickers(1), columns=["price"])
    assert [str(c) for s in answer.segments[:1] for c in s.conditions] == ["sector = 'Energy'"]


def test_rare_patterns_of_rows_that_stay_are_not_gone():
    random = drawn(3)
    words = ["a", "bb ", "7", "-", "c9", " "]
    texts = ["".join(random.choice(words, 12)) for _ in range(1400)]
    kind = random.choice(["x", "y", "z"], 1400, p=[0.4, 0.3, 0.3])
    before = {"id": [f"k{i}" for i in range(1400)], "kind": kind, "text": texts}
    now = {**before, "text": [t[:4] if k == "x" else t for t, k in zip(texts, kind, strict=True)]}
    answer = why_table(now, before, columns=["text"])
    assert [str(c) for s in answer.segments[:1] for c in s.conditions] == ["kind = 'x'"]


def test_a_column_that_is_told_apart_by_another_is_not_found_where_that_one_tells_most():
    """Counts are multiplied everywhere; where there are two to ninety, they are most clearly out of place."""
    random = drawn(4)
    deaths = np.round(random.lognormal(1.5, 2, N)).astype(np.int64)
    before = {"deaths": deaths, "confirmed": random.binomial(deaths, 0.95), "other": random.random(N)}
    now = {**before, "confirmed": (before["confirmed"] * 2.54).astype(np.int64)}
    assert why_table(now, before, columns=["confirmed"]).segment is None


def test_a_change_of_all_rows_is_not_told_by_the_dates_of_some():
    random = drawn(5)

    def run(first: int) -> dict[str, object]:
        days = random.integers(0, 3, N)
        values = np.round(random.lognormal(2, 1, N) * (1 + days))
        return {"day": [f"2026-05-{first + 7 * d:02}" for d in days], "level": random.random(N), "value": values}

    before, now = run(2), run(9)
    now["value"] = -np.asarray(now["value"])
    assert why_table(now, before, columns=["value"]).segment is None


def test_a_range_is_not_opened_because_of_what_chance_brings_beyond_its_end():
    random = drawn(1)
    before, now = ({"x": random.random(N), "text": random.choice(["ab", "cd"], N)} for _ in range(2))
    changed = (now["x"] >= 0.2) & (now["x"] < 0.4) & (random.random(N) < 0.02)
    now["text"] = np.where(changed, "abcd", now["text"])
    answer = why_table(now, before, columns=["text"])
    assert answer.segment is not None
    assert 0.2 <= answer.segment.conditions[0].low < answer.segment.conditions[0].high <= 0.42


def lived_in(day: int, ca: float = 0.2) -> dict[str, NDArray[Any]]:
    """Countries, each in one region."""
    random = drawn(day)
    country = random.choice(["DE", "FR", "PL", "US", "CA"], 4_000, p=[(1 - ca) / 4] * 4 + [ca])
    region = np.where(np.isin(country, ["CA", "US"]), "NA", "EU")
    return {"country": country, "region": region, "amount": random.lognormal(3, 1, 4_000)}


@pytest.mark.parametrize("ca", [0.18, 0.2, 0.22])
def test_a_value_that_has_another_name_wherever_it_was_is_in_no_segment(ca):
    """In some of the runs it is the clearest that the old name is gone, in others that the new one is there."""
    now = lived_in(2, ca)
    now["country"] = np.where(now["country"] == "CA", "CAN", now["country"])
    answer = why_table(pa.table(now), pa.table(lived_in(1)), columns=["country"])
    assert (answer.kind, answer.segments) == ("values everywhere", ())
    assert answer.sentence == "the value 'CA' in 'country' is 'CAN' now, wherever it was"


def test_a_value_that_has_another_name_in_some_of_its_rows_is_in_a_segment():
    now = lived_in(2)
    now["country"] = np.where((now["country"] == "CA") & (now["amount"] > 20), "CAN", now["country"])
    answer = why_table(pa.table(now), pa.table(lived_in(1)), columns=["country"])
    assert any(c.column == "amount" for c in answer.segment.conditions)


def test_identifiers_that_overflow_in_some_rows_are_found_though_they_move_on():
    def numbered(day: int) -> dict[str, NDArray[Any]]:
        return {
            "id": 1_500_000_000 + day * 10_000 + np.arange(4_000),
            "source": drawn(day).choice(["a", "b", "c"], 4_000),
        }

    now = numbered(2)
    now["id"] = np.where(now["source"] == "b", now["id"].astype(np.int16), now["id"])
    answer = why_table(pa.table(now), pa.table(numbered(1)), columns=["id"])
    assert str(answer.segment) == "source = 'b'"
