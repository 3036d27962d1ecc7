"""In which columns of which runs was something found?"""

from __future__ import annotations

from byhistory.history import Store
from byhistory.verdict.codec import from_json

_BAD = ("warn", "stop", "unusual")


def found_in(store: Store, table: str) -> dict[str, tuple[str, ...]]:
    """The columns that recorded verdicts name, for each run that was warned about or stopped."""
    bad = [line.run for line in store.runs(table) if line.outcome in _BAD]
    found = {}
    for kept in store.load(table, bad, ()) if bad else ():
        causes = from_json(kept.verdict).causes if kept.verdict else ()
        columns = (c for cause in causes if cause.level != "as usual" for c in (cause.columns or (cause.column,)) if c)
        found[kept.run] = tuple(dict.fromkeys(columns))
    return found
