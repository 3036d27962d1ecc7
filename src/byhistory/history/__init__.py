"""How is the past stored? (One contract, one file per store; plain records of bytes and text.)"""

from byhistory.history.open import StoreForm, open_store
from byhistory.history.order import is_by_arrival, place_of, runs_after, runs_before, runs_like
from byhistory.history.record import (
    ASIDES,
    DECISIONS,
    OUTCOMES,
    UNDO,
    Decision,
    Programs,
    Run,
    RunLine,
    Setting,
    TableLine,
    decisions_on,
    digest_of,
    holds,
    new_id,
)
from byhistory.history.store import Store
from byhistory.history.url import redacted

__all__ = [
    "ASIDES",
    "DECISIONS",
    "OUTCOMES",
    "UNDO",
    "Decision",
    "Programs",
    "Run",
    "RunLine",
    "Setting",
    "Store",
    "StoreForm",
    "TableLine",
    "decisions_on",
    "digest_of",
    "holds",
    "is_by_arrival",
    "new_id",
    "open_store",
    "place_of",
    "redacted",
    "runs_after",
    "runs_before",
    "runs_like",
]
