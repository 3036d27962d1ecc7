"""The answer for a person at a terminal: one message per cause, and the verdict in the last line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from byhistory.constraints.words import which_run
from byhistory.plain import cells, clipped, padded, plain, plain_sentence, plural
from byhistory.report.story import CauseStory, ClauseStory, Story, as_story
from byhistory.report.words import (
    ClauseLine,
    after_why,
    again_in_words,
    cause_title,
    clause_lines,
    headline,
    level_word,
    listed,
    not_judged,
    unlikely,
    usual,
)
from byhistory.verdict import Finding, Verdict
from byhistory.verdict.sentence import is_whole
from byhistory.why.answer import Answer
from byhistory.why.shares import of_rows, written

_BLOCKS = "▁▂▃▄▅▆▇█"
_ROWS = 6
"""How many rows one cause has, by choice; further columns are only named."""
_LONGEST_SPARK = 32
"""How many runs a line of bars shows, by choice: a month of days."""
_SHORTEST_SPARK = 8
"""Runs below which it is left out, by choice: a week of days."""
_SPARK_FROM = 80
"""Places below which there is none, by choice: words come first."""
_INDENT = "     "
_GAP = "  "
_NARROWEST = 40
"""How many places are used even if the terminal has fewer, by choice."""
_BAR = 10
"""How many places a bar for a share has, by choice."""
_WIDEST_NAME = 28
"""Places for the name of a column, by choice: a third of 80."""
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_MARKS = {"stop": ("✗", "bold red"), "warn": ("!", "bold yellow"), "as usual": ("·", "bold")}
"""The mark before a cause, and its colour, by its level."""
_VERDICT_COLOURS = {"stop": "bold red", "warn": "bold yellow", "as usual": "bold green"}

Paint = Callable[[str, str], str]


def to_text(of: Story | Verdict, width: int = 100, color: bool = False) -> str:
    """The story as lines of at most `width` places: causes, notices, what could not be judged, and the verdict last."""
    story, paint = as_story(of), _painted if color else _unpainted
    width = max(_NARROWEST, width)
    blocks = [_wrapped(_opening(story), width, "", "  ")]
    for number, cause in enumerate(story.causes, 1):
        blocks.append(list(_cause(number, cause, story, width, paint)))
    if story.why is not None:
        blocks.append(list(_why(story.why, width, paint)))
    rest = [*not_judged(story.verdict), *(plain_sentence(n) for n in story.notices)]
    if rest:
        blocks.append([text for line in rest for text in _wrapped(line, width, "  · ", "    ")])
    blocks.append(_wrapped(f"{level_word(story.verdict).upper()}: {headline(story)}.", width, "", "  "))
    blocks[-1][0] = paint(blocks[-1][0], _VERDICT_COLOURS[story.verdict.level])
    return "\n\n".join("\n".join(block) for block in blocks if block != [""])


def sparkline(values: Sequence[float], places: int = _LONGEST_SPARK) -> str:
    """The last values as blocks of different height; a dot where there is none.

    >>> sparkline([1.0, 2.0, float("nan"), 8.0])
    '▁▂·█'
    """
    last = list(values)[-places:]
    finite = [v for v in last if math.isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    half = high / 2 - low / 2  # halves: the distance of two numbers near ±1e308 is out of range

    def block(v: float) -> str:
        if math.isnan(v):
            return "·"
        if math.isinf(v):
            return _BLOCKS[-1] if v > 0 else _BLOCKS[0]
        return _BLOCKS[round((v / 2 - low / 2) / half * (len(_BLOCKS) - 1))] if half > 0 else _BLOCKS[0]

    return "".join(block(v) for v in last)


def _opening(story: Story) -> str:
    parts = [plural(story.rows, "row")] if story.rows is not None else []
    parts.append(plural(len(story.columns), "column"))
    if story.past:
        parts.append(f"{plural(len(story.past), 'past run')}, {plain(story.past[0])} to {plain(story.past[-1])}")
    return f"{plain(story.table or 'table')} · {plain(story.run or 'this run')} · {' · '.join(parts)}"


# --- one cause --------------------------------------------------------------------------------------------------------


def _cause(number: int, cause: CauseStory, story: Story, width: int, paint: Paint) -> Iterator[str]:
    mark, colour = _MARKS[cause.finding.level]
    lead = f"{mark} {number}"
    about = again_in_words(cause, story) if cause.finding.again else cause_title(cause, story)
    title = _wrapped(about, width, padded(lead, len(_INDENT)), _INDENT)
    yield paint(title[0], colour)
    yield from title[1:]
    if cause.finding.again:  # it was shown in full when it was news
        return
    for hint in _hints(cause.finding, story.run):
        yield from _wrapped(hint, width, _INDENT, _INDENT)
    lines = clause_lines(cause, story)
    if lines:
        yield from _table(lines[:_ROWS], len({s.columns for s in lines}) > 1 or len(lines[0].columns) > 1, width, paint)
    named = {name for s in lines[:_ROWS] for name in s.columns}
    left = list(dict.fromkeys(name for s in lines[_ROWS:] for name in s.columns if name not in named))
    if left:
        yield from _wrapped(f"… also in {listed(left)}", width, _INDENT, _INDENT)
    elif len(lines) > _ROWS:
        yield f"{_INDENT}… and {len(lines) - _ROWS} more of the same"


def _why(answer: Answer, width: int, paint: Paint) -> Iterator[str]:
    """Which rows caused it: a sentence, whether it is proved, and how much of the change is in how many rows."""
    for number, one in enumerate((answer, *answer.also)):
        first, *more = _wrapped(
            plain_sentence(one.sentence), width, padded("why" if not number else "and", len(_INDENT)), _INDENT
        )
        yield paint(first, "bold")
        yield from more
        if one.proof is not None:
            yield from _wrapped(plain_sentence(str(one.proof)), width, _INDENT, _INDENT)
        if one.segments:
            yield paint(f"{_INDENT}{'of the change':<{_BAR + 6}}of the rows  where", "dim")
        for s in one.shown:
            bar = "█" * round(_BAR * s.explained)
            numbers = f"{bar:░<{_BAR}} {written(s.explained):>4} {of_rows(s.share):>12}  "
            yield from _wrapped(plain_sentence(str(s)), width, _INDENT + numbers, _INDENT + " " * len(numbers))
    for line in after_why(answer):
        yield from _wrapped(line, width, _INDENT, _INDENT)


def _hints(finding: Finding, run: str) -> Iterator[str]:
    if finding.outcome is not None and is_whole(finding.outcome):  # people say "every value", not "100 %"
        yield plain_sentence(finding.sentence.partition(";")[0])
    if finding.looks_like:
        yield f"looks like: {plain_sentence(finding.looks_like)}"
    if finding.since and finding.since != run:
        yield f"moving since run {plain(finding.since)}"


def _table(lines: Sequence[ClauseLine], names_columns: bool, width: int, paint: Paint) -> Iterator[str]:
    """The clauses of a cause: what fell outside, what is usual, the value now, how unlikely it is, and the past."""
    heads = ["column"] * names_columns + ["what", "usual", "now", "how unlikely"]
    rows = [
        ([clipped(_columns(s), _WIDEST_NAME)] if names_columns else [])
        + [_what(s.clause), usual(s.clause), s.clause.write(s.clause.outcome.value), unlikely(s.clause.outcome)]
        for s in lines
    ]
    free = width - len(_INDENT) - len(_GAP) * (len(heads) - 1)
    sizes = _fitted(_widest(heads, rows), free)
    left = min(_LONGEST_SPARK, free - sum(sizes) - len(_GAP)) if width >= _SPARK_FROM else 0
    sparks = [sparkline(s.clause.line.values, left) if left >= _SHORTEST_SPARK else "" for s in lines]
    yield paint(_row(heads, sizes, "past → now" if any(sparks) else ""), "dim")
    for row, spark in zip(rows, sparks, strict=True):
        yield _row(row, sizes, spark)


def _columns(s: ClauseLine) -> str:
    if not s.columns:
        return "the table"
    return plain(s.columns[0]) if len(s.columns) == 1 else plural(len(s.columns), "column")


def _what(clause: ClauseStory) -> str:
    transform = clause.outcome.constraint.transform
    return f"{clause.title}, given {which_run(transform)}" if transform.lag else clause.title


def _row(texts: Sequence[str], sizes: Sequence[int], spark: str) -> str:
    now = len(texts) - 2  # numbers are aligned on the right
    padded_cells = [padded(clipped(t, s), s, right=i == now) for i, (t, s) in enumerate(zip(texts, sizes, strict=True))]
    return (_INDENT + _GAP.join([*padded_cells, spark])).rstrip()


def _widest(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(cells(row[i]) for row in [heads, *rows]) for i in range(len(heads))]


def _fitted(sizes: list[int], free: int) -> list[int]:
    """The widths, with the widest made smaller until all fit."""
    while sum(sizes) > free and max(sizes) > 5:
        widest = sizes.index(max(sizes))
        sizes[widest] -= 1
    return sizes


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    """Lines of at most `width` places, broken between words where there are any."""
    lines = [first]
    for word in _pieces(text, width - len(later)):
        is_new = lines[-1] in (first, later)
        if not is_new and cells(lines[-1]) + 1 + cells(word) > width:
            lines.append(later)
            is_new = True
        lines[-1] += word if is_new else f" {word}"
    return lines


def _pieces(text: str, room: int) -> Iterator[str]:
    """The words. One longer than a line is broken, though never so that a line begins with a command to a CI system."""
    for word in text.split(" "):
        rest = word
        while cells(rest) > room:
            head = clipped(rest, room)[:-1]
            while len(head) > 1 and rest[len(head)] in ":#":  # see `byhistory.plain`: `::` and `##[` are read by others
                head = head[:-1]
            yield head
            rest = rest[len(head) :]
        yield rest


def _painted(text: str, style: str) -> str:
    return f"\x1b[{';'.join(_CODES[s] for s in style.split())}m{text}\x1b[0m"


def _unpainted(text: str, style: str) -> str:  # noqa: ARG001 - takes the place of the other
    return text
