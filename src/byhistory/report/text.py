"""A verdict as plain text: what `str(verdict)` gives."""

from __future__ import annotations

from byhistory.plain import plain, plain_sentence
from byhistory.report.story import CauseStory, Story, as_story
from byhistory.report.words import again_in_words, as_sentence, headline, not_judged
from byhistory.verdict.verdict import Verdict


def verdict_in_words(verdict: Verdict) -> str:
    """The verdict for a person: the answer first, then one line per cause, then what could not be judged."""
    story = as_story(verdict)
    lines = [f"{as_sentence(headline(verdict))}."]
    lines += [f"  - {_cause(cause, story)}" for cause in story.causes]
    return "\n".join((*lines, *(f"  · {line}" for line in not_judged(verdict))))


def _cause(cause: CauseStory, story: Story) -> str:
    finding = cause.finding
    if finding.again:  # it was shown in full when it was news
        return again_in_words(cause, story)
    names = [c.name for c in story.columns]
    alone = finding.about == "constraint" and finding.column
    parts = [plain_sentence(f"{finding.column}: {finding.sentence}" if alone else finding.sentence, names)]
    if finding.since and finding.since != story.run:
        parts.append(f"it has been moving since run {plain(finding.since)}")
    if finding.looks_like:
        parts.append(f"looks like: {plain_sentence(finding.looks_like)}")
    return "; ".join(parts)
