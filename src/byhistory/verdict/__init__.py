"""Is this run as usual?"""

from byhistory.verdict.check import check, check_column, measured
from byhistory.verdict.past import ColumnPast, Past
from byhistory.verdict.unjudged import Unjudged
from byhistory.verdict.verdict import ColumnVerdict, Finding, Resemblance, Unusual, Verdict, checked_level

__all__ = [
    "ColumnPast",
    "ColumnVerdict",
    "Finding",
    "Past",
    "Resemblance",
    "Unjudged",
    "Unusual",
    "Verdict",
    "check",
    "check_column",
    "checked_level",
    "measured",
]
