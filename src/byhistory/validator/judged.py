"""What is there to show about a run that was judged?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from byhistory.constraints import Level
from byhistory.history import RunLine
from byhistory.learners import NEEDED_RUNS, Program
from byhistory.metrics import Measures
from byhistory.profile import TableProfile
from byhistory.report.composing import make_story
from byhistory.report.story import Story
from byhistory.validator.guarded import Guarded
from byhistory.validator.learnable import is_learned_from
from byhistory.validator.story import NO_VALUES, has_values, past_run, shown_before
from byhistory.verdict import ColumnVerdict, Finding, Past, Verdict
from byhistory.verdict.verdict import Status


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with everything that it came from, so that nothing has to be read back from the store to show it.

    `programs` are those that the run was judged by, `learned` those for the next run, and `runs` all runs up to and
    including this one. `is_replacing` means that an earlier record of the same run was replaced. The properties and
    methods of the verdict can be asked here as well.
    """

    verdict: Verdict
    profile: TableProfile
    past: Past
    programs: Mapping[str, Program]
    learned: Mapping[str, Program]
    runs: tuple[RunLine, ...]
    of: Guarded
    is_replacing: bool = False
    """Whether a run of this label was on record before, which this record replaces."""
    measures: Measures | None = None
    """What every metric read in the run."""

    def story(self, show_values: bool = False) -> Story:
        """The story for `byhistory.report` to show; with `show_values`, values of the data are part of it."""
        return make_story(
            self.verdict,
            self.profile,
            self.past,
            self.programs,
            metrics=self.of.metrics,
            faults=self.of.faults,
            learners=self.of.learners,
            runs=[past_run(line) for line in self.runs],
            show_values=show_values,
            shown=shown_before(self.of, self.run),
            measures=self.measures,
            notices=[NO_VALUES] if show_values and not has_values(self.profile) else [],
        )

    @property
    def ok(self) -> bool:
        """Whether the run may go on."""
        return self.verdict.ok

    @property
    def level(self) -> Level:
        """As usual, warn or stop."""
        return self.verdict.level

    @property
    def status(self) -> Status:
        """The verdict in one or two words."""
        return self.verdict.status

    @property
    def table(self) -> str:
        """The table that was judged."""
        return self.verdict.table

    @property
    def run(self) -> str:
        """The label of the run."""
        return self.verdict.run

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is not as usual."""
        return self.verdict.findings

    @property
    def causes(self) -> tuple[Finding, ...]:
        """The findings as a person should read them: those with the same cause are merged into one."""
        return self.verdict.causes

    @property
    def columns(self) -> dict[str, ColumnVerdict]:
        """Whether the run kept every clause of every column."""
        return self.verdict.columns

    @property
    def is_learning(self) -> bool:
        """Whether no column has enough history yet."""
        return self.verdict.is_learning

    @property
    def good_runs(self) -> int:
        """How many runs the next one is learned from."""
        return min(
            self._most_learned()[0], sum(map(is_learned_from, self.runs))
        )  # a late run is judged without those after it

    @property
    def needed_runs(self) -> int:
        """How many good runs it takes before anything is judged."""
        return self._most_learned()[1]

    def _most_learned(self) -> tuple[int, int]:
        """How many runs the column with the longest history has, and how many it needs."""
        return max(((p.runs, p.needed) for p in self.learned.values()), default=(0, NEEDED_RUNS))

    @property
    def is_shadow(self) -> bool:
        """Whether it is judged and recorded, but never to stop anything."""
        return self.verdict.is_shadow

    def raise_if_unusual(self, level: Level = "stop") -> Judged:
        """Raise `Unusual` if the run is at this level or worse (never in shadow mode); else this, to go on with."""
        self.verdict.raise_if_unusual(level)
        return self

    def to_json(self, indent: int | None = 2) -> str:
        """The verdict for machines, with this `indent`; on one line if it is None."""
        return self.verdict.to_json(indent)

    def __str__(self) -> str:
        return str(self.verdict)
