"""A byte of a store that is not what was written gives the same answer or a clear error, never another answer.

BYHISTORY_ATTACKS=1, or any other number, flips every byte of the stores, in sixteen parts that may run side by side or
one by one, seconds of CPU each; without it, some bytes that are not empty. All of SQLite:

    BYHISTORY_ATTACKS=1 .venv/bin/python -m pytest -q tests/attack/test_flips.py -k 'history.db and no_answer'

and one part: `'tests/attack/test_flips.py::test_a_flipped_byte_changes_no_answer_silently[history.db-3]'`. A quarter of
an hour more goes into whole checks of a store that a guard has written. `--basetemp` in memory saves the time of disks.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest
from tests.attack import worker
from tests.attack.conftest import chances

from byhistory.errors import ByHistoryError
from byhistory.history import Decision, Programs, Run, Setting, open_store

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
EVERY = "BYHISTORY_ATTACKS" in os.environ
FEW = 120
TOGETHER = 32
"""Empty bytes that are flipped at once, first."""
LONG, LISTED = 400, 150
INTERIOR = 2
"""How a page of an index begins that points at others."""
FLIPS = 6_000 if EVERY else 300
PARTS = 16 if EVERY else 1


KINDS = ("history.db", "history", "bundled")
"""A database, a directory, and a directory with so many entries that readers take them from a bundle."""
BUNDLED = 12


def filled(path):
    with open_store(str(path)) as store:
        if path.name == "bundled":
            for i in range(BUNDLED):
                store.put_setting(Setting("orders", f"setting {i}", "[]", "ann", AT))
        for day in (1, 2, 3):
            columns, measures = {"a": b"A" * 9, "b": bytes([day])}, bytes([day])
            run = Run("orders", f"2026-11-0{day}", AT, "as usual", 10 + day, columns, measures, f'{{"day": {day}}}')
            store.record(run, Programs("orders", run.run, AT, {"a": "{}"}))
        store.decide(Decision("orders", "2026-11-02", "reject", "ann", AT, "why", ("a",)))
        store.put_setting(Setting("orders", 'override ["a", "mean"]', "[]", "ann", AT))
    return path


def answers(path):
    """Everything that a verdict is made of."""
    with open_store(str(path)) as store:
        programs = store.programs("orders")
        days = ["2026-11-01", "2026-11-02", "2026-11-03"]
        return (
            store.key(),
            store.tables(),
            store.overview(),
            store.runs("orders"),
            store.runs("orders", last=2),
            store.load("orders", days),
            [dict(run.columns) for run in store.load("orders", days, ["b"])],
            store.measures("orders"),
            store.measures("orders", days),
            store.decisions("orders"),
            store.settings("orders"),
        ), programs


def places_of(sound, few, chance):
    """Where to flip bits: in each byte, or in a few that are not empty. Neighbours that are empty are flipped together:
    most of a small database is never read, and of a group that matters each byte is tried.
    """
    files = [sound] if sound.is_file() else sorted(p for p in sound.rglob("*") if p.is_file())
    every = {file: file.read_bytes() for file in files}
    full = [(file, [at]) for file, data in every.items() for at, byte in enumerate(data) if byte]
    if not EVERY:
        return chance.sample(full, few)
    empty = {file: [at for at, byte in enumerate(data) if not byte] for file, data in every.items()}
    return full + [(file, at[i : i + TOGETHER]) for file, at in empty.items() for i in range(0, len(at), TOGETHER)]


def tried_each(sound, places, chance, here, tried):
    """How it goes with copies of a store in which bits at some places are wrong, with how many bytes each."""
    for file, group in places:
        found = tried(*_flipped(sound, file, group, chance, here))
        if found == "right" or len(group) == 1:
            yield found, len(group)
        else:
            yield from ((tried(*_flipped(sound, file, [at], chance, here)), 1) for at in group)


def _flipped(sound, file, group, chance, here):
    copy = here / "flipped" / sound.name
    shutil.rmtree(copy.parent, ignore_errors=True)
    copy.parent.mkdir()
    (shutil.copytree if sound.is_dir() else shutil.copy)(sound, copy)
    target = copy / Path(file).relative_to(sound) if sound.is_dir() else copy
    data = bytearray(target.read_bytes())
    for at in group:
        data[at] ^= 1 << chance.randrange(8)
    target.write_bytes(data)
    return copy, f"byte {group} of {file.name}"


def counted(tally, kind, tries):
    """Count flips; each either gave the right answer or was refused."""
    outcomes = Counter()
    for found, size in tries:
        outcomes[found] += size
    tally[f"flips of {kind}"] += outcomes.total()
    tally[f"flips of {kind} refused"] += outcomes["refused"]
    assert outcomes["refused"], "of many places some must matter"


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_byte_changes_no_answer_silently(kind, part, tmp_path, tally):
    (tmp_path / "sound").mkdir()
    sound = filled(tmp_path / "sound" / kind)
    right, programs = answers(sound)

    def tried(copy, where):
        try:
            found, learned = answers(copy)
        except ByHistoryError:
            return "refused"
        except Exception as why:
            raise AssertionError(f"{where} gave no clear error") from why
        assert found == right, f"{where} changed an answer"
        assert learned in (programs, None)
        return "right"

    assert kind != "bundled" or list(sound.rglob("*-bundle-*"))
    chance = chances(kind, part)
    places = places_of(sound, FEW, chance)[part::PARTS]
    counted(tally, kind, tried_each(sound, places, chance, tmp_path, tried))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_flipped_byte_changes_no_verdict_silently(kind, part, sound, tmp_path, tally):
    """A whole check, from the store to what is told, and a stop again for a run that is a hundred times too large."""
    batch, wrong = worker.batch(worker.PAST + 1), worker.batch(worker.PAST + 2, 100.0)

    def verdicts(path):
        with worker.guarding(str(path)) as guard:
            judged = [guard.judge(one, "orders") for one in (batch, wrong)]
        return [(said.status, *plain_text(said.verdict)) for said in judged]

    def tried(copy, where):
        try:
            found = verdicts(copy)
        except ByHistoryError:
            return "refused"
        except Exception as why:
            raise AssertionError(f"{where} gave no clear error") from why
        assert found == right, f"{where} changed a verdict"
        return "right"

    shutil.rmtree(tmp_path / "whole", ignore_errors=True)
    whole = tmp_path / "whole" / kind
    whole.parent.mkdir()
    (shutil.copytree if kind == "history" else shutil.copy)(sound(kind), whole)
    right = verdicts(whole)
    assert [status for status, *_ in right] == ["as usual", "stop"]
    source, chance = Path(sound(kind)), chances(kind, part, "verdict")
    places = places_of(source, FEW // 4, chance)[part::PARTS]
    counted(tally, f"{kind}, judged", tried_each(source, places, chance, tmp_path, tried))


def plain_text(verdict):
    """What a verdict says, but for faults that a program learned again without rows cannot know."""
    return sorted(re.sub(r";? looks like.*", "", str(verdict)).splitlines())


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A store with more runs than a check lists, among tables of other names; and where the index of their order is."""
    path = tmp_path_factory.mktemp("long") / "history.db"
    with open_store(str(path)) as store, store.snapshot():
        for i in range(LONG):
            for table in ("before", "orders", "tables"):
                store.record(Run(table, f"{i:04}", AT, "as usual", i, {}))
    with closing(sqlite3.connect(path)) as db:
        size = db.execute("PRAGMA page_size").fetchone()[0]
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'byhistory_run_in_order'").fetchone()[0]
    return path, [(page - 1) * size + at for page in _pages(path.read_bytes(), root, size) for at in range(size)]


def _pages(data, page, size):
    """The pages of an index: the given one, and those that it points at."""
    yield page
    start = (page - 1) * size
    if data[start] == INTERIOR:
        cells = int.from_bytes(data[start + 3 : start + 5], "big")
        places = [start + int.from_bytes(data[(at := start + 12 + 2 * i) : at + 2], "big") for i in range(cells)]
        for place in (*places, start + 8):
            yield from _pages(data, int.from_bytes(data[place : place + 4], "big"), size)


def test_a_flip_in_the_order_of_many_runs_lists_the_last_or_is_refused(long, tmp_path, tally):
    sound, places = long
    right = [f"{i:04}" for i in range(LONG - LISTED, LONG)]
    data, chance, refused = sound.read_bytes(), chances(), 0
    for at in chance.sample(places, min(len(places), FLIPS)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << chance.randrange(8)
        (tmp_path / "history.db").write_bytes(flipped)
        try:
            with open_store(str(tmp_path / "history.db")) as store:
                found = [line.run for line in store.runs("orders", last=LISTED)]
        except ByHistoryError:
            refused += 1
            continue
        assert found == right, f"byte {at} changed which runs are the last"
    tally["flips of the order of many runs"] += FLIPS
    tally["flips of the order of many runs refused"] += refused
    assert refused, "of many places some must matter"
