"""What fell outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from byhistory.constraints import Outcome
from byhistory.errors import ByHistoryError
from byhistory.plain import said

Status = Literal["as usual", "unusual", "learning"]
About = Literal["missing column", "added column", "type change", "order change", "empty batch", "constraint"]


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

    `stops` says whether it makes the run unusual; what does not is for information. `since` is the run from which
    the metric has been moving: this one, or an earlier one that was still within its interval.
    """

    about: About
    column: str
    sentence: str
    stops: bool = True
    outcome: Outcome | None = None
    since: str = ""
    resembles: Resemblance | None = None
    columns: tuple[str, ...] = ()
    """All columns that say so, where one cause shows in several (see `grouped`)."""


@dataclass(frozen=True, slots=True)
class ColumnVerdict:
    """What every clause of one column's program said, or why there was nothing to say."""

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


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a run is as usual: what was found, schema first, and what every clause said."""

    run: str
    findings: tuple[Finding, ...]
    columns: dict[str, ColumnVerdict]
    is_learning: bool = False
    """No column has enough history yet: the run passes with a notice."""
    table: str = ""
    is_shadow: bool = False
    """Judged and recorded, but never to stop anything."""

    @property
    def ok(self) -> bool:
        """The run may go on."""
        return not any(f.stops for f in self.findings)

    @property
    def status(self) -> Status:
        """In one or two words."""
        if not self.ok:
            return "unusual"
        return "learning" if self.is_learning else "as usual"

    @property
    def causes(self) -> tuple[Finding, ...]:
        """The findings, with those of one cause put together: what to tell a person."""
        from byhistory.verdict.group import grouped

        return grouped(self.findings)

    def raise_if_unusual(self) -> Verdict:
        """Raise `Unusual` if the run is not as usual (never in shadow mode); else the verdict itself, to go on with."""
        if not self.ok and not self.is_shadow:
            raise Unusual(self)
        return self

    def to_json(self, indent: int | None = 2) -> str:
        """The verdict for machines; the schema is documented and versioned."""
        from byhistory.verdict.codec import to_json

        return to_json(self, indent)

    def __str__(self) -> str:
        from byhistory.verdict.explain import explain

        return explain(self)


class Unusual(ByHistoryError):  # noqa: N818 - named for what happened
    """A run that is not as usual, raised by `Verdict.raise_if_unusual`; `verdict` says what was found."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(
            f"go on with run {verdict.run!r} of {verdict.table or 'the table'}",
            f"reasons not to: {'; '.join(said(_told(f)) for f in verdict.causes if f.stops)}",
            "look at the run; if it is fine, accept it, so that it is learned from",
        )
        self.args = (verdict,)


def _told(finding: Finding) -> str:
    return f"{finding.column}: {finding.sentence}" if finding.column else finding.sentence
