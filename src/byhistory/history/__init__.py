"""How is the past kept? (One contract, one file a store; plain records of bytes and text.)"""

from byhistory.history.open import open_store
from byhistory.history.record import DECISIONS, OUTCOMES, Decision, Programs, Run, RunLine, Setting
from byhistory.history.store import Store
from byhistory.history.url import redacted

__all__ = [
    "DECISIONS",
    "OUTCOMES",
    "Decision",
    "Programs",
    "Run",
    "RunLine",
    "Setting",
    "Store",
    "open_store",
    "redacted",
]
