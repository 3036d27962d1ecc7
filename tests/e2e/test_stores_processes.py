"""Real processes at one store: at once, and killed."""

import random
import sqlite3

import pytest
from tests.e2e import store_worker as worker
from tests.processes import processes

from byhistory.errors import StoreError
from byhistory.history import open_store, sqlite

pytestmark = pytest.mark.slow
KILLS = {"sqlite": 50, "file": 50, "postgresql": 20, "s3": 30}
"""All calls that reach for a file; of the thousands of calls of any kind to PostgreSQL and to S3 a few."""
PATIENCE = 60


@pytest.fixture(scope="module")
def start():
    """Start a process that runs a function of `store_worker`; what it answers comes through the pipe."""
    with processes("tests.e2e.store_worker", both_ways=False) as begin:
        yield begin


def answers(pipe):
    """What a process said until it ended or was killed."""
    said = []
    try:
        while pipe.poll(PATIENCE):
            said.append(pipe.recv())
    except EOFError:
        pass
    return said


def test_four_processes_that_open_a_new_store_at_once_share_its_key(shared_url, start):
    pipes = [start(worker.open_at_once, shared_url)[1] for _ in range(4)]
    keys = [key for pipe in pipes for key in answers(pipe)]
    assert len(keys) == 4
    assert len(set(keys)) == 1
    with open_store(shared_url) as store:
        assert store.key() == keys[0]


def test_processes_that_record_the_same_and_other_runs_at_once_all_succeed(shared_url, start):
    same = [f"same {i}" for i in range(5)]
    work = [[label for i in range(5) for label in (same[i], f"own {me} {i}")] for me in range(3)]
    pipes = [start(worker.record_many, shared_url, labels, me)[1] for me, labels in enumerate(work)]
    with open_store(shared_url) as store:
        while not all(pipe.poll() for pipe in pipes):
            worker.kept(store)
        worker.kept(store)  # A reader meanwhile sees whole records only.
        assert [answers(pipe) for pipe in pipes] == [[*labels, "done"] for labels in work]
        stamps = worker.kept(store)
        assert set(stamps) == {label for labels in work for label in labels}
        assert all(stamps[f"own {me} {i}"] == me for me in range(3) for i in range(5))


def test_a_process_killed_anywhere_in_a_record_leaves_the_run_as_it_was_or_as_it_should_be(shared_url, start):
    with open_store(shared_url) as store:
        store.record(*worker.stamped("run", 0))
        (calls,) = answers(start(worker.record_killed, shared_url, "run", 1, 0)[1])
        before, outcomes = 1, []
        kills = min(calls, KILLS[shared_url.partition(":")[0]])
        for kill in range(kills):
            stamp = kill + 2
            process, pipe = start(worker.record_killed, shared_url, "run", stamp, 1 + calls * kill // kills)
            finished = bool(answers(pipe))
            process.join()
            now = worker.kept(store)["run"]
            assert now in (before, stamp)
            assert worker.programs_stamp(store) == now, "a run and its programs come together"
            assert now == stamp or not finished
            outcomes.append(now == stamp)
            before = now
        assert not outcomes[0]
        assert outcomes.count(False) >= 5, "many calls come before the commit"
        assert store.record(*worker.stamped("run", 999)) is True
        assert worker.kept(store) == {"run": 999}


def test_a_process_killed_while_it_makes_a_store_leaves_one_that_opens(shared_url, start, tmp_path):
    other = {"sqlite": f"sqlite:///{tmp_path}/count.db", "file": f"file://{tmp_path}/count"}
    (calls,) = answers(start(worker.open_killed, other.get(shared_url.partition(":")[0], shared_url), 0)[1])
    for kill in range(10):
        process, _ = start(worker.open_killed, shared_url, 1 + calls * kill // 10)
        process.join()
        if kill % 3 == 2:
            with open_store(shared_url) as store:
                store.record(*worker.stamped("run", kill))
                assert worker.kept(store) == {"run": kill}


def test_what_a_process_said_it_recorded_is_there_when_it_is_killed(shared_url, start):
    chance, stamp = random.Random(4), 0
    with open_store(shared_url) as store:
        for _ in range(8):
            process, pipe = start(worker.record_for_ever, shared_url, stamp)
            assert pipe.poll(PATIENCE)
            process.join(chance.random() * 0.1)
            process.kill()
            said = dict(answers(pipe))
            process.join()
            stamps = worker.kept(store)
            # The one after the last answer may have been recorded, too.
            assert all(stamps[run] in (last, last + 3) for run, last in said.items())
            stamp = 3 + max(stamps.values())


def test_a_writer_that_waited_in_vain_gets_a_clear_message(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "_WAIT", 0.1)
    with open_store(f"{tmp_path}/history.db") as store:
        busy = sqlite3.connect(tmp_path / "history.db", isolation_level=None)
        busy.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"Found: another process that has been writing.*To go on: try again"):
            store.record(*worker.stamped("run", 1))
        assert store.runs("orders") == [], "readers do not wait"
        busy.execute("ROLLBACK")
        busy.close()
        assert store.record(*worker.stamped("run", 1)) is False
