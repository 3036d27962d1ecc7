"""Whatever a table, a column or a run is called, a message is text: it calls nobody, and has no link but ours."""

from __future__ import annotations

import email
import json
import re
import smtplib
from email.header import decode_header, make_header

import pytest
import requests

from byhistory.alarms import Alarm, Cause
from byhistory.notify.news import Item, News
from byhistory.notify.send import send

EVIL = "<img src=x onerror=alert(1)> <!channel> @everyone @here [x](http://evil.example) www.evil.example *a*\r\nBcc: x"
CONSOLE = "https://console.example"
ACTS = ("<img", "<!", "<b", "@everyone", "@here", "://evil", "www.evil")
CHANNELS = {
    "mail": "mailto://user:password@mail.example",
    "mail as HTML": "mailto://user:password@mail.example?format=html",
    "Slack": "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general",
    "Teams": "workflows://teams.example/workflow/signature",
    "Discord": "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
    "Telegram": "tgram://123456789:abcdefghijklmnopqrstuvwxyzabcdefghi/12315544/",
    "Mattermost": "mmost://chat.example/3ccdd113474722377935511fc85d3dd4",
    "a webhook": "json://hook.example",
}


@pytest.fixture
def wire(monkeypatch):
    """What went to the servers of channels: every text of a JSON body, subject and parts of a mail."""
    texts: list[str] = []

    def request(_session, **given):
        body = given.get("json") or json.loads(given["data"])
        texts.extend(_texts(body))
        done = requests.Response()
        done.status_code, done._content = 200, b"ok"
        return done

    class Server:
        def __init__(self, *_, **__):
            pass

        def __getattr__(self, _name):
            return lambda *_, **__: None

        def sendmail(self, _sender, to, message):
            mail = email.message_from_string(message if isinstance(message, str) else message.decode())
            assert to == ["user@mail.example"]
            assert mail["Bcc"] is None
            texts.append(str(make_header(decode_header(mail["Subject"]))))
            parts = [part for part in mail.walk() if not part.is_multipart()]
            texts.extend(part.get_payload(decode=True).decode() for part in parts)

    monkeypatch.setattr(requests.Session, "request", request)
    monkeypatch.setattr(smtplib, "SMTP", Server)
    monkeypatch.setattr(smtplib, "SMTP_SSL", Server)
    return texts


def _texts(body):
    inside = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    yield from [body] if isinstance(body, str) else ()
    for part in inside:
        yield from _texts(part)


def hostile() -> News:
    cause = Cause(f"column {EVIL!r} is null", (EVIL,), level="stop")
    return News((Item(EVIL, "key", EVIL, "stop", cause.sentence, Alarm(cause, (EVIL,), (EVIL,))),))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # apprise's own, when it loads its channels
@pytest.mark.parametrize("channel", CHANNELS)
def test_no_name_acts_in_any_channel_and_our_link_is_whole(channel, wire):
    assert send(hostile(), [CHANNELS[channel]], CONSOLE, pause=lambda _: None) == ()
    told = [text for text in wire if "evil" in text]
    assert told, wire
    for text in wire:
        assert not _acts_in(text), text
        assert "\r\nBcc" not in text
    assert any(f"{CONSOLE}/run?t=" in text for text in wire), wire


def test_a_command_gets_the_names_as_they_are_and_a_text_in_which_nothing_acts():
    body = json.loads(hostile().body(CONSOLE))
    assert body["items"][0]["table"] == EVIL
    assert not [*_acts_in(body["title"]), *_acts_in(body["text"])]


def _acts_in(text):
    """Apart from our own link, and from what apprise itself writes around a title."""
    text = re.sub(r"https://console\.example/\S+", "", text).replace("<br/>", "\n").replace("<b>stop: ", "stop: ")
    return [act for act in ACTS if act in text]
