"""What a person reads first: the rule that stopped the run, and nothing that is no news."""

import numpy as np
import pyarrow as pa
import pytest

from byhistory.learners import learn
from byhistory.report import to_text
from byhistory.rows.local import profile_table
from byhistory.verdict import Unjudged, Verdict, check

RUNS, ROWS, SEED = 20, 200, 3


def past() -> list[dict[str, list[object]]]:
    random = np.random.default_rng(SEED)  # noqa: TID251 - a named seed
    return [
        {
            "n": [int(x) for x in random.poisson(3, ROWS)],
            "m": [float(x) for x in random.normal(50, 5, ROWS)],
            "s": [str(x) for x in random.choice(["red", "green", "blue", ""], ROWS)],
        }
        for _ in range(RUNS + 1)
    ]


def verdict_on(**columns: object) -> Verdict:
    *runs, now = past()
    profiles = [profile_table(r, run=f"{i:02}") for i, r in enumerate(runs)]
    return check(profile_table(now | columns, run=f"{RUNS}"), learn(profiles), profiles)


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("n", [0] * ROWS, "every number is zero; "),
        ("s", [""] * ROWS, "every value is empty; "),
        ("m", [50.0] * ROWS, "every value is the same; the most frequent one made up "),
        ("m", pa.nulls(ROWS, pa.float64()), "every value is null; 100 % were present in all 20 good runs before"),
    ],
)
def test_what_always_stops_leads_and_is_said_as_a_person_would(column: str, values: object, said: str) -> None:
    verdict = verdict_on(**{column: values})
    (cause,) = verdict.causes
    assert cause.sentence.startswith(said), cause.sentence
    assert "also" not in cause.sentence
    assert cause.stops
    assert not cause.looks_like, "no likeness says more than that"
    assert str(verdict).count("null") <= 1
    assert f"     {said.partition(';')[0]}\n" in to_text(verdict)


def test_columns_that_are_all_null_are_one_cause_whatever_the_past_of_each() -> None:
    (cause,) = verdict_on(n=pa.nulls(ROWS, pa.int64()), s=pa.nulls(ROWS, pa.string())).causes
    assert set(cause.columns) == {"n", "s"}
    assert cause.sentence.startswith("every value is null; ")


def test_a_metric_that_was_undefined_in_an_earlier_run_is_no_reason_not_to_judge() -> None:
    runs = [{"code": [f"{'abc'[i % 3]}{i}" for i in range(30)]} for _ in range(14)]
    digits = {"code": [f"{i}" for i in range(30)]}  # no letters: the share of capitals is undefined

    before = [*runs, *[digits] * 3, *runs, digits, *runs, *[digits] * 3]
    profiles = [profile_table(r, run=f"{i:02}") for i, r in enumerate(before)]
    verdict = check(profile_table(digits, run="99"), learn(profiles, 0.01, "calibrated"), profiles)
    column = verdict.columns["code"]
    assert [o.constraint.metric for o in column.not_evaluable] == ["upper_ratio"], "all others are judged"
    assert not column.newly_undefined
    assert "could not be judged" not in str(verdict)
    assert not verdict.is_whole, "a machine is told"


@pytest.mark.parametrize(("why", "slight"), [("judged by 59 of 60 runs", True), ("judged by 9 of 60 runs", False)])
def test_a_few_runs_fewer_are_kept_for_machines_only(why: str, slight: bool) -> None:
    one = Unjudged("n", why)
    verdict = Verdict("7", (), {}, unjudged=(one,))
    assert one.is_slight is slight
    assert (why in str(verdict)) is not slight
    assert not verdict.is_whole
    assert why in verdict.to_json()
