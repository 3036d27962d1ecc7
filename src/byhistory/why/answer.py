"""What an answer says: one sentence, a small table, the condition for looking at the rows, and what could not be
known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from byhistory.plain import plain_sentence, some_of
from byhistory.why.change import Moved, is_renamed
from byhistory.why.condition import Condition
from byhistory.why.keys import Keys
from byhistory.why.shares import of_rows, written
from byhistory.why.view import COPY, FIT, MISSING, NEW, REPEATED, SPELLING

Kind = Literal[
    "values in a segment",
    "values everywhere",
    "rows missing in a segment",
    "rows missing everywhere",
    "rows too many in a segment",
    "rows too many everywhere",
    "rows repeated in a segment",
    "rows repeated everywhere",
    "columns swapped",
    "column renamed",
    "column missing",
    "same rows as an earlier run",
    "nothing found",
]
_NONE_OF = 0.02
"""A value with at most this part of its former share is as good as gone (a choice)."""


Way = Literal["without", "without copies", "without surplus", "with the rows before"]
"""How a run is changed to prove an answer: its odd rows, the copies, or the surplus rows are taken out, or the missing
rows are taken from the run before."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows that meet some conditions, and how much of the change is in them.

    `share` is relative to this run (for missing rows, to the run before). `rate_before` and `rate_now` are the shares
    of the segment's rows with what became more frequent; if rows are missing or too many, `rate_now` is their number
    relative to what follows from the rest of the run. `past` are the conditions that the same rows of the run before
    meet, if these are others: times move on with the runs.
    """

    conditions: tuple[Condition, ...]
    share: float
    rate_before: float
    rate_now: float
    explained: float
    past: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))

    def sql(self) -> str:
        """A condition of Spark SQL."""
        return " AND ".join(f"({c.sql()})" for c in self.conditions)

    def before(self) -> Segment:
        """The segment with the conditions that the same rows of the run before meet."""
        return replace(self, conditions=self.past or self.conditions, past=())

    def inside(self, table: Any) -> Any:
        """Which rows of an Arrow table meet all conditions, as an Arrow array."""
        return pa.array(np.logical_and.reduce([c.holds(_leaf(table, c.path)) for c in self.conditions]))

    def outside(self, table: Any) -> Any:
        """Which rows of an Arrow table do not meet all conditions, as an Arrow array."""
        return pc.invert(self.inside(table))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its conditions."""
        return tuple(dict.fromkeys(c.column for c in self.conditions))

    @property
    def is_an_end(self) -> bool:
        """Whether it is all that lies before or after some point of one column: of times, hours or keys."""
        (first, *more) = self.conditions
        if more or first.values:
            return False
        low, high = first.ends
        return low <= (0 if first.part == "hour" else -math.inf) or high >= (24 if first.part == "hour" else math.inf)


@dataclass(frozen=True, slots=True)
class Proof:
    """What the judge says of the run without the segment's rows, or with the missing rows put back."""

    rows: int
    """Rows that were taken out, or added."""
    is_gone: bool
    """Whether what the answer is about is then as usual."""
    left: tuple[str, ...] = ()
    """What else is found then, in words."""
    way: Way = "without"

    def __str__(self) -> str:
        return f"{self._start} {self._end}."

    @property
    def _start(self) -> str:
        return {
            "without": f"Without these {self.rows:,} rows",
            "without copies": f"Without the {self.rows:,} copies",
            "without surplus": f"Without {self.rows:,} of these rows, as many as are too many,",
            "with the rows before": f"With {self.rows:,} rows of the run before in their place,",
        }[self.way]

    @property
    def _end(self) -> str:
        if not self.left:
            return "the run is as usual"
        more = f" and {len(self.left) - 2} more" if len(self.left) > 2 else ""
        still = "this is gone, and the run is still" if self.is_gone else "the run is still"
        return f"{still} not as usual: {'; '.join(self.left[:2])}{more}"


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a run was stopped: what changed, in which rows, and what could not be found out.

    `column` is the column that changed most and `columns` are those that changed with it in the same rows; `apart` are
    columns of the alarm that this answer does not explain. `segments` are conditions on rows ("country = 'FR'") that
    hold most of the change, best first; there are none if it is everywhere. `gained` and `lost` are the values that
    became more or less frequent, `also` are answers for other columns, and `unknown` are sentences about what could not
    be read.
    """

    kind: Kind
    column: str = ""
    columns: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    view: str = ""
    gained: tuple[Moved, ...] = ()
    lost: tuple[Moved, ...] = ()
    segments: tuple[Segment, ...] = ()
    ratio: float = 1.0
    """Rows of this run per row of the run before."""
    other: str = ""
    """The column that this one was swapped with or renamed from, or the earlier run with the same rows."""
    keys: Keys | None = None
    """What the table's key tells: which rows came twice, and which are gone."""
    also: tuple[Answer, ...] = ()
    """Answers for columns of the alarm that changed in other rows, or in another way."""
    unknown: tuple[str, ...] = ()
    proof: Proof | None = None
    table: str = ""
    run: str = ""
    before: str = ""

    @property
    def segment(self) -> Segment | None:
        """The best segment, if one is named."""
        return self.segments[0] if self.segments else None

    @property
    def shown(self) -> tuple[Segment, ...]:
        """The segments worth showing: those that are neither part of the best one nor contain it."""
        first = set(self.segments[0].conditions) if self.segments else set()
        return tuple(s for i, s in enumerate(self.segments) if not i or not _is_nested(first, set(s.conditions)))

    @property
    def tells_keys(self) -> bool:
        """Whether the answer should mention what was found by comparing rows with the same key."""
        about_rows = any(a.is_about_rows for a in (self, *self.also))
        return self.keys is not None and (about_rows or self.keys.again > 0)

    @property
    def way(self) -> Way | None:
        """How to change the run to test the answer (such as to take out the segment's rows); None if there is no
        way.
        """
        ways: dict[Kind, Way] = {
            "values in a segment": "without",
            "rows repeated in a segment": "without copies",
            "rows repeated everywhere": "without copies",
            "rows missing in a segment": "with the rows before",
            "rows too many in a segment": "without surplus",
        }
        return ways.get(self.kind)

    @property
    def is_about_rows(self) -> bool:
        """Whether rows are missing, too many or repeated, rather than values changed."""
        return self.kind.startswith("rows ")

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return plain_sentence(_SENTENCES[self.kind](self))

    def __str__(self) -> str:
        lines = [self.sentence]
        if self.proof is not None:
            lines.append(str(self.proof))
        lines += [f"  {row}" for row in self.rows()]
        for other in self.also:
            lines += ["", *str(other).split("\n")]
        if self.keys is not None and self.tells_keys:
            lines.append(plain_sentence(str(self.keys)))
        if self.apart:
            lines.append(f"Not explained by this: {_names(self.apart)}.")
        lines += [f"Not known: {u}." for u in self.unknown]
        return "\n".join(lines)

    def rows(self) -> list[str]:
        """A small table as text: one line per segment, and one per value that became more or less frequent."""
        rows = [
            f"{'or ' if i else '   '}{written(s.explained):>4} of the change in {of_rows(s.share):>6} of the rows: {s}"
            for i, s in enumerate(self.shown)
        ]
        rows += [f"more:  {m.what}: {of_rows(m.before)} → {of_rows(m.now)} of the rows" for m in self.gained]
        rows += [f"fewer: {m.what}: {of_rows(m.before)} → {of_rows(m.now)} of the rows" for m in self.lost]
        return [plain_sentence(row) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """The answer for JSON; what is undefined is null."""
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "run": self.run,
            "before": self.before or None,
            "column": self.column or None,
            "columns": list(self.columns),
            "apart": list(self.apart),
            "view": self.view or None,
            "gained": [_moved(m) for m in self.gained],
            "lost": [_moved(m) for m in self.lost],
            "segments": [
                {
                    "conditions": [str(c) for c in s.conditions],
                    "sql": s.sql(),
                    "share": s.share,
                    "rate_before": s.rate_before,
                    "rate_now": s.rate_now,
                    "explained": s.explained,
                }
                for s in self.segments
            ],
            "ratio": self.ratio,
            "other": self.other or None,
            "keys": None if self.keys is None else self.keys.to_dict(),
            "also": [a.to_dict() for a in self.also],
            "unknown": list(self.unknown),
            "proof": None
            if self.proof is None
            else {
                "way": self.proof.way,
                "rows": self.proof.rows,
                "is_gone": self.proof.is_gone,
                "left": list(self.proof.left),
            },
        }


def _is_nested(first: set[Condition], other: set[Condition]) -> bool:
    """Whether one of two sets of conditions contains the other."""
    return first < other or other < first


def _leaf(table: Any, path: tuple[str, ...]) -> Any:
    """A column of an Arrow table, or a field below one."""
    column = table.column(path[0])
    for name in path[1:]:
        column = pc.struct_field(column, name)
    return column


def _moved(m: Moved) -> dict[str, Any]:
    return {"what": m.what, "before": m.before, "now": m.now}


def _names(columns: Iterable[str]) -> str:
    return some_of([f"{c!r}" for c in columns], 4)


def _column(a: Answer) -> str:
    """The column that changed, and those that changed with it."""
    others = [c for c in a.columns if c != a.column]
    return repr(a.column) + (f" (and {_names(others)})" if others else "")


def _what(a: Answer) -> str:
    """What changed in the column, in a few words."""
    name = _column(a)
    if a.view.startswith(FIT):
        return f"the values of {name} that do not go with {a.view.removeprefix(FIT)!r} as before"
    if a.view.startswith(COPY):
        return f"the values of {name} that are those of {a.view.removeprefix(COPY)!r}"
    if not a.gained and not a.lost:
        return f"the change in {name}"
    is_new = bool(a.gained) and a.gained[0].before <= _NONE_OF * a.gained[0].now
    is_gone = bool(a.lost) and a.lost[0].now < _NONE_OF * a.lost[0].before
    if not a.gained or (is_gone and (not is_new or a.lost[0].before > a.gained[0].now)):
        return f"the loss of {a.lost[0].what} in {name}"
    what, share = a.gained[0].what, "new" if is_new else "additional"
    if what == MISSING:
        return f"the {share} missing values in {name}"
    return f"the {share} values {_SAID_OF.get(a.view, '')}{what} in {name}"


_SAID_OF = {"pattern": "like ", "length": "of ", "hour": "at ", SPELLING: "written as ", REPEATED: "that are "}
"""What stands before the cells of a view, so that a sentence can be read."""


def _share(x: float) -> str:
    return "all" if x >= 1 else written(x)


def _in_a_segment(a: Answer) -> str:
    s = a.segments[0]
    return f"{_share(s.explained)} of {_what(a)} {_are(a)} in rows with {s} ({of_rows(s.share)} of the rows)"


def _are(a: Answer) -> str:
    return "are" if _what(a).startswith(("the new ", "the additional ", "the values of ")) else "is"


def _are_not_there(columns: tuple[str, ...]) -> str:
    return f"the column{'s' * (len(columns) > 1)} {_names(columns)} {'are' if len(columns) > 1 else 'is'} not there"


def _everywhere(a: Answer) -> str:
    if is_renamed(a.gained, a.lost) and a.view == "value" and a.gained[0].what != NEW:
        return f"the value {a.lost[0].what} in {_column(a)} is {a.gained[0].what} now, wherever it was"
    them = "them" if _are(a) == "are" else "it"
    return f"{_what(a)} {_are(a)} everywhere: no part of the table has clearly more of {them} than the rest"


def _rows_in_a_segment(a: Answer) -> str:
    s = a.segments[0]
    if a.kind == "rows missing in a segment":
        if s.rate_now <= _NONE_OF and s.is_an_end:
            return (
                f"the load is partial: it has no rows with {s}, where the run before had {of_rows(s.share)} of its rows"
            )
        if s.rate_now <= _NONE_OF:
            return f"there are no rows with {s}; the run before had {of_rows(s.share)} of its rows there"
        share = of_rows(s.share)
        return f"{written(1 - s.rate_now)} of the rows with {s} are missing; they were {share} of the run before"
    if not s.share:
        return f"rows with {s} are new: the run before had none"
    return f"there are {s.rate_now:.1f} times as many rows with {s} as the rest of the run leads to expect"


def _repeated(a: Answer) -> str:
    if a.segments:
        s = a.segments[0]
        again = "have the key of another row" if a.view == "key" else "are there again, as they are"
        return f"rows with {s} came more than once: {written(s.rate_now)} of them {again}"
    again = "with the same key" if a.view == "key" else "as they are"
    return f"rows came more than once, {again}, in all parts of the table alike"


def _rows_everywhere(a: Answer) -> str:
    if a.ratio < 1:
        return (
            f"{written(1 - a.ratio)} of the rows are missing, and no part of the table lost clearly more than the rest"
        )
    return f"the run has {a.ratio:.2f} times as many rows as the one before, in all parts of the table alike"


_SENTENCES: dict[Kind, Callable[[Answer], str]] = {
    "values in a segment": _in_a_segment,
    "values everywhere": _everywhere,
    "rows missing in a segment": _rows_in_a_segment,
    "rows missing everywhere": _rows_everywhere,
    "rows too many in a segment": _rows_in_a_segment,
    "rows too many everywhere": _rows_everywhere,
    "rows repeated in a segment": _repeated,
    "rows repeated everywhere": _repeated,
    "columns swapped": lambda a: f"the columns {a.column!r} and {a.other!r} are swapped: each has the other's values",
    "column renamed": lambda a: f"the column {a.other!r} is now called {a.column!r}: it has the same values",
    "column missing": lambda a: f"{_are_not_there(a.columns)}, and no new column has the values",
    "same rows as an earlier run": lambda a: f"the run has the same rows as run {a.other!r}",
    "nothing found": lambda a: f"nothing clear was found in {_names(a.columns) or 'the run'}",
}
