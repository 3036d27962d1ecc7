"""How often may a good run be stopped or warned about? Budgets that somebody gave a table, besides byhistory.toml."""

from __future__ import annotations

import json
import math
from dataclasses import replace

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.history import Store
from byhistory.plain import arguments
from byhistory.validator.guarded import Guarded

BUDGET = "budget"
"""The setting of a table that keeps its budgets: JSON with `budget`, `warn_budget` or both. One that is missing stays
as it was set before; an empty object unsets both."""
ENTRIES = ("budget", "warn_budget")


def with_kept_budget(config: TableConfig, store: Store, table: str) -> TableConfig:
    """The configuration of a table with the budgets that somebody gave it by command, which win over the file."""
    kept = kept_budget(store, table)
    if not kept:
        return config
    share, warn = kept.get("budget", config.budget), kept.get("warn_budget", config.warn_budget)
    return replace(config, budget=share, warn_budget=warn)


def kept_budget(store: Store, table: str) -> dict[str, float]:
    """The budgets set by command; empty if none was, or if they were unset."""
    kept: dict[str, float] = {}
    unread: ByHistoryError | None = None
    for setting in store.setting_changes(table):
        if setting.name == BUDGET:
            try:
                given, unread = parsed_budget(table, setting.text), None
            except ByHistoryError as why:  # Until it is set again.
                given, unread = {}, why
            kept = kept | given if given else {}
    if unread is not None:
        raise unread
    return kept


def parsed_budget(table: str, text: str) -> dict[str, float]:
    """The budgets in such a setting; a clear error for any other text."""
    try:
        found = json.loads(text)
        given = {name: float(found[name]) for name in ENTRIES if name in found}
        checked_budget(table, given.get("budget"), given.get("warn_budget"))
    except (ByHistoryError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as why:
        todo = f"say it again: byhistory budget {arguments(table)} 0.01"
        raise ByHistoryError(f"read the budget of {table!r}", f"{text[:80]!r} in the store", todo) from why
    return given


def set_budget(of: Guarded, budget: float | None, warn_budget: float | None, who: str = "") -> None:
    """Let a table have budgets of its own from now on; None leaves one as it was."""
    checked_budget(of.table, budget, warn_budget)
    given = {name: value for name, value in zip(ENTRIES, (budget, warn_budget), strict=True) if value is not None}
    if given:  # Only what is given now: else, of two commands at once, one would overwrite what the other has set.
        of.keep(BUDGET, json.dumps(given), who)


def clear_budget(of: Guarded, who: str = "") -> None:
    """Unset the budgets of a table, so that those of byhistory.toml hold again."""
    of.keep(BUDGET, "{}", who)


def checked_budget(table: str, budget: float | None, warn_budget: float | None) -> None:
    """Raise an error for a budget that is no share."""
    asked = f"give {table!r} a budget"
    if budget is not None and not (math.isfinite(budget) and 0 < budget < 1):
        raise ByHistoryError(asked, f"budget = {budget:g}", "give a share between 0 and 1, such as 0.01 for 1 %")
    if warn_budget is not None and not (math.isfinite(warn_budget) and 0 <= warn_budget < 1):
        found = f"warn_budget = {warn_budget:g}"
        raise ByHistoryError(asked, found, "give a share between 0 and 1, such as 0.05 for 5 %; 0 never warns")
