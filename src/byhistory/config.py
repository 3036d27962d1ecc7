"""What the user wrote down in byhistory.toml."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from byhistory.errors import ByHistoryError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "byhistory.toml"
BUDGET, WARN_BUDGET = 0.01, 0.05
"""How often a good run of a table may be stopped, and how often stopped or warned about, unless the user says so."""
PROMISED = {"table": 0.01, "column": 0.002}
"""The smallest budgets that good runs of other sources kept: rules that always stop spend half of 1 % of a table by
themselves, and below 0.2 % of a column one source in 76 decides the rate (docs/explanation/theory.md)."""
ALWAYS = (
    "all null",
    "fewer present",
    "all empty",
    "all zero",
    "all alike",
    "keys repeated",
    "other format",
    "few rows",
    "many rows",
    "same again",
)
"""The rules in `byhistory.constraints.always`, which builds on this file; a test holds the two together."""
ENGINES = ("spark", "local")
"""What can read the rows of a table."""
ROLES = ("identifier", "counter", "calendar part", "time", "constant", "code", "free text", "measure", "text")
"""The names in `byhistory.series.role`, which builds on this file; a test holds the two together."""
KINDS = ("numeric", "categorical", "temporal", "binary", "nested")
"""The names in `byhistory.profile.Kind`, which builds on this file; a test holds the two together."""


@dataclass(frozen=True, slots=True)
class ColumnConfig:
    """What the user decided about a column: metrics to mute or to pin, thresholds, and the column's kind and role."""

    mute: tuple[str, ...] = ()
    pin: tuple[str, ...] = ()
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    kind: str | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True)
class TableConfig:
    """How one table is read and judged.

    `path`, `format`, `options`, `schema`, `where` and `run_column` say where its rows are, the rest how they are
    judged. Without `format`, it follows from the names of the files. `engine` is "spark", or "local" for files that
    are read in this process. `storage` says how to reach files in an object store (the arguments of pyarrow's or
    fsspec's file system).

    `budget` is how often a good run may be stopped and `warn_budget` how often it may be stopped or warned about, both
    `per` "table" or "column". `unanswered` says what an alarm does that nobody answers: "adapt" to the new level after
    `patience` similar runs, or "hold" and keep stopping. `prices` is a file that `byhistory calibrate` wrote,
    `always_off` names the rules in `ALWAYS` that shall not apply, and `drift` turns on the warning about a metric that
    moved slowly over a hundred runs.

    With `why`, a check that stops or warns also says which rows caused it; `masked` columns are those whose values it
    never shows, and `key` columns those that identify a row. `owner` and `tags` are the user's own words about a table,
    to find it and to know whom to ask.
    """

    path: str = ""
    query: str = ""
    catalog: str = ""
    format: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""
    where: str = ""
    engine: str = "spark"
    storage: Mapping[str, str] = field(default_factory=dict)
    run_column: str = ""
    run: str = ""
    budget: float = BUDGET
    warn_budget: float = WARN_BUDGET
    per: str = "table"
    unanswered: str = "adapt"
    patience: int = 3
    learner: str = "calibrated"
    prices: str = ""
    shadow: bool = False
    keep_values: bool = False
    window: int = 60
    keep: int | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    max_clauses: int | None = None
    always_off: tuple[str, ...] = ()
    drift: bool = True
    why: bool = False
    masked: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    owner: str = ""
    tags: tuple[str, ...] = ()
    columns: Mapping[str, ColumnConfig] = field(default_factory=dict)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column for which the user decided it."""
        return {name: c.kind for name, c in self.columns.items() if c.kind}

    def wants(self, column: str) -> bool:
        """Whether a column is to be measured."""
        return (self.include is None or column in self.include) and column not in self.exclude


@dataclass(frozen=True, slots=True)
class Config:
    """All of byhistory.toml: where the history is kept, the tables by name, and what holds for patterns of names."""

    store: str = "sqlite:///byhistory.db"
    tables: Mapping[str, TableConfig] = field(default_factory=dict)
    defaults: TableConfig = field(default_factory=TableConfig)
    patterns: tuple[Pattern, ...] = ()

    def table(self, name: str) -> TableConfig:
        """The settings of a table: its own section, else the defaults as the patterns that match its name change
        them.
        """
        found = self.tables.get(name)
        return _with_patterns(self.patterns, self.defaults, name) if found is None else found


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a section such as `[tables."sales.*"]` changes for every table that matches: `*` is any text, `?` a
    letter.
    """

    names: str
    change: Callable[[TableConfig], TableConfig]

    def fits(self, table: str) -> bool:
        """Whether the name of a table matches.

        >>> Pattern("sales.*", lambda table: table).fits("sales.orders")
        True
        """
        return fnmatchcase(table, self.names)


def is_pattern(name: str) -> bool:
    """Whether a name in the file stands for many tables."""
    return "*" in name or "?" in name


def _with_patterns(patterns: tuple[Pattern, ...], base: TableConfig, table: str) -> TableConfig:
    """The settings in `base` as the patterns that match a table change them, one after the other."""
    for pattern in patterns:
        base = pattern.change(base) if pattern.fits(table) else base
    return base


def read_config(path: Path | None = None) -> Config:
    """Read byhistory.toml from `path`, or from the current directory; the defaults if there is none there."""
    file = path or Path(FILE)
    if path is None and not file.exists():
        return Config()
    try:
        return parse_config(file.read_text(encoding="utf-8-sig"), str(file))
    except OSError as why:
        raise ByHistoryError(f"read {file}", f"{type(why).__name__}", "give the path of a readable file") from why
    except UnicodeDecodeError as why:
        raise ByHistoryError(f"read {file}", f"bytes that are no UTF-8 ({why})", "save it as UTF-8 text") from why


def parse_config(text: str, name: str = FILE) -> Config:
    r"""Read the text of the file; an entry that is not understood is an error that names it.

    >>> config = parse_config('budget = 0.01\n[tables.orders]\npath = "lake/orders"\nshadow = true')
    >>> config.table("orders").budget, config.table("orders").shadow, config.table("other").shadow
    (0.01, True, False)
    >>> config = parse_config('[tables."sales.*"]\nowner = "ann"\n[tables."sales.orders"]\nbudget = 0.02')
    >>> config.table("sales.orders").owner, config.table("sales.items").owner, list(config.tables)
    ('ann', 'ann', ['sales.orders'])
    """
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as why:
        raise ByHistoryError(f"read {name}", f"text that is no TOML ({why})", "mend that line") from why
    except RecursionError:
        raise ByHistoryError(f"read {name}", "lists in lists without end", "take them out: no entry has any") from None
    store = body.pop("store", Config().store)
    tables = body.pop("tables", {})
    _check_types({"store": store, "tables": tables}, {"tables": dict}, name)
    _check_types(tables, dict.fromkeys(tables, dict), f"{name}, tables")
    defaults = _table(body, TableConfig(), name)
    named = [table for table in tables if not is_pattern(table)]
    patterns = tuple(_pattern(table, tables[table], defaults, named, name) for table in tables if is_pattern(table))
    read = {
        table: _table(tables[table], _with_patterns(patterns, defaults, table), f"{name}, [tables.{table}]")
        for table in named
    }
    return Config(str(store), read, defaults, patterns)


def _pattern(names: str, body: dict[str, Any], defaults: TableConfig, named: list[str], file: str) -> Pattern:
    """The section of a pattern; with `per = "group"`, all its tables share its budgets in equal parts."""
    where = f'{file}, [tables."{names}"]'
    is_group = body.get("per") == GROUP
    members = max(1, sum(fnmatchcase(name, names) for name in named))
    body = {**body, "per": "table"} if is_group else body
    _table(body, defaults, where)  # so that an error in it is raised now, and not when a table is first looked up
    return Pattern(names, partial(_changed, body, where, members if is_group else 0))


def _changed(body: dict[str, Any], where: str, members: int, base: TableConfig) -> TableConfig:
    """The settings below with those of a pattern; its budgets are shared by this many members, where it is a group.

    A function of the module, so that a configuration can be sent to another process.
    """
    table = _table(body, base, where)
    if not members:
        return table
    return replace(table, budget=_share(table.budget, members), warn_budget=_share(table.warn_budget, members))


def _share(budget: float, members: int) -> float:
    """How often each of `members` tables may be stopped so that at least one of them is as often as `budget` says.

    >>> round(_share(0.05, 10), 5)
    0.00512
    """
    return -math.expm1(math.log1p(-budget) / members)


def _table(body: dict[str, Any], base: TableConfig, where: str) -> TableConfig:
    _check_names(body, TableConfig, where)
    _check_types(body, _TABLE_TYPES, where)
    for entry in ("options", "storage"):
        _check_types(body.get(entry, {}), {}, f"{where}, {entry}")
    values = {k: _frozen(v) for k, v in body.items() if k != "columns"}
    columns = dict(base.columns)
    for column, entries in body.get("columns", {}).items():
        _check_types({column: entries}, {column: dict}, f"{where}, columns")
        columns[column] = _column(entries, f"{where}, columns.{column}")
    table = replace(base, **values, columns=columns)
    _check_values(table, where)
    return table


def _check_values(table: TableConfig, where: str) -> None:
    """Raise an error for the first entry whose value makes no sense."""
    for entry, allowed in _CHOICES.items():
        if getattr(table, entry) not in allowed:
            either = " or ".join(f'{entry} = "{choice}"' for choice in allowed)
            raise ByHistoryError(f"read {where}", f"{entry} = {getattr(table, entry)!r}", f"write {either}")
    if not (0 < table.budget < 1 and 0 <= table.warn_budget < 1):
        entry, todo = ("warn_budget", "0.05; 0 never warns") if 0 < table.budget < 1 else ("budget", "0.01")
        found = f"{entry} = {getattr(table, entry)}"
        raise ByHistoryError(f"read {where}", found, f"give a share between 0 and 1, such as {todo}")
    for name in table.always_off:
        if name not in ALWAYS:
            raise ByHistoryError(f"read {where}", f"always_off with {name!r}", f"use names of {', '.join(ALWAYS)}")
    if table.include == ():
        raise ByHistoryError(f"read {where}", "include = []", "name the columns to measure, or leave it out for all")
    for entry in ("window", "keep", "max_clauses", "patience"):
        number = getattr(table, entry)
        if number is not None and number < 1:
            raise ByHistoryError(f"read {where}", f"{entry} = {number}", "give a whole number above 0, or leave it out")


GROUP = "group"
"""The value of `per` in a pattern whose tables share its budgets."""
_CHOICES = {"per": ("column", "table"), "unanswered": ("adapt", "hold"), "engine": ENGINES}
"""The entries that take one of a few words."""


def _column(body: dict[str, Any], where: str) -> ColumnConfig:
    _check_names(body, ColumnConfig, where)
    _check_types(body, _COLUMN_TYPES, where)
    column = ColumnConfig(**{k: _frozen(v) for k, v in body.items()})
    if column.kind not in (None, *KINDS):
        raise ByHistoryError(f"read {where}", f"kind = {column.kind!r}", f"write one of {', '.join(KINDS)}")
    if column.role not in (None, *ROLES):
        raise ByHistoryError(f"read {where}", f"role = {column.role!r}", f"write one of {', '.join(ROLES)}")
    for metric, ends in column.thresholds.items():
        _threshold(metric, ends, f"{where}, thresholds")
    named = [*column.mute, *column.pin, *column.thresholds]
    for metric in named:
        if named.count(metric) > 1:
            found = f"{metric!r} more than once in mute, pin and thresholds"
            raise ByHistoryError(f"read {where}", found, "decide one thing about a metric")
    return column


def _threshold(metric: str, ends: Any, where: str) -> None:
    _check_types({metric: ends}, {metric: dict}, where)
    _check_types(ends, dict.fromkeys(ends, float), f"{where}.{metric}")
    low, high = ends.get("low", -math.inf), ends.get("high", math.inf)
    is_finite = all(map(math.isfinite, ends.values()))
    if not ends or not ends.keys() <= {"low", "high"} or not is_finite or not low <= high:
        raise ByHistoryError(f"read {where}", f"{metric} = {ends}", "write { low = 1, high = 2 }, or one of the two")


def _check_names(body: Mapping[str, Any], form: type[Any], where: str) -> None:
    names = [f.name for f in fields(form)]
    for entry in body:
        if entry not in names:
            raise ByHistoryError(f"read {where}", f"the entry {entry!r}", f"use one of {', '.join(names)}")


_TABLE_TYPES: dict[str, type] = {
    "options": dict,
    "storage": dict,
    "budget": float,
    "warn_budget": float,
    "patience": int,
    "shadow": bool,
    "keep_values": bool,
    "window": int,
    "keep": int,
    "include": list,
    "exclude": list,
    "always_off": list,
    "drift": bool,
    "why": bool,
    "masked": list,
    "key": list,
    "tags": list,
    "max_clauses": int,
    "columns": dict,
}
"""The type of each entry; those that are not named are text."""
_COLUMN_TYPES: dict[str, type] = {"mute": list, "pin": list, "thresholds": dict}
_IN_WORDS = {
    str: "text in quotes",
    dict: "a table, as { name = value }",
    float: "a number",
    bool: "true or false",
    int: "a whole number",
    list: 'a list of names, as ["a", "b"]',
}


def _check_types(body: Mapping[str, Any], types: Mapping[str, type], where: str) -> None:
    for entry, value in body.items():
        wanted = types.get(entry, str)
        is_number = wanted is float and isinstance(value, int) and not isinstance(value, bool)
        is_mixed = wanted is list and isinstance(value, list) and not all(isinstance(name, str) for name in value)
        if is_mixed or (type(value) is not wanted and not is_number):
            raise ByHistoryError(f"read {where}", f"{entry} = {value!r}", f"write {_IN_WORDS[wanted]}")


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
