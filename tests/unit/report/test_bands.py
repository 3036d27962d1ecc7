"""Pictures: bands as they were, gaps, marks, axes."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.strategies import seeded

from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.constraint import JOINT
from byhistory.learners import NEEDED_RUNS
from byhistory.learners.calibrated import CALIBRATED
from byhistory.metrics import by_name
from byhistory.profile import Kind
from byhistory.report import axis, chart
from byhistory.report.bands import with_bands
from byhistory.report.composing import line
from byhistory.report.page import commands
from byhistory.report.story import ClauseStory, ColumnStory, MetricLine, Story, as_story
from byhistory.verdict import ColumnVerdict, Finding, Verdict

DAYS = 60


def drawn(metric: str, values: list[float], low: float, high: float, skip: tuple[int, ...] = ()) -> ClauseStory:
    """A clause of a page on daily runs, the last value now."""
    runs = tuple(
        str(np.datetime64("2026-09-01") + np.timedelta64(d, "D"))
        for d in range(len(values) + len(skip))
        if d not in skip
    )
    outcome = Outcome(Constraint(metric, low, high, bound=JOINT), "holds", values[-1], low, high)
    clause = ClauseStory(outcome, by_name(metric), Kind.NUMERIC, "", line(outcome, values[:-1], runs))
    column = ColumnStory("c", Kind.NUMERIC, "double", ColumnVerdict("c"), clauses=(clause,), bands=CALIBRATED)
    story = Story("t", runs[-1], Verdict(runs[-1], (), {}), (column,), past_rows=(100,) * (len(runs) - 1))
    return with_bands(story, ["c"]).columns[0].clauses[0]


def outside(clause: ClauseStory) -> int:
    of = clause.line
    return sum(
        not low <= v <= high for v, low, high in zip(of.values, of.lows, of.highs, strict=True) if not np.isnan(low)
    )


def test_a_band_goes_along_with_a_trend() -> None:
    values = (1000 + 20 * np.arange(DAYS) + seeded(1).normal(0, 10, DAYS)).tolist()
    clause = drawn("mean", values, values[-1] - 60, values[-1] + 60)
    flat = sum(not clause.outcome.low <= v <= clause.outcome.high for v in values)
    assert outside(clause) <= 2
    assert flat > 40
    assert np.isnan(clause.line.lows[:NEEDED_RUNS]).all()
    assert np.isfinite(clause.line.lows[NEEDED_RUNS:]).all()


def test_a_band_goes_along_with_a_week() -> None:
    values = (100 + 40 * (np.arange(70) % 7 == 3) + seeded(2).normal(0, 1, 70)).tolist()
    clause = drawn("mean", values, values[-1] - 6, values[-1] + 6)
    assert outside(replace(clause, line=_late(clause, 28))) <= 2


def _late(clause: ClauseStory, start: int) -> MetricLine:
    of = clause.line
    return replace(of, values=of.values[start:], lows=of.lows[start:], highs=of.highs[start:])


def test_a_run_that_was_not_learned_from_does_not_widen_the_band() -> None:
    values = [10.0, 11.0] * 15
    usual = drawn("mean", values, 8.0, 13.0)
    odd = [*values[:20], 900.0, *values[21:]]
    clause = drawn("mean", odd, 8.0, 13.0)
    learned = replace(clause.line, learned=tuple(v < 100 for v in odd))
    column = ColumnStory(
        "c", Kind.NUMERIC, "", ColumnVerdict("c"), clauses=(replace(clause, line=learned),), bands=CALIBRATED
    )
    again = with_bands(Story("t", "", Verdict("", (), {}), (column,), past_rows=(100,)), ["c"])
    assert again.columns[0].clauses[0].line.highs[25] == pytest.approx(usual.line.highs[25], rel=0.2)


def test_no_band_is_above_all_or_below_none() -> None:
    clause = drawn("complete_ratio", (0.9 + 0.1 * seeded(3).random(40)).tolist(), 0.5, 1.7)
    scale = axis.scale_of(clause, 150)
    assert scale.high <= 1.0
    heights = [int(y) for y in re.findall(r'class="band"[^>]* y="(\d+)"', str(chart.history(clause, 150, True)))]
    assert all(y >= scale.y(1.0) for y in heights)
    assert all(text.split()[0] <= "100" or len(text.split()[0]) < 3 for text in _texts(chart.y_axis(clause, 150)))


def test_the_band_of_a_share_that_was_always_all_is_a_line_and_not_the_room_above_it() -> None:
    clause = drawn("complete_ratio", [1.0] * 30 + [0.98], 1.0 - 1e-9, 1.0 + 1e-9)
    clause = replace(
        clause, line=replace(clause.line, lows=(1.0000000000000002,) * 31, highs=(1.0000000000000002,) * 31)
    )
    (band,) = re.findall(r'class="band"[^>]*height="(\d+)"', str(chart.history(clause, 150, True)))
    assert int(band) <= 2


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_rounding_is_no_range_of_an_axis(share: float) -> None:
    clause = drawn("complete_ratio", [share] * 31, share - 1e-9, share + 1e-9)
    scale = axis.scale_of(clause, 150)
    assert scale.high - scale.low >= 0.1


def test_ends_that_are_written_alike_are_one_label() -> None:
    clause = drawn("complete_ratio", [13 / 14] * 30 + [0.5], 13 / 14 - 1e-9, 13 / 14 + 1e-9)
    assert _texts(chart.labels(clause, 150)) == ["usual 92.86 %", "now 50 %"]


def test_a_day_without_a_run_is_a_gap_in_the_line() -> None:
    whole, broken = (
        str(chart.history(drawn("mean", [1.0, 2.0] * 15, 0.0, 4.0, skip=skip), 150, True)) for skip in ((), (10, 11))
    )
    pieces = [re.search(r'class="line" d="([^"]*)"', svg).group(1).count("M") for svg in (whole, broken)]
    assert pieces == [1, 2]


def test_past_runs_are_marked_with_what_became_of_them() -> None:
    clause = drawn("mean", [1.0, 2.0] * 10, 0.0, 4.0)
    marks = ("",) * 15 + ("warned", "stopped", "accepted", "rejected", "")
    svg = str(chart.history(replace(clause, line=replace(clause.line, marks=marks)), 150, True))
    assert re.findall(r'class="mark (\w+)"', svg) == ["warned", "stopped", "accepted", "rejected"]


def test_axes_say_when_and_how_much() -> None:
    clause = drawn("mean", [1234.0, 5678.0] * 15, 1000.0, 6000.0)
    days = _texts(chart.x_axis(clause))
    assert (days[0], days[-1]) == (clause.line.runs[0], clause.line.runs[-1])
    assert 2 <= len(days) <= 5
    values = [float(v.replace(",", "")) for v in _texts(chart.y_axis(clause, 150))]
    assert values == sorted(values)
    assert all(v % 500 == 0 for v in values)


@pytest.mark.parametrize("room", [1e-300, 1e-9, 0.3, 1.0, 7.0, 99.0, 1e6, 1e300])
def test_ticks_are_few_and_round(room: float) -> None:
    clause = drawn("mean", [0.0, room] * 15, 0.0, room)
    ticks = axis.ticks(clause, axis.scale_of(clause, 150))
    assert 2 <= len(ticks) <= 6
    steps = np.diff(ticks)
    assert steps == pytest.approx(np.full(len(steps), steps[0]), rel=1e-6)


def test_commands_are_safe_to_paste() -> None:
    bad = Verdict("a'b", (Finding("empty batch", "", "no rows"),), {}, table="x; rm -rf /")
    for _, command in commands(as_story(bad)):
        assert "'x; rm -rf /'" in command
    assert commands(as_story(Verdict("1", (), {}, table="t"))) == []
    assert commands(as_story(Verdict("1", (Finding("constraint", "c", "odd", "warn"),), {}, table="t")))


def _texts(svg: object) -> list[str]:
    return re.findall(r">([^<]+)</text>", str(svg))
