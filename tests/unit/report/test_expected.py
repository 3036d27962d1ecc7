"""Where a metric grows, a picture shows how far a run was from what was expected of it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.strategies import seeded
from tests.unit.report.test_bands import drawn

from byhistory.profile import Kind
from byhistory.report import axis, chart
from byhistory.report.expected import from_expected
from byhistory.report.story import ClauseStory

DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0
FIRST = 1_780_000_000 - 1_780_000_000 % DAY


def early(by: float) -> ClauseStory:
    """The first time stamp of each of fifty days, the last one early."""
    values = [FIRST + DAY * d for d in range(50)]
    values[-1] -= by
    usual = FIRST + 49 * DAY
    clause = drawn("min", values, usual - 10 * MINUTE, usual + 10 * MINUTE)
    return replace(clause, kind=Kind.TEMPORAL, outcome=replace(clause.outcome, status="broken"))


def test_two_hours_in_fifty_days_are_seen() -> None:
    clause = early(2 * HOUR)
    before, now = axis.scale_of(clause, 150), axis.scale_of(from_expected(clause), 150)
    assert abs(before.y(clause.line.values[-1]) - before.y(clause.outcome.low)) <= 1
    shown = from_expected(clause)
    assert abs(now.y(shown.line.values[-1]) - now.edge(shown.outcome.low)) >= 50


def test_a_distance_in_time_is_written_as_a_length_of_time() -> None:
    shown = from_expected(early(2 * HOUR))
    assert shown.write(shown.outcome.value) == "-2 hours"
    assert "from what was expected" in chart.history_in_words(shown)


def test_a_run_is_as_far_outside_as_it_was() -> None:
    clause = early(2 * HOUR)
    shown = from_expected(clause)
    assert clause.outcome.value - clause.outcome.low == pytest.approx(shown.outcome.value - shown.outcome.low)
    assert clause.name == shown.name


@pytest.mark.parametrize(
    "values",
    [
        (100 + seeded(2).normal(0, 5, 50)).tolist(),  # neither grows nor falls
        [7.0] * 50,  # never changes
        (100 + 2 * seeded(3).normal(0, 5, 50).cumsum()).tolist(),  # strays as far as it comes
        [1.0, math.nan, 2.0],  # hardly a past
    ],
    ids=["level", "constant", "walk", "short"],
)
def test_what_can_be_seen_as_it_is_stays(values: list[float]) -> None:
    clause = drawn("mean", values, values[-1] - 15, values[-1] + 15)
    assert from_expected(clause) is clause


def test_numbers_that_are_out_of_range_of_each_other_stay() -> None:
    values = tuple(1.7e308 * (-1) ** day for day in range(50))
    clause = early(0.0)
    ends = tuple(value / 2 for value in values)
    clause = replace(clause, line=replace(clause.line, values=values, lows=ends, highs=ends))
    assert from_expected(clause) is clause
