"""The options that every command has, and what they open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.config import Config
    from byhistory.validator import Validator
    from byhistory.validator.guarded import Step


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that may stand before or after any command."""

    store: str = ""
    config: Path | None = None
    master: str = ""
    remote: str = ""
    conf: tuple[str, ...] = ()
    verbose: bool = False


def settings_of(ctx: typer.Context) -> Settings:
    """The program's own options, in the context of a command."""
    return ctx.obj if isinstance(ctx.obj, Settings) else Settings()


def configuration(ctx: typer.Context) -> Config:
    """The configuration of the file, with the store that the options name."""
    from byhistory.config import read_config

    settings = settings_of(ctx)
    config = read_config(settings.config)
    return replace(config, store=settings.store) if settings.store else config


@contextmanager
def opened(
    ctx: typer.Context, config: Config | None = None, *, make: bool = False, step: Step = nullcontext
) -> Iterator[Validator]:
    """The validator over its store. A store that does not exist is an error, and is not made, unless `make` is set."""
    from byhistory.validator import Validator

    config = config or configuration(ctx)
    if not make:
        must_exist(config.store)
    with Validator(config=config, step=step) as guard:
        yield guard


def must_exist(url: str) -> None:
    from byhistory.validator.address import is_missing, redacted

    if is_missing(url):
        raise ByHistoryError(
            f"open the store {redacted(url)}",
            f"no file or directory there (looked from {Path.cwd()})",
            "name the store with --store, or make it with `byhistory backfill` or `byhistory check`",
        )


def must_know(guard: Validator, table: str, asked: str) -> None:
    """Raise an error if the store has no run of a table; it names the tables that the store has."""
    if guard.records.runs(table):
        return
    there = guard.records.tables()
    some = ", ".join(map(repr, there[:6])) + (", …" if len(there) > 6 else "")
    raise ByHistoryError(
        asked,
        f"no run of {table!r} in {guard.records.where}; " + (f"it has {some}" if there else "it is empty"),
        "name one of these tables" if there else "backfill the past runs, or check a first one",
    )


def pairs(texts: tuple[str, ...] | list[str], option: str) -> dict[str, str]:
    """Options written as key=value.

    >>> pairs(["sep=;", "path=a=b"], "--option")
    {'sep': ';', 'path': 'a=b'}
    """
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ByHistoryError(f"read {option} {text!r}", "no key=value", f"write {option} name=value")
        found[key.strip()] = value
    return found


def spark_of(ctx: typer.Context, compiler: str = "") -> SparkSession:
    """The session that the options ask for; `compiler` as in `open_session`."""
    from byhistory.cli._progress import working
    from byhistory.spark.session import hushed, open_session

    settings = settings_of(ctx)
    conf = pairs(settings.conf, "--conf")
    with working("starting Spark"), nullcontext() if settings.verbose else hushed():
        return open_session("byhistory", master=settings.master, remote=settings.remote, conf=conf, compiler=compiler)
