"""Numbers and shares as people write them."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone

from byhistory.metrics import Metric
from byhistory.profile import Kind

_DAY, _HOUR = 86_400.0, 3_600.0


def amount(value: float, metric: Metric | None, kind: Kind) -> str:
    """A value of a metric, in its unit.

    >>> from byhistory.metrics import by_name
    >>> amount(98210.4, by_name("row_count"), Kind.NUMERIC), amount(0.9712, by_name("complete_ratio"), Kind.NUMERIC)
    ('98,210', '97.12 %')
    >>> amount(1.7e9, by_name("max"), Kind.TEMPORAL)
    '2023-11-14 22:13:20'
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "unlimited"
    if metric is not None and metric.unit in ("rows", "values"):
        return f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:,.1f}"
    if metric is not None and metric.unit == "share":
        return percent(value)
    if metric is not None and metric.unit == "value" and kind is Kind.TEMPORAL:
        return duration(value) if metric.name in ("range", "std", "emd") else _moment(value)
    return number(value)


def number(value: float) -> str:
    """A number with as many digits as a reader wants.

    >>> number(1234567.0), number(0.00012345), number(12.5)
    ('1,234,567', '0.00012345', '12.5')
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "unlimited"
    if abs(value) < 1e15 and value == round(value):
        return f"{value:,.0f}"
    if 1e-4 <= abs(value) < 1e9:
        digits = max(0, 4 - math.floor(math.log10(abs(value))))
        return f"{value:,.{min(digits, 8)}f}".rstrip("0").rstrip(".")
    return f"{value:.4g}"


def percent(share: float) -> str:
    """A share of the whole.

    >>> percent(0.5), percent(0.00004)
    ('50 %', '0.004 %')
    """
    value = 100 * share
    digits = 2 if abs(value) >= 0.1 or value == 0 else 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(digits, 6)}f}".rstrip("0").rstrip(".") + " %"


def once_in(probability: float) -> str:
    """How rarely, for a person.

    >>> once_in(0.001), once_in(3e-9), once_in(0.3)
    ('once in 1,000', 'less than once in a million', 'once in 3')
    """
    if math.isnan(probability):
        return "at an unknown rate"
    if probability < 1e-6:
        return "less than once in a million"
    times = 1 / probability
    return f"once in {float(f'{times:.2g}'):,.0f}" if times >= 10 else f"once in {times:.0f}"


def _moment(seconds: float) -> str:
    try:
        when = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    except OverflowError:
        return f"{number(seconds)} s since 1970"
    return when.strftime("%Y-%m-%d") if seconds % _DAY == 0 else when.strftime("%Y-%m-%d %H:%M:%S")


def duration(seconds: float) -> str:
    """A length of time.

    >>> duration(90_000), duration(5_400), duration(-20)
    ('1.0417 days', '1.5 hours', '-20 s')
    """
    if abs(seconds) >= _DAY:
        return f"{number(seconds / _DAY)} days"
    return f"{number(seconds / _HOUR)} hours" if abs(seconds) >= _HOUR else f"{number(seconds)} s"
