"""The answer for a chat: a few lines of Markdown."""

from __future__ import annotations

import re

from byhistory.plain import harmless, plain, plain_sentence
from byhistory.report.story import CauseStory, Story, as_story
from byhistory.report.words import cause_title, headline, level_word, not_judged, unlikely, usual
from byhistory.verdict import Verdict

_MOST = 8
"""How many causes are listed, by choice: a comment on a pull request stays short."""
_MARKS = re.compile(r"([\\`*_\[\]|~])")


def to_markdown(of: Story | Verdict, most: int = _MOST) -> str:
    r"""The headline and at most this many points, one per cause; nothing in a name becomes markup, a link or a mention.

    >>> print(to_markdown(Verdict("7", (), {}, table="order_lines")))
    **As usual:** run 7 of order\_lines is as usual: 0 constraints on 0 columns hold.
    """
    story = as_story(of)
    lines = [f"**{level_word(story.verdict)}:** {literal(headline(story))}."]
    points = [_point(c, story) for c in story.causes] + [literal(n) for n in not_judged(story.verdict)]
    if points:
        lines += ["", *(f"- {p}" for p in points[:most])]
    if len(points) > most:
        lines.append(f"- … and {len(points) - most} more")
    if story.why is not None:
        proof = "" if story.why.proof is None else f" {story.why.proof}"
        lines += ["", f"**Why:** {literal(plain_sentence(f'{story.why.sentence}.{proof}'))}"]
    return "\n".join(lines)


def literal(text: str) -> str:
    r"""The text with everything escaped that Markdown would read as markup.

    >>> print(literal("a|b `c` <!channel> @here"))
    a\|b \`c\` &lt;!channel&gt; @⁠here
    """
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return harmless(_MARKS.sub(r"\\\1", safe))


def _point(cause: CauseStory, story: Story) -> str:
    finding = cause.finding
    clause = story.clause(cause.members[0]) if finding.about == "constraint" else None
    clause = story.clause(finding) or clause
    if clause is None or finding.outcome is None:
        text = literal(plain_sentence(finding.sentence, [c.name for c in story.columns]))
    else:
        value, title = literal(clause.write(clause.outcome.value)), literal(clause.title)
        rest = literal(f"usual {usual(clause)}, {unlikely(clause.outcome)}")
        text = f"**{literal(cause_title(cause, story))}**: {title} **{value}** ({rest})"
    if finding.again:
        text += f"; {literal(plain_sentence(finding.again))}"
    elif finding.looks_like:
        text += f"; looks like {literal(plain_sentence(finding.looks_like))}"
    if finding.since and finding.since != story.run and not finding.again:
        text += f"; moving since {literal(plain(finding.since))}"
    return text + {"stop": "", "warn": " *(warning)*", "as usual": " *(for information)*"}[finding.level]
