"""What does one run look like?"""

from byhistory.profile.arrays import UNDEFINED
from byhistory.profile.codec import from_bytes, to_bytes
from byhistory.profile.column import ColumnProfile
from byhistory.profile.frequencies import Frequencies
from byhistory.profile.kind import ALL_KINDS, NUMBER_LIKE, Kind
from byhistory.profile.numbers import Numbers
from byhistory.profile.quantiles import Quantiles
from byhistory.profile.table import TableProfile
from byhistory.profile.text import Text

__all__ = [
    "ALL_KINDS",
    "NUMBER_LIKE",
    "UNDEFINED",
    "ColumnProfile",
    "Frequencies",
    "Kind",
    "Numbers",
    "Quantiles",
    "TableProfile",
    "Text",
    "from_bytes",
    "to_bytes",
]
