"""The answer in a GitHub workflow: one annotation per cause."""

from __future__ import annotations

from byhistory.plain import plain, said
from byhistory.report.story import CauseStory, Story, story
from byhistory.report.words import cause_title, headline, not_judged
from byhistory.verdict import Verdict

MOST = 10
"""Annotations of one kind that GitHub shows of one step; the last one says how many more there are."""


def to_github(of: Story | Verdict) -> str:
    """Workflow commands, a line each: errors for what stops (warnings in shadow mode), warnings, and notices.

    >>> print(to_github(Verdict("7", (), {}, table="orders")))
    ::notice title=orders%2C run 7::run 7 of orders is as usual: 0 constraints on 0 columns hold.
    """
    told = story(of)
    title = f"{plain(told.table or 'table')}, run {plain(told.run or '?')}"
    stops = "warning" if told.verdict.is_shadow else "error"
    lines = _limited([(stops, _message(c, told)) for c in told.causes if c.finding.level == "stop"])
    lines += _limited([("warning", _message(c, told)) for c in told.causes if c.finding.level == "warn"])
    quiet = [c for c in told.causes if c.finding.level == "as usual"]
    told_quietly = [("notice", _message(c, told)) for c in quiet] + [("notice", n) for n in not_judged(told.verdict)]
    lines += _limited(told_quietly)
    if told.verdict.ok:
        lines.append(("notice", f"{headline(told.verdict)}."))
    return "\n".join(f"::{what} title={_property(title)}::{_data(text)}" for what, text in lines)


def _limited(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    if len(lines) <= MOST:
        return lines
    left = len(lines) - MOST + 1
    return [*lines[: MOST - 1], (lines[0][0], f"and {left} more; the report has all of them")]


def _message(cause: CauseStory, told: Story) -> str:
    names = [c.name for c in told.columns]
    finding = cause.finding
    sentence = said(finding.sentence, names)
    parts = [
        f"{cause_title(cause, told)}: {sentence}" if finding.about == "constraint" and finding.column else sentence
    ]
    if finding.again:
        return f"{parts[0]}\n{said(finding.again)}"
    if finding.since and finding.since != told.run:
        parts.append(f"moving since run {plain(finding.since)}")
    if finding.resembles is not None:
        parts.append(f"looks like: {said(finding.resembles.sentence)}")
    return "\n".join(parts)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
