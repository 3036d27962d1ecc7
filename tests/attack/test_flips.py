"""A byte of a store that is not what was written gives the same answer or a clear error, never another answer.

BYHISTORY_ATTACKS=1, or any other number, flips every byte of both stores, in sixteen parts that may run side by side or
one by one, a minute of CPU each; without it, some bytes that are not empty. All of SQLite:

    BYHISTORY_ATTACKS=1 .venv/bin/python -m pytest -q tests/attack/test_flips.py -k history.db

and one part: `'tests/attack/test_flips.py::test_a_flipped_byte_changes_no_answer_silently[history.db-3]'`.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest

from byhistory.errors import ByHistoryError
from byhistory.history import Decision, Programs, Run, Setting, open_store

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
EVERY = "BYHISTORY_ATTACKS" in os.environ
FEW = 120
LONG, LISTED = 400, 150
INTERIOR = 2
"""How a page of an index begins that points at others."""
FLIPS = 6_000 if EVERY else 300
PARTS = 16 if EVERY else 1


def filled(path):
    with open_store(str(path)) as store:
        for day in (1, 2, 3):
            run = Run(
                "orders", f"2026-11-0{day}", AT, "as usual", 10 + day, {"a": b"A" * 9, "b": bytes([day])}, b"m", "{}"
            )
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


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", ["history.db", "history"])
def test_a_flipped_byte_changes_no_answer_silently(kind, part, tmp_path, tally):
    (tmp_path / "sound").mkdir()
    sound = filled(tmp_path / "sound" / kind)
    right, programs = answers(sound)
    files = [sound] if sound.is_file() else sorted(p for p in sound.rglob("*") if p.is_file())
    chance = random.Random(14 + part)
    places = [(file, at) for file in files for at, byte in enumerate(file.read_bytes()) if byte or EVERY]
    if not EVERY:
        places = chance.sample(places, FEW)  # Most of a small database is empty: there, nothing can go wrong.
    places = places[part::PARTS]
    here = tmp_path / "flipped" / kind
    here.parent.mkdir()
    refused = 0
    for file, at in places:
        shutil.rmtree(here.parent)
        here.parent.mkdir()
        (shutil.copytree if sound.is_dir() else shutil.copy)(sound, here)
        target = here / Path(file).relative_to(sound) if sound.is_dir() else here
        data = bytearray(target.read_bytes())
        data[at] ^= 1 << chance.randrange(8)
        target.write_bytes(data)
        try:
            found, learned = answers(here)
        except ByHistoryError:
            refused += 1
            continue
        except Exception as why:
            raise AssertionError(f"byte {at} of {file.name} gave no clear error") from why
        assert found == right, f"byte {at} of {file.name} changed an answer"
        assert learned in (programs, None)
    tally[f"flips of {kind}"] += len(places)
    tally[f"flips of {kind} refused"] += refused
    assert refused, "of many places some must matter"


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
    data, chance, refused = sound.read_bytes(), random.Random(14), 0
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
