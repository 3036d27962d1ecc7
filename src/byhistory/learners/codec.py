"""A program as JSON that a person can edit, and back."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from byhistory import bounds
from byhistory.constraints import Constraint, Evidence
from byhistory.constraints.constraint import USER
from byhistory.errors import ByHistoryError
from byhistory.inject import Responses
from byhistory.learners.base import Learner
from byhistory.learners.every import ALL, by_name
from byhistory.learners.program import Model, Program
from byhistory.profile import Kind
from byhistory.profile.unzip import DAMAGE, unzipped
from byhistory.series.transform import Transform

VERSION = 1
_SLACK = 1e-6  # Ends closer than this to what was learned, relative to the spread, were not moved by a person.
_PROGRAM_FIELDS = tuple(f.name for f in fields(Program))
_LEARNER = next(str(f.default) for f in fields(Program) if f.name == "learner")
T = TypeVar("T")


def to_json(program: Program, indent: int | None = 2, learners: Sequence[Learner] = ALL) -> str:
    """Versioned JSON. Open ends are null; the responses to faults are one packed line, which is not meant to be edited.

    What the learner expects of the next run is written by that learner, found by its name among `learners`.

    >>> program = Program("n", Kind.NUMERIC, (Constraint("mean", 1.0, math.inf),), runs=9)
    >>> from_json(to_json(program)) == program
    True
    """
    body: dict[str, Any] = {"byhistory_program": VERSION}
    for name in _PROGRAM_FIELDS:
        body[name] = getattr(program, name)
    body["clauses"] = [_written(c) for c in program.clauses]
    for name in ("carries_rows", "warn_budget", "rows_budget", "table_budget", "table_warn_budget"):
        if not body[name]:
            del body[name]  # as in files from before this entry existed
    body["responses"] = None if program.responses is None else _packed(program.responses)
    if body.pop("model") is not None and program.model is not None:
        body |= by_name(program.learner, learners).encode(program.model)
    return json.dumps(body, indent=indent, ensure_ascii=False)


def from_json(text: str, learners: Sequence[Learner] = ALL) -> Program:
    """The reverse of `to_json`, also after a person edited the text; an entry that is not understood raises an error.

    A clause that was made narrower than it was learned becomes the user's own: its price is no longer known.
    """
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise ByHistoryError("read a program", f"text that is no JSON ({why})", "mend it, or learn again") from why
    version = body.pop("byhistory_program", None) if isinstance(body, dict) else None
    if version != VERSION:
        found = (
            "no byhistory_program in it" if version is None else f"format {version}, where this release knows {VERSION}"
        )
        raise ByHistoryError("read a program", found, "give a file written by `to_json`, or upgrade byhistory")
    own = {name: body.pop(name) for name in list(body) if name not in _PROGRAM}
    known = _entries(body, _PROGRAM, "", needed=("column", "kind"))
    learner = by_name(known.get("learner", _LEARNER), learners)
    return Program(**known, model=_model(own, learner) if own else None)


# --- reading: each entry has its own function, so that an error can name the entry ------------------------------------


def _entries(
    body: Any, readers: Mapping[str, Callable[[Any, str], Any]], where: str, needed: tuple[str, ...]
) -> dict[str, Any]:
    """The entries of a JSON object as the fields of a value; `where` is the path to it."""
    if not isinstance(body, dict):
        raise _wrong(where, body, "an object in braces")
    prefix = f"{where}." if where else ""
    for name in body:
        if name not in readers:
            raise _unreadable(f"an unknown entry {prefix + name!r}", f"use one of {', '.join(readers)}")
    for name in needed:
        if name not in body:
            raise _unreadable(f"no entry {prefix + name!r}", "add it, or learn again")
    return {name: readers[name](value, prefix + name) for name, value in body.items()}


def _clause(body: Any, where: str) -> Constraint:
    clause = Constraint(**_entries(body, _CLAUSE, where, needed=("metric",)) | _ends(body, where))
    if clause.low > clause.high:
        raise _unreadable(f"{where} ({clause.metric}): low {clause.low:g} above high {clause.high:g}", "swap them")
    return _repriced(clause)


def _ends(body: Mapping[str, Any], where: str) -> dict[str, float]:
    """The ends of the interval: an end that is null or left out is open."""
    ends = {"low": -math.inf, "high": math.inf, "warn_low": -math.inf, "warn_high": math.inf}
    return {
        name: open_end if body.get(name) is None else _number(body[name], f"{where}.{name}")
        for name, open_end in ends.items()
    }


def _repriced(clause: Constraint) -> Constraint:
    """The clause; the user's own if somebody moved an end inwards, because the price was that of a wider interval."""
    e = clause.evidence
    if e is None or clause.bound == USER or not math.isfinite(e.mean + e.std * e.width):
        return clause
    bound = next((b for b in bounds.ALL if b.name == clause.bound), None)
    reach = e.width * e.std * (1 - _SLACK)
    upper_only = bound is not None and bound.sides == "upper"
    learned_low = -math.inf if upper_only else e.mean - reach
    is_as_wide = clause.low <= learned_low and clause.high >= e.mean + reach
    return clause if is_as_wide else replace(clause, bound=USER, price=0.0)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(where, value, "text in quotes")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(where, value, "a number")
    return float(value)


def _maybe_number(value: Any, where: str) -> float:
    return math.nan if value is None else _number(value, where)


def _price(value: Any, where: str) -> float:
    if not 0.0 <= _number(value, where) <= 1.0:
        raise _wrong(where, value, "a share from 0 to 1")
    return float(value)


def _count(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _wrong(where, value, "a whole number of 0 or more")
    return value


def _truth(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, value, "true or false")
    return value


def _kind(value: Any, where: str) -> Kind:
    if value not in [kind.value for kind in Kind]:
        raise _wrong(where, value, f"one of {', '.join(Kind)}")
    return Kind(value)


def _list(read: Callable[[Any, str], T]) -> Callable[[Any, str], tuple[T, ...]]:
    def all_of(value: Any, where: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise _wrong(where, value, "a list in brackets")
        return tuple(read(item, f"{where}[{i}]") for i, item in enumerate(value))

    return all_of


def _texts(value: Any, where: str) -> tuple[str, ...]:
    """Like `_list(_text)`, but the path of each item is written out only if one of them is wrong: there are
    hundreds.
    """
    if isinstance(value, list) and set(map(type, value)) <= {str}:
        return tuple(value)
    return _list(_text)(value, where)


def _evidence(value: Any, where: str) -> Evidence | None:
    if value is None:
        return None
    readers = {f.name: _count if f.name == "runs" else _maybe_number for f in fields(Evidence)}
    return Evidence(**_entries(value, readers, where, needed=tuple(readers)))


def _transform(value: Any, where: str) -> Transform:
    return Transform(**_entries(value or {}, {"lag": _count, "log": _truth}, where, needed=()))


def _responses(value: Any, where: str) -> Responses | None:
    if value is None:
        return None
    parts = _entries(
        value,
        {"faults": _texts, "metrics": _texts, "values": _text},
        where,
        needed=("faults", "metrics", "values"),
    )
    shape = len(parts["faults"]), len(parts["metrics"])
    try:
        flat = np.frombuffer(unzipped(base64.b64decode(parts["values"], validate=True)), "<f8")
        return Responses(parts["faults"], parts["metrics"], flat.astype(np.float64).reshape(shape), parts["values"])
    except (ValueError, zlib.error) as why:
        found = f"{where}.values that are no packed table of {shape[0]} faults by {shape[1]} metrics"
        raise _unreadable(found, 'write "responses": null, or learn again') from why


def _model(entries: Mapping[str, Any], learner: Learner) -> Model | None:
    """What a learner expects of the next run, read by that learner; an error for entries that are not its own."""
    for name in entries:
        if name not in learner.entries:
            known = ", ".join((*_PROGRAM, *learner.entries))
            raise _unreadable(f"an unknown entry {name!r}", f"use one of {known}")
    try:
        return learner.decode(entries)
    except DAMAGE as why:
        raise _unreadable(f"{', '.join(entries)} that holds no forecasts ({why})", "learn again") from why


def _anything(value: Any, where: str) -> Any:  # noqa: ARG001 - the ends are read together, by `_ends`
    return value


_CLAUSE: dict[str, Callable[[Any, str], Any]] = {
    "metric": _text,
    "low": _anything,
    "high": _anything,
    "warn_low": _anything,
    "warn_high": _anything,
    "transform": _transform,
    "bound": _text,
    "price": _price,
    "evidence": _evidence,
    "faults": _texts,
    "is_pinned": _truth,
}
_PROGRAM: dict[str, Callable[[Any, str], Any]] = {
    "column": _text,
    "kind": _kind,
    "clauses": _list(_clause),
    "learner": _text,
    "budget": _price,
    "runs": _count,
    "needed": _count,
    "notes": _texts,
    "carries_rows": _truth,
    "warn_budget": _price,
    "rows_budget": _price,
    "table_budget": _price,
    "table_warn_budget": _price,
    "responses": _responses,
}


def _wrong(where: str, value: Any, wanted: str) -> ByHistoryError:
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 40 else shown[:40] + "…"
    return _unreadable(f"{where or 'the program'} = {shown}", f"write {wanted} there, or learn again")


def _unreadable(found: str, todo: str) -> ByHistoryError:
    return ByHistoryError("read a program", found, todo)


# --- writing ----------------------------------------------------------------------------------------------------------


def _written(clause: Constraint) -> dict[str, Any]:
    """A clause as plain entries; without ends for warnings if there are none, as in files from before they existed."""
    body = {name: _plain(getattr(clause, name)) for name in _CLAUSE_FIELDS}
    body["transform"] = {"lag": clause.transform.lag, "log": clause.transform.log}
    if clause.evidence is not None:
        body["evidence"] = {name: _plain(getattr(clause.evidence, name)) for name in _EVIDENCE_FIELDS}
    return {name: value for name, value in body.items() if value is not None or name not in ("warn_low", "warn_high")}


_CLAUSE_FIELDS = tuple(f.name for f in fields(Constraint))
_EVIDENCE_FIELDS = tuple(f.name for f in fields(Evidence))


def _plain(value: Any) -> Any:
    """JSON has no infinity and no nan: both become null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _packed(responses: Responses) -> dict[str, Any]:
    if not (text := responses.packed):
        text = base64.b64encode(zlib.compress(np.asarray(responses.values, "<f8").tobytes())).decode("ascii")
    return {"faults": list(responses.faults), "metrics": list(responses.metrics), "values": text}
