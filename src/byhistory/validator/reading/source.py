"""Where are the rows of a table, by its configuration?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.files.pattern import path_of_run, path_of_table

if TYPE_CHECKING:
    from byhistory.spark.read import Source


def source_of(table: str, config: TableConfig) -> Source:
    """Where the rows are; `{run}` stands for the label in a path, and for a parameter in a condition or a query.

    `{table}` stands for the name of the table in a path and in the name of a catalog table, so that a pattern can say
    where all its tables are.
    """
    from byhistory.spark.read import Source  # not above: the workers that learn have no driver's side of Spark

    places = [name for name in ("path", "catalog") if getattr(config, name)]
    if len(places) == 2:
        raise ByHistoryError(
            f"read {table!r}", f"both a path ({config.path}) and a catalog table ({config.catalog})", "give one of them"
        )
    filled = {}
    for name in ("path", "where", "query"):
        text = getattr(config, name)
        if "{run}" in text and not config.run:
            raise ByHistoryError(
                f"read {table!r}", f"{{run}} in its {name} ({text}), and no run", "name the run with --run"
            )
        filled[name] = path_of_run(path_of_table(text, table), config.run) if name == "path" else text
    return Source(
        **filled,
        catalog=config.catalog.replace("{table}", table),
        name=table,
        format=config.format,
        options=config.options,
        schema=config.schema,
        run=config.run,
    )
