"""A plug-in for byhistory: one metric, one fault, one learner, one store and one output."""

from dataclasses import replace

from byhistory.bounds import CHEBYSHEV
from byhistory.history.memory import MemoryStore
from byhistory.history.open import StoreForm
from byhistory.inject import Fault
from byhistory.learners.calibrated import CALIBRATED
from byhistory.metrics import Single
from byhistory.profile import ALL_KINDS, UNDEFINED, Kind
from byhistory.report import Output


def rows_per_value(profile):
    """Rows of a run for each of its different values."""
    return profile.rows / profile.distinct if profile.distinct else UNDEFINED


def negate(column, random):
    """Numbers with the other sign."""
    import pyarrow.compute as pc

    return pc.negate(column.array)


METRIC = Single(
    name="tiny_rows_per_value",
    title="rows per value",
    kinds=ALL_KINDS,
    bound=CHEBYSHEV,
    low=0.0,
    high=float("inf"),
    compute=rows_per_value,
    scale="count",
    unit="none",
)
FAULT = Fault("tiny_negation", "negation", frozenset({Kind.NUMERIC}), negate, "all", "numbers with the other sign")
LEARNER = replace(CALIBRATED, name="tiny", safety=0.5)
STORE = StoreForm("tiny", "tiny://", lambda url: url.startswith("tiny://"), lambda _: MemoryStore())
OUTPUT = Output("tiny", lambda story: f"TINY {story.run} {story.verdict.status}", (".tiny",))
