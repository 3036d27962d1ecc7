"""A run is measured once, when it comes; whatever looks at it later goes by its measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from tests.strategies import seeded

from byhistory import Config, Validator, profile_table
from byhistory.config import TableConfig
from byhistory.metrics import ALL, Measures, Single
from byhistory.profile import ColumnProfile, TableProfile, to_bytes

ROWS, SAMPLED = 300, 100
"""Rows of a run, and how many of them faults are put into: what is measured of a sample is no run."""


class Reads:
    """How often each metric was read off each profile. A class because it counts while others work."""

    def __init__(self) -> None:
        self.count: Counter[tuple[str, bytes]] = Counter()
        self._known: dict[int, tuple[ColumnProfile, bytes]] = {}

    def counting(self, name: str, compute: Callable[[ColumnProfile], float]) -> Callable[[ColumnProfile], float]:
        def counted(p: ColumnProfile) -> float:
            if id(p) not in self._known:
                self._known[id(p)] = p, to_bytes(p)  # held, so that no other profile gets its id
            self.count[name, self._known[id(p)][1]] += 1
            return compute(p)

        return counted

    def of(self, guard: Validator, *days: int) -> set[int]:
        """How often the metrics of these runs were read, all columns together; then everything is forgotten."""
        stored = [guard.records.profile_of("t", label(day)).columns.values() for day in days]
        kept = {to_bytes(p): p.kind for columns in stored for p in columns}
        found = {self.count[m.name, p] for p, kind in kept.items() for m in SINGLES if kind in m.kinds}
        self.count.clear()
        return found


SINGLES = [m for m in ALL if isinstance(m, Single)]


@pytest.fixture
def reads() -> Iterator[Reads]:
    found, computed = Reads(), [m.compute for m in SINGLES]
    for metric, compute in zip(SINGLES, computed, strict=True):
        object.__setattr__(metric, "compute", found.counting(metric.name, compute))
    yield found
    for metric, compute in zip(SINGLES, computed, strict=True):
        object.__setattr__(metric, "compute", compute)


def label(day: int) -> str:
    return f"2026-10-{day:02d}"


def a_day(day: int, moved: float = 0.0) -> TableProfile:
    random, rows = seeded(day), ROWS + day  # so that no two days have the same profile
    columns = {"n": (random.normal(size=rows) + moved).tolist(), "c": random.choice(["a", "b"], rows).tolist()}
    return profile_table(columns, run=label(day), sample_rows=SAMPLED)


@pytest.mark.parametrize("learner", ["calibrated", "paper"])
def test_a_run_is_measured_when_it_comes_and_never_again(reads, learner):
    guard = Validator("memory:", config=Config(defaults=TableConfig(learner=learner)))
    guard.remember([a_day(day) for day in range(1, 22)], "t")
    assert reads.of(guard, *range(1, 22)) == {1}
    usual = guard.judge(a_day(22), "t")
    assert usual.ok
    usual.story()
    assert reads.of(guard, 22) == {1}
    stopped = guard.judge(a_day(23, moved=9.0), "t")
    assert not stopped.ok
    stopped.story()
    assert reads.of(guard, 23) == {1}

    guard.learning.explain("t")
    guard.learning.backtest("t")
    guard.learning.relearn("t")
    for day in (5, 22, 23):  # one that was kept without being judged is judged here
        guard.records.story("t", label(day))
    guard.records.column("t", "n")
    guard.decisions.standing("t")
    guard.decisions.preview("t", label(23), "new normal")
    guard.decisions.verdict_if_repeated("t", label(23))
    guard.decisions.accept("t", label(23), new_normal=True)
    assert not reads.count

    guard.judge(a_day(24, moved=9.0), "t")
    assert reads.of(guard, 24) == {1}


def test_a_run_that_is_judged_by_two_levels_is_measured_once(reads):
    guard = Validator("memory:", config=Config())
    guard.remember([a_day(day) for day in range(1, 22)], "t")
    days = range(22, 31)
    for day in days:  # nobody answers
        guard.judge(a_day(day, moved=9.0), "t")
    assert reads.of(guard, *range(1, 22), *days) == {1}
    back = guard.judge(a_day(31), "t")
    assert any("back to usual" in finding.sentence for finding in back.findings)
    assert reads.of(guard, 31) == {1}


def test_distances_taken_anew_are_those_of_a_run_measured_anew():
    first, second, third = (a_day(day) for day in (1, 2, 3))
    known = Measures.of(third, second.columns, ALL)
    again, fewer = known.compared_anew(third, first.columns, ALL), Measures.of(third, first.columns, SINGLES)
    assert again.to_bytes() == Measures.of(third, first.columns, ALL).to_bytes() != known.to_bytes()
    assert fewer.compared_anew(third, second.columns, ALL).to_bytes() == known.to_bytes()
    assert known.has(ALL)
    assert not fewer.has(ALL)
