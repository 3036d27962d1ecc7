"""Send a message: Slack, Teams, e-mail, a webhook and a hundred others by apprise, or to a command."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from byhistory.errors import ByHistoryError
from byhistory.notify.news import Item, News, mark_told, untold
from byhistory.validator import Validator

CHANNELS = "BYHISTORY_NOTIFY"
"""The variable with the addresses, one a line: they have secrets in them, and stand nowhere else."""
CONSOLE = "BYHISTORY_CONSOLE_URL"
COMMAND = "command:"
TRIES = 3
"""By choice: a channel that fails three times, seconds apart, is tried again by the next call."""
_SECONDS = 30.0
"""That a command of the user's may take, by choice."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message, and what went wrong with it: by the number of the channel, because an address has secrets in it."""

    news: News
    failed: tuple[str, ...] = ()


def channels(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The addresses of the environment; an error if there is none."""
    found = [line.strip() for line in environment.get(CHANNELS, "").splitlines() if line.strip()]
    if not found:
        todo = f"put addresses into {CHANNELS}, one a line, as slack://… or mailto://… or command:path"
        raise ByHistoryError("send a message", f"nothing in {CHANNELS}", todo)
    return found


def notify(
    guard: Validator,
    addresses: Sequence[str],
    console: str = "",
    levels: Sequence[str] = ("stop", "warn", "late"),
    pause: Callable[[float], None] = time.sleep,
) -> list[Sent]:
    """Tell what nobody was told yet. What no channel took is not marked as told: the next call tries again."""
    done = []
    for news in untold(guard, levels):
        failed = send(news, addresses, console, pause)
        if len(failed) < len(addresses):
            mark_told(guard, news)
        done.append(Sent(news, failed))
    return done


def send(
    news: News, addresses: Sequence[str], console: str = "", pause: Callable[[float], None] = time.sleep
) -> tuple[str, ...]:
    """Send one message to every channel, each tried a few times; what failed, without any secret."""
    failed = []
    for number, address in enumerate(addresses, 1):
        name = f"channel {number} ({address.partition(':')[0]})"
        for attempt in range(TRIES):
            problem = (
                _command(news, address, console) if address.startswith(COMMAND) else _apprise(news, address, console)
            )
            if not problem:
                break
            if attempt + 1 < TRIES:
                pause(2.0**attempt)
        else:
            failed.append(f"{name}: {problem}")
    return tuple(failed)


def trial() -> News:
    """A message that says that messages arrive."""
    return News((Item("byhistory", "test", "test", "warn", "this is a test: messages of byhistory arrive here"),))


def _command(news: News, address: str, console: str) -> str:
    """Run the user's command with the message as JSON on its input; nothing of it goes through a shell."""
    try:
        words = shlex.split(address.removeprefix(COMMAND))
        body = news.body(console).encode()
        done = subprocess.run(words, input=body, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603 - the user's
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as why:
        return type(why).__name__
    return f"exit code {done.returncode}" if done.returncode else ""


def _apprise(news: News, address: str, console: str) -> str:
    try:
        import apprise
    except ImportError:
        return 'the library is not there: pip install "byhistory[notify]"'
    try:
        post = apprise.Apprise()
        if not post.add(address):
            return "an address that apprise does not know"
        level = apprise.NotifyType.FAILURE if news.level == "stop" else apprise.NotifyType.WARNING
        return "" if post.notify(title=news.title, body=news.text(console), notify_type=level) else "not delivered"
    except Exception as why:  # whatever a channel does, a message never stops what it tells about
        return type(why).__name__
