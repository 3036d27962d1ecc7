"""What moves slowly is told once, as a warning with a life of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from byhistory.config import Config, TableConfig
from byhistory.history.memory import MemoryStore
from byhistory.profile import TableProfile
from byhistory.report.answers.inbox import in_words
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.validator.judged import Judged

RUNS = 150


def run(at: int, mean: float = 50.0, nulls: float = 0.02, rows: int = 400) -> TableProfile:
    rng = np.random.default_rng(at)  # noqa: TID251 - the number of the run is the seed
    amount = rng.normal(mean, 0.1 * mean, rows)
    missing = rng.random(rows) < nulls
    values = [None if gone else float(value) for gone, value in zip(missing, amount, strict=True)]
    return profile_table({"amount": values, "state": rng.choice(["WA", "OR", "CA"], rows).tolist()}, run=f"{at:04}")


def judged(runs: Iterable[TableProfile], *, drift: bool = True, store: MemoryStore | None = None) -> list[Judged]:
    config = Config(defaults=TableConfig(drift=drift))
    with Validator(store or MemoryStore(), config=config, faults=()) as guard:
        past = list(runs)
        guard.remember(past[:50], "t")
        return [guard.judge(one, "t") for one in past[50:]]


def told(verdicts: Iterable[Judged]) -> list[tuple[str, str]]:
    return [(v.run, f.sentence) for v in verdicts for f in v.findings if f.about == "drift"]


def mean(at: int) -> TableProfile:
    return run(at, mean=float(np.interp(at, [0, 100], [50, 250])))


def nulls(at: int) -> TableProfile:
    return run(at, nulls=float(np.interp(at, [0, 100], [0.02, 0.62])))


def rows(at: int) -> TableProfile:
    return run(at, rows=int(np.interp(at, [0, 100], [2000, 265])))


@pytest.mark.parametrize(
    ("of", "what"), [(mean, "average"), (nulls, "share of values present"), (rows, "number of rows")]
)
def test_what_moves_slowly_over_a_hundred_runs_is_told(of: Callable[[int], TableProfile], what: str) -> None:
    found = told(judged(of(at) for at in range(101)))
    assert 1 <= len(found) <= 2
    assert f"{what} has drifted since " in found[0][1]
    assert all(label >= "0062" for label, _ in found)


@pytest.mark.parametrize(("far", "is_told"), [(1.0, False), (60.0, True)])
def test_an_average_near_zero_drifts_where_it_moves_far_for_its_numbers(far: float, is_told: bool) -> None:
    def change(at: int) -> TableProfile:
        rng = np.random.default_rng(at)  # noqa: TID251 - as above
        values = rng.normal(0.0, 100.0, 400)
        level = float(np.interp(at, [0, 100], [far / 20, far]))  # values on both sides of 0, whose average is just this
        return profile_table({"change": (values - values.mean() + level).tolist()}, run=f"{at:04}")

    assert bool(told(judged(change(at) for at in range(101)))) == is_told


def test_a_drift_warns_once_waits_for_an_answer_and_is_no_news_after_it() -> None:
    store = MemoryStore()
    verdicts = judged((mean(at) for at in range(90)), store=store)
    ((label, sentence),) = told(verdicts)
    first = next(v for v in verdicts if v.run == label)
    assert first.level == "warn"
    assert "then" in sentence and "% a run" in sentence  # noqa: PT018 - one sentence
    assert not any("drift" in f.sentence for v in verdicts for f in v.findings if v.run > label)  # but in the inbox
    with Validator(store, faults=()) as guard:
        (alarm,) = [a for a in guard.decisions.alarms("t") if a.cause.about == "drift"]
        assert alarm.is_waiting
        assert not alarm.levelled
        guard.decisions.accept("t", label)
        (alarm,) = [a for a in guard.decisions.alarms("t") if a.cause.about == "drift"]
        assert alarm.state == "accepted"
        after = guard.judge(mean(90), "t")
    assert not any("drift" in f.sentence or "back to usual" in f.sentence for f in after.findings)


def test_a_table_that_grows_a_thousandth_a_run_or_comes_round_with_a_season_is_quiet() -> None:
    growing = (run(at, rows=int(1000 * 1.001**at)) for at in range(RUNS))
    season = (run(at, mean=50 + 25 * float(np.sin(at / 8))) for at in range(RUNS))
    assert not told(judged(growing))
    assert not told(judged(season))


def test_it_can_be_turned_off() -> None:
    assert not told(judged((mean(at) for at in range(101)), drift=False))


def test_the_inbox_says_that_a_drift_was_warned_about_once_and_moves_no_level() -> None:
    store = MemoryStore()
    judged((mean(at) for at in range(90)), store=store)
    with Validator(store, faults=()) as guard:
        assert "warned once, unanswered" in in_words(guard.decisions.inbox())
