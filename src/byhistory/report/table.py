"""The answer for a spreadsheet: one line per clause."""

from __future__ import annotations

import csv
import io
import math

from byhistory.plain import LONGEST_SENTENCE, plain, plain_sentence
from byhistory.report.story import Story, as_story
from byhistory.verdict import Verdict

HEADS = (
    "table",
    "run",
    "column",
    "about",
    "metric",
    "status",
    "value",
    "low",
    "high",
    "rarity",
    "looks_like",
    "sentence",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%")


def to_csv(of: Story | Verdict) -> str:
    """Every finding and every clause that was judged, as CSV that no spreadsheet takes for a formula.

    >>> print(to_csv(Verdict("7", (), {}, table="orders")).strip())
    table,run,column,about,metric,status,value,low,high,rarity,looks_like,sentence
    """
    story = as_story(of)
    names = [c.name for c in story.columns]
    out = io.StringIO()
    sheet = csv.writer(out, lineterminator="\n")
    sheet.writerow(HEADS)
    head = [cell(story.table), cell(story.run)]
    for f in story.verdict.findings:
        o = f.outcome
        like = f.looks_like
        numbers = [""] * 4 if o is None else [_number(x) for x in (o.value, o.low, o.high, o.rarity)]
        metric = "" if o is None else o.constraint.metric
        status = {"stop": "stops", "warn": "warns", "as usual": "for information"}[f.level]
        sheet.writerow(
            [
                *head,
                cell(f.column),
                f.about,
                metric,
                status,
                *numbers,
                cell(like),
                cell(plain_sentence(f.sentence, names)),
            ]
        )
    for name, column in story.verdict.columns.items():
        for o in column.outcomes:
            if o.status != "broken":
                numbers = [_number(x) for x in (o.value, o.low, o.high, o.rarity)]
                line = [*head, cell(name), "constraint", o.constraint.metric, o.status, *numbers, "", cell(o.reason)]
                sheet.writerow(line)
    return out.getvalue()


def cell(text: str) -> str:
    """Text that a spreadsheet shows and does not calculate.

    >>> cell("=1+1"), cell("price"), cell("-x")
    ("'=1+1", 'price', "'-x")
    """
    safe = plain(text, LONGEST_SENTENCE)
    return f"'{safe}" if safe.lstrip().startswith(_FORMULA) else safe


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else ""
