"""Many tables checked together: one row per table, one last line, and one document of all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from byhistory.errors import ByHistoryError
from byhistory.plain import as_json, plural, some_of, word
from byhistory.report.answers.verdict import not_whole
from byhistory.report.columns import table
from byhistory.report.github import command, to_github
from byhistory.report.junit import to_junit
from byhistory.report.machine import to_json
from byhistory.report.outputs import by_name
from byhistory.report.story import Story
from byhistory.verdict import Verdict

VERSION = 1
"""The version of the JSON document of all tables."""
_NOT_WHOLE = 3
"""The exit code where not all was judged, and that was asked for."""
_LISTED, _NAMED = 50, 20
"""Up to how many tables a summary lists all of them, and its last line names all of them (by choice)."""


@dataclass(frozen=True, slots=True)
class TableResult:
    """What became of one table: a verdict with its story where it is shown, or the error that prevented it.

    `code` is the exit code that `byhistory check` of this table alone would have had.
    """

    table: str
    code: int
    verdict: Verdict | None = None
    story: Story | None = None
    error: ByHistoryError | None = None
    owner: str = ""
    tags: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """In one or two words."""
        if self.verdict is None:
            return "could not run"
        is_shadowed = self.verdict.is_shadow and self.verdict.level != "as usual"
        return f"{self.verdict.status} (shadow)" if is_shadowed else self.verdict.status


def summary(results: Sequence[TableResult]) -> str:
    """One row per table; if there are many, only those that somebody has to look at."""
    shown = results if len(results) <= _LISTED else [one for one in results if one.code or _what(one)]
    rows = [(one.table, one.verdict.run if one.verdict else "–", one.status, one.owner, _what(one)) for one in shown]
    left = len(results) - len(shown)
    rest = f"\n({plural(left, 'table')} as usual or learning)" if left else ""
    if any(one.owner for one in shown):
        return table(["table", "run", "verdict", "owner", "what"], rows) + rest
    return table(["table", "run", "verdict", "what"], [(*row[:3], row[4]) for row in rows]) + rest


def ending(results: Sequence[TableResult], worst: int) -> str:
    """The last line: the worst that happened, how many tables pass, and which do not."""

    def named(code: int) -> str:
        return _few([one.table for one in results if one.code == code])

    parts, stopped = [], [one.table for one in results if one.code == 1 and not _is_warned(one)]
    if stopped:
        parts.append(f"stop: {_few(stopped)}")
    warned = [one.table for one in results if one.code in (0, 1) and _is_warned(one)]
    if warned:
        parts.append(f"warn: {_few(warned)}")
    if named(2):
        parts.append(f"could not run: {named(2)}")
    if named(_NOT_WHOLE):
        parts.append(f"not all judged: {named(_NOT_WHOLE)}")
    fine = sum(one.code == 0 for one in results)
    head = {0: "as usual", 1: "stop" if stopped else "warn", 2: "could not run", _NOT_WHOLE: "not all judged"}[worst]
    return f"{head}: {fine} of {plural(len(results), 'table')} pass" + "".join(f"; {part}" for part in parts)


def replaced(tables: Sequence[str]) -> str:
    """One line about the runs that were on record before: all of them, if all tables are checked again."""
    return f"{plural(len(tables), 'run')} recorded before, replaced by these records: {_few(sorted(tables))}"


def kept(tables: Sequence[str]) -> str:
    """One line about the tables whose last commit was judged by an earlier check."""
    return (
        f"{plural(len(tables), 'table')} without a commit since the last verdict, which stands: {_few(sorted(tables))}"
    )


def failure(error: ByHistoryError) -> str:
    """What became of a table that could not run, in one line; what was asked names the file."""
    return f"{error.asked}: {error.found}; to go on: {error.todo}"


def document(results: Sequence[TableResult], output: str, worst: int) -> str:
    """All tables in one of the formats of `byhistory.report.outputs`; `worst` is the exit code."""
    stories = [one.story for one in results if one.story is not None]
    if output == "json":
        body = {"byhistory_check": VERSION, "exit_code": worst, "tables": [_json(one) for one in results]}
        return as_json(body)
    failed = [one for one in results if one.error is not None]
    if output == "junit":
        return to_junit(*stories, errors={one.table: str(one.error) for one in failed})
    if output == "github":
        errors = [command("error", f"{word(one.table)} could not run", word(one.error)) for one in failed]
        annotations = [to_github(story).strip("\n") for story in stories]
        return "\n".join(filter(None, [*annotations, *errors]))
    written = [by_name(output).write(story) for story in stories]
    return "\n\n".join([*written, *(f"**{word(one.table)}** could not run: {word(one.error)}" for one in failed)])


def _is_warned(one: TableResult) -> bool:
    return one.verdict is not None and one.verdict.level == "warn"


def _what(one: TableResult) -> str:
    if one.error is not None:
        return failure(one.error)
    assert one.verdict is not None  # noqa: S101 - there is a verdict or an error
    causes = [cause for cause in one.verdict.causes if cause.level == one.verdict.level != "as usual"]
    if not causes:
        return not_whole(one.verdict) if one.code == _NOT_WHOLE else ""
    first = causes[0]
    more = f" (and {plural(len(causes) - 1, 'other cause')})" if len(causes) > 1 else ""
    return f"{first.column + ': ' if first.column else ''}{first.sentence}{more}"


def _few(tables: Sequence[str]) -> str:
    """The names in one line; if there are many, only the first."""
    return some_of([word(name) for name in tables], _NAMED)


def _json(one: TableResult) -> dict[str, Any]:
    error = one.error
    return {
        "table": one.table,
        "owner": one.owner,
        "tags": list(one.tags),
        "run": one.verdict.run if one.verdict is not None else None,
        "status": one.status,
        "exit_code": one.code,
        "verdict": json.loads(to_json(one.story)) if one.story is not None else None,
        "error": {"asked": error.asked, "found": error.found, "todo": error.todo} if error is not None else None,
    }
