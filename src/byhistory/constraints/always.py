"""What stops a run whatever the budget, because no user forgives it: a column all null or alike, keys that come twice.

Each rule is a clause like any other, an interval for one metric, whose end is read off the past: nothing is learned.
The price of a rule is its measured share of good column-runs of the two corpora (`python -m bench.always`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.constraints.constraint import Constraint, Evidence, Level
from byhistory.constraints.judge import BROKEN, decide
from byhistory.profile.arrays import Bools, Floats

ALWAYS = "always"
"""The bound of a clause that stops a run at every budget."""
PRESENCE = "complete_ratio"
"""The metric whose share is one of rows; those of the other rules are shares of the values that are present."""
NEEDED = 7
"""Past values that a rule needs: as many as a program."""
NEARLY = 0.02
"""A share that is left of what was the least so far counts as nothing left."""
FELL, STEADY = 0.2, 0.1
"""Presence that falls by a fifth of its least, where it has never moved by more than a tenth (ADR 0020)."""
OF_ALL = 0.01
"""A fall of presence that touches fewer of the rows than these does not stop a run, as nothing does (ADR 0012): of a
column that one row in a hundred has, from 1.07 to 0.4 %, stopped a table of 2,000 rows four times. Once the column is
all null, it stops whatever it held."""
HELD = 0.1
"""Values that are all alike stop a run only where at least this share of them differed in every past run. Without this
limit, a time stamp that 93 % of the rows shared, and then all, stopped 31 of 36 runs of one table, and a flag that 2 %
of the rows had stopped 53 of 100 runs of another. Where a column really broke, a quarter had differed."""
APART, TWICE = 0.98, 0.9
"""A column identified rows if at least the first share of its values was distinct in every run (all of them, but for
the rounding of sketches), and no longer does if at most the second is: one row in ten comes twice (a choice, priced).
"""
ALIKE_FORMAT, OTHER_FORMAT = 0.02, 0.9
"""In every past run at most the first share of the values had a pattern that was not in the run before, now at least
the second share has (a choice, priced)."""
ALIKE_AT_ALL, IN_PART = 0.005, 0.2
"""The same to be warned about: one value in five is written in a way that hardly one ever was (a choice, priced)."""
LONG = 21
"""Past runs that the rules on keys and formats need. After 14 runs, good runs of one source in 76 break them six times
as often as after 30; after 21, hardly more often."""
BUT_ONE = 1.0 / 3.0
"""Fewer rows than this part of the fewest but one stop a run, whatever the fewest were: one outage is forgiven. Two
fifths would have stopped twice as many good runs (6 of 6,117 and 0 of 6,775 instead of 3 and 0), a third stops 4 and 0.
"""
TWICE_THE_ROWS = 1.8
"""Rows beyond this many times the most so far stop a run: nine tenths of the double, so that a load which came twice
on a day that is a little smaller than the fullest is seen (a choice, priced)."""
BY_CHANCE = 1e-3
"""A rule is silent where chance alone empties a run of so few rows more often than this: a tenth of the usual budget.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that always stops, or is always warned about.

    `least` gives the smallest share that must be left, from the shares that were left in the past runs and the number
    of rows in this one (of values, where the metric is about values); nan where the past says nothing.
    """

    name: str
    metric: str
    is_rest: bool
    """Whether the metric is the share of what is wrong, so that its rest is what is left."""
    least: Callable[[Floats, float], float]
    price: float
    needed: int = NEEDED
    only_warns: bool = False
    is_most: bool = False
    """Whether `least` gives the largest value that is usual instead."""
    forgives: int = 0
    """Past runs that may have been as bad as this one: the rule is broken all the same."""

    def ends(self, known: Floats, rows: float, values: float) -> tuple[float, float] | None:
        """The interval for a run of this many rows and values, from the known past values; None if they say nothing."""
        if len(known) < self.needed:
            return None
        left = 1.0 - known if self.is_rest else known
        least = self.least(left, rows if self.metric == PRESENCE else values)
        if not least > 0.0:
            return None
        if self.is_most:
            return -math.inf, least
        return (-math.inf, 1.0 - least) if self.is_rest else (least, math.inf)

    def clause(self, past: Floats, rows: float, values: float) -> Constraint | None:
        """That interval as a clause, with its evidence; `past` is the metric in every past run."""
        known = past[np.isfinite(past)]
        ends = self.ends(known, rows, values)
        if ends is None:
            return None
        evidence = Evidence(len(known), float(known.mean()), math.nan, math.nan, float(known.min()), float(known.max()))
        stop, warn = ((-math.inf, math.inf), ends) if self.only_warns else (ends, (-math.inf, math.inf))
        return Constraint(
            self.metric, *stop, bound=ALWAYS, price=self.price, evidence=evidence, warn_low=warn[0], warn_high=warn[1]
        )


def _least_present(left: Floats, rows: float) -> float:
    """Hardly any presence, where every run had some, and chance would not empty this many rows."""
    lowest = float(left.min())
    return NEARLY * lowest if (1.0 - lowest) ** rows <= BY_CHANCE else math.nan


def _least_other(left: Floats, values: float) -> float:
    """Hardly any other values, where every run had some; what never happened in few runs may still happen once."""
    lowest = min(float(left.min()), (len(left) + 1) / (len(left) + 2))
    return NEARLY * lowest if (1.0 - lowest) ** (values - 1.0) <= BY_CHANCE else math.nan


def _least_other_where_held(left: Floats, values: float) -> float:
    """The same, where at least one value in ten always was another one."""
    return _least_other(left, values) if float(left.min()) >= HELD else math.nan


def _least_where_steady(left: Floats, rows: float) -> float:
    """A fifth less than ever before, where the share was steady; nan for so few values that one of them is a fifth."""
    lowest, highest = float(left.min()), float(left.max())
    is_steady = highest - lowest <= STEADY * highest
    is_seen = lowest * FELL > OF_ALL and rows * lowest * FELL > 1.0
    return lowest * (1.0 - FELL) if is_steady and is_seen else math.nan


def _least_distinct(left: Floats, values: float) -> float:
    """Nine values in ten distinct, where nearly all were in every run; nan for so few that one of them is a tenth."""
    return TWICE if float(left.min()) >= APART and values * (1.0 - TWICE) > 1.0 else math.nan


def _least_known_formats(left: Floats, values: float) -> float:
    """One value in ten with a pattern or format of the run before, where nearly all had one in every run."""
    was_known = float(left.min()) >= 1.0 - ALIKE_FORMAT
    return 1.0 - OTHER_FORMAT if was_known and ALIKE_FORMAT ** (values - 1.0) <= BY_CHANCE else math.nan


def _least_of_formats_so_far(left: Floats, values: float) -> float:
    """Four values in five with a format of the run before, where hardly any had another in any run."""
    was_known = float(left.min()) >= 1.0 - ALIKE_AT_ALL
    return 1.0 - IN_PART if was_known and values * IN_PART > 1.0 else math.nan


ALL = (
    Rule("all null", PRESENCE, False, _least_present, 0.0005),
    Rule("fewer present", PRESENCE, False, _least_where_steady, 0.0005),
    Rule("all empty", "empty_ratio", True, _least_other, 0.0001),
    Rule("all zero", "zero_ratio", True, _least_other, 0.0001),
    Rule("all alike", "top_value_ratio", True, _least_other_where_held, 0.0001),
    Rule("keys repeated", "unique_ratio", False, _least_distinct, 0.0001, LONG),
    Rule("other format", "new_pattern_ratio", True, _least_known_formats, 0.0001, LONG),
    Rule("other format", "new_format_ratio", True, _least_known_formats, 0.0001, LONG),
    Rule("other format", "new_format_ratio", True, _least_of_formats_so_far, 0.0005, LONG, only_warns=True),
)
"""Every rule about a column, strongest first where two are about one metric; of two with one name, the first counts."""
METRICS = tuple(dict.fromkeys(rule.metric for rule in ALL))
"""What has to be measured for them."""
_RESTS = frozenset(rule.metric for rule in ALL if rule.is_rest)


def _least_rows(rows: Floats, _: float) -> float:
    """Half of the fewest so far, or a third of the fewest but one; nan where chance alone may halve so few."""
    fewest, but_one = np.partition(rows, 1)[:2].tolist()
    ends = (part * of for part, of in ((0.5, fewest), (BUT_ONE, but_one)) if not _may_halve(of))
    return max(ends, default=math.nan)


def _most_rows(rows: Floats, _: float) -> float:
    """Nearly twice the most so far; nan where chance alone may take so few there."""
    most = TWICE_THE_ROWS * float(rows.max())
    return math.nan if _may_reach(most, float(rows.max())) else most


def _may_reach(rows: float, of: float) -> bool:
    """Whether a Poisson count may exceed this many by chance."""
    if of > 0.0 and of * ((rows / of) * math.log(rows / of) - rows / of + 1.0) >= -math.log(BY_CHANCE):
        return False  # by Chernoff's bound
    from scipy.special import pdtrc  # here, because loading it takes a tenth of a second

    return not rows > 0.0 or bool(pdtrc(rows, of) > BY_CHANCE)


def _may_halve(rows: float) -> bool:
    """Whether a Poisson count may be half of what is expected by chance; surely not where Chernoff's bound says so."""
    if math.exp(rows * (math.log(2.0) - 1.0) / 2.0) <= BY_CHANCE:
        return False
    from scipy.special import pdtr  # here, because loading it takes a tenth of a second

    return bool(pdtr(rows / 2.0, rows) > BY_CHANCE)


FEW_ROWS = Rule("few rows", "row_count", False, _least_rows, 0.0005, forgives=1)
"""The rule about the rows of a table, judged once.

Of the good table-runs of the two corpora, 4 of 6,117 and 0 of 6,775 have so few after 30 runs, 13 of 7,612 and 9 of
7,902 after 7 (`python -m bench.always --rows`). By the fewest alone it would be 3 and 0, 11 and 8; but an outage among
the past runs, with 5 rows instead of 400, would let every other one pass for two months.
"""
MANY_ROWS = Rule("many rows", "row_count", False, _most_rows, 0.0002, is_most=True)
"""The other: a load that came twice, where no column tells rows apart.

It stops 2 of 6,117 and 1 of 6,775 good table-runs of the two corpora after 30 runs, 9 of 7,612 and 3 of 7,902 after 7
(`python -m bench.always --rows`). Without it, a table whose rows had moved between 21 and 587 could have a million:
prices rise too slowly with the distance for so rare a thing.
"""
OF_ROWS = (FEW_ROWS, MANY_ROWS)
MAY_BECOME_NORMAL = frozenset({FEW_ROWS.metric, "unique_ratio", "new_pattern_ratio", "new_format_ratio"})
"""The metrics of rules about what may change for good (rows, keys, formats): where nobody answers, such a change
becomes normal as any other does. The loss of a column's values never does."""
SAME_AGAIN = "same again"
"""The rule about a whole run: what always changed so far is what the run before was, to the last value."""
DISTANCES = ("js_div", "emd", "l1")
"""What has to be measured for it: a column is the same again where all of these that are defined are 0."""
_NO_DISTANCE = 1e-9
"""A distance below this is rounding: distances are sums of up to a few thousand numbers near 1e-16."""
_SURE = 14
"""Past runs from which on this rule stops a run; with fewer it warns.

It stops 0.03 and 0.10 % of the good table-runs of the two corpora after 30 runs; it would stop 0.11 and 0.45 % after 7;
0.18 and 0.33 % are warned about because half of the columns are the same again. These were counted on the kept cases of
the benchmark with nearly this rule; `python -m bench.always` counts it as it is.
"""
_COLUMNS = 2
"""Columns that must be the same again: one may be so by chance."""


def is_same_again(distances: Floats) -> Bools:
    """Whether each run (column) is at no distance (row) from the one before; false where no distance is defined."""
    known = np.isfinite(distances)
    return np.asarray(known.any(axis=0) & (~known | (distances <= _NO_DISTANCE)).all(axis=0))


def always_changed(distances: Floats) -> bool:
    """Whether a column changed in every past run (one column each), and there are enough of them."""
    return bool(np.isfinite(distances).any(axis=0).sum() >= NEEDED and not is_same_again(distances).any())


def same_again(changing: Collection[str], same: Collection[str], runs: int) -> Level:
    """What follows if, of the columns `changing` in every past run, the columns `same` are the same again.

    >>> same_again("abcd", "abcd", 30), same_again("abcd", "abcd", 9), same_again("abcd", "ab", 30)
    ('stop', 'warn', 'warn')
    >>> same_again("abcd", "a", 30)
    'as usual'
    """
    if len(same) < _COLUMNS or 2 * len(same) < len(changing):
        return "as usual"
    return "stop" if len(same) == len(changing) and runs >= _SURE else "warn"


def suspected(reads: Mapping[str, float]) -> tuple[str, ...]:
    """The metrics of rules that a run with these `reads` may break, whatever the past: no share of what is wrong that
    is 0.

    >>> suspected({"complete_ratio": 1.0, "empty_ratio": 0.0, "zero_ratio": 0.5})
    ('complete_ratio', 'zero_ratio')
    """
    known = ((name, reads[name]) for name in METRICS if name in reads)
    return tuple(name for name, now in known if now > 0.0 or (now == 0.0 and name not in _RESTS))


def clauses_outside(
    past: Mapping[str, Floats],
    rows: float,
    values: float,
    reads: Mapping[str, float],
    *,
    rules: Sequence[Rule] = ALL,
    off: Collection[str] = (),
) -> tuple[Constraint, ...]:
    """Those of `always_clauses` that a run with these `reads` breaks; nearly always there are none.

    >>> presence = {"complete_ratio": np.full(30, 0.99)}
    >>> [c.metric for c in clauses_outside(presence, 1_000, 500, {"complete_ratio": 0.5})]
    ['complete_ratio']
    """
    asked = []
    for rule in rules:
        now = reads.get(rule.metric, math.nan)
        if rule.metric not in past or rule.name in off or math.isnan(now):
            continue
        line = past[rule.metric]
        was_there = line >= now if rule.is_rest or rule.is_most else line <= now
        if was_there.sum() > rule.forgives:  # no rule is broken by what was there before
            continue
        ends = rule.ends(line[np.isfinite(line)], rows, values)
        if ends is not None:
            asked.append((rule, ends))
    if not asked:
        return ()
    low, high = zip(*(ends for _, ends in asked), strict=True)
    is_broken = decide(low, high, np.array([reads[rule.metric] for rule, _ in asked])) == BROKEN
    found: dict[str, Constraint | None] = {}
    for (rule, _), is_one in zip(asked, is_broken, strict=True):
        if is_one and rule.name not in found:
            found[rule.name] = rule.clause(past[rule.metric], rows, values)
    return tuple(clause for clause in found.values() if clause is not None)


def always_clauses(
    past: Mapping[str, Floats], rows: float, values: float, off: Collection[str] = ()
) -> tuple[Constraint, ...]:
    """The clauses on one column of a run of this many rows, and this many of them not null.

    `past` is each metric over the past runs, oldest first; `off` names the rules that the user turned off.

    >>> presence = {"complete_ratio": np.full(30, 0.99)}
    >>> [(c.metric, round(c.low, 4)) for c in always_clauses(presence, 1_000, 500)]
    [('complete_ratio', 0.0198), ('complete_ratio', 0.792)]
    """
    found = (
        rule.clause(past[rule.metric], rows, values) for rule in ALL if rule.metric in past and rule.name not in off
    )
    return tuple(clause for clause in found if clause is not None)
