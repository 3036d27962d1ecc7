"""A stopped run is asked why, with tables in memory."""

import numpy as np
import pyarrow as pa
import pytest

from byhistory.config import Config
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

ROWS = 2000


def shop(day: int) -> dict[str, object]:
    random = np.random.default_rng((7, day))  # noqa: TID251 - named by the day
    return {
        "source": random.choice(["web", "mobile", "store"], ROWS, p=[0.5, 0.3, 0.2]),
        "amount": np.round(random.lognormal(3, 0.8, ROWS), 2),
    }


def label(day: int) -> str:
    return f"2026-01-{day + 1:02}"


@pytest.fixture
def guard():
    guard = Validator("memory:", config=Config())
    guard.remember([profile_table(shop(day), run=label(day)) for day in range(12)], "orders")
    return guard


def test_the_answer_names_the_segment_and_proves_it(guard):
    bad = shop(12)
    mobile = bad["source"] == "mobile"
    bad["amount"] = pa.array(bad["amount"], mask=mobile)
    verdict = guard.judge(profile_table(bad, run=label(12)), "orders")
    answer = guard.why(bad, verdict, before=shop(11))
    assert str(answer.segment) == "source = 'mobile'"
    assert (answer.proof.is_gone, answer.proof.rows) == (True, mobile.sum())
    assert (answer.table, answer.run, answer.before) == ("orders", label(12), label(11))
    assert answer.to_dict()["segments"][0]["sql"] == "(`source` = 'mobile')"
    stand_in = guard.why(bad, verdict)
    assert str(stand_in.segment) == "source = 'mobile'"
    assert stand_in.unknown


def test_a_copy_of_an_earlier_run_is_told_as_one(guard):
    verdict = guard.judge(profile_table(shop(9), run=label(12)), "orders")
    answer = guard.why(shop(9), verdict, before=shop(11))
    assert (answer.kind, answer.other) == ("same rows as an earlier run", label(9))
