"""Send a message to Slack, Teams, e-mail, a webhook or a hundred others by apprise, or to a command."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from byhistory.errors import ByHistoryError
from byhistory.notify.news import Item, News, channel_of, mark_sent, mark_undelivered, picture_of, waiting
from byhistory.plain import harmless
from byhistory.report.markdown import literal
from byhistory.validator import Validator

CHANNELS = "BYHISTORY_NOTIFY"
"""The variable with the addresses, one per line: they contain secrets, and are written nowhere else."""
CONSOLE = "BYHISTORY_CONSOLE_URL"
COMMAND = "command:"
TRIES = 3
"""By choice: a channel that fails three times, seconds apart, is tried again by the next call."""
_SECONDS = 30.0
"""How long a command of the user may take, by choice."""
_LONGEST_KIND = 20
"""How many letters before `://` are shown, by choice: no channel of apprise has more."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message, and what went wrong with it: by the number of the channel, because an address contains secrets."""

    news: News
    failed: tuple[str, ...] = ()
    is_delivered: bool = True
    """Whether at least one channel took it."""


def channels(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The addresses of the environment; an error if there is none."""
    found = [line.strip() for line in environment.get(CHANNELS, "").splitlines() if line.strip()]
    if not found:
        todo = f"put addresses into {CHANNELS}, one per line, as slack://… or mailto://… or command:path"
        raise ByHistoryError("send a message", f"nothing in {CHANNELS}", todo)
    return found


def notify(
    guard: Validator,
    addresses: Sequence[str],
    console: str = "",
    levels: Sequence[str] = ("stop", "warn", "late"),
    pause: Callable[[float], None] = time.sleep,
) -> list[Sent]:
    """Send every channel what it was not sent yet; what a channel did not take, the next call tries again there."""
    known = waiting(guard)
    sent: dict[News, list[str]] = {}
    delivered: list[tuple[str, News]] = []
    lost: list[tuple[str, str, str, News]] = []
    pictures: dict[News, bytes] = {}
    try:
        for number, address in enumerate(addresses, 1):
            channel = channel_of(guard, address)
            for news in known.unsent(channel, levels):
                if news not in pictures:
                    pictures[news] = picture_of(guard, news)
                failed = _tried(news, address, console, pause, pictures[news])
                sent.setdefault(news, [])
                if failed:
                    sent[news].append(f"{_name(number, address)}: {failed}")
                    lost.append((channel, _name(number, address), failed, news))
                else:
                    delivered.append((channel, news))
    finally:  # if stopped halfway, remember what was sent
        mark_sent(guard, delivered)
        mark_undelivered(guard, lost, delivered)
    arrived = {news for _, news in delivered}
    return [Sent(news, tuple(failed), news in arrived) for news, failed in sent.items()]


def send(
    news: News,
    addresses: Sequence[str],
    console: str = "",
    pause: Callable[[float], None] = time.sleep,
    picture: bytes = b"",
) -> tuple[str, ...]:
    """Send one message to every channel, each tried a few times; what failed, without any secret."""
    tried = {_name(n, a): _tried(news, a, console, pause, picture) for n, a in enumerate(addresses, 1)}
    return tuple(f"{name}: {problem}" for name, problem in tried.items() if problem)


def _name(number: int, address: str) -> str:
    """The place of an address in the list and its kind; one that does not begin with a kind may be all secret."""
    kind = "command" if address.startswith(COMMAND) else address.partition("://")[0]
    is_kind = kind != address and kind.isalnum() and len(kind) <= _LONGEST_KIND
    return f"channel {number} ({kind if is_kind else 'of an unknown kind'})"


def _tried(news: News, address: str, console: str, pause: Callable[[float], None], picture: bytes) -> str:
    """What went wrong at the last attempt; empty if it was delivered."""
    problem = ""
    for attempt in range(TRIES):
        if attempt:
            pause(2.0 ** (attempt - 1))
        problem = (_command if address.startswith(COMMAND) else _apprise)(news, address, console, picture)
        if not problem:
            break
    return problem


def trial() -> News:
    """A message that says that messages arrive."""
    return News((Item("byhistory", "test", "test", "warn", "this is a test: messages of byhistory arrive here"),))


def _command(news: News, address: str, console: str, picture: bytes) -> str:
    """Run the user's command with the message as JSON on its input, without a shell."""
    try:
        words = shlex.split(address.removeprefix(COMMAND))
        body = news.body(console, picture).encode()
        done = subprocess.run(words, input=body, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603 - the user's
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as why:
        return type(why).__name__
    return f"exit code {done.returncode}" if done.returncode else ""


def _apprise(news: News, address: str, console: str, picture: bytes) -> str:
    """By apprise; a channel that takes no picture, or not this one, gets the words."""
    try:
        import apprise
    except ImportError:
        return 'the library is not there: pip install "byhistory[notify]"'
    try:
        post = apprise.Apprise()
        if not post.add(address):
            return "an address that apprise does not know"
        level = apprise.NotifyType.FAILURE if news.level == "stop" else apprise.NotifyType.WARNING
        # Without a format, apprise would send names as they are: as HTML in a mail, as a call of everybody in Slack.
        is_marked = all(_takes_only_markdown(channel) for channel in post)
        escape = literal if is_marked else harmless
        words: dict[str, Any] = {"title": news.title(escape), "body": news.text(console, escape), "notify_type": level}
        words["body_format"] = "markdown" if is_marked else "text"
        if picture and any(channel.attachment_support for channel in post):
            with tempfile.TemporaryDirectory(prefix="byhistory-") as folder:
                file = Path(folder) / "picture.png"
                file.write_bytes(picture)
                if post.notify(**words, attach=str(file)):
                    return ""
        return "" if post.notify(**words) else "not delivered"
    except Exception as why:  # whatever a channel does, a message never stops what it tells about
        return type(why).__name__


def _takes_only_markdown(channel: Any) -> bool:
    """Whether a channel takes nothing but Markdown: apprise would escape plain text for it, even in links."""
    formats = channel.notify_format
    formats = formats if isinstance(formats, tuple | list | set | frozenset) else (formats,)
    return all(getattr(one, "value", one) == "markdown" for one in formats)
