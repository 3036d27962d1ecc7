"""Whatever stored bytes say, what comes of them is a value of its type or a clear error.

Checksums stop what is damaged. Who has the key, or records through a console, can write what has one.
BYHISTORY_ATTACKS=2000 tries that many changes of each kind instead of a few.
"""

from __future__ import annotations

import json
import os
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from tests.attack import worker
from tests.attack.conftest import chances
from tests.attack.test_flips import answers, filled

from byhistory.alarms import causes_from_json
from byhistory.errors import ByHistoryError
from byhistory.history import open_store
from byhistory.history.checksum import checksum
from byhistory.history.pack import packed, unpacked
from byhistory.learners import from_json as program_from_json
from byhistory.metrics import ALL, Measures, over_runs
from byhistory.profile import TableProfile, from_bytes
from byhistory.validator.override_codec import from_text
from byhistory.verdict.codec import from_json as verdict_from_json

GOLDEN = Path(__file__).parent.parent / "golden"
CHANGES = max(40, int(os.environ.get("BYHISTORY_ATTACKS", "0")))
DEEP = "[" * 100_000 + "]" * 100_000
NUMBERS = ("1e999", "-1", "9" * 40, "1e308", "NaN", "-Infinity", "0.5")
EVIL = (*NUMBERS, "null", "[]", "{}", "true", "[[[]]]", DEEP, '""', '"x"', '"\\ud800"', '"\\u0000"')


@pytest.fixture(scope="module")
def kept():
    """A run that was stopped, the programs and the overrides, as a store keeps them."""
    with worker.guarding("memory:") as guard:
        guard.remember([worker.batch(day) for day in range(worker.PAST)], "orders")
        guard.judge(worker.batch(worker.PAST, 100.0), "orders")
        guard.overrides.mute("orders", "amount", "median")
        guard.overrides.set_threshold("orders", "amount", "min", low=-1.0)
        (run,) = guard.store.load("orders", [worker.label(worker.PAST)])
        settings = [s.text for s in guard.store.settings("orders").values()]
        return run, [*guard.store.programs("orders").by_column.values()], settings


def changed(text: str, chance: random.Random) -> str:
    """A JSON text in which one thing is gone, is called otherwise, or is something else."""
    body = json.loads(text)
    places = list(_places(body))
    if not places:
        return chance.choice(EVIL)
    holder, key = chance.choice(places)
    match chance.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder["unknown"] = holder.pop(key)
        case _:
            holder[key] = "@evil@"
    return json.dumps(body).replace('"@evil@"', chance.choice(EVIL))


def _places(value):
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield value, key
        yield from _places(part)


def changed_profile(data: bytes, chance: random.Random) -> bytes:
    body = zlib.decompress(data[4:])
    (size,) = struct.unpack_from("<I", body)
    head, rest = body[4 : 4 + size], bytearray(body[4 + size :])
    if chance.random() < 0.7 or not rest:
        head = changed(head.decode(), chance).encode()
    else:
        rest[chance.randrange(len(rest))] = chance.randrange(256)
    return data[:4] + zlib.compress(struct.pack("<I", len(head)) + head + bytes(rest))


def measured(data: bytes) -> None:
    """A profile that can be read can be used, as that of a run and as that of the run before."""
    profile = from_bytes(data)
    whole = TableProfile("1", profile.rows, {profile.name: profile})
    with np.errstate(all="ignore"):
        Measures.of(whole, {profile.name: profile}, ALL)


@pytest.mark.parametrize("golden", sorted(GOLDEN.glob("profile-v*-*.bin")), ids=lambda path: path.stem[8:])
def test_a_profile_that_says_anything_is_read_and_measured_or_refused(golden, tally):
    chance, refused = chances(golden.stem), 0
    for _ in range(max(8, CHANGES // 10)):
        data = changed_profile(golden.read_bytes(), chance)
        try:
            measured(data)
        except ByHistoryError:
            refused += 1
        tally["changed profiles"] += 1
    assert refused


def changed_measures(data: bytes, chance: random.Random) -> bytes:
    body = zlib.decompress(data)
    version, size = struct.unpack_from("<BI", body)
    head, rest = body[5 : 5 + size], bytearray(body[5 + size :])
    if chance.random() < 0.8:
        head = changed(head.decode(), chance).encode()
    else:
        del rest[chance.randrange(len(rest)) :]
    return zlib.compress(struct.pack("<BI", version, len(head)) + head + bytes(rest))


def changed_programs(data: bytes, chance: random.Random) -> bytes:
    (size,) = struct.unpack_from("<Q", data, 4)
    body, lines = zlib.decompress(data[12 : 12 + size]), data[12 + size :]
    (size,) = struct.unpack_from("<I", body)
    head = changed(body[4 : 4 + size].decode(), chance).encode()
    small = zlib.compress(struct.pack("<I", len(head)) + head + body[4 + size :])
    return data[:4] + struct.pack("<Q", len(small)) + small + lines


def test_measures_that_say_anything_are_read_and_used_or_refused(kept, tally):
    run, _, _ = kept
    chance, refused = chances("measures"), 0
    for _ in range(CHANGES):
        try:
            found = Measures.from_bytes(changed_measures(run.measures, chance))
            for column in (*found.types, "amount"):
                assert over_runs((found, found), column, [*found.metrics, "mean"]).shape[1] == 2
                found.of_column(column, ["mean", "row_count"])
        except ByHistoryError:
            refused += 1
        tally["changed measures"] += 1
    assert refused


def test_programs_that_say_anything_are_unpacked_or_refused(kept, tally):
    _, programs, _ = kept
    data = packed({f"c{i}": text for i, text in enumerate(programs)})
    chance, refused = chances("programs"), 0
    for _ in range(CHANGES):
        try:
            assert all(
                isinstance(part, str) for one in unpacked(changed_programs(data, chance)).items() for part in one
            )
        except ByHistoryError:
            refused += 1
        tally["changed programs"] += 1
    assert refused


def test_an_entry_of_a_log_that_says_anything_is_read_or_refused(tmp_path, tally):
    sound = filled(tmp_path / "history")
    with open_store(str(sound)) as store:
        key = store.key()
    entries = sorted(path for path in sound.rglob("*.json") if path.parent.name == "log")
    chance, refused = chances("entries"), 0
    for _ in range(CHANGES):
        path = chance.choice(entries)
        text, name = path.read_text(), str(path.relative_to(sound))
        body = {what: said for what, said in json.loads(text).items() if what != "checksum"}
        try:
            forged = json.loads(changed(json.dumps(body), chance))
        except RecursionError:  # too deep for us, too
            continue
        forged["checksum"] = checksum(key, "entry", name, json.dumps(forged, sort_keys=True))
        path.write_text(json.dumps(forged))
        try:
            answers(sound)
        except ByHistoryError:
            refused += 1
        tally["changed entries"] += 1
        path.write_text(text)
    assert refused


@pytest.mark.parametrize("what", ["program", "verdict", "causes", "override"])
def test_a_text_that_says_anything_is_read_or_refused(what, kept, tally):
    run, programs, settings = kept
    sources = {"program": programs, "verdict": [run.verdict], "causes": [run.causes], "override": settings}
    read = {"program": program_from_json, "verdict": verdict_from_json}
    read |= {"causes": causes_from_json, "override": from_text}
    chance, refused = chances(what), 0
    for _ in range(CHANGES):
        text = changed(chance.choice(sources[what]), chance)
        try:
            read[what](text)
        except ByHistoryError:
            refused += 1
        tally["changed texts"] += 1
    assert refused
