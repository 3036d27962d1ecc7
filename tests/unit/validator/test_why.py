"""A stopped run is asked why, with tables in memory."""

import numpy as np
import pyarrow as pa
import pytest

from byhistory.config import Config
from byhistory.errors import BadInput
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

ROWS = 2000


def shop(day: int) -> dict[str, object]:
    random = np.random.default_rng((7, day))  # noqa: TID251 - named by the day
    rows = ROWS + int(random.integers(-200, 200))
    return {
        "id": day * 10**6 + np.arange(rows),
        "source": random.choice(["web", "mobile", "store"], rows, p=[0.5, 0.3, 0.2]),
        "amount": np.round(random.lognormal(3, 0.8, rows), 2),
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


def with_rows(table, count):
    return {name: np.concatenate([values, values[count]]) for name, values in table.items()}


def test_copies_are_taken_out_and_the_run_is_as_usual(guard):
    today = shop(12)
    twice = with_rows(today, today["source"] == "mobile")
    verdict = guard.judge(profile_table(twice, run=label(12)), "orders")
    answer = guard.why(twice, verdict, before=shop(11))
    assert str(answer.segment) == "source = 'mobile'"
    assert (answer.proof.way, answer.proof.rows) == ("without copies", len(twice["id"]) - len(today["id"]))
    assert answer.proof.is_gone
    assert str(answer.proof) == f"Without the {answer.proof.rows} copies the run is as usual."


def test_missing_rows_are_proved_by_those_of_the_run_before(guard):
    today = shop(12)
    left = {name: values[today["source"] != "mobile"] for name, values in today.items()}
    verdict = guard.judge(profile_table(left, run=label(12)), "orders")
    answer = guard.why(left, verdict, before=shop(11))
    assert (answer.kind, str(answer.segment)) == ("rows missing in a segment", "source = 'mobile'")
    assert (answer.proof.way, answer.proof.rows) == ("with the rows before", (shop(11)["source"] == "mobile").sum())
    assert answer.proof.is_gone
    assert guard.why(left, verdict).proof is None, "there are no rows to put in their place"


def test_what_another_column_has_is_not_said_to_be_gone(guard):
    bad = shop(12)
    bad["amount"] = pa.array(bad["amount"], mask=bad["source"] == "mobile")
    bad["source"] = pa.array(bad["source"], mask=bad["source"] == "store")
    verdict = guard.judge(profile_table(bad, run=label(12)), "orders")
    answer = guard.why(bad, verdict, before=shop(11), columns=["amount", "source"])
    assert {"source", "amount"} == {*answer.columns, *(c for a in answer.also for c in a.columns), *answer.apart}
    assert answer.column == "amount"
    assert answer.proof.is_gone
    assert any(left.startswith("source:") for left in answer.proof.left)


def test_a_column_that_is_not_there_is_an_error_and_not_nothing_found(guard):
    verdict = guard.judge(profile_table(shop(12), run=label(12)), "orders")
    for rows in (shop(12), pa.table(shop(12))):
        with pytest.raises(BadInput, match=r"no column 'amont' \(did you mean amount\?\).*name one of amount, id"):
            guard.why(rows, verdict, columns=["amount", "amont"])
