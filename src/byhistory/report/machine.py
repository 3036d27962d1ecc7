"""The answer for a program: versioned JSON, described by `verdict.schema.json` in this folder."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from byhistory.plain import as_json
from byhistory.report.story import Story, as_story
from byhistory.verdict import Verdict
from byhistory.verdict.codec import to_dict


def to_json(of: Story | Verdict, indent: int | None = 2) -> str:
    """The verdict as JSON; what is undefined or open is null. Hostile names are escaped."""
    story = as_story(of)
    body = to_dict(story.verdict)
    body["causes"] = [
        {
            "sentence": cause.finding.sentence,
            "level": cause.finding.level,
            "stops": cause.finding.stops,
            "columns": list(cause.finding.columns),
            "looks_like": cause.finding.looks_like or None,
            "findings": [story.verdict.findings.index(f) for f in cause.members],
        }
        for cause in story.causes
    ]
    if story.why is not None:
        body["why"] = story.why.to_dict()
    return as_json(body, indent)


def schema() -> dict[str, Any]:
    """The JSON Schema of what `to_json` writes."""
    body: dict[str, Any] = json.loads(files("byhistory.report").joinpath("verdict.schema.json").read_text("utf-8"))
    return body
