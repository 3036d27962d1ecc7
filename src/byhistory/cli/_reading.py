"""Where the rows of a table are, by the options and byhistory.toml together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byhistory.config import ENGINES
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.config import Config
    from byhistory.validator import Validator

PATH = "path"
"""The setting that keeps the path of a table once one was given, with `{run}` in place of the label."""


@dataclass(frozen=True, slots=True)
class Given:
    """What was given on the command line; what is empty is left to byhistory.toml."""

    path: str = ""
    run: str = ""
    run_column: str = ""
    format: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""
    where: str = ""
    columns: str = ""
    exclude: str = ""
    query: str = ""
    catalog: str = ""
    engine: str = ""


def names(text: str) -> tuple[str, ...]:
    """Names written with commas between them.

    >>> names("a, b")
    ('a', 'b')
    """
    return tuple(name.strip() for name in text.split(",") if name.strip())


def with_given(config: Config, table: str, given: Given) -> Config:
    """The configuration, with one table read as the command line says."""
    old = config.table(table)
    changes: dict[str, object] = {}
    if given.path or given.query or given.catalog:  # a place given here replaces the one in the file
        changes = {"path": given.path, "query": given.query, "catalog": given.catalog}
    if given.engine and given.engine not in ENGINES:
        raise ByHistoryError(f"read {table!r}", f"--engine {given.engine}", f"say one of {', '.join(ENGINES)}")
    for name in ("run", "run_column", "format", "schema", "where", "engine"):
        if getattr(given, name):
            changes[name] = getattr(given, name)
    if given.options:
        changes["options"] = {**old.options, **given.options}
    if given.columns:
        changes["include"] = names(given.columns)
        if not changes["include"]:
            raise ByHistoryError(
                f"read {table!r}", f"--columns {given.columns!r}, which names none", "name one, or more"
            )
    if given.exclude:
        changes["exclude"] = names(given.exclude)
    return replace(config, tables={**config.tables, table: replace(old, **changes)})  # type: ignore[arg-type]  # fields


def in_whole(config: Config, table: str) -> Config:
    """The configuration, with a path like `lake/orders/ds={run}` read as the folder of all runs, told apart by `ds`.

    >>> from byhistory.config import Config
    >>> whole = in_whole(with_given(Config(), "orders", Given(path="lake/orders/ds={run}")), "orders").table("orders")
    >>> whole.path, whole.run_column
    ('lake/orders', 'ds')
    """
    entry = config.table(table)
    folder, _, last = entry.path.rstrip("/").rpartition("/")
    key, is_key, value = last.partition("=")
    if not (is_key and value == "{run}" and folder):
        return config
    changed = replace(entry, path=folder, run_column=entry.run_column or key)
    return replace(config, tables={**config.tables, table: changed})


def keep_path(guard: Validator, table: str, given: Given) -> None:
    """Remember a path that was given, after rows were read from it: a mistyped one must not be used the next time."""
    config = guard.config.table(table)
    if given.path and not config.query and guard.records.kept(table, PATH) != with_run(config.path):
        guard.records.keep(table, PATH, with_run(config.path))


def with_kept_path(guard: Validator, table: str) -> None:
    """Let the guard read a table from where it was read before, if nothing else says where.

    Raise an error if nothing is known, before Spark is started in vain.
    """
    config = guard.config.table(table)
    if config.path or config.query or config.catalog:
        return
    kept = guard.records.kept(table, PATH)
    if kept is None:
        raise ByHistoryError(
            f"read the rows of {table!r}",
            "no path, catalog table or query",
            "give a path after the table's name, --catalog or --query, or write one into byhistory.toml",
        )
    guard.config = with_given(guard.config, table, Given(path=kept))


def with_run(path: str) -> str:
    """A path with `{run}` in place of the label in its last part, so that the next run is found there, too.

    >>> with_run("lake/orders/ds=2026-11-15"), with_run("lake/orders"), with_run("in/{run}.csv")
    ('lake/orders/ds={run}', 'lake/orders', 'in/{run}.csv')
    """
    parts = path.rstrip("/").split("/")
    key, is_label, _ = parts[-1].partition("=")
    named = sum("=" in part for part in parts) == 1  # in year=2026/month=11 the label is more than the last part
    return "/".join([*parts[:-1], f"{key}={{run}}"]) if is_label and named and "{" not in path else path
