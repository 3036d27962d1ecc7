"""A guard that is killed between any two effects, or raced by another, goes on and lets nothing bad pass.

BYHISTORY_ATTACKS=2000 kills that often, and races every pair of commands on every store.
"""

import multiprocessing
import os
import random
import shutil
import sys
import types
from itertools import combinations_with_replacement
from pathlib import Path
from unittest import mock

import pytest
from tests.attack import worker

from byhistory.history import open_store

ATTACKS = int(os.environ.get("BYHISTORY_ATTACKS", "0"))
PATIENCE = 120
KINDS = ("history.db", "history")
KILLED = ("check", "deliver again", "late run", "accept", "reject", "new normal", "mute", "forget", "backfill")
PAIRS = [
    pytest.param(kind, *pair, id=f"{kind}-{pair[0]}-{pair[1]}")
    for kind in KINDS
    for pair in combinations_with_replacement([*worker.COMMANDS, "backup"], 2)
]
FEW = [p for p in PAIRS if p.id == "history-accept-reject"]


@pytest.fixture(scope="module")
def start():
    """Start a process that runs a function of `worker`; the pipe goes both ways."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.attack.worker"])
    started = []

    def begin(work, url, *arguments):
        here, there = context.Pipe()
        process = context.Process(target=work, args=(url, there, *arguments))
        # A new process imports what __main__ is here: all of pytest, every time. It needs none of it.
        with mock.patch.dict(sys.modules, {"__main__": types.ModuleType("__main__")}):
            process.start()
        there.close()
        started.append((process, here))
        return process, here

    yield begin
    for process, here in started:
        process.kill()
        process.join()
        process.close()
        here.close()


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A store of each kind, to copy."""
    folder = tmp_path_factory.mktemp("sound")
    for kind in KINDS:
        worker.begin(str(folder / kind))
    return folder


@pytest.fixture
def fresh(sound, tmp_path):
    """A new copy of a store."""

    def made(kind):
        here = tmp_path / "attacked"
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        (shutil.copytree if (sound / kind).is_dir() else shutil.copy)(sound / kind, here / kind)
        return str(here / kind)

    return made


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
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", KILLED if ATTACKS else ("reject",))
def test_a_command_killed_between_any_two_effects_leaves_a_guard_that_guards(
    command, kind, fresh, start, record_property
):
    calls = said(start(worker.killed, fresh(kind), command, 0)[1])
    kills = min(calls, max(2, ATTACKS // (len(KILLED) * len(KINDS))))
    chance = random.Random(f"{command} {kind}")
    finished = 0
    for point in sorted(chance.sample(range(1, calls + 1), kills)):
        url = fresh(kind)
        process, pipe = start(worker.killed, url, command, point)
        finished += said(pipe) is not None
        process.join()
        nothing_bad_passes(url)
    record_property("kills", f"{kills - finished} of {calls} points")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "one", "other"), PAIRS if ATTACKS else FEW)
def test_two_commands_at_once_both_happen(kind, one, other, fresh, start):
    url = fresh(kind)
    copies = [str(Path(url).parent / f"copy-{i}-{kind}") for i in range(2)]
    both = [start(worker.raced, url, command, copy) for command, copy in zip((one, other), copies, strict=True)]
    assert [said(pipe) for _, pipe in both] == ["ready", "ready"]
    for _, pipe in both:
        pipe.send("go")
    answers = [said(pipe) for _, pipe in both]
    for answer in answers:
        assert answer == "done" or (answer or "").startswith("Asked: "), answer
    for process, _ in both:
        process.join()
    done = [command for command, answer in zip((one, other), answers, strict=True) if answer == "done"]
    what = {"accept": "accept", "reject": "reject", "new normal": "new normal"}
    with open_store(url) as store:
        kept = [d.what for d in store.decisions("orders")]
        assert sorted(what[c] for c in done if c in what) == sorted(kept), "what was acknowledged is there"
        names = set(store.settings("orders"))
        for command, metric in (("mute", "median"), ("threshold", "min")):
            assert any(metric in name for name in names) == (command in done)
    nothing_bad_passes(url)
    for command, answer, copy in zip((one, other), answers, copies, strict=True):
        if command == "backup" and answer == "done":
            nothing_bad_passes(copy)
