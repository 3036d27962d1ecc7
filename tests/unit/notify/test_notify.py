"""Messages: one for each cause, not twice, no secret in a complaint, and a failure never stops anything."""

from __future__ import annotations

import base64
import json
import re
import struct
import sys
import zlib
from dataclasses import replace
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import numpy as np
import pytest
from tests.shell import byhistory
from tests.unit.web.consoles import DAYS, TODAY, client, guard_of, next_day

from byhistory.errors import ByHistoryError
from byhistory.history.memory import MemoryStore
from byhistory.notify import channels, notify, send, unsent
from byhistory.notify.news import MOST, Item, Unanswered
from byhistory.notify.send import CHANNELS, TRIES, trial
from byhistory.report.png import HEIGHT, WIDTH
from byhistory.validator.undelivered import UNDELIVERED


@cache
def shared():
    return guard_of(("orders", "refunds"))


@pytest.fixture
def keeping(tmp_path):
    """A command that keeps what it is told, and where."""
    file = tmp_path / "told.jsonl"
    script = tmp_path / "keep.py"
    script.write_text(f"import sys; open({str(file)!r}, 'a').write(sys.stdin.read() + chr(10))")
    return f"command:{sys.executable} {script}", file


def test_one_cause_in_two_tables_is_one_message_with_a_link_to_each_run(keeping):
    address, file = keeping
    (sent,) = notify(shared(), [address], "https://console.example/")
    assert sent.failed == ()
    told = json.loads(file.read_text())
    assert told["title"] == "stop: 2 tables: amount"
    for table in ("orders", "refunds"):
        assert f"https://console.example/run?t={table}&r={TODAY}" in told["text"]
    assert notify(shared(), [address]) == []  # the same alarm is not told again
    assert len(file.read_text().splitlines()) == 1


def test_what_was_not_delivered_is_said_without_its_secret_and_tried_again():
    guard = guard_of()
    pauses = []
    wrong = "command:/nowhere/at/all --token s3cret"
    (sent,) = notify(guard, [wrong], pause=pauses.append)
    assert len(pauses) == TRIES - 1
    assert sent.failed == ("channel 1 (command): FileNotFoundError",)
    assert len(unsent(guard)) == 1
    assert unsent(guard, ["late"]) == []


def test_the_message_has_the_picture_of_what_broke(keeping):
    address, file = keeping
    guard = guard_of()
    notify(guard, [address])
    picture = base64.b64decode(json.loads(file.read_text())["picture_png"])
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    rows = pixels(picture)
    assert rows.shape == (HEIGHT, WIDTH, 3)
    red = (rows[:, :, 0] > 140) & (rows[:, :, 1] < 90)
    _, columns = np.nonzero(red)
    assert columns.min() > 0.9 * WIDTH  # this run, which is the last, and no other


def test_a_channel_that_failed_is_told_later_and_the_others_are_not_told_twice(keeping, tmp_path):
    address, file = keeping
    guard = guard_of()
    flag = tmp_path / "up"
    script = tmp_path / "sometimes.py"
    script.write_text(f"import pathlib, sys; sys.exit(not pathlib.Path({str(flag)!r}).exists())")
    other = f"command:{sys.executable} {script}"
    (sent,) = notify(guard, [address, other], pause=lambda _: None)
    assert (sent.failed, sent.is_delivered) == (("channel 2 (command): exit code 1",), True)
    flag.touch()
    (sent,) = notify(guard, [address, other], pause=lambda _: None)
    assert sent.failed == ()
    assert len(file.read_text().splitlines()) == 1
    assert notify(guard, [address, other]) == []
    kept = guard.store.settings("orders")
    assert kept
    assert str(script) not in str(kept)  # an address has secrets in it


class Meanwhile(MemoryStore):
    """A store in which something else happens right before the first setting is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.happens = lambda: None

    def put_setting(self, setting):
        happens, self.happens = self.happens, lambda: None
        happens()
        super().put_setting(setting)


def test_of_two_that_tell_at_once_neither_takes_back_what_the_other_told(keeping):
    address, file = keeping
    store = Meanwhile()
    guard = guard_of(store=store)
    other = f"{address} other"
    wrong = "command:/nowhere/at/all"

    def tell(asked):
        return notify(guard, [asked, wrong], pause=lambda _: None)

    store.happens = lambda: tell(other)
    tell(address)
    assert len(file.read_text().splitlines()) == 2
    assert notify(guard, [address, other]) == []
    assert len(file.read_text().splitlines()) == 2


def test_what_an_earlier_release_told_is_not_told_again_and_nonsense_is(keeping):
    address, _ = keeping
    guard = guard_of()
    (news,) = unsent(guard)
    guard.records.keep("orders", "told", json.dumps([news.items[0].key]))
    assert notify(guard, [address]) == []
    guard.records.keep("orders", "told", "{nonsense")
    assert len(notify(guard, [address])) == 1


def test_the_console_tells_what_did_not_arrive_until_it_does(keeping, tmp_path):
    address, _ = keeping
    guard = guard_of(("orders", "refunds"))
    flag, script = tmp_path / "up", tmp_path / "s3cret.py"
    script.write_text(f"import pathlib, sys; sys.exit(not pathlib.Path({str(flag)!r}).exists())")
    both = [address, f"command:{sys.executable} {script}"]
    with client(guard) as opened:

        def told(path: str) -> list[str]:
            opened.app.state.console.watch.look()
            text = opened.get(path).text
            assert "s3cret" not in text
            return re.findall(r"Channel .*? tries again", text)

        assert told("/") == told("/table?t=orders") == []
        begun = guard.now()
        notify(guard, both, pause=lambda _: None)
        kept = guard.store.setting_changes("orders")
        assert "s3cret" not in str(kept)
        (line,) = told("/")
        assert line.startswith("Channel 2 (command) was not told about 2 tables since ")
        assert "(exit code 1)" in line
        (line,) = told("/table?t=orders")
        assert line.startswith(f"Channel 2 (command) was not told about this table since {begun:%Y-%m-%d}")
        notify(guard, both, pause=lambda _: None)
        assert guard.store.setting_changes("orders") == kept  # failed first then; nothing is written again

        guard.decisions.accept("refunds", TODAY)
        (line,) = told("/")
        assert "about 1 table since" in line  # what was answered is not told any more
        flag.touch()
        notify(guard, both)
        assert told("/") == told("/table?t=orders") == []
        assert {s.text for name, s in guard.store.settings("orders").items() if name.startswith(UNDELIVERED)} == {""}

        for nonsense in ("[{}, nonsense", "[]", "3", '{"since": 4}'):
            guard.records.keep("orders", f"{UNDELIVERED} {nonsense[0]} x", nonsense)
        assert told("/") == []
        assert "/table?t=orders" in opened.get("/").text  # a note that is damaged does not hide its table


@pytest.mark.parametrize("address", ["s3cret", "s3cret:more", "s3cret-key://x", "://s3cret", f"{'s3cret' * 9}://x"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # apprise's own, when it loads its channels
def test_an_address_without_a_kind_is_not_shown(address):
    (told,) = send(trial(), [address], pause=lambda _: None)
    assert told.startswith("channel 1 (of an unknown kind): ")
    assert "s3cret" not in told


def test_the_same_alarm_in_the_next_runs_is_held_back(keeping):
    address, file = keeping
    guard = guard_of()
    notify(guard, [address])
    for day in range(1, 4):
        next_day(guard, day=DAYS + day)
        notify(guard, [address], levels=["stop", "warn"])
    assert len(file.read_text().splitlines()) == 1


def test_a_night_of_many_causes_is_a_few_messages():
    item = Item("t", "k", "1", "warn", "odd")
    many = Unanswered(tuple(replace(item, table=f"t{i}", key=f"k{i}") for i in range(40)), {})
    found = many.unsent()
    assert len(found) == MOST
    assert found[-1].title() == f"warn: {40 - MOST + 1} more causes in {40 - MOST + 1} tables"
    assert {i.key for news in found for i in news.items} == {f"k{i}" for i in range(40)}
    assert "https://c.example/day" in found[-1].text("https://c.example")


def pixels(data: bytes) -> np.ndarray:
    """A PNG without filters, read as its own description says."""
    width, height = struct.unpack(">II", data[16:24])
    begin = data.index(b"IDAT")
    size = struct.unpack(">I", data[begin - 4 : begin])[0]
    raw = zlib.decompress(data[begin + 4 : begin + 4 + size])
    return np.frombuffer(raw, np.uint8).reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # apprise's own, when it loads its channels
def test_a_webhook_gets_the_message(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    got = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        failed = send(trial(), [f"json://127.0.0.1:{server.server_port}/hook"], picture=b"\x89PNG a picture")
        server.shutdown()
        thread.join(10)
    assert failed == ()
    assert got[0]["title"] == "warn: byhistory"
    assert "this is a test" in got[0]["message"]
    assert base64.b64decode(got[0]["attachments"][0]["base64"]) == b"\x89PNG a picture"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # as above
def test_an_address_that_nobody_knows_is_said():
    (told,) = send(trial(), ["nonsense://s3cret"], pause=lambda _: None)
    assert told == "channel 1 (nonsense): an address that apprise does not know"


def test_without_an_address_the_reader_is_told_what_to_do():
    with pytest.raises(ByHistoryError, match=CHANNELS):
        channels({})


def test_the_command_sends_a_test_message(keeping, monkeypatch):
    address, file = keeping
    monkeypatch.setenv(CHANNELS, address)
    done = byhistory("notify", "test")
    assert (done.code, done.out.strip()) == (0, "notify: 1 message sent")
    assert "this is a test" in file.read_text()
    monkeypatch.setenv(CHANNELS, "command:false")
    monkeypatch.setattr(sys.modules["byhistory.notify.send"], "TRIES", 1)
    assert byhistory("notify", "test").code == 2
