"""The answer in a chat: a few lines of Markdown."""

from __future__ import annotations

import re

from byhistory.plain import plain, said
from byhistory.report.story import CauseStory, Story, story
from byhistory.report.words import cause_title, headline, level_word, not_judged, unlikely, usual
from byhistory.verdict import Verdict

_MOST = 8
"""Causes that are listed, by choice: a comment of a pull request stays short."""
_MARKS = re.compile(r"([\\`*_\[\]|~])")


def to_markdown(of: Story | Verdict, most: int = _MOST) -> str:
    r"""The headline and one point per cause, so many at most; nothing in a name becomes markup, a link or a mention.

    >>> print(to_markdown(Verdict("7", (), {}, table="order_lines")))
    **As usual:** run 7 of order\_lines is as usual: 0 constraints on 0 columns hold.
    """
    told = story(of)
    lines = [f"**{level_word(told.verdict)}:** {literal(headline(told.verdict))}."]
    points = [_point(c, told) for c in told.causes] + [literal(n) for n in not_judged(told.verdict)]
    if points:
        lines += ["", *(f"- {p}" for p in points[:most])]
    if len(points) > most:
        lines.append(f"- … and {len(points) - most} more")
    if told.why is not None:
        proof = "" if told.why.proof is None else f" {told.why.proof}"
        lines += ["", f"**Why:** {literal(said(f'{told.why.sentence}.{proof}'))}"]
    return "\n".join(lines)


def literal(text: str) -> str:
    r"""The text as itself, whatever it holds.

    >>> print(literal("a|b `c` <!channel> @here"))
    a\|b \`c\` &lt;!channel&gt; @⁠here
    """
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _MARKS.sub(r"\\\1", safe)
    # A word joiner is not seen and keeps an @ from calling anybody; a dot or a colon with one is no link any more.
    return safe.replace("@", "@\u2060").replace("://", ":\u2060//").replace("www.", "www\u2060.")


def _point(cause: CauseStory, told: Story) -> str:
    finding = cause.finding
    clause = told.clause(cause.members[0]) if finding.about == "constraint" else None
    clause = told.clause(finding) or clause
    if clause is None or finding.outcome is None:
        text = literal(said(finding.sentence, [c.name for c in told.columns]))
    else:
        value, title = literal(clause.write(clause.outcome.value)), literal(clause.title)
        rest = literal(f"usual {usual(clause)}, {unlikely(clause.outcome)}")
        text = f"**{literal(cause_title(cause, told))}**: {title} **{value}** ({rest})"
    if finding.again:
        text += f"; {literal(said(finding.again))}"
    elif finding.resembles is not None:
        text += f"; looks like {literal(said(finding.resembles.sentence))}"
    if finding.since and finding.since != told.run and not finding.again:
        text += f"; moving since {literal(plain(finding.since))}"
    return text + {"stop": "", "warn": " *(warning)*", "as usual": " *(for information)*"}[finding.level]
