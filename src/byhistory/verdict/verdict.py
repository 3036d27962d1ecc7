"""What fell outside, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from byhistory.constraints import LEVELS, Level, Outcome
from byhistory.errors import ByHistoryError
from byhistory.plain import plain_sentence
from byhistory.verdict.sentence import is_whole
from byhistory.verdict.unjudged import Unjudged

AS_BEFORE = ", as in an earlier run"
"""The end of a reason why a clause could not be judged, if that is no news."""
Status = Literal["as usual", "warn", "stop", "learning"]
About = Literal[
    "missing column",
    "added column",
    "type change",
    "order change",
    "empty batch",
    "repeated run",
    "drift",
    "skipped runs",
    "run order",
    "alarm",
    "constraint",
]


@dataclass(frozen=True, slots=True)
class Resemblance:
    """An injected fault that would have moved the metrics in a similar way; `likeness` is 1 for the very same."""

    fault: str
    sentence: str
    likeness: float
    type: str = ""
    """The family of the fault, such as "unit change"."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as usual, in words and in numbers.

    `level` says what follows from it; a finding "as usual" is only for information. `since` is the run in which the
    metric began to move: this one, or an earlier one that was still within its interval. `resembles` is the fault that
    it looks like.
    """

    about: About
    column: str
    sentence: str
    level: Level = "stop"
    outcome: Outcome | None = None
    since: str = ""
    resembles: Resemblance | None = None
    columns: tuple[str, ...] = ()
    """All columns in which it was found, if there are several (see `grouped`); else empty, and `column` is the one."""
    again: str = ""
    """For an alarm that goes on: since which run, and how many times it has been seen. Empty if it is new."""

    @property
    def looks_like(self) -> str:
        """Which fault it looks like, in words; empty if it is like none, or its sentence says as much."""
        says_as_much = self.resembles is None or (self.outcome is not None and is_whole(self.outcome))
        return "" if says_as_much or self.resembles is None else self.resembles.sentence

    @property
    def stops(self) -> bool:
        """Whether this finding alone is a reason not to publish the run."""
        return self.level == "stop"


@dataclass(frozen=True, slots=True)
class ColumnVerdict:
    """Whether a run kept every clause of one column's program, or why there was nothing to judge by."""

    column: str
    outcomes: tuple[Outcome, ...] = ()
    state: str = ""

    @property
    def broken(self) -> tuple[Outcome, ...]:
        """The clauses that this run does not keep."""
        return tuple(o for o in self.outcomes if o.status == "broken")

    @property
    def not_evaluable(self) -> tuple[Outcome, ...]:
        """The clauses that could not be judged, each with its reason."""
        return tuple(o for o in self.outcomes if o.status == "not evaluable")

    @property
    def newly_undefined(self) -> tuple[Outcome, ...]:
        """Those that are news: not undefined as in an earlier run, nor because all values are alike or gone."""
        if any(is_whole(o) for o in self.broken):
            return ()
        return tuple(o for o in self.not_evaluable if not o.reason.endswith(AS_BEFORE))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a run is as usual: what was found, schema first, and whether it kept every clause."""

    run: str
    findings: tuple[Finding, ...]
    columns: dict[str, ColumnVerdict]
    is_learning: bool = False
    """Whether no column has enough history yet: the run passes with a notice."""
    table: str = ""
    is_shadow: bool = False
    """Whether it is judged and recorded, but never to stop anything."""
    unjudged: tuple[Unjudged, ...] = ()
    """Columns of which not everything was judged, or by fewer runs than there are; see `not_judged`."""

    @property
    def level(self) -> Level:
        """The worst level of what was found."""
        return max((f.level for f in self.findings), key=LEVELS.index, default="as usual")

    @property
    def ok(self) -> bool:
        """Whether the run may go on: it is as usual, or only warned about."""
        return self.level != "stop"

    @property
    def status(self) -> Status:
        """The level, or "learning" if there is not enough history to tell."""
        return "learning" if self.is_learning and self.level == "as usual" else self.level

    @property
    def not_judged(self) -> tuple[Unjudged, ...]:
        """Everything that was not judged: `unjudged`, and the clauses that could not be evaluated."""
        clauses = (
            Unjudged(c.column, f"{o.constraint.metric} could not be judged: {o.reason}")
            for c in self.columns.values()
            for o in c.not_evaluable
        )
        return (*self.unjudged, *clauses)

    @property
    def is_whole(self) -> bool:
        """Whether everything was judged, by all stored runs; only then does "as usual" mean the whole run."""
        return not self.is_learning and not self.not_judged

    @property
    def causes(self) -> tuple[Finding, ...]:
        """The findings as a person should read them: those with the same cause are merged into one."""
        from byhistory.verdict.group import grouped

        return grouped(self.findings)

    def raise_if_unusual(self, level: Level = "stop") -> Verdict:
        """Raise `Unusual` if the run is at this level or worse (never in shadow mode); else the verdict, to go on with.

        >>> Verdict("7", (Finding("constraint", "n", "mean is 3", "warn"),), {}).raise_if_unusual().level
        'warn'
        """
        if self.reaches(level):
            raise Unusual(self)
        return self

    def reaches(self, level: Level) -> bool:
        """Whether the run is at this level or worse; never in shadow mode.

        >>> warned = Verdict("7", (Finding("constraint", "n", "mean is 3", "warn"),), {})
        >>> warned.reaches("warn"), warned.reaches("stop")
        (True, False)
        """
        return not self.is_shadow and LEVELS.index(self.level) >= LEVELS.index(checked_level(level))

    def to_json(self, indent: int | None = 2) -> str:
        """The verdict for machines, with this `indent`; the schema is documented and versioned."""
        from byhistory.verdict.codec import to_json

        return to_json(self, indent)

    def __str__(self) -> str:
        from byhistory.report.text import verdict_in_words  # the only import upwards: all text is made there

        return verdict_in_words(self)


def checked_level(level: Level) -> Level:
    """The level if a run can be kept back for it; else an error."""
    if level not in LEVELS[1:]:
        raise ByHistoryError("keep back unusual runs", f"the level {level!r}", 'say level="warn" or level="stop"')
    return level


class Unusual(ByHistoryError):  # noqa: N818 - named for what happened
    """A run that is not as usual, raised by `Verdict.raise_if_unusual`; `verdict` says what was found."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(
            f"go on with run {verdict.run!r} of {verdict.table or 'the table'}",
            f"reasons not to: {'; '.join(plain_sentence(_reason(f)) for f in verdict.causes if f.level != 'as usual')}",
            "look at the run; if it is fine, accept it: a retry of the same data then passes",
        )
        self.args = (verdict,)


def _reason(finding: Finding) -> str:
    return f"{finding.column}: {finding.sentence}" if finding.column else finding.sentence
