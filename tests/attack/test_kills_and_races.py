"""A guard that is killed between any two effects, or raced by another, goes on and lets nothing bad pass.

BYHISTORY_ATTACKS=2000 kills that often, and races every pair of commands on every store.
"""

import os
from itertools import combinations_with_replacement

import pytest
from tests.attack import worker
from tests.attack.conftest import KINDS, chances, marks

from byhistory.history import open_store

ATTACKS = int(os.environ.get("BYHISTORY_ATTACKS", "0"))
PATIENCE = 120
KILLED = [name for name in worker.COMMANDS if name not in ("undo", "verify")]
COMMANDS = {kind: [*worker.COMMANDS, *["backup"] * (kind != "postgres")] for kind in KINDS}
PAIRS = [
    pytest.param((kind, *pair), id=f"{kind}-{pair[0]}-{pair[1]}", marks=marks(kind))
    for kind in KINDS
    for pair in combinations_with_replacement(COMMANDS[kind], 2)
]
FEW = (
    *("history-accept-reject", "history.db-check-usual", "postgres-deliver again-new normal", "postgres-forget-forget"),
    *("s3-check-check", "s3-accept-forget", "s3-late run-reject"),
)


@pytest.fixture(scope="module")
def racers(start):
    """Two processes that do as they are told, at once."""
    return [start(worker.racing)[1] for _ in range(2)]


def said(pipe):
    try:
        return pipe.recv() if pipe.poll(PATIENCE) else None
    except EOFError:
        return None


def nothing_bad_passes(url):
    """Whatever happened, the store is sound, the next good run is judged, and one far off is stopped."""
    with worker.guarding(url) as guard:
        assert guard.records.verify().problems == ()
        accepted = [d.what for d in guard.store.decisions("orders")][-1:] == ["new normal"]
        assert not guard.judge(worker.batch(worker.PAST + 2, 1e4), "orders").ok
        assert guard.judge(worker.batch(worker.PAST + 3, 100.0 if accepted else 1.0), "orders").status != "learning"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pytest.param(kind, marks=marks(kind)) for kind in KINDS])
@pytest.mark.parametrize("command", KILLED if ATTACKS else ("reject",))
def test_a_command_killed_between_any_two_effects_leaves_a_guard_that_guards(command, kind, fresh, start, tally):
    effects = said(start(worker.killed, fresh(kind), command, 0)[1])
    kills = min(effects, max(2, ATTACKS // (len(KILLED) * len(KINDS))))
    chance = chances(command, kind)
    for point in sorted(chance.sample(range(1, effects + 1), kills)):
        url = fresh(kind)
        process, pipe = start(worker.killed, url, command, point)
        tally[f"kills on {kind}"] += said(pipe) is None
        process.join()
        nothing_bad_passes(url)


@pytest.mark.slow
@pytest.mark.parametrize("race", PAIRS if ATTACKS else [p for p in PAIRS if p.id in FEW])
def test_two_commands_at_once_both_happen(race, fresh, racers, tally, tmp_path):
    kind, *pair = race
    url = fresh(kind)
    copies = [str(tmp_path / f"copy-{i}-{kind}") for i in range(2)]
    for pipe, command, copy in zip(racers, pair, copies, strict=True):
        pipe.send((url, command, copy))
    assert [said(pipe) for pipe in racers] == ["ready", "ready"]
    for pipe in racers:
        pipe.send("go")
    answers = [said(pipe) for pipe in racers]
    for answer in answers:
        assert answer == "done" or (answer or "").startswith("Asked: "), answer
    done = [command for command, answer in zip(pair, answers, strict=True) if answer == "done"]
    # Who decides about data that are delivered anew at that moment is told so.
    refusable = {"undo", "snooze", *(worker.SAID if "deliver again" in pair else ())}
    assert set(done) >= {*pair} - refusable, f"refused: {answers}"
    tally[f"races on {kind}"] += 1
    with open_store(url) as store:
        kept = sorted(d.what for d in store.decisions("orders"))
        assert sorted(worker.SAID[c] for c in done if c in worker.SAID) == kept, "what was acknowledged is there"
        names = set(store.settings("orders"))
        for command, metric in worker.SET.items():
            assert any(f'"{metric}"' in name for name in names) == (command in done)
    nothing_bad_passes(url)
    for command, answer, copy in zip(pair, answers, copies, strict=True):
        if command == "backup" and answer == "done":
            nothing_bad_passes(copy)
