"""A guard whatever happens to it, in any order: what it judges by is what it would learn from the store alone.

BYHISTORY_ATTACKS=2000 tries that many stories instead of a few, on every kind of store.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from tests.attack import worker
from tests.attack.conftest import SEED

from byhistory.errors import ByHistoryError
from byhistory.history import Decision, Programs
from byhistory.learners import Program, to_json
from byhistory.validator import Validator
from byhistory.validator.learning import learn_all
from byhistory.validator.programs import current

ATTACKS = int(os.environ.get("BYHISTORY_ATTACKS", "0"))
STORIES = max(3, ATTACKS // 10)
DAYS = range(worker.PAST - 1, worker.PAST + 4)
TIMES = (1.0, 100.0)
ACCEPTING = ("accept", "usual", "new normal")


class Guard(RuleBasedStateMachine):
    """Check, deliver again, retry, decide, undo, come late, be killed at the worst moment, be raced by a slow learner.

    The model: per day the content that is there, and per day and content what was said and not undone.
    """

    url = "memory:"

    def __init__(self) -> None:
        super().__init__()
        self.guard = self._opened()
        if not self.guard.store.tables():
            self.guard.remember([worker.batch(day) for day in range(worker.PAST - 1)], "orders")
        self.there: dict[int, float] = {}
        self.said: dict[tuple[int, float], list[str]] = {}
        self.stale: list[Programs] = []

    def _opened(self) -> Validator:
        return worker.guarding(self.url)

    @rule(day=st.sampled_from(DAYS), times=st.sampled_from(TIMES))
    def deliver(self, day: int, times: float) -> None:
        judged = self.guard.judge(worker.batch(day, times), "orders")
        self.there[day] = times
        said = [what for what in self.said.get((day, times), ()) if what != "snooze"]
        if said and said[-1] in ACCEPTING:
            assert judged.ok, "a retry after an acceptance passes"
        if said and said[-1] == "reject":
            assert not judged.ok, "a retry after a rejection does not"

    @precondition(lambda self: self.there)
    @rule(data=st.data(), what=st.sampled_from([*ACCEPTING, "reject", "snooze"]), is_killed=st.booleans())
    def decide(self, data: st.DataObject, what: str, is_killed: bool) -> None:
        day = data.draw(st.sampled_from(sorted(self.there)))
        until = worker.label(day) if what == "snooze" else ""
        if is_killed:  # Right after it was kept: nobody has learned from it yet.
            columns = ("amount",) if what == "new normal" else ()
            self.guard.store.decide(Decision("orders", worker.label(day), what, "ann", worker.AT, "", columns, until))
        else:
            named = {"new normal": {"new_normal": True, "columns": ["amount"]}, "usual": {"usual": True}}
            decisions, run = self.guard.decisions, worker.label(day)
            if what in ACCEPTING:
                decisions.accept("orders", run, who="ann", **named.get(what, {}))
            elif what == "reject":
                decisions.reject("orders", run, who="ann")
            else:
                decisions.snooze("orders", run, until, who="ann")
        self.said.setdefault((day, self.there[day]), []).append(what)

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        day = data.draw(st.sampled_from(sorted(self.there)))
        said = self.said.get((day, self.there[day]), [])
        try:
            self.guard.decisions.undo("orders", worker.label(day), who="bob")
        except ByHistoryError:
            assert not said, "what was said can be undone"
        else:
            said.pop()

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        day = data.draw(st.sampled_from(sorted(self.there)))
        assert self.guard.records.forget("orders", worker.label(day))
        del self.there[day]
        self.said = {key: said for key, said in self.said.items() if key[0] != day}

    @rule()
    def learn_slowly(self) -> None:
        kept = self.guard.store.programs("orders")
        self.stale += [kept] if kept is not None else []

    @precondition(lambda self: self.stale)
    @rule(data=st.data())
    def store_at_last(self, data: st.DataObject) -> None:
        self.guard.store.save_programs(data.draw(st.sampled_from(self.stale)))

    @precondition(lambda self: self.url != "memory:")
    @rule()
    def crash(self) -> None:
        self.guard.store.close()
        self.guard = self._opened()

    @invariant()
    def what_holds_is_what_was_said(self) -> None:
        lines = {line.run: line for line in self.guard.store.runs("orders")}
        for day, times in self.there.items():
            said = [what for what in self.said.get((day, times), ()) if what != "snooze"]
            decision = lines[worker.label(day)].decision
            assert (decision.what if decision else None) == (said[-1] if said else None)

    @invariant()
    def what_it_judges_by_is_what_the_store_alone_teaches(self) -> None:
        of = self.guard.guarded("orders")
        memory = of.memory()
        anew = learn_all(memory, of.config, {}, metrics=of.metrics, learner=of.learner)
        assert plain(current(of, memory)) == plain(anew)

    def teardown(self) -> None:
        self.guard.store.close()


def plain(programs: dict[str, Program]) -> dict[str, str]:
    """What a program judges by: not which faults its clauses would catch, which takes rows to tell."""
    return {
        name: to_json(replace(p, responses=None, clauses=tuple(replace(c, faults=()) for c in p.clauses)))
        for name, p in programs.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory:", "history.db", "history", "postgres"])
def test_a_guard_judges_by_what_is_there_whatever_happened_to_it(kind, request, tally):
    folder = Path(tempfile.mkdtemp())
    databases = request.getfixturevalue("database") if kind == "postgres" else None

    class Here(Guard):
        def __init__(self) -> None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            self.url = databases() if databases else kind if kind == "memory:" else f"{folder}/{kind}"
            tally[f"stories on {kind}"] += 1
            super().__init__()

    stories = STORIES if kind != "postgres" or ATTACKS else 2
    asked = settings(max_examples=stories, stateful_step_count=12, deadline=None, database=None, derandomize=not SEED)
    try:
        run_state_machine_as_test(Here, settings=asked)
        assert tally[f"stories on {kind}"], "no story was told"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
