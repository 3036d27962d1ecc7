"""Which columns does a Parquet file have, and are they those of another?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
"""The entry of a footer with the schema that Spark wrote, which then holds whatever the columns look like."""


class Unlike(Exception):  # noqa: N818 - nothing went wrong: the columns of all files have to be looked at first
    """A file has other columns than one read before."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of a file as Parquet and as Arrow have them, and as Spark noted them."""

    parquet: Any
    arrow: Any
    noted: bytes | None

    @staticmethod
    def of(metadata: Any) -> Shape:
        """The columns in a footer."""
        schema = metadata.schema
        return Shape(schema, schema.to_arrow_schema(), (metadata.metadata or {}).get(SPARK_SCHEMA))

    def is_like(self, other: Shape) -> bool:
        """Whether both have the same columns of the same types.

        Parquet's own comparison looks at the types of columns, but not at the names of the structs above them.
        """
        return bool(self.noted == other.noted and self.parquet.equals(other.parquet) and self.arrow.equals(other.arrow))
