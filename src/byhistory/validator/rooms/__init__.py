"""What else can a guard do, besides the verbs of every day? One class per subject, such as `guard.decisions`."""

from byhistory.validator.rooms.decisions import Decisions
from byhistory.validator.rooms.learning import Learning
from byhistory.validator.rooms.overrides import Overrides
from byhistory.validator.rooms.records import Records
from byhistory.validator.rooms.sources import Sources

__all__ = ["Decisions", "Learning", "Overrides", "Records", "Sources"]
