"""Which programs is the next run judged by?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from byhistory.history import Programs
from byhistory.learners import NEEDED_RUNS, Override, Program, overridden, to_json
from byhistory.profile import TableProfile
from byhistory.validator.decided import keep_pins, overrides, parsed, stored
from byhistory.validator.guarded import Guarded
from byhistory.validator.learning import Progress, fits, learn_all
from byhistory.validator.memory import Memory
from byhistory.validator.provenance import learned_from


def programs(of: Guarded) -> dict[str, Program]:
    """The learned programs with the user's overrides."""
    memory = of.memory()
    return applied(of, current(of, memory), memory)


def applied(
    of: Guarded, learned: Mapping[str, Program], memory: Memory, decided: Sequence[Override] | None = None
) -> dict[str, Program]:
    """Programs with the user's overrides, for the columns that the user wants, without what means nothing in their
    role.

    What was `decided` is read if not given.
    """
    own = [*without_meaning(memory, learned), *(overrides(of) if decided is None else decided)]
    return {name: overridden(p, own) for name, p in learned.items() if of.config.wants(name)}


def without_meaning(memory: Memory, learned: Iterable[str]) -> list[Override]:
    """Overrides that mute the metrics that mean nothing in the role that the user gave a column; others come after
    them.

    Roles that were only read from the past mute nothing: that would lower alarms, and miss faults (ADR 0015).
    """
    return [Override(name, metric, mute=True) for name in learned for metric in memory.meaningless(name)]


def current(of: Guarded, memory: Memory) -> dict[str, Program]:
    """The programs learned from exactly the runs in memory: those in the store if they are, else learned again."""
    return still_current(of, memory, of.store.programs(of.table))


def still_current(
    of: Guarded, memory: Memory, kept: Programs | None, profile: TableProfile | None = None
) -> dict[str, Program]:
    """Stored programs, if they were learned from exactly the runs in memory; else learned again.

    A column of `profile` that comes back is judged by the runs that had it: the last may have been read without it.
    """
    known = parsed(of, kept)
    if of.uses_kept and known:
        return known
    read = profile.columns if profile is not None else {}
    last = memory.columns
    returned = [n for n in read if n not in last and memory.runs_of(n, read[n].kind) >= NEEDED_RUNS]
    if kept is not None and known and set(returned) <= set(known) and memory.gap == 0:
        is_ours = kept.learned_from == learned_from(memory, of.config, of.metrics)
        if is_ours and fits(known, of.config, memory, of.learner):
            return known
    return learn_all(memory, of.config, known, also=returned, metrics=of.metrics, learner=of.learner)


def relearn(of: Guarded, progress: Progress | None = None) -> dict[str, Program]:
    """Learn again from the stored runs, after a decision has changed what there is to learn from."""
    keep_pins(of)
    seen = of.store.state(of.table)
    memory = of.memory().closed()
    learned = learn_all(memory, of.config, stored(of), metrics=of.metrics, learner=of.learner, progress=progress)
    if learned:
        of.store.save_programs(packed(of, memory, learned), seen)
    return learned


def packed(of: Guarded, memory: Memory, learned: Mapping[str, Program]) -> Programs:
    """Programs in the form in which a store keeps them."""
    texts = {name: to_json(p, None, of.learners) for name, p in learned.items()}
    digest = learned_from(memory, of.config, of.metrics)
    return Programs(of.table, memory.runs[-1].run if memory.runs else "", of.clock(), texts, digest)
