"""What the API answers: the same as the pages, for programs."""

from __future__ import annotations

import json
import math
from typing import Any

from byhistory.errors import ByHistoryError
from byhistory.report import to_json
from byhistory.validator.as_json import alarm_as_json, due_as_json, run_as_json
from byhistory.validator.standing import STATES, Standing
from byhistory.web import verbs
from byhistory.web.asking import Asked, Refused, json_body
from byhistory.web.pages.setting import explain, in_words, put

SETTING_FIELDS = ("column", "metric", "low", "high", "budget", "warn_budget")
"""The fields that a change of a setting may have."""


def tables(asked: Asked) -> dict[str, Any]:
    """Every table, the worst first."""
    found = sorted(asked.console.watch.standings().values(), key=lambda s: (STATES.index(s.state), s.table))
    wanted = asked.get("state")
    return {
        "byhistory_tables": 1,
        "still_reading": max(0, asked.console.watch.left),
        "tables": [_standing(s, asked) for s in found if wanted in ("", s.state)],
    }


def table(asked: Asked) -> dict[str, Any]:
    """One table, with its alarms."""
    name = _known(asked, asked.get("table"))
    found = asked.guard.decisions.standing(name)
    alarms = [alarm_as_json(a) for a in asked.guard.decisions.alarms(name)]
    return {"byhistory_table": 1, **_standing(found, asked), "alarms": alarms, "settings": _settings(asked, name)}


def runs(asked: Asked) -> dict[str, Any]:
    """The runs of a table."""
    name = _known(asked, asked.get("table"))
    return {"byhistory_runs": 1, "table": name, "runs": [run_as_json(line) for line in asked.guard.records.runs(name)]}


def verdict(asked: Asked) -> dict[str, Any]:
    """The verdict on a run, as a check writes it."""
    name = _known(asked, asked.get("table"))
    found: dict[str, Any] = json.loads(to_json(asked.guard.records.story(name, asked.get("run") or None), None))
    return found


def inbox(asked: Asked) -> dict[str, Any]:
    """The alarms that wait for an answer."""
    standings = asked.console.watch.standings().values()
    waiting = [{"table": s.table, "run": a.runs[-1], **alarm_as_json(a)} for s in standings for a in s.waiting]
    return {"byhistory_inbox": 1, "waiting": waiting}


def preview(asked: Asked) -> dict[str, Any]:
    """What a decision would change."""
    name, run, what, more = _decision_asked(asked)
    found = asked.guard.decisions.preview(name, run, what, columns=more["columns"], until=more["until"])
    return {
        "byhistory_preview": 1,
        "what": found.what,
        "learned_from": found.runs,
        "moved": [{"column": m.column, "what": m.what, "before": m.before, "after": m.after} for m in found.moved],
        "alarms": [alarm_as_json(a) for a in found.alarms],
    }


def decide(asked: Asked) -> dict[str, Any]:
    """Keep a decision, and give the run as it is then."""
    name, run, what, more = _decision_asked(asked)
    verbs.say(asked.guard, name, run, what, who=asked.visitor.name, **more)
    asked.after_decision(name)
    line = next((r for r in asked.guard.records.runs(name) if r.run == run), None)
    return {"byhistory_decided": 1, "table": name, "run": None if line is None else run_as_json(line)}


def settings(asked: Asked) -> dict[str, Any]:
    """The budgets, mutes, pins and thresholds of a table."""
    name = _known(asked, asked.get("table"))
    return {"byhistory_settings": 1, "table": name, **_settings(asked, name)}


def change(asked: Asked) -> dict[str, Any]:
    """Change one setting of a table."""
    body = json_body(asked)
    name, what = (_text(body, k) for k in ("table", "what"))
    given = {k: "" if body.get(k) is None else str(body[k]) for k in SETTING_FIELDS}
    put(asked, what, table=name, **given)
    explain(asked, name, str(body.get("why") or ""))
    return {"byhistory_settings": 1, "table": name, **_settings(asked, name)}


def _decision_asked(asked: Asked) -> tuple[str, str, str, dict[str, Any]]:
    body = json_body(asked)
    name, run, what = (_text(body, k) for k in ("table", "run", "what"))
    columns = body.get("columns", [])
    if not isinstance(columns, list) or not all(isinstance(c, str) for c in columns):
        raise Refused(400, "read the body", "columns that are no list of names", 'send "columns": ["a", "b"]')
    more: dict[str, Any] = {"columns": columns, "until": str(body.get("until") or "")}
    if asked.path.endswith("/decide"):
        more["why"] = str(body.get("why") or "")
    return _known(asked, name), run, what, more


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise Refused(400, "read the body", f"no text under {name!r}", f"send {name!r} as text")
    return value


def _known(asked: Asked, name: str) -> str:
    if not name or not asked.guard.store.runs(name, last=1):
        raise ByHistoryError(f"look at {name!r}", "no run of such a table", f"name one that {asked.path} lists")
    return name


def _standing(s: Standing, asked: Asked) -> dict[str, Any]:
    config = asked.guard.config.table(s.table)
    last = s.last
    return {
        "table": s.table,
        "owner": config.owner or None,
        "tags": list(config.tags),
        "state": s.state,
        "runs": s.runs,
        "last_run": None if last is None else last.run,
        "last_at": None if last is None or last.at is None else last.at.isoformat(),
        "waiting": len(s.waiting),
        "stopped": s.stopped,
        "answered": s.answered,
        "right": s.right,
        "due": [due_as_json(line) for line in s.due],
    }


def _settings(asked: Asked, name: str) -> dict[str, Any]:
    config = asked.guard.guarded(name).config
    overrides = [
        {
            "column": o.column,
            "metric": o.metric,
            "words": in_words(o),
            "mute": o.mute,
            "pinned": o.pin is not None,
            "low": o.low if math.isfinite(o.low) else None,
            "high": o.high if math.isfinite(o.high) else None,
        }
        for o in asked.guard.overrides.of(name)
    ]
    return {"budget": config.budget, "warn_budget": config.warn_budget, "overrides": overrides}
