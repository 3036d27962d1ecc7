"""What is stored: runs, decisions, programs and settings, as plain bytes and text."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

OUTCOMES = ("as usual", "warn", "stop", "unusual", "learning", "backfilled", "shadow", "open")
"""What a run was judged to be. Checked when a run is written, so that a later release may add to them."""

DECISIONS = ("accept", "usual", "reject", "new normal")
"""What a person may say about a run that decides whether it is learned from. Any other word is kept, too."""

ASIDES = ("snooze",)
"""What a person may say about an alarm: it says nothing about whether the run is learned from.

A word that stands in neither tuple (of a later release, or damaged) is taken as a rejection: see `RunLine.decision`.
"""

UNDO = "undo"
"""Takes back one thing that was said about a run: its `until` is the id of that. One without takes back the last."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a table: the profile of every column as bytes, in the order of the schema, and how it was judged.

    `at` is when it was recorded, in UTC. `measures` holds the values of the metrics as bytes that a store does not look
    into. `verdict`, `scores` (how surprising the table and its columns were) and `causes` (the level and what moved)
    are JSON; the last two are small and come with every `RunLine`. `id` identifies this record, and `digest` is the
    same for data that look the same; both are computed when the run is recorded, unless given, and ignored when runs
    are compared.
    """

    table: str
    run: str
    at: datetime
    outcome: str
    rows: int
    columns: Mapping[str, bytes]
    measures: bytes = b""
    verdict: str = ""
    note: str = ""
    scores: str = ""
    causes: str = ""
    id: str = field(default="", compare=False)
    digest: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said about a run, and why; about some of its columns, or about all of them if `columns` is empty.

    `what` is one of `DECISIONS` or `ASIDES`. `until` ends a decision that does not hold for ever, as a date or the
    label of a run; in an undo it is the `id` of the decision that is taken back. `record` and `digest` are filled in
    when the decision is stored: it holds for this run as long as its data look the same, however often they are
    delivered again.
    """

    table: str
    run: str
    what: str
    who: str
    at: datetime
    why: str = ""
    columns: tuple[str, ...] = ()
    until: str = ""
    record: str = field(default="", compare=False)
    digest: str = field(default="", compare=False)
    id: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of all columns of a table as JSON, learned from the runs up to `as_of_run`.

    `learned_from` is a digest of everything that went into them; who reads programs compares it with what is there.
    """

    table: str
    as_of_run: str
    at: datetime
    by_column: Mapping[str, str]
    learned_from: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A named text of a table, such as one override; every change is kept, the last one of a name holds."""

    table: str
    name: str
    text: str
    who: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list: everything but its large parts, and the latest decision that holds for it.

    `columns` is the number of columns. `order` is the key by which the runs of a table are sorted. The `decision` is
    one of `DECISIONS`, or a word that this version does not know; never one of `ASIDES`, and never one about other
    data.
    """

    table: str
    run: str
    at: datetime
    outcome: str
    rows: int
    columns: int
    note: str = ""
    decision: Decision | None = None
    id: str = ""
    digest: str = ""
    scores: str = ""
    causes: str = ""
    order: bytes = b""


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table in a list: how many runs it has, the labels of the first and the last, and the verdict on the last."""

    table: str
    runs: int
    first: str
    last: str
    outcome: str


def identified(run: Run) -> Run:
    """The run with an id of its own and the digest of its data, where it has none."""
    if run.id and run.digest:
        return run
    return replace(run, id=run.id or new_id(), digest=run.digest or digest_of(run.rows, run.columns))


def new_id() -> str:
    """A unique id."""
    return secrets.token_hex(8)


def digest_of(rows: int, columns: Mapping[str, bytes]) -> str:
    """A digest that is the same for the same number of rows and the same bytes by column, in any order of the columns.

    >>> digest_of(2, {"a": b"x", "b": b""}) == digest_of(2, {"b": b"", "a": b"x"}) != digest_of(2, {"a": b"x"})
    True
    """
    digest = hashlib.blake2b(str(rows).encode(), digest_size=16)
    for name in sorted(columns):
        for part in (name.encode("utf-8", "surrogatepass"), columns[name]):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def line_of(run: Run, order: bytes = b"") -> RunLine:
    """The run as it is in a list."""
    about = (run.table, run.run, run.at, run.outcome, run.rows, len(run.columns), run.note)
    return RunLine(*about, None, run.id, run.digest, run.scores, run.causes, order)


def with_decisions(lines: Sequence[RunLine], decisions: Iterable[Decision]) -> list[RunLine]:
    """The lines with the latest decision on each that is about the record, or about one that looked the same."""
    by_run: dict[str, list[Decision]] = {}
    for decision in decisions:
        by_run.setdefault(decision.run, []).append(decision)
    if not by_run:
        return list(lines)
    return [replace(line, decision=_holding(line, by_run.get(line.run, ()))) for line in lines]


def _holding(line: RunLine, decisions: Sequence[Decision]) -> Decision | None:
    return next((d for d in reversed(decisions_on(line, decisions)) if d.what not in ASIDES), None)


def decisions_on(line: RunLine, decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """The decisions on the data of a run as they are now that were not undone since."""
    found: list[Decision] = []
    for decision in decisions:
        if decision.run == line.run and holds(decision, line):
            found = _without(found, decision.until) if decision.what == UNDO else [*found, decision]
    return tuple(found)


def _without(made: list[Decision], undone: str) -> list[Decision]:
    """The decisions without the one of this id; earlier releases gave no id, and meant the last."""
    return [decision for decision in made if decision.id != undone] if undone else made[:-1]


def holds(decision: Decision, line: RunLine) -> bool:
    """Whether a decision is about this record of the run, or about an earlier one with the same data."""
    return bool(decision.record) and (decision.record == line.id or decision.digest == line.digest != "")
