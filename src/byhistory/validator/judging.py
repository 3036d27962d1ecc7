"""Judge a run by the runs before it, record it, and learn for the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from byhistory.alarms import ROWS, called_usual, causes_of, causes_to_json, with_alarms
from byhistory.history import (
    ASIDES,
    Decision,
    Run,
    RunLine,
    Setting,
    decisions_on,
    digest_of,
    is_by_arrival,
    new_id,
    place_of,
    runs_after,
    runs_before,
    runs_like,
)
from byhistory.learners import Override, Program
from byhistory.metrics import Measures
from byhistory.profile import ColumnProfile, TableProfile, to_bytes
from byhistory.profile.coarse import coarsened_table
from byhistory.profile.label import checked_label
from byhistory.profile.look import FIRST, look_of
from byhistory.profile.past import in_order
from byhistory.validator.decided import keep_pins, overrides, stored
from byhistory.validator.drifting import drift_findings
from byhistory.validator.due import arrival_kept
from byhistory.validator.guarded import Guarded
from byhistory.validator.judged import Judged
from byhistory.validator.learnable import ACCEPTING, is_good
from byhistory.validator.learning import Progress, Spread, learn_all
from byhistory.validator.ledger import order_in, policy_of
from byhistory.validator.memory import Memory
from byhistory.validator.programs import applied, packed, relearn, still_current
from byhistory.validator.returned import Judgement, notes, or_by_other_level
from byhistory.validator.stayed import has_stayed
from byhistory.validator.unjudged import must_have_past, unjudged
from byhistory.verdict import Finding, Past, Verdict, check
from byhistory.verdict.codec import to_json as verdict_to_json
from byhistory.verdict.late import late_finding, twin_finding
from byhistory.verdict.skipped import skipped_finding


def judge(
    of: Guarded,
    profile: TableProfile,
    *,
    settings: Mapping[str, Setting],
    shadow: bool | None = None,
    spread: Spread | None = None,
) -> Judged:
    """Judge a profile by the runs before it, and record it with what was learned for the next run.

    `settings` are those of the table, read together with its budgets.
    """
    checked_label(profile.run)
    profile, exact = profile if of.config.keep_values else coarsened_table(profile), profile
    with of.step("load history"):
        decided = overrides(of, settings)  # an error in them comes before any work
        keep_pins(of, settings)
        with of.store.snapshot():
            seen = of.store.state(of.table)
            lines = of.lines(profile.run)
            memory = of.memory(profile.run, lines)
            must_have_past(memory, lines, profile.run)
            kept = of.store.programs(of.table)
            past = memory.past(of.config.wants)
        columns = _packed(profile)
        there = next((r for r in lines if r.run == profile.run), None)
        digest = _look(profile, exact, columns, there)
        decisions = _decisions_on(of, lines, profile.run, digest)
    with of.step("learn"):
        known = still_current(of, memory, kept, profile)
    with of.step("judge"):
        before = memory.alarms
        first = _judgement(of, profile, memory, applied(of, known, memory, decided), past=past)
        found = or_by_other_level(
            first, before, lambda back: _judged_by(of, profile, of.memory(profile.run, lines, back), first, decided)
        )
        verdict, memory, past, used, measures = found.verdict, found.memory, found.past, found.programs, found.measures
        earlier = [r.run for r in runs_before(lines, profile.run)]
        verdict = replace(
            verdict,
            findings=(
                *verdict.findings,
                *drift_findings(of, profile, memory, lines, now=measures, decided=decided),
                *_out_of_place(lines, earlier, profile.run, verdict.is_learning),
            ),
            unjudged=unjudged(verdict, profile, used, memory),
            is_shadow=of.config.shadow if shadow is None else shadow,
        )
        place, of_entries = place_of(lines, profile.run), order_in(memory.entries)
        causes = causes_to_json(causes_of(verdict), found.returned, arrival_kept(there))
        verdict = with_alarms(
            verdict,
            before,
            lambda r: place if r == profile.run else of_entries(r),
            policy_of(of.config),
            found.returned,
            has_stayed=lambda alarm: has_stayed(alarm, memory, measures, of.metrics),
        )
        verdict = replace(
            verdict, findings=(*verdict.findings, *notes(before, found.returned, called_usual(memory.entries)))
        )
        decision = next((d for d in reversed(decisions) if d.what not in ASIDES), None)
        if decision is not None:
            verdict = _as_decided(verdict, decision)
    at, note = of.clock(), "shadow" if verdict.is_shadow else ""
    about = (of.table, profile.run, at, verdict.status, profile.rows, len(profile), note, decision)
    line = RunLine(*about, new_id(), digest, causes=causes, order=b"\xff")
    memory, learned = memory.with_run(line, measures, decisions), known
    if memory.lessons.uses_any(profile.run):
        with of.step("learn"):
            learned = _learned(of, memory, known, last=profile, before=_before(profile, past), spread=spread)
    with of.step("store"):
        head = (of.table, profile.run, at, verdict.status, profile.rows, columns)
        contents = measures.to_bytes(), verdict_to_json(verdict, None), note
        run = Run(*head, *contents, causes=causes, id=line.id, digest=digest)
        is_latest = not any(map(is_good, runs_after(lines, profile.run)))
        of.store.record(run, packed(of, memory, learned) if is_latest else None, seen)
    if not is_latest:
        learned = relearn(of)
    runs = (*runs_before(lines, profile.run), line)
    return Judged(verdict, profile, past, used, learned, runs, of, there is not None, measures)


def _judgement(
    of: Guarded,
    profile: TableProfile,
    memory: Memory,
    used: Mapping[str, Program],
    *,
    past: Past,
    known: Measures | None = None,
) -> Judgement:
    """The judgement of a run; only its distances are measured anew if what it reads is `known`."""
    measure = Measures.of if known is None else known.compared_anew
    measures = measure(profile, _before(profile, past), of.metrics)
    return Judgement(_verdict(of, profile, used, past, measures), memory, past, used, measures)


def _judged_by(
    of: Guarded, profile: TableProfile, memory: Memory, first: Judgement, decided: Sequence[Override]
) -> Judgement:
    """The run judged again by a memory in which other columns are at their old level."""
    moved = set(memory.returned).symmetric_difference(first.returned)
    anew = [name for name in first.programs if name in moved or ROWS in moved]  # every column knows how many rows
    known = learn_all(memory, of.config, first.programs, only=anew, metrics=of.metrics, learner=of.learner)
    used = {**first.programs, **applied(of, known, memory, decided)}
    return _judgement(of, profile, memory, used, past=memory.past(of.config.wants), known=first.measures)


def _before(profile: TableProfile, past: Past) -> dict[str, ColumnProfile]:
    """The profiles that distances are taken to."""
    found: dict[str, ColumnProfile | None] = {name: past.column(name).before for name in profile}
    return {name: p for name, p in found.items() if p is not None}


def _out_of_place(lines: Sequence[RunLine], earlier: Sequence[str], run: str, is_learning: bool) -> tuple[Finding, ...]:
    """Findings on runs that never came before this one, on later runs that are already there, and on its twins.

    They are no news for a run that is delivered again, unless so few come before it that it passes as "learning".
    """
    is_news = is_learning or not any(r.run == run for r in lines)
    later = [r.run for r in runs_after(lines, run)] if is_news else []
    twins = [r.run for r in runs_like(lines, run)]
    is_by_label = is_news and bool(earlier or later) and not is_by_arrival(lines)
    late = late_finding(earlier, later, run, is_by_label=is_by_label)
    return (*skipped_finding(earlier, run), *late, *twin_finding(twins))


def _verdict(
    of: Guarded,
    profile: TableProfile,
    programs: Mapping[str, Program],
    past: Past,
    measures: Measures,
) -> Verdict:
    return check(
        profile,
        programs,
        past,
        metrics=of.metrics,
        faults=of.faults,
        learners=of.learners,
        table=of.table,
        always_off=of.config.always_off,
        measures=measures,
    )


def remember(
    of: Guarded, profiles: Iterable[TableProfile], progress: Progress | None = None, spread: Spread | None = None
) -> list[str]:
    """Keep profiles as past runs, unjudged, and learn from them; gives the labels of those that replaced a record."""
    keep_pins(of)
    runs = in_order(profiles)
    for run in runs:
        checked_label(run.run)
    replaced = []
    before: Mapping[str, ColumnProfile] = of.memory(runs[0].run).last_profiles() if runs else {}
    earlier: Mapping[str, ColumnProfile] = {}
    there = {line.run: line for line in of.store.runs(of.table)}
    for i, exact in enumerate(runs):
        run = runs[i] = exact if of.config.keep_values else coarsened_table(exact)
        measures, columns = Measures.of(run, before, of.metrics), _packed(run)
        head = (of.table, run.run, of.clock(), "backfilled", run.rows, columns, measures.to_bytes())
        line = there.get(run.run)
        causes = causes_to_json((), arrived=arrival_kept(line))
        if of.store.record(Run(*head, causes=causes, digest=_look(run, exact, columns, line))):
            replaced.append(run.run)
        earlier, before = before, dict(run.columns)
    seen = of.store.state(of.table)
    memory = of.memory().closed()
    if memory.runs:
        last = runs[-1] if runs and memory.runs[-1].run == runs[-1].run else None
        learned = _learned(of, memory, stored(of), last=last, before=earlier, progress=progress, spread=spread)
        of.store.save_programs(packed(of, memory, learned), seen)
    return replaced


def _learned(
    of: Guarded,
    memory: Memory,
    known: Mapping[str, Program],
    *,
    last: TableProfile | None,
    before: Mapping[str, ColumnProfile],
    progress: Progress | None = None,
    spread: Spread | None = None,
) -> dict[str, Program]:
    return learn_all(
        memory,
        of.config,
        known,
        last=last,
        before=before,
        key=of.store.key(),
        metrics=of.metrics,
        faults=of.faults,
        learner=of.learner,
        progress=progress,
        spread=spread,
    )


def _decisions_on(of: Guarded, lines: Sequence[RunLine], run: str, digest: str) -> tuple[Decision, ...]:
    """The decisions on these very data, if they are delivered again."""
    line = next((r for r in lines if r.run == run and r.digest == digest), None)
    return () if line is None else decisions_on(line, of.store.decisions(of.table))


def _look(profile: TableProfile, exact: TableProfile, columns: Mapping[str, bytes], there: RunLine | None) -> str:
    """A text that tells whether data are the same; that of an earlier release if they are what it recorded."""
    if there is not None and there.digest in (digest_of(profile.rows, columns), look_of(exact, FIRST)):
        return there.digest
    return look_of(profile)


def _as_decided(verdict: Verdict, decision: Decision) -> Verdict:
    """The verdict on data that a person has decided about, by the last decision.

    If they were accepted, findings are reported and stop nothing. If they were rejected, they stop, even if nothing was
    found. A decision that this release does not know changes nothing.
    """
    if decision.what in ACCEPTING:
        by = f" (accepted by {decision.who})"
        findings = tuple(replace(f, level="as usual", sentence=f.sentence + by * f.stops) for f in verdict.findings)
        return replace(verdict, findings=findings)
    if decision.what != "reject":
        return verdict
    why = f": {decision.why}" if decision.why else ""
    todo = "`byhistory undo` takes that back"
    rejected = Finding("repeated run", "", f"the same data as {decision.who} rejected{why}; {todo}")
    return replace(verdict, findings=(rejected, *verdict.findings))


def _packed(profile: TableProfile) -> dict[str, bytes]:
    return {name: to_bytes(profile[name]) for name in profile}
