"""What becomes of an alarm?"""

from byhistory.alarms.alarm import Alarm, State
from byhistory.alarms.cause import ROWS, Cause, causes_from_json, causes_of, causes_to_json, is_same
from byhistory.alarms.ledger import Answer, Entry, Policy, follow
from byhistory.alarms.lessons import EVERY, Lessons, lessons
from byhistory.alarms.telling import with_alarms

__all__ = [
    "EVERY",
    "ROWS",
    "Alarm",
    "Answer",
    "Cause",
    "Entry",
    "Lessons",
    "Policy",
    "State",
    "causes_from_json",
    "causes_of",
    "causes_to_json",
    "follow",
    "is_same",
    "lessons",
    "with_alarms",
]
