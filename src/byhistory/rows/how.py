"""How is a table profiled? One value that says so, for rows in memory, files, and a DataFrame of Spark."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from byhistory.profile import Kind
from byhistory.rows.field import Options
from byhistory.rows.sample import SAMPLE_ROWS


class Asked(TypedDict, total=False):
    """How a caller wants a table profiled, by keyword; they mean the same as the fields of `How`."""

    kinds: Mapping[str, Kind] | None
    include: Collection[str] | None
    exclude: Collection[str]
    options: Options | None
    sample_rows: int
    seed: int


@dataclass(frozen=True, slots=True)
class How:
    """Which columns are measured and as what, how rows are summarised, and how many are sampled.

    `kinds` are those of columns where the user knows better than the schema. Without `include`, all columns are
    measured but those of `exclude`. The `seed` chooses the sampled rows.

    >>> How.of({"sample_rows": 0, "kinds": None}) == How(sample_rows=0)
    True
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    include: Collection[str] | None = None
    exclude: Collection[str] = ()
    options: Options = field(default_factory=Options)
    sample_rows: int = SAMPLE_ROWS
    seed: int = 0

    @staticmethod
    def of(asked: Asked) -> How:
        """What was asked for, with defaults for the rest and for None."""
        given = {name: value for name, value in asked.items() if value is not None}
        return How(**given)  # type: ignore[arg-type]  # the names are those of Asked, one for each field

    def without(self, columns: Collection[str]) -> How:
        """The same for a table whose columns are not all measured: those that make a run's label may be named, too.

        >>> How(include=["day", "n"]).without(["day"]).include
        {'n'}
        """
        return How(
            {name: kind for name, kind in self.kinds.items() if name not in columns},
            None if self.include is None else set(self.include) - set(columns),
            set(self.exclude) - set(columns),
            self.options,
            self.sample_rows,
            self.seed,
        )
