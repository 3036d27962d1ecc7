"""The life of decisions, in any order, against a model of ten lines.

BYHISTORY_ATTACKS=2000 tries that many stories instead of a few.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.attack.conftest import SEED

from byhistory.history import Decision, Run, Store, holds, open_store
from byhistory.validator.learnable import is_good

START = datetime(2026, 11, 15, tzinfo=timezone.utc)
RUNS = ("2026-11-01", "2026-11-02", "2026-11-03")
CONTENTS = (b"usual", b"other", b"third")
STORIES = int(os.environ.get("BYHISTORY_ATTACKS", "12"))


class Life(RuleBasedStateMachine):
    """Check, deliver again, accept, reject, declare a new normal, forget, crash: what is learned from, and since when.

    The model: per run the content that is there with its outcome, and per run and content what was said last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.there: dict[str, tuple[bytes, str]] = {}
        self.said: dict[tuple[str, bytes], str] = {}

    @initialize(kind=st.sampled_from(["memory:", "history.db", "history"]))
    def begin(self, kind: str) -> None:
        self.url = kind if kind == "memory:" else f"{self.folder}/{kind}"
        self.store: Store = open_store(self.url)

    @rule(
        run=st.sampled_from(RUNS),
        content=st.sampled_from(CONTENTS),
        outcome=st.sampled_from(["as usual", "unusual"]),
        clock=st.integers(-9, 9),
    )
    def deliver(self, run: str, content: bytes, outcome: str, clock: int) -> None:
        at = START + timedelta(minutes=clock)
        assert self.store.record(Run("orders", run, at, outcome, 1, {"c": content})) == (run in self.there)
        self.there[run] = content, outcome

    @precondition(lambda self: self.there)
    @rule(data=st.data(), what=st.sampled_from(["accept", "reject", "new normal", "of a later release"]))
    def decide(self, data: st.DataObject, what: str) -> None:
        run = data.draw(st.sampled_from(sorted(self.there)))
        at = START + timedelta(minutes=data.draw(st.integers(-9, 9)))
        self.store.decide(Decision("orders", run, what, "ann", at))
        self.said[run, self.there[run][0]] = what

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def snooze(self, data: st.DataObject) -> None:
        run = data.draw(st.sampled_from(sorted(self.there)))
        self.store.decide(Decision("orders", run, "snooze", "ann", START))

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        run = data.draw(st.sampled_from(sorted(self.there)))
        assert self.store.forget("orders", run)
        del self.there[run]
        self.said = {key: what for key, what in self.said.items() if key[0] != run}

    @precondition(lambda self: self.url != "memory:")
    @rule()
    def crash(self) -> None:
        self.store.close()
        self.store = open_store(self.url)

    @invariant()
    def what_is_learned_from_is_what_was_said_of_these_data(self) -> None:
        if not hasattr(self, "store"):
            return
        lines = self.store.runs("orders")
        assert [line.run for line in lines] == sorted(self.there)
        normal = set()
        for line in lines:
            content, outcome = self.there[line.run]
            what = self.said.get((line.run, content))
            assert (line.decision.what if line.decision else None) == what
            assert is_good(line) == (what in ("accept", "new normal") if what else outcome == "as usual")
            spoken = [d for d in self.store.decisions("orders") if d.run == line.run and holds(d, line)]
            normal |= {line.run} if spoken and spoken[-1].what == "new normal" else set()
        said = {run for run, (content, _) in self.there.items() if self.said.get((run, content)) == "new normal"}
        assert normal <= said

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
        shutil.rmtree(self.folder)


Life.TestCase.settings = settings(max_examples=STORIES, stateful_step_count=15, deadline=None, derandomize=not SEED)
TestTheLifeOfDecisions = Life.TestCase
