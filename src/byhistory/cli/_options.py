"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer


def _known_tables(incomplete: str) -> Iterable[str]:
    """Tables of byhistory.toml, for the shell's completion; a broken file completes nothing."""
    from byhistory.config import read_config
    from byhistory.errors import ByHistoryError

    try:
        return [name for name in read_config().tables if name.startswith(incomplete)]
    except ByHistoryError:
        return []


Table = Annotated[
    str, typer.Argument(metavar="TABLE", help="The name of the table's history.", autocompletion=_known_tables)
]
MaybeTable = Annotated[
    str,
    typer.Argument(metavar="TABLE", help="The name of the table's history.", autocompletion=_known_tables),
]
Path_ = Annotated[
    str,
    typer.Argument(
        metavar="PATH",
        help="A file, directory or glob, of any file system that Spark reads. Default: as in byhistory.toml.",
    ),
]
Names = Annotated[
    str, typer.Option("--tables", metavar="PATTERN", help="With --all: only tables whose names fit, such as 'sales.*'.")
]
Tag = Annotated[str, typer.Option(metavar="NAME", help="With --all: only tables that have this tag.")]
AtOnce = Annotated[int, typer.Option(metavar="N", min=1, help="With --all: how many tables side by side.")]
Retries = Annotated[
    int, typer.Option(metavar="N", min=0, help="With --all: how often a table is tried again after what may pass.")
]
AT_ONCE, RETRIES = 4, 2
"""How many tables side by side, and how many retries, by choice: that keeps a laptop with four cores busy."""
Run = Annotated[str, typer.Argument(metavar="RUN", help="The label of a run, as `byhistory runs` lists it.")]
Column = Annotated[str, typer.Argument(metavar="COLUMN", help='A column; "*" for all.')]
Metric = Annotated[str, typer.Argument(metavar="METRIC", help="A metric, as `byhistory explain` names it.")]

RunColumn = Annotated[
    str,
    typer.Option(metavar="NAME", help="The column that tells runs apart; several as year,month,day."),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="parquet, csv, json, orc, avro, delta, iceberg, … Default: by the names of the files.",
    ),
]
Option = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="An option for Spark's reader, such as sep=';'; may be given many times. "
        "CSV is read with header=true and inferSchema=true unless you say otherwise.",
    ),
]
Schema = Annotated[
    str, typer.Option(metavar="DDL", help="Names and types of the columns, as in SQL, for CSV and JSON.")
]
Where = Annotated[
    str, typer.Option(metavar="SQL", help="Only the rows for which this holds; {run} is the run's label.")
]
Columns = Annotated[str, typer.Option(metavar="A,B", help="Only these columns.")]
Exclude = Annotated[str, typer.Option(metavar="A,B", help="All columns but these.")]
Query = Annotated[
    str,
    typer.Option(
        metavar="SQL", help="The rows that a query gives; with a PATH, it can be queried by the name of TABLE."
    ),
]
Catalog = Annotated[str, typer.Option(metavar="NAME", help="A table of Spark's catalog, such as shop.orders.")]
Engine = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="spark, or local: Parquet, CSV and JSON files are read in this process, without Java."
    ),
]

Timing = Annotated[bool, typer.Option("--timing", help="Say on stderr where the time went, and how rows were read.")]
Json = Annotated[bool, typer.Option("--json", help="JSON for machines.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="The reason; kept with the decision.")]
Who = Annotated[
    str, typer.Option(metavar="NAME", envvar="BYHISTORY_USER", help="Who decides. Default: the user of this shell.")
]
File = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it there instead of to stdout.")]
