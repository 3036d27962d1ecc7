"""How is what was learned written for another tool?"""

from byhistory.export.formats import ALL, by_name
from byhistory.export.formats.base import Export, Format
from byhistory.export.limits import Learned, LearnedColumn, Limit, Unsaid

__all__ = ["ALL", "Export", "Format", "Learned", "LearnedColumn", "Limit", "Unsaid", "by_name"]
