"""Words that all formats share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from byhistory.constraints import Outcome
from byhistory.constraints.always import ALWAYS
from byhistory.constraints.constraint import CONSTANT, JOINT, USER
from byhistory.constraints.words import once_in, which_run
from byhistory.plain import plain, plain_sentence, plural, some_of, word
from byhistory.report.story import CauseStory, ClauseStory, Story, as_story
from byhistory.verdict import ColumnVerdict, Finding, Verdict
from byhistory.verdict.sentence import always_was, ends_of, is_whole
from byhistory.why.answer import Answer

_ROWS = "row_count"
_NAMED = 4
"""How many things a sentence names, by choice."""


def name_of(of: Verdict | Story) -> str:
    """The run and its table, for a sentence."""
    run = f"run {plain(of.run)}" if of.run else "this run"
    return f"{run} of {plain(of.table)}" if of.table else run


def headline(of: Verdict | Story) -> str:
    """The answer in one sentence.

    >>> headline(Verdict("2026-11-15", (), {}, table="orders"))
    'run 2026-11-15 of orders is as usual: 0 constraints on 0 columns hold'
    """
    story, name = as_story(of), name_of(of)
    verdict = story.verdict
    if verdict.level != "as usual":
        causes = [f for f in verdict.causes if f.level == verdict.level]
        mode = " (shadow mode: nothing is stopped)" if verdict.is_shadow and not verdict.ok else ""
        passed = "does not pass, for a warning" if story.fails(verdict.level) else "passes with a warning"
        what = "is not as usual" if not verdict.ok else passed
        return f"{name} {what}: {plural(len(causes), 'cause')}{where(causes)}{mode}"
    if verdict.is_learning:
        state = next((c.state for c in verdict.columns.values() if c.state), "not enough history yet")
        return f"{name} passes, nothing is judged: {state}"
    return f"{name} is as usual: {held_in_words(verdict)}"


def where(causes: Sequence[Finding], named: int = 0) -> str:
    """Where causes are, for the end of a sentence: in the number of rows, and in how many columns, the first `named`.

    What columns say only because rows are lost, or there are none, is not counted.

    >>> where([Finding("empty batch", "", "no rows", columns=("a",)), Finding("type change", "b", "is text now")], 1)
    ' in the number of rows and 1 column (b)'
    """
    of_rows = [c for c in causes if c.about == "empty batch" or _metric(c) == _ROWS]
    of_columns = [c for c in causes if c not in of_rows]
    columns = list(dict.fromkeys(name for c in of_columns for name in (c.columns or (c.column,)) if name))
    names = f" ({some_of([word(name) for name in columns], named)})" if named else ""
    places = ["the number of rows"] if of_rows else []
    places += [f"{plural(len(columns), 'column')}{names}"] if columns else []
    return f" in {' and '.join(places)}" if places else ""


def _metric(finding: Finding) -> str:
    return "" if finding.outcome is None else finding.outcome.constraint.metric


def held_in_words(verdict: Verdict) -> str:
    """What held in a run, and how much could not be judged.

    >>> held_in_words(Verdict("2026-11-15", (), {}))
    '0 constraints on 0 columns hold'
    """
    held = [n for c in verdict.columns.values() if (n := sum(o.status == "holds" for o in c.outcomes))]
    unjudged = sum(len(c.newly_undefined) for c in verdict.columns.values())
    but = f", {unjudged:,} could not be judged" if unjudged else ""
    return f"{plural(sum(held), 'constraint')} on {plural(len(held), 'column')} hold{but}"


def as_sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def level_word(verdict: Verdict) -> str:
    """The verdict in a word or two, to begin a message with.

    >>> level_word(Verdict("7", (), {}))
    'As usual'
    """
    if verdict.level == "as usual":
        return "Learning" if verdict.is_learning else "As usual"
    word = "Stop" if verdict.level == "stop" else "Warn"
    return f"{word} (shadow)" if verdict.is_shadow else word


def usual(clause: ClauseStory) -> str:
    """The interval, for a table: `33.7 – 42.98`, `≥ 223`, `always 100 %`."""
    outcome = clause.outcome
    if (always := always_was(outcome.constraint)) is not None:
        return f"always {clause.write(always)}"
    low, high = ends_of(outcome, clause.metric)
    if math.isnan(low) or math.isnan(high):
        return "unknown"
    if math.isinf(low) and math.isinf(high):
        return "anything"
    if clause.metric is not None and clause.metric.unit == "share" and "100 %" in (most := clause.write(low)):
        return most  # more than all there cannot be
    if math.isinf(low) or math.isinf(high):
        return f"≤ {clause.write(high)}" if math.isinf(low) else f"≥ {clause.write(low)}"
    return " – ".join(dict.fromkeys((clause.write(low), clause.write(high))))


def unlikely(outcome: Outcome) -> str:
    """How rarely a good run is this far off, for a table.

    >>> from byhistory.constraints import Constraint
    >>> unlikely(Outcome(Constraint("mean", 0, 1), "broken", 2.0, 0.0, 1.0))
    'set by the user'
    """
    clause = outcome.constraint
    if clause.bound == USER:
        return "set by the user"
    if clause.bound in (CONSTANT, ALWAYS) and clause.evidence is not None:
        return f"never in {plural(clause.evidence.runs, 'good run')}"
    if math.isnan(outcome.rarity):
        return "–"
    return once_in(outcome.rarity).replace("less than ", "< ")


def compared(outcome: Outcome) -> str:
    """The run that a value is compared with; empty if it is with none."""
    transform = outcome.constraint.transform
    return f"given {which_run(transform)}" if transform.lag else ""


def cause_title(cause: CauseStory, story: Story) -> str:
    """Where it happened: the column, some columns, or the table as a whole."""
    finding = cause.finding
    names = [c.name for c in story.columns]
    if finding.about != "constraint":
        return plain_sentence(finding.sentence, names)
    if finding.outcome is not None and finding.outcome.constraint.metric == "row_count":
        return plain_sentence(finding.sentence, names)
    if len(finding.columns) <= 1:
        return plain(finding.column or (finding.columns[0] if finding.columns else ""))
    return f"{plural(len(finding.columns), 'column')}: {listed(finding.columns)}"


def again_in_words(cause: CauseStory, story: Story) -> str:
    """An alarm that goes on, in one line: where it shows, what leads now, since when, and how many times so far."""
    finding = cause.finding
    clause = story.clause(finding) or (story.clause(cause.members[0]) if cause.members else None)
    if finding.about != "constraint" or clause is None or clause.name == "row_count":
        return f"{cause_title(cause, story)}; {plain_sentence(finding.again)}"
    where = listed(finding.columns or (finding.column,))
    return f"{where}: {clause.title} {clause.write(clause.outcome.value)}; {plain_sentence(finding.again)}"


@dataclass(frozen=True, slots=True)
class ClauseLine:
    """What one or more columns have in common: their names (none for the table's rows), and the clause of the first."""

    columns: tuple[str, ...]
    clause: ClauseStory


def clause_lines(cause: CauseStory, story: Story) -> list[ClauseLine]:
    """The clauses behind a cause; columns in which the very same happened to the same metric are merged.

    The rows of the table are reported once, as the table's own, by the column in which they are least likely. If all
    values are null or alike, that is all there is to say.
    """
    alike: dict[tuple[str, ...], tuple[list[str], ClauseStory]] = {}
    is_all = cause.finding.outcome is not None and is_whole(cause.finding.outcome)
    rows = [c for m in cause.members if (c := story.clause(m)) is not None and c.name == _ROWS]
    if rows:
        alike[_ROWS,] = ([], min(rows, key=lambda c: c.outcome.rarity))
    for member in cause.members:
        clause = story.clause(member)
        if clause is not None and clause.name != _ROWS and (not is_all or is_whole(clause.outcome)):
            key = (clause.name, usual(clause), clause.write(clause.outcome.value), unlikely(clause.outcome))
            alike.setdefault(key, ([], clause))[0].append(member.column)
    return [ClauseLine(tuple(columns), clause) for columns, clause in alike.values()]


def listed(names: tuple[str, ...] | list[str], most: int = _NAMED) -> str:
    """The first names, made plain, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    return some_of([plain(name) for name in names], most)


def not_judged(verdict: Verdict) -> list[str]:
    """What could not be judged, one sentence per reason; columns that are known to have no values are left out."""
    reasons: dict[str, list[str]] = {}
    is_empty = any(f.about == "empty batch" for f in verdict.findings)  # which says it for all columns
    for column in () if is_empty else verdict.columns.values():
        for o in column.newly_undefined:
            reasons.setdefault(o.reason, []).append(_judged_by(column, o))
    clauses = [f"{listed(names)} could not be judged: {plain_sentence(reason)}" for reason, names in reasons.items()]
    alike: dict[str, list[str]] = {}
    for one in (u for u in verdict.unjudged if not u.is_slight):
        alike.setdefault(one.why, []).append(one.column or "the number of rows")
    return [*clauses, *(f"{listed(names)}: {plain_sentence(why)}" for why, names in alike.items())]


def _judged_by(column: ColumnVerdict, outcome: Outcome) -> str:
    """What should have been judged: a metric of a column, or the column by all of its metrics together."""
    name, metric = plain(column.column), outcome.constraint.metric
    return "the number of rows" if metric == _ROWS else name if metric == JOINT else f"{name}.{metric}"


def after_why(answer: Answer) -> list[str]:
    """What follows an answer: what the keys tell, what is not explained, and what could not be known."""
    lines = [] if answer.keys is None or not answer.tells_keys else [plain_sentence(str(answer.keys))]
    if answer.apart:
        lines.append(f"Not explained by this: {listed(list(answer.apart))}.")
    return lines + [plain_sentence(f"Not known: {u}.") for u in answer.unknown]
