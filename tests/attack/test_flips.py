"""A byte of a store that is not what was written gives the same answer or a clear error, never another answer.

BYHISTORY_ATTACKS=1, or any other number, flips every byte of both stores; without it, some that are not empty.
"""

from __future__ import annotations

import os
import random
import shutil
from datetime import datetime, timezone
from pathlib import Path

import pytest

from byhistory.errors import ByHistoryError
from byhistory.history import Decision, Programs, Run, Setting, open_store

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
EVERY = "BYHISTORY_ATTACKS" in os.environ
FEW = 120


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


@pytest.mark.parametrize("kind", ["history.db", "history"])
def test_a_flipped_byte_changes_no_answer_silently(kind, tmp_path, tally):
    (tmp_path / "sound").mkdir()
    sound = filled(tmp_path / "sound" / kind)
    right, programs = answers(sound)
    files = [sound] if sound.is_file() else sorted(p for p in sound.rglob("*") if p.is_file())
    chance = random.Random(14)
    places = [(file, at) for file in files for at, byte in enumerate(file.read_bytes()) if byte or EVERY]
    if not EVERY:
        places = chance.sample(places, FEW)  # Most of a small database is empty: there, nothing can go wrong.
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
