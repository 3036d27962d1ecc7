"""The answer for a GitHub workflow: one annotation per cause."""

from __future__ import annotations

from byhistory.plain import plain, plain_sentence
from byhistory.report.story import CauseStory, Story, as_story
from byhistory.report.words import cause_title, headline, not_judged
from byhistory.verdict import Verdict

MOST = 10
"""How many annotations of one kind GitHub shows for a step; our last one says how many more there are."""


def to_github(of: Story | Verdict) -> str:
    """Workflow commands, one per line: errors for what stops (warnings in shadow mode), warnings, and notices.

    >>> print(to_github(Verdict("7", (), {}, table="orders")))
    ::notice title=orders%2C run 7::run 7 of orders is as usual: 0 constraints on 0 columns hold.
    """
    story = as_story(of)
    title = f"{plain(story.table or 'table')}, run {plain(story.run or '?')}"
    stops = "warning" if story.verdict.is_shadow else "error"
    lines = _limited([(stops, _message(c, story)) for c in story.causes if c.finding.level == "stop"])
    lines += _limited([("warning", _message(c, story)) for c in story.causes if c.finding.level == "warn"])
    quiet = [c for c in story.causes if c.finding.level == "as usual"]
    notices = [("notice", _message(c, story)) for c in quiet] + [("notice", n) for n in not_judged(story.verdict)]
    lines += _limited(notices)
    if story.verdict.ok:
        lines.append(("notice", f"{headline(story)}."))
    return "\n".join(command(what, title, text) for what, text in lines)


def command(what: str, title: str, text: str) -> str:
    r"""One annotation: `what` is error, warning or notice.

    >>> print(command("error", "orders, run 7", "two\nlines"))
    ::error title=orders%2C run 7::two%0Alines
    """
    return f"::{what} title={_property(title)}::{_data(text)}"


def _limited(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    if len(lines) <= MOST:
        return lines
    left = len(lines) - MOST + 1
    return [*lines[: MOST - 1], (lines[0][0], f"and {left} more; the report has all of them")]


def _message(cause: CauseStory, story: Story) -> str:
    names = [c.name for c in story.columns]
    finding = cause.finding
    sentence = plain_sentence(finding.sentence, names)
    parts = [
        f"{cause_title(cause, story)}: {sentence}" if finding.about == "constraint" and finding.column else sentence
    ]
    if finding.again:
        return f"{parts[0]}\n{plain_sentence(finding.again)}"
    if finding.since and finding.since != story.run:
        parts.append(f"moving since run {plain(finding.since)}")
    if finding.looks_like:
        parts.append(f"looks like: {plain_sentence(finding.looks_like)}")
    return "\n".join(parts)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
