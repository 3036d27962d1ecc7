"""A broken clause as a sentence, which is part of the finding and kept with it."""

from __future__ import annotations

from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.always import ALWAYS
from byhistory.constraints.constraint import CONSTANT, JOINT
from byhistory.constraints.words import amount, digits_apart, must, once_in, which_run, whole_within
from byhistory.metrics import Metric, Pair
from byhistory.profile import Kind

_WHOLE = {
    ("complete_ratio", 0.0): "every value is null; {past} were present",
    ("empty_ratio", 1.0): "every value is empty; {past} were",
    ("zero_ratio", 1.0): "every number is zero; {past} were",
    ("top_value_ratio", 1.0): "every value is the same; the most frequent one made up {past}",
}
"""What always stops, where all values are concerned: as a person says it, and what the past was."""

_DISTINCT = "dist_val_count"
_OF_RULE = {
    "unique_ratio": "only {now} of the values are distinct; {past} were",
    "new_pattern_ratio": "{now} of the values have a format that the run before had not; {past} had",
    "new_format_ratio": "{now} of the values are written in a way that the run before had not; {past} were",
}
"""The rules on keys and formats, as a person says them."""


def outcome_in_words(outcome: Outcome, metric: Metric, kind: Kind) -> str:
    """A broken clause as a sentence: what it is, what was usual, and how unlikely that is."""
    clause = outcome.constraint
    digits = digits_of(outcome, metric, kind)
    value, low, high = (amount(v, metric, kind, digits) for v in (outcome.value, *ends_of(outcome, metric)))
    if clause.evidence is not None and (within := _was_within(outcome)) is not None:
        past = " to ".join(dict.fromkeys(amount(v, metric, kind, digits) for v in within))
        sentence = f"{metric.title} is {{now}}; it was {{past}}"
        if clause.bound == ALWAYS:
            sentence = _WHOLE.get((metric.name, outcome.value)) or _OF_RULE.get(metric.name, sentence)
        return f"{sentence.format(now=value, past=past)} in all {clause.evidence.runs} good runs before"
    if outcome.value > outcome.high:
        usual = f"{high} is usual" if high == "0 %" else f"at most {high} is usual"
    elif outcome.value < outcome.low:
        usual = f"{low} is usual" if low == "100 %" else f"at least {low} is usual"
    else:
        usual = f"{must(clause, metric, kind)} is usual"
    since = f", given {which_run(clause.transform)}" if clause.transform.lag else ""
    sentence = f"{metric.title} is {value}, where {usual}"
    if metric.name == _DISTINCT and high == "1":
        sentence = f"{value} different values, where only one is usual"
    if is_too_alike(outcome, metric):
        sentence = f"too much like the run before: {sentence}"
    if clause.bound == JOINT:
        beside = f", and with it {outcome.reason}" if outcome.reason else ""
        return f"{sentence}{beside}; a good run is this unlike its past {_rate(outcome.rarity)}"
    rarity = f"; a good run is this far off {_rate(outcome.rarity)}" if outcome.rarity == outcome.rarity else ""
    return f"{sentence}{since}{rarity}"


def is_whole(outcome: Outcome) -> bool:
    """Whether a run is stopped because all values of a column are null, empty, zero or alike, which explains itself."""
    return outcome.constraint.bound == ALWAYS and (outcome.constraint.metric, outcome.value) in _WHOLE


def ends_of(outcome: Outcome, metric: Metric | None) -> tuple[float, float]:
    """The ends of what is usual, for people: whole numbers for counts; for what always stops, those of the past.

    A column may keep as little as a fiftieth of its usual values without being stopped, but that is not what is usual.
    """
    clause = outcome.constraint
    within = _was_within(outcome) if clause.bound == ALWAYS else None
    return whole_within(*(within or (outcome.low, outcome.high)), metric, outcome.value)


def digits_of(outcome: Outcome, metric: Metric | None, kind: Kind) -> int:
    """How many digits the numbers of an outcome are written with: a value never reads like a limit that it breaks."""
    limits = (*ends_of(outcome, metric), *(_was_within(outcome) or ()))
    return digits_apart(outcome.value, limits, metric, kind)


def always_was(clause: Constraint) -> float | None:
    """The one value that a metric had in every run, if the clause is about that."""
    is_constant = clause.bound == CONSTANT and not clause.transform.lag
    return clause.evidence.usual_low if is_constant and clause.evidence is not None else None


def _was_within(outcome: Outcome) -> tuple[float, float] | None:
    """The range of the past, for a clause that is described by it instead of by its interval; else None.

    The interval describes it, too, where a run of the past was as bad as this one, and that is forgiven.
    """
    clause, seen = outcome.constraint, outcome.constraint.evidence
    if seen is None or (always_was(clause) is None and clause.bound != ALWAYS):
        return None
    is_forgiven = clause.bound == ALWAYS and seen.usual_low <= outcome.value <= seen.usual_high
    return None if is_forgiven else (seen.usual_low, seen.usual_high)


def is_too_alike(outcome: Outcome, metric: Metric | None) -> bool:
    """Whether a distance between two runs is smaller than it should ever be: the same data, delivered again."""
    return isinstance(metric, Pair) and outcome.status == "broken" and outcome.value < outcome.low


def _rate(rarity: float) -> str:
    words = once_in(rarity)
    return words if words.startswith("less") else f"less than {words}"
