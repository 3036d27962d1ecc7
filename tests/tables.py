"""Tables with something done to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from byhistory.profile import TableProfile
from byhistory.rows.local import profile_table


def changed(table: Any, run: str, **columns: Callable[[Any], Any]) -> TableProfile:
    """The profile of a table in which some columns were replaced by a function of themselves."""
    arrays = {n: pa.array(columns[n](table[n])) if n in columns else table[n] for n in table.column_names}
    return profile_table(pa.table(arrays), run=run)


def emptied(table: Any, share: float, seed: int = 1) -> Any:
    """The table with the same share of rows null in every column."""
    gone = pa.array(np.random.default_rng(seed).random(table.num_rows) < share)  # noqa: TID251 - a test names its seed
    return pa.table({n: pc.if_else(gone, None, table[n]) for n in table.column_names})
