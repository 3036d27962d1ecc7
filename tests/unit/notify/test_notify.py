"""Messages: one for each cause, not twice, no secret in a complaint, and a failure never stops anything."""

from __future__ import annotations

import json
import sys
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from tests.shell import byhistory
from tests.unit.web.consoles import TODAY, guard_of

from byhistory.errors import ByHistoryError
from byhistory.notify import channels, notify, send, untold
from byhistory.notify.send import CHANNELS, TRIES, trial


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
    assert len(untold(guard)) == 1
    assert untold(guard, ["late"]) == []


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
        failed = send(trial(), [f"json://127.0.0.1:{server.server_port}/hook"])
        server.shutdown()
        thread.join(10)
    assert failed == ()
    assert got[0]["title"] == "warn: byhistory"
    assert "this is a test" in got[0]["message"]


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
