"""What people set by command: budgets, and mutes, pins and thresholds of a metric."""

from __future__ import annotations

from byhistory.config import PROMISED
from byhistory.constraints.words import percent
from byhistory.plain import arguments, word


def done(what: str, table: str, column: str, metric: str) -> str:
    """That a metric of a column is muted, pinned or unset, as `what` says.

    >>> done("muted", "orders", "amount", "max")
    'muted: orders, amount.max'
    """
    return f"{what}: {word(table)}, {word(column)}.{metric}"


def threshold(table: str, column: str, metric: str, low: float | None, high: float | None) -> str:
    """The ends that a metric is held within; None for an open one.

    >>> threshold("orders", "amount", "complete_ratio", 0.99, None)
    'threshold: orders, amount.complete_ratio at least 0.99'
    """
    ends = [f"{what} {end:g}" for what, end in (("at least", low), ("at most", high)) if end is not None]
    return f"{done('threshold', table, column, metric)} {' and '.join(ends)}"


def budget(table: str, stop: float, warn: float, *, per: str, by_command: bool) -> str:
    """How often a good run of a table may be stopped, and stopped or warned about, and where that was set.

    >>> print(budget("orders", 0.001, 0.05, per="table", by_command=True).splitlines()[0])
    below 1 % of a table nothing is promised: good runs of other tables were stopped more often
    """
    source = "by command" if by_command else "by byhistory.toml or as it comes"
    sentence = (
        f"budget: {word(table)}, a good run is stopped {percent(stop)} of the time at most, "
        f"stopped or warned about {percent(warn)} ({source})"
    )
    below = not_promised(stop, per)
    if not below:
        return sentence
    return f"{below}\nsee how often this one is with `byhistory backtest {arguments(table)}`\n{sentence}"


def not_promised(share: float, per: str = "table") -> str:
    """That a budget is smaller than any that good runs of other sources kept; empty if it is not.

    >>> not_promised(0.005)
    'below 1 % of a table nothing is promised: good runs of other tables were stopped more often'
    >>> not_promised(0.005, "column")
    ''
    """
    least = PROMISED[per]
    if share >= least:
        return ""
    return f"below {percent(least)} of a {per} nothing is promised: good runs of other tables were stopped more often"
