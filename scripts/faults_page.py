"""The reference page, from the faults themselves: `python -m scripts.faults_page > docs/reference/faults.md`."""

from __future__ import annotations

from dataclasses import dataclass

from byhistory.inject import ALL, of_kind
from byhistory.inject.base import Fault
from byhistory.profile import ALL_KINDS, Kind


@dataclass(frozen=True, slots=True)
class Agreement:
    """What is promised of the responses of some metrics when they are estimated from a sample."""

    name: str
    metrics: tuple[str, ...]
    median: float
    most: float
    """Error that 95 % of the responses stay below."""
    differently: float


AGREEMENT = (
    Agreement(
        "counts",
        ("row_count", "complete_ratio", "empty_ratio", "edge_space_ratio", "nan_ratio", "negative_ratio"),
        0.001,
        0.01,
        0.01,
    ),
    Agreement(
        "shares", ("true_ratio", "zero_ratio", "integer_ratio", "upper_ratio", "top_pattern_ratio"), 0.005, 0.6, 0.04
    ),
    Agreement(
        "averages",
        ("mean", "sum", "std", "str_len", "char_len", "digit_len", "punc_len", "space_len", "digits", "decimals"),
        0.01,
        1.1,
        0.05,
    ),
    Agreement("quantiles", ("median", "p1", "p5", "p95", "p99", "len_p5", "len_p95"), 0.01, 1.1, 0.07),
    Agreement("extremes", ("min", "max", "range", "len_max"), 0.005, 1.0, 0.05),
    Agreement("distinct", ("dist_val_count", "unique_ratio", "pattern_count"), 0.02, 1.2, 0.09),
    Agreement("distances of numbers", ("ks_dist", "emd", "cohen_d", "len_ks"), 0.02, 1.1, 0.07),
    Agreement(
        "distances of patterns",
        ("pat_l1", "pat_l_inf", "pat_cosine", "pat_chi_squared", "pat_js_div", "pat_kl_div", "new_pattern_ratio"),
        0.005,
        0.3,
        0.03,
    ),
    Agreement("distances of formats", ("new_format_ratio",), 0.005, 0.4, 0.03),
    Agreement("distances of values", ("l1", "cosine", "chi_squared", "js_div", "kl_div"), 0.03, 1.2, 0.08),
    Agreement("single values", ("top_value_ratio", "l_inf", "new_value_ratio", "lost_value_ratio"), 0.04, 8.0, 0.09),
)
"""Held by a test that measures it."""

_INTRO = """# Faults

What could go wrong with a column, as it is tried on a sample of a run to learn which constraints would notice. Written
by `python -m scripts.faults_page`; a test holds it to the code.

The ten types and their parameters are the paper's (appendix on synthetic training data), completed in both directions,
with true nulls beside its zeros and empty strings, and with shifts for dates, which the paper does not have. A fault
type is a file under `src/byhistory/inject/faults/`. Where the paper leaves something open:

- *Schema change* takes, in the rows it hits, what stands in the nearest column of the same kind in the same row, null
  or not. A column without such a neighbour cannot have it, and has three faults less.
- *Unit change* keeps whole numbers whole, cut towards zero as a cast does. What no longer fits its type becomes wider.
- *Distribution change* keeps the number of rows: the smallest or largest part of the values is repeated.
- *Insertion* and *deletion* change one character in each value they hit. On numbers they and *perturbation* act on the
  digits as they are written (never on an exponent), and the result is read back; a number without digits is null.
- Only letters and digits of ASCII are perturbed; insertion and deletion never split a character.
- Booleans can be set to false, turned round (as *perturbation*), lost, and have changes of schema, volume and
  distribution.
- Nulls stay null unless the fault says otherwise. A fault that would change nothing is not counted.

Randomness is a stream of its own for each fault, named by the seed and the fault: a new fault does not change the
others.
"""

_ANSWERS = """## How well a sample answers for all rows

`responses` says what every metric would read if a fault had happened to *all* rows. If the sample is the whole run it
is exact. Otherwise the response is estimated from a sample of 4,096 rows; losses of rows and true nulls follow from the
profile of all rows alone.

Measured on 15 generated columns of 60,000 rows (normal, log-normal, rounded, Poisson, two kinds of ids, 5,000 codes,
zero-inflated, four categories, Zipf, near-unique articles, booleans, free text, timestamps, dates) against the same
fault applied to all rows. The error is |estimate − truth| as a share of what the fault does to the metric, or of three
standard deviations between runs of the metric where the fault does less than that. *Seen differently*: the share of
(column, fault) pairs that lie beyond four standard deviations from now in truth and not in the estimate, or the other
way round. All are upper limits, which a test holds.

| metrics | | median error | 95 % error | seen differently |
|---|---|---|---|---|
"""

_CAUSES = """
The large errors have four causes. A quantile that falls between two clumps jumps (1 % zeros and the 1 % quantile). A
fault that only makes noise (10 % of the rows) has a random truth. The 10 % ends of a sorted sample are 410 rows, and
noisy. And single values of columns with tens of thousands of rare ones: one row of the sample stands for fifteen, so
the largest share of a value, the largest difference, and which values are new or lost are known only to about one row
of the sample.
"""


def page() -> str:
    """The page as Markdown."""
    counts = ", ".join(f"{len(of_kind(kind))} {kind}" for kind in Kind)
    head = ["", f"## All {len(ALL)} ({counts})", "", "| name | type | parameter | kinds | what a person reads |"]
    rows = [f"| {' | '.join(_cells(fault))} |" for fault in ALL]
    return "\n".join(
        [
            _INTRO.rstrip(),
            *head,
            "|---|---|---|---|---|",
            *rows,
            "",
            _ANSWERS + "\n".join(map(_promise, AGREEMENT)),
            _CAUSES,
        ]
    )


def _cells(fault: Fault) -> tuple[str, ...]:
    kinds = "all" if fault.kinds == ALL_KINDS else ", ".join(str(k) for k in Kind if k in fault.kinds)
    return f"`{fault.name}`", fault.type, fault.parameter, kinds, fault.sentence


def _promise(a: Agreement) -> str:
    names = ", ".join(f"`{m}`" for m in a.metrics)
    return f"| {a.name} | {names} | {a.median:.1%} | {a.most:.0%} | {a.differently:.1%} |"


if __name__ == "__main__":
    print(page(), end="")
