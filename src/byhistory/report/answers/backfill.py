"""What a backfill brought in: for one table, for many, and for the commits of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from byhistory.errors import ByHistoryError
from byhistory.learners import NEEDED_RUNS, Program
from byhistory.plain import plural, word
from byhistory.profile import TableProfile
from byhistory.profile.past import run_key
from byhistory.report.answers.fleet import failure
from byhistory.report.columns import table as as_table

if TYPE_CHECKING:
    from byhistory.validator import Backfilled

_LISTED = 8
"""How many columns are listed, by choice: a screen has room for them and for the answer."""


def brought_in(table: str, past: Backfilled, programs: Iterable[Program]) -> str:
    """Which runs came in, and what was learned from them."""
    first, last = (label(past.profiles, key=run_key) for label in (min, max))
    runs = f"{plural(len(past.profiles), 'run')} from {word(first)} to {word(last)}, {plural(past.rows, 'row')}"
    return f"{word(table)}: {runs}\n{_learned(table, list(programs))}"


def _learned(table: str, programs: Sequence[Program]) -> str:
    ready = sum(p.is_ready for p in programs)
    if ready:
        clauses = sum(len(p.clauses) for p in programs)
        return f"backfilled: {word(table)}, {plural(clauses, 'constraint')} learned on {plural(ready, 'column')}"
    have = max((p.runs for p in programs), default=0)
    return f"backfilled: {word(table)}, learning: {have} of {NEEDED_RUNS} runs"


def runs_listed(profiles: Mapping[str, TableProfile]) -> str:
    """The runs with their rows."""
    return as_table(["run", "rows"], [[label, f"{p.rows:,}"] for label, p in profiles.items()], right=["rows"])


def replaced(labels: Sequence[str]) -> str:
    """That some runs were on record before."""
    return f"{plural(len(labels), 'run')} replaced an earlier record (the last one is {word(labels[-1])})"


def notices(table: str, past: Backfilled) -> list[str]:
    """A line for everything that was left out, and for each column that not every run has."""
    return [f"{word(table)}: {line}" for line in (*map(word, past.notices), *_in_some_runs(past.profiles))]


def _in_some_runs(profiles: Mapping[str, TableProfile]) -> list[str]:
    had: dict[str, list[str]] = {}
    for run, profile in profiles.items():
        for name in profile.columns:
            had.setdefault(name, []).append(run)
    some = {name: runs for name, runs in had.items() if len(runs) < len(profiles)}
    lines = [
        f"column {word(repr(name))} is in {len(runs):,} of {len(profiles):,} runs, {word(runs[0])} to {word(runs[-1])}"
        for name, runs in some.items()
    ]
    rest = len(lines) - _LISTED
    return lines if rest <= 0 else [*lines[:_LISTED], f"and {plural(rest, 'other column')} that not every run has"]


def commits(table: str, runs: Sequence[TableProfile]) -> str:
    """Which commits of a table came in as its runs."""
    rows = plural(sum(run.rows for run in runs), "row")
    came_in = f"{plural(len(runs), 'commit')} from {word(runs[0].run)} to {word(runs[-1].run)}"
    return f"backfilled: {word(table)}, {came_in}, {rows}"


def brought_in_before(there: int, left: int) -> str:
    """How many of many tables are in already."""
    return f"{plural(there, 'table')} brought in before, {left:,} left (--again does all of them anew)"


def all_brought_in(tables: int, runs: int, rows: int, failed: Mapping[str, ByHistoryError]) -> str:
    """What came in from many tables, and which could not be read; `tables` counts those that came in."""
    lines = []
    if failed:
        lines.append(as_table(["table", "could not run"], [(name, failure(error)) for name, error in failed.items()]))
    came_in = f"{plural(tables, 'table')} with {plural(runs, 'run')} of {plural(rows, 'row')}"
    ending = f"; could not run: {plural(len(failed), 'table')}, the same command goes on with them" if failed else ""
    return "\n".join([*lines, f"backfilled: {came_in}{ending}"])
