"""For which other tools can it be written? (One file per tool.)"""

from byhistory.export.formats import dbt, gx, odcs, soda
from byhistory.export.formats.base import Export as Export
from byhistory.export.formats.base import Format

ALL: tuple[Format, ...] = (gx.FORMAT, odcs.FORMAT, dbt.FORMAT, soda.FORMAT)


def by_name(name: str) -> Format:
    """The format of that name; KeyError if there is none.

    >>> by_name("gx").title
    'Great Expectations 1.x suite'
    """
    return {format_.name: format_ for format_ in ALL}[name]
