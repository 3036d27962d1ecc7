"""Which rows caused an alarm, and what do they have in common?"""

from byhistory.why.answer import Answer, Proof, Segment
from byhistory.why.ask import ask
from byhistory.why.condition import Condition
from byhistory.why.local import why_table
from byhistory.why.question import Alarm, Sample

__all__ = ["Alarm", "Answer", "Condition", "Proof", "Sample", "Segment", "ask", "why_table"]
