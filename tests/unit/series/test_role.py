"""What a column is for."""

from __future__ import annotations

import numpy as np
import pytest

from byhistory.config import ROLES as NAMED
from byhistory.config import parse_config
from byhistory.errors import ByHistoryError
from byhistory.metrics import by_name
from byhistory.profile import Kind
from byhistory.rows.local import profile_table
from byhistory.series.role import MEANINGLESS, ROLE_METRICS, ROLES, role_of
from byhistory.validator import Validator

pytestmark = pytest.mark.xdist_group("roles")  # what they share is made once, and takes seconds

DAYS, ROWS = 20, 300
WORDS = [
    "the",
    "parcel",
    "came",
    "late",
    "and",
    "the",
    "box",
    "was",
    "open",
    "so",
    "I",
    "want",
    "my",
    "money",
    "back",
    "please",
]


def day(number: int) -> dict[str, list[object]]:
    """A day of a shop with a column for every role."""
    random = np.random.default_rng(number)  # noqa: TID251 - a test names its seed
    index = np.arange(ROWS)
    return {
        "order_id": (number * ROWS + index + 1).tolist(),
        "customer_number": (random.permutation(10**6)[:ROWS] + 10**7).tolist(),
        "uuid": [f"{number:02x}{i:06x}" for i in random.permutation(ROWS)],
        "month": [1 + number // 10] * ROWS,
        "dayOfMonth": [1 + number % 28] * ROWS,
        "currency": ["EUR"] * ROWS,
        "state": random.choice(["paid", "open", "sent"], ROWS).tolist(),
        "stars": random.integers(1, 6, ROWS).tolist(),
        "amount": np.round(random.lognormal(3, 1, ROWS), 2).tolist(),
        "visitors": (random.permutation(10**6)[:ROWS]).tolist(),
        "comment": [" ".join(random.permutation(WORDS)) for _ in index],
        "date": [f"2026-03-{1 + number:02}"] * ROWS,
    }


WANTED = {
    "order_id": "counter",
    "customer_number": "identifier",
    "uuid": "identifier",
    "month": "calendar part",
    "dayOfMonth": "calendar part",
    "currency": "constant",
    "state": "code",
    "stars": "code",
    "amount": "measure",
    "visitors": "measure",
    "comment": "free text",
    "date": "code",
}


@pytest.fixture(scope="module")
def guard():
    with Validator("memory:", config=parse_config("")) as guard:
        guard.remember([profile_table(day(n), run=f"2026-03-{1 + n:02}") for n in range(DAYS)], "shop")
        yield guard


def test_roles_are_told_from_what_metrics_read(guard) -> None:
    assert guard.learning.roles("shop") == WANTED


def test_what_is_only_told_is_shown_and_leaves_nothing_out(guard) -> None:
    assert "sum" in guard.learning.programs("shop")["customer_number"].model.metrics
    assert "order_id (numeric, counter)" in guard.learning.explain("shop")


def test_the_user_knows_better() -> None:
    config = parse_config('[tables.shop.columns.visitors]\nrole = "identifier"')
    with Validator("memory:", config=config) as guard:
        guard.remember([profile_table(day(n), run=f"2026-03-{1 + n:02}") for n in range(10)], "shop")
        assert guard.learning.roles("shop")["visitors"] == "identifier"
        assert "sum" not in guard.learning.programs("shop")["visitors"].model.metrics
    with pytest.raises(ByHistoryError, match="write one of identifier"):
        parse_config('[tables.shop.columns.visitors]\nrole = "id"')


def test_nothing_is_told_of_what_was_hardly_seen() -> None:
    reads = {name: np.full(2, 1.0) for name in ROLE_METRICS}
    assert role_of("n", Kind.NUMERIC, reads) == ""
    assert role_of("n", Kind.BINARY, {}) == ""
    assert role_of("at", Kind.TEMPORAL, {}) == "time"


def test_the_names_are_those_of_the_configuration_and_of_metrics() -> None:
    assert ROLES == NAMED
    assert set(MEANINGLESS) <= set(ROLES)
    for name in (*ROLE_METRICS, *(m for metrics in MEANINGLESS.values() for m in metrics)):
        assert by_name(name).name == name
