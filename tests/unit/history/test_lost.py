"""A file of a directory that is lost is noticed, by `verify` and by whoever uses the table; what was removed is not."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tests.golden import history_make as golden

from byhistory.errors import StoreError
from byhistory.history import Decision, Setting, open_store
from byhistory.history.backup import backup
from byhistory.history.directory import DirectoryStore
from byhistory.history.files import Files, files_at
from byhistory.history.journal import _TRIES
from byhistory.history.verify import verify
from byhistory.profile import to_bytes
from byhistory.rows.local import profile_table

PROFILE = to_bytes(profile_table({"id": [1, 2]})["id"])
RUNS = [replace(run, columns={"id": PROFILE}) for run in golden.RUNS]


@pytest.fixture
def folder(tmp_path):
    with open_store(f"{tmp_path}/history") as store:
        for run in (RUNS[1], *RUNS):
            store.record(run, golden.PROGRAMS)
        store.decide(golden.DECISIONS[0])
        store.put_setting(Setting("orders", "late", "x", "ann", golden.AT))
    return tmp_path / "history"


def files(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file())


def everything(store):
    asked = ["2026-11-9", "2026-11-15"]
    said = (store.tables(), store.runs("orders"), store.load("orders", asked), store.measures("orders"))
    return said, store.decisions("orders"), store.setting_changes("orders")


def found_in(folder):
    """Everything that is there; or the error, which `verify` finds as well."""
    try:
        with open_store(str(folder)) as store:
            problems = list(map(str, verify(store).problems))
            try:
                return everything(store), problems
            except StoreError as why:
                return str(why) if problems else "verify has not found it"
    except StoreError as why:
        return str(why)


def test_no_file_is_lost_silently(folder, tmp_path):
    right = found_in(folder)
    assert right[1] == []
    noticed = {}
    for file in files(folder):
        here = tmp_path / "lost"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(folder, here)
        (here / file.relative_to(folder)).unlink()
        kind = file.name.split("-")[1] if "/log/" in str(file) else file.suffix
        found = found_in(here)
        assert found == right or "To go on: restore" in found, file
        noticed.setdefault(kind, []).append(found != right)
    # One of the three .parquet has programs, which are learned again. A head says nothing that the log does not.
    assert noticed.pop("head") == [False]
    assert sum(noticed.pop(".parquet")) == 2
    assert {kind: all(were) for kind, were in noticed.items()} == dict.fromkeys(
        ["run", "decision", "setting", ".json"], True
    )


@pytest.mark.parametrize("what", ["log", "runs"])
def test_a_history_that_is_gone_is_no_new_table(folder, what):
    for file in folder.glob("tables/*/log/*" if what == "log" else "tables/*/log/*-run-*"):
        file.unlink()
    with open_store(str(folder)) as store:
        assert store.tables() == ["orders"]
        assert verify(store).problems
        with pytest.raises(StoreError, match=r"gone\. To go on: restore the store from a backup; to go on without"):
            store.record(RUNS[0])


def test_one_may_go_on_without_what_is_lost(folder):
    (decision, *_) = folder.glob("tables/*/log/*-decision-*")
    decision.unlink()
    with open_store(str(folder)) as store, pytest.raises(StoreError, match=decision.name[12:30]):
        store.runs("orders")
    for head in folder.glob("tables/*/log/*-head-*"):
        head.unlink()
    with open_store(str(folder)) as store:
        store.record(RUNS[0])
        assert len(list(folder.glob("tables/*/log/*-head-*"))) == 1
        assert verify(store).problems == ()


def test_a_directory_without_its_mark_is_no_new_store(folder):
    (folder / "byhistory.json").unlink()
    with pytest.raises(StoreError, match=r"tables without byhistory\.json.*restore it from a backup"):
        open_store(str(folder))


def test_what_is_removed_on_purpose_is_not_missed(folder, tmp_path):
    with open_store(str(folder)) as store, open_store(str(folder)) as slow:
        slow.runs("orders")
        for _ in range(3):
            store.record(RUNS[1], golden.PROGRAMS)
            slow.decide(Decision("orders", RUNS[1].run, "accept", "ann", golden.AT))
        assert store.forget("orders", RUNS[1].run)
        assert slow.forget("orders", RUNS[0].run)
        assert verify(store).problems == ()
        assert store.tables() == []
        store.record(RUNS[0])
    backup(str(folder), str(tmp_path / "copy"))
    with open_store(str(tmp_path / "copy")) as copy:
        assert [line.run for line in copy.runs("orders")] == [RUNS[0].run]


def test_writers_at_once_miss_nothing_of_each_other(folder):
    def work(who):
        with open_store(str(folder)) as store:
            for i in range(6):
                store.record(RUNS[i % 2], golden.PROGRAMS)
                store.decide(Decision("orders", RUNS[i % 2].run, "accept", f"{who} {i}", golden.AT))
                store.runs("orders")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    with open_store(str(folder)) as store:
        assert verify(store).problems == ()
        assert {d.who for d in store.decisions("orders")} >= {f"{who} {i}" for who in "abcd" for i in range(6)}
        store.record(RUNS[0])
    assert len(list(folder.glob("tables/*/log/*-head-*"))) == 1


def test_a_run_that_is_recorded_again_while_one_looks_is_there(folder):
    meanwhile = []

    class Slow(Files):
        def names(self, under="", deep=False):
            found = super().names(under, deep)
            if under.endswith("/log") and meanwhile:
                meanwhile.pop()()
            return found

    here = files_at(str(folder))
    with open_store(str(folder)) as other, DirectoryStore(Slow(here.system, here.root, here.local), "slow") as slow:
        for times in (1, 2, _TRIES // 2):
            slow.close()
            meanwhile += [lambda: other.record(RUNS[1])] * times
            assert [line.run for line in slow.runs("orders")] == [run.run for run in RUNS]
            slow.close()
            meanwhile += [lambda: other.record(RUNS[1])] * times
            assert slow.decide(golden.DECISIONS[0]).run == golden.DECISIONS[0].run


def test_what_was_forgotten_stays_so_if_its_files_are_not_removed(folder):
    with open_store(str(folder)) as store:
        entries = {p: p.read_bytes() for p in folder.glob("tables/*/log/*-run-*")}
        assert store.forget("orders", RUNS[1].run)
        for path, data in entries.items():  # As if we had been killed before.
            path.write_bytes(data)
        assert [line.run for line in store.runs("orders")] == [RUNS[0].run]
        store.put_setting(Setting("orders", "late", "y", "ann", golden.AT))
        assert len(list(folder.glob("tables/*/log/*-run-*"))) == 1
