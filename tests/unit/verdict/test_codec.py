"""A recorded verdict reads as it did."""

from __future__ import annotations

import math

from byhistory.constraints import Constraint, Outcome
from byhistory.verdict import ColumnVerdict, Finding, Verdict
from byhistory.verdict.codec import from_json, to_json


def test_the_end_that_was_warned_at_is_kept_where_what_stops_is_open() -> None:
    clause = Constraint("complete_ratio", -math.inf, math.inf, warn_low=0.9)
    outcome = Outcome(clause, "broken", 0.5, 0.9, math.inf, level="warn")
    columns = {"c": ColumnVerdict("c", (outcome,))}
    read = from_json(to_json(Verdict("1", (Finding("constraint", "c", "odd", "warn", outcome),), columns)))
    assert (read.columns["c"].outcomes[0].low, read.columns["c"].outcomes[0].high) == (0.9, math.inf)
