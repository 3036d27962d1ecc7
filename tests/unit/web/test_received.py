"""What comes through the network to be kept can be read back, or is refused: whatever it is, no table breaks."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from tests.unit.web.consoles import TODAY, TOKENS, client, guard_of, next_day, sign_in, with_accounts

from byhistory.history import Decision, Setting
from byhistory.history.verify import verify
from byhistory.history.wire import packed
from byhistory.validator.override_codec import override_name
from byhistory.web.links import link
from byhistory.web.pages.setting import changed

ODD: tuple[Any, ...] = (
    *(
        None,
        5,
        -1,
        1.5,
        True,
        [],
        {},
        {"$map": [["a", 5]]},
        {"$map": [[5, {"$bytes": "AA=="}]]},
        {"$tuple": [1]},
        10**30,
    ),
    *({"$bytes": "AA=="}, {"$time": "9999-12-31T23:59:59+00:00"}, {"$record": "os", "fields": {}}, "\ud800", "\0"),
    "x" * 5_000,
)
LOOKUPS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("runs", {"table": "orders", "last": 3}), ("load", {"table": "orders", "runs": ["a"], "columns": ["b"]})),
    *(("measures", {"table": "orders", "runs": ["a"]}), ("state", {"table": "orders"})),
    *(("forget", {"table": "no", "run": "no"}), ("programs", {"table": "orders"})),
)
MUTED = '[{"column": "amount", "metric": "mean", "mute": true}]'


@pytest.fixture(scope="module")
def delivered():
    """A run as a job sends it, with its programs."""
    guard = guard_of()
    label = next_day(guard, cents=False).run
    (run,) = guard.store.load("orders", [label])
    return run, guard.store.programs("orders")


def records(delivered):
    """A record of every kind that the console takes, each by its method and its argument."""
    run, programs = delivered
    at = run.at
    return {
        ("record", "run"): run,
        ("decide", "decision"): Decision("orders", TODAY, "accept", "ann", at, "why", ("amount",), "", "", "", "3"),
        ("put_setting", "setting"): Setting("orders", override_name("amount", "mean"), MUTED, "ann", at),
        ("save_programs", "programs"): programs,
    }


def send(opened, method, given):
    role = "job" if method in ("record", "save_programs") else "decide"
    token = {"authorization": f"Bearer {TOKENS[role]}"}
    body = json.dumps({"method": method, "arguments": given})
    answer = opened.post("/api/v1/store", content=body, headers=token)
    assert answer.status_code in (200, 400), body[:2_000]
    if answer.status_code == 400:
        assert set(answer.json()) == {"asked", "found", "todo"}
    return answer


def assert_sound(guard, opened):
    """Every record can be read, and every page opens."""
    assert verify(guard.store).problems == ()
    for table in guard.store.tables():
        for page in ("/table", "/run"):
            assert opened.get(link(page, t=table)).status_code == 200, (page, table)
        assert guard.decisions.standing(table).runs
        assert guard.learning.programs(table)


@pytest.mark.parametrize("kind", ["memory:", "history.db", "history"])
def test_records_of_any_shape_leave_a_store_that_can_be_read(kind, tmp_path, delivered):
    guard = guard_of(store=kind if kind == "memory:" else str(tmp_path / kind))
    sound = records(delivered)
    calls = [
        (method, {name: {**packed(record), "fields": {**packed(record)["fields"], field: odd}}})
        for (method, name), record in sound.items()
        for field in record.__slots__
        for odd in ODD
    ]
    calls += [(method, {**given, name: odd}) for method, given in LOOKUPS for name in given for odd in ODD]
    with client(guard, with_accounts(tmp_path)) as opened:
        for method, given in calls:
            send(opened, method, given)
        for table in guard.store.tables():
            guard.store.runs(table), guard.store.decisions(table), guard.store.setting_changes(table)
            guard.store.measures(table), guard.store.programs(table)
        assert verify(guard.store).problems == ()
        assert [send(opened, m, {n: packed(r)}).status_code for (m, n), r in sound.items()] == [200] * 4


def bomb(size):
    return zlib.compress(bytes(size), 9)


def broken_runs(run):
    """The run with something in it that cannot be read back, or is not what it says."""
    name, other = list(run.columns)[:2]
    data = run.columns[name]
    for bad in (b"", b"BHP", b"x", data[:-9], data[:4] + bomb(65 << 20), run.columns[other], data[:4] + bomb(9)):
        yield replace(run, columns={**run.columns, name: bad})
    yield replace(run, rows=run.rows + 1)
    yield replace(run, columns={name: data})
    for bad in (b"m", run.measures[:-9], bomb(1 << 10), bomb((1 << 30) + 1)):
        yield replace(run, measures=bad)
    verdict = json.loads(run.verdict)
    for bad in ("x", "[]", "null", "[" * 100_000, *(json.dumps(verdict | {k: 5}) for k in ("run", "table", "columns"))):
        yield replace(run, verdict=bad)
    for bad in ("x", "5", "[5]", '[{"about": 5}]', "[" * 100_000):
        yield replace(run, causes=bad)


def broken_settings(setting):
    for bad in ("", "x", "5", "[5]", '[{"column": "amount", "metric": "max", "mute": true}]', "[" * 100_000):
        yield replace(setting, text=bad)
    for bad in ("", "amount", "[5, 6]", '["amount"]', '["amount",  "mean"]', "[" * 100_000):
        yield replace(setting, name=f"override {bad}", text="[]")
    for name, bad in (("overrides", "x"), ("pins", "5"), ("budget", "5"), ("budget", '{"budget": []}'), ("budget", "")):
        yield replace(setting, name=name, text=bad)
    yield replace(setting, name="budget", text='{"budget": 1e999}')


@pytest.mark.parametrize("kind", ["memory:", "history.db"])
def test_what_cannot_be_read_back_is_refused_before_anything_is_written(kind, tmp_path, delivered):
    guard = guard_of(store=kind if kind == "memory:" else str(tmp_path / kind))
    sound = records(delivered)
    before = guard.store.state("orders")
    with client(guard, with_accounts(tmp_path)) as opened:
        for run in broken_runs(sound["record", "run"]):
            assert send(opened, "record", {"run": packed(run)}).status_code == 400, run
        for setting in broken_settings(sound["put_setting", "setting"]):
            assert send(opened, "put_setting", {"setting": packed(setting)}).status_code == 400, setting
        assert guard.store.state("orders") == before
        sign_in(opened, "read")
        assert_sound(guard, opened)


def with_one_byte_changed(run, what, random):
    """The run with one byte of a part of it changed, below the compression."""
    head = 0 if what == "measures" else 4
    if what in run.columns or what == "measures":
        data = run.measures if what == "measures" else run.columns[what]
        body = bytearray(zlib.decompress(data[head:]))
        body[random.randrange(len(body))] = random.randrange(256)
        data = data[:head] + zlib.compress(bytes(body))
        return replace(run, measures=data) if head == 0 else replace(run, columns={**run.columns, what: data})
    text = getattr(run, what) or '[{"about": "size", "columns": [], "metric": "", "direction": 0, "level": "warn"}]'
    at = random.randrange(len(text))
    return replace(run, **{what: text[:at] + chr(random.randrange(32, 127)) + text[at + 1 :]})


def test_bytes_that_anybody_changed_leave_pages_that_open(tmp_path, delivered):
    guard = guard_of()
    run, programs = delivered
    random = Random(14)
    with client(guard, with_accounts(tmp_path)) as opened:
        sign_in(opened, "read")
        for _ in range(60):
            what = random.choice([*run.columns, "measures", "verdict", "causes"])
            if send(opened, "record", {"run": packed(with_one_byte_changed(run, what, random))}).status_code == 200:
                assert_sound(guard, opened)
        for by_column in (dict.fromkeys(programs.by_column, "{"), {"x": "[" * 9_999}, {}):
            send(opened, "save_programs", {"programs": packed(replace(programs, by_column=by_column))})
            assert_sound(guard, opened)


def test_a_job_cannot_have_other_data_pass_by_a_decision_that_was_not_about_them(tmp_path, delivered):
    guard = guard_of()
    guard.decisions.accept("orders", TODAY, who="ann")
    accepted = next(line for line in guard.store.runs("orders") if line.run == TODAY)
    run, _ = delivered
    verdict = json.dumps(json.loads(run.verdict) | {"run": TODAY})
    with client(guard, with_accounts(tmp_path)) as opened:
        for id_, digest in ((accepted.id, accepted.digest), ("", accepted.digest), (accepted.id, "")):
            other = packed(replace(run, run=TODAY, verdict=verdict))
            other["fields"] |= {"id": id_, "digest": digest}
            assert send(opened, "record", {"run": other}).status_code == 200
            assert [line.decision for line in guard.store.runs("orders") if line.run == TODAY] == [None]


def test_a_setting_that_was_written_past_the_console_is_shown_as_what_it_is(delivered):
    for setting in broken_settings(records(delivered)["put_setting", "setting"]):
        if setting.name not in ("overrides", "pins"):
            (shown,) = changed([setting])
            assert "cannot be read" in shown.what or "mean of amount" in shown.what
