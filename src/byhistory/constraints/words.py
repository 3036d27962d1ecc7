"""Amounts, shares and intervals as people write them: digits, a dot and commas, whatever the locale.

The sentences of a verdict and all reports share these words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal

from byhistory.constraints.constraint import CONSTANT, MEASURED, Constraint
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.series.transform import Transform

DIGITS = 5
"""Significant digits of a number that is not whole: as many as a reader takes in at a glance."""
MOST_DIGITS = 20
"""With this many, no two different floats are written alike: 17 tell any two apart, and scaled ones need a few more."""
_WHOLE = 2.0**53
"""Whole numbers below this are exact, and written with every digit."""
_SMALL, _NEARLY_ALL = 1e-4, 1e-6
"""Numbers below the first are written with a power of ten; a share that lacks less than the second is written as all.
"""
_DAY, _HOUR = 86_400, 3_600
"""Seconds."""
_NOTHING = 1e-8
"""A share closer than this to 0 or 1 is 0 or 1: the way to another scale and back is not exact."""
_LARGEST_LOG = 709.0
"""exp of more is no number."""
_VAST = math.log(1e6)
"""An end that is a million times beyond anything ever seen is not worth telling."""
ANYTHING = "anything"
_LENGTHS_OF_TIME = ("range", "std", "emd")


def amount(value: float, metric: Metric | None, kind: Kind, digits: int = DIGITS) -> str:
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
    if is_count(metric) and digits == DIGITS:
        return _fixed(Decimal(value), 0 if abs(value) >= 100 else 1)
    if metric is not None and metric.unit == "share":
        return percent(value, digits)
    if metric is not None and metric.unit == "value" and kind is Kind.TEMPORAL:
        return duration(value, digits) if metric.name in _LENGTHS_OF_TIME else _moment(value, digits)
    return number(value, digits)


def is_count(metric: Metric | None) -> bool:
    """Whether a metric counts rows or values, so that only whole numbers make sense of it."""
    return metric is not None and metric.unit in ("rows", "values")


def whole_within(low: float, high: float, metric: Metric | None, value: float = math.nan) -> tuple[float, float]:
    """Of a count, the first and the last whole number of an interval, or the nearest if it has none; else the interval.

    A `value` that is outside of the interval stays outside.

    >>> from byhistory.metrics import by_name
    >>> whole_within(0.8, 1.3, by_name("dist_val_count")), whole_within(0.8, 1.3, by_name("mean"))
    ((1.0, 1.0), (0.8, 1.3))
    >>> whole_within(1.2, 1.3, by_name("dist_val_count")), whole_within(1.2, 1.3, by_name("dist_val_count"), 2.0)
    ((1.0, 2.0), (1.0, 1.0))
    """
    if not is_count(metric):
        return low, high
    slack = _NOTHING * max([1.0, *(abs(end) for end in (low, high) if math.isfinite(end))])
    first = float(math.ceil(low - slack)) if math.isfinite(low) else low
    last = float(math.floor(high + slack)) if math.isfinite(high) else high
    if value < low:
        first = max(first, math.floor(value) + 1.0)
    if value > high:
        last = min(last, math.ceil(value) - 1.0)
    if first <= last:
        return first, last
    return (last, last) if value > high else (first, first) if value < low else (last, first)


def digits_apart(value: float, limits: Iterable[float], metric: Metric | None, kind: Kind) -> int:
    """How many digits it takes to show that a value differs from its limits, where it does.

    >>> from byhistory.metrics import by_name
    >>> share = by_name("new_value_ratio")
    >>> digits = digits_apart(0.097712, [0.097708], share, Kind.NUMERIC)
    >>> amount(0.097712, share, Kind.NUMERIC, digits), amount(0.097708, share, Kind.NUMERIC, digits)
    ('9.7712 %', '9.7708 %')
    """
    others = [limit for limit in limits if limit != value]
    for digits in range(DIGITS, MOST_DIGITS):
        here = amount(value, metric, kind, digits)
        if all(amount(limit, metric, kind, digits) != here for limit in others):
            return digits
    return MOST_DIGITS


def number(value: float, digits: int = DIGITS) -> str:
    """A number with as many significant digits as a reader wants; a whole one with all of its digits.

    >>> number(1234567.0), number(407_889.98), number(0.00012345), number(12.5)
    ('1,234,567', '407,890', '0.00012345', '12.5')
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "unlimited"
    if abs(value) < _WHOLE and value == round(value):
        return _fixed(Decimal(value), 0)
    if _SMALL <= abs(value) < _WHOLE:
        return _fixed(Decimal(value), _decimals(value, digits))
    return _scientific(Decimal(value), digits)


def percent(share: float, digits: int = DIGITS) -> str:
    """A share of the whole; 100 % is all, and 0 % is none.

    >>> percent(0.5), percent(0.00004), percent(0.99996)
    ('50 %', '0.004 %', '99.996 %')
    """
    if not math.isfinite(share):
        return "undefined" if math.isnan(share) else "unlimited"
    if 0 < abs(share) < _SMALL**2 or abs(share) >= _WHOLE:
        return f"{_scientific(100 * Decimal(share), digits - 2)} %"
    missing = abs(1 - share)
    nearest = min(abs(share) or 1.0, missing if missing >= _NEARLY_ALL else 1.0, 1.0)
    return f"{_fixed(100 * Decimal(share), max(digits - 3, _decimals(100 * nearest, digits - 2)))} %"


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


def duration(seconds: float, digits: int = DIGITS) -> str:
    """A length of time.

    >>> duration(90_000), duration(5_400), duration(-20)
    ('1.0417 days', '1.5 hours', '-20 s')
    """
    for unit, name in ((_DAY, "days"), (_HOUR, "hours")):
        if abs(seconds) >= unit:
            parts = Decimal(seconds) / unit
            return f"{_fixed(parts, _decimals(float(parts), digits))} {name}"
    return f"{number(seconds, digits)} s"


def _moment(seconds: float, digits: int) -> str:
    try:
        when = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    except OverflowError:
        return f"{number(seconds, digits)} s since 1970"
    if digits > DIGITS:  # two times are to be told apart that are the same second
        is_between = when.timestamp() != seconds
        return f"{number(seconds, digits)} s since 1970" if is_between else f"{when:%Y-%m-%d %H:%M:%S.%f}"
    return when.strftime("%Y-%m-%d") if seconds % _DAY == 0 else when.strftime("%Y-%m-%d %H:%M:%S")


def _decimals(value: float, digits: int) -> int:
    """Decimal places that this many significant digits take."""
    return max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0


def _fixed(value: Decimal, decimals: int) -> str:
    """With commas between thousands, and no zeros at the end of a fraction."""
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _scientific(value: Decimal, digits: int) -> str:
    """With a power of ten; no zeros at the end of the fraction either."""
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{power}"


def must(clause: Constraint, metric: Metric | None, kind: Kind) -> str:
    """The interval in words.

    >>> must(Constraint("complete_ratio", 0.8, math.inf), None, Kind.NUMERIC)
    'at least 0.8'
    >>> must(Constraint("complete_ratio", -math.inf, math.inf, warn_low=0.9), None, Kind.NUMERIC)
    'at least 0.9 (else a warning)'
    """
    if math.isinf(clause.low) and math.isinf(clause.high) and math.isfinite(max(clause.warn_low, -clause.warn_high)):
        inner = replace(clause, low=clause.warn_low, high=clause.warn_high, warn_low=-math.inf, warn_high=math.inf)
        words = must(inner, metric, kind)
        return words if words == ANYTHING else f"{words} (else a warning)"
    clause = _without_vast(clause, metric)
    low, high = _ends(clause, metric, kind)
    if clause.bound == CONSTANT and math.isfinite(clause.low + clause.high):
        middle = clause.low / 2 + clause.high / 2
        return f"exactly {_end(_unlogged(float(f'{middle:.9g}'), clause.transform), clause.transform, metric, kind)}"
    if math.isinf(clause.low) and math.isinf(clause.high):
        return ANYTHING
    if metric is not None and metric.scale == "ratio" and (clause.low > 1.0 - _NOTHING or clause.high < _NOTHING):
        return f"exactly {amount(round(max(clause.low, 0.0)), metric, kind)}"
    if math.isinf(clause.low) or math.isinf(clause.high):
        return f"at most {high}" if math.isinf(clause.low) else f"at least {low}"
    return f"exactly {low}" if low == high and is_count(metric) else f"between {low} and {high}"


def warned(clause: Constraint, metric: Metric | None, kind: Kind) -> str:
    """From where on a run is warned about without being stopped; empty if there is no such limit.

    >>> warned(Constraint("complete_ratio", 0.8, math.inf, warn_low=0.9), None, Kind.NUMERIC)
    'a warning unless at least 0.9'
    """
    if not clause.warn_low > clause.low and not clause.warn_high < clause.high:
        return ""
    if math.isinf(clause.low) and math.isinf(clause.high):
        return ""  # the interval itself is described as one that warns
    low, high = max(clause.low, clause.warn_low), min(clause.high, clause.warn_high)
    words = must(replace(clause, low=low, high=high, bound=MEASURED), metric, kind)
    return "" if words == ANYTHING else f"a warning unless {words}"


def _without_vast(clause: Constraint, metric: Metric | None) -> Constraint:
    """The clause without an end that no run can reach: "at most 10²⁹ rows" is no limit.

    Ends are counts here, or logarithms of a value or of its ratio to an earlier one.
    """
    if not clause.transform.log:
        known = clause.evidence.usual_high if clause.evidence is not None else 0.0
        is_vast = is_count(metric) and known > 0 and clause.high > known * math.exp(_VAST)
        return replace(clause, high=math.inf) if is_vast and not clause.transform.lag else clause
    usual = 0.0
    if not clause.transform.lag and clause.evidence is not None and clause.evidence.usual_high > 0:
        usual = math.log(clause.evidence.usual_high)
    low = clause.low if clause.low > usual - _VAST else -math.inf
    high = clause.high if clause.high < usual + _VAST else math.inf
    return replace(clause, low=low, high=high)


def _ends(clause: Constraint, metric: Metric | None, kind: Kind) -> tuple[str, str]:
    low, high = (_unlogged(end, clause.transform) for end in (clause.low, clause.high))
    if not (clause.transform.log and clause.transform.lag):  # ratios of counts are not whole
        low, high = whole_within(low, high, metric)
    return _end(low, clause.transform, metric, kind), _end(high, clause.transform, metric, kind)


def _unlogged(end: float, transform: Transform) -> float:
    return end if not transform.log else math.exp(end) if end < _LARGEST_LOG else math.inf


def _end(end: float, transform: Transform, metric: Metric | None, kind: Kind) -> str:
    """An end of an interval: of a value, of its ratio to an earlier one, or of its difference from that."""
    if transform.log and transform.lag:
        return f"×{number(end)}"
    if transform.lag:
        in_time = kind is Kind.TEMPORAL and metric is not None and metric.unit == "value"
        plain = duration(end) if in_time else amount(end, metric, kind)
        return plain if end < 0 else f"+{plain}"
    return amount(end, metric, kind)


def which_run(transform: Transform) -> str:
    """The run that another is compared with.

    >>> which_run(Transform(lag=1)), which_run(Transform(lag=7))
    ('the run before', 'the run 7 runs before')
    """
    return "the run before" if transform.lag == 1 else f"the run {transform.lag} runs before"
