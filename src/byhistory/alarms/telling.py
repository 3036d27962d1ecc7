"""What a verdict says of the alarms of its table: the same again, back to usual, or waiting for an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from byhistory.alarms.alarm import Alarm
from byhistory.alarms.cause import DRIFT, ROWS, causes_of, is_same
from byhistory.alarms.ledger import Policy
from byhistory.constraints import LEVELS, Level
from byhistory.plain import some_of
from byhistory.verdict import Finding, Verdict
from byhistory.verdict.group import by_cause

_OVER = ("adapted", "new normal")
_NAMED = 3
"""Columns that one line names, by choice."""
_TAKEN_OVER = "; nobody has answered, so the next run is judged by the new level"
_ONLY_WARNS = "; nobody has answered, so it only warns now"


def with_alarms(
    verdict: Verdict,
    alarms: Sequence[Alarm],
    key: Callable[[str], Any] = str,
    policy: Policy | None = None,
    elsewhere: Collection[str] = (),
    *,
    has_stayed: Callable[[Alarm], bool] = lambda _: False,
) -> Verdict:
    """The verdict, with a note on every alarm that goes on, has ended, or waits for an answer at its new level.

    Findings of an alarm that goes on say so (`again`), so that they are not reported as news; all else is a finding of
    its own. What belongs to a snoozed alarm is reported and stops nothing. `key` orders the labels of runs. `policy`
    tells when a change that nobody answers is taken over, or only warns; the run before that announces it. Columns that
    are `elsewhere` were judged by another level than the latest: they are not called back to usual. Nor is a change
    that `has_stayed`: it was learned from, and is usual by now.

    >>> from byhistory.alarms.cause import Cause
    >>> moved = Alarm(Cause("constraint", ("n",), "mean", 1), ("1", "2"), ("n",))
    >>> [f.sentence for f in with_alarms(Verdict("3", (), {}), [moved]).findings]
    ['n is back to usual after 2 runs (1 to 2)']
    """
    going = [a for a in alarms if not a.ended and a.state not in _OVER and a.cause.about != DRIFT]
    notes = _waiting([a for a in alarms if a.state == "adapted" and a.cause.about != DRIFT])
    ended: dict[tuple[bool, tuple[str, ...]], list[Alarm]] = {}
    levels: dict[int, Level] = {}
    again_since: dict[int, str] = {}
    found = [
        (cause, {id(f) for f in members})
        for cause, (_, members) in zip(causes_of(verdict), _groups(verdict), strict=True)
    ]
    changed = {*elsewhere, *(column for cause, _ in found for column in cause.columns)}
    for alarm in going:
        again = next(((c, m) for c, m in found if is_same(alarm.cause, c)), None)
        if again is None and set(alarm.columns) & changed:
            continue  # something else is the matter there, which is reported
        if again is None and not alarm.columns:
            continue  # it was about the place of one run among the others: nothing is back to usual
        if again is None:
            ended.setdefault((has_stayed(alarm), alarm.runs), []).append(alarm)
        elif alarm.snoozed_until and key(verdict.run) <= key(alarm.snoozed_until):
            levels |= dict.fromkeys(again[1], "as usual")
            notes.append(_note(f"{_places(alarm)}: snoozed until {alarm.snoozed_until}"))
        else:
            known = ", which was rejected" if alarm.state == "rejected" else ""
            taken = _TAKEN_OVER if _is_taken_over(alarm, verdict, policy) else ""
            if policy is not None and policy.level_of(alarm, again[0]) != again[0].level:
                levels |= dict.fromkeys(again[1], "warn")
                taken = _ONLY_WARNS
            joined = some_of([c for c in again[0].columns if c and c not in alarm.columns], _NAMED)
            grown = f", now also in {joined}" if joined else ""
            sentence = f"the same alarm since {alarm.opened}{known}, run {len(alarm.runs) + 1}{grown}{taken}"
            again_since |= dict.fromkeys(again[1], sentence)
    kept = tuple(
        replace(f, level=min(f.level, levels.get(id(f), f.level), key=LEVELS.index), again=again_since.get(id(f), ""))
        for f in verdict.findings
    )
    return replace(verdict, findings=(*kept, *notes, *(_ended(of, stayed=stayed) for (stayed, _), of in ended.items())))


def _is_taken_over(alarm: Alarm, verdict: Verdict, policy: Policy | None) -> bool:
    """Whether the change becomes the new level by itself after this run."""
    if policy is None or alarm.state != "open" or alarm.cause.always or (policy.hold and not verdict.is_shadow):
        return False
    return policy.takes_over(alarm.cause, (*alarm.runs, verdict.run))


def _groups(verdict: Verdict) -> list[tuple[Finding, tuple[Finding, ...]]]:
    return [(first, members) for first, members in by_cause(verdict.findings) if first.level != "as usual"]


def _ended(ended: Sequence[Alarm], *, stayed: bool) -> Finding:
    """A note on alarms that ended in this run, all of which showed in the same runs."""
    of_table = dict.fromkeys(a.place_in_table for a in ended if ROWS in a.columns)
    names = [*of_table, *dict.fromkeys(c for a in ended if ROWS not in a.columns for c in a.columns)]
    if stayed:
        return _note(f"{some_of(names, _NAMED)}: the change of {ended[0].opened} has stayed, and is usual by now")
    is_ = "is" if len(names) == 1 else "are"
    return _note(f"{some_of(names, _NAMED)} {is_} back to usual after {_runs(ended[0])}")


def _waiting(alarms: Sequence[Alarm]) -> list[Finding]:
    """One note on all changes that were taken over without an answer: each place since its first."""
    first: dict[tuple[str, ...], Alarm] = {}
    for alarm in alarms:
        first.setdefault(alarm.columns, alarm)
    adapted = list(first.values())
    if not adapted:
        return []
    where = "see `byhistory inbox`"
    if len(adapted) == 1:
        one = adapted[0]
        what = f"a new level since {one.opened}"
        if one.away:
            return [_note(f"{_places(one)}: {what} is gone again, and nobody has said that it is right ({where})")]
        return [_note(f"{_places(one)}: {what}, and nobody has said that this is right ({where})")]
    named = some_of([f"{_places(a)} since {a.opened}" for a in adapted], _NAMED)
    what = f"{len(adapted)} changes were taken over"
    return [_note(f"{what}, and nobody has said that they are right: {named} ({where})")]


def _note(sentence: str) -> Finding:
    return Finding("alarm", "", sentence, "as usual")


def _places(alarm: Alarm) -> str:
    """Where the alarm shows; if the number of rows changed, columns that moved with it are not worth naming."""
    return alarm.place_in_table if ROWS in alarm.columns else some_of([c for c in alarm.columns if c], _NAMED)


def _runs(alarm: Alarm) -> str:
    if len(alarm.runs) == 1:
        return f"1 run ({alarm.opened})"
    return f"{len(alarm.runs)} runs ({alarm.opened} to {alarm.runs[-1]})"
