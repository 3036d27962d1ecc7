"""What becomes of an alarm?"""

from byhistory.alarms.alarm import Alarm, State
from byhistory.alarms.cause import ROWS, Cause, causes_from_json, causes_of, causes_to_json, is_same
from byhistory.alarms.ledger import Entry, Policy, Reply, follow
from byhistory.alarms.lessons import EVERY, Lessons, called_usual, lessons, unconfirmed
from byhistory.alarms.telling import with_alarms

__all__ = [
    "EVERY",
    "ROWS",
    "Alarm",
    "Cause",
    "Entry",
    "Lessons",
    "Policy",
    "Reply",
    "State",
    "called_usual",
    "causes_from_json",
    "causes_of",
    "causes_to_json",
    "follow",
    "is_same",
    "lessons",
    "unconfirmed",
    "with_alarms",
]
