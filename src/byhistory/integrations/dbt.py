"""dbt: after `dbt build`, the models that were built are judged, as `meta:` says.

`byhistory-dbt --run 2026-11-15` reads `target/manifest.json` and `target/run_results.json`. Nothing of dbt is imported.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from byhistory.config import Config, TableConfig, parse_config, read_config
from byhistory.errors import ByHistoryError
from byhistory.plain import plural
from byhistory.validator import Judged, Validator

META = "byhistory"
BUILT = ("success",)
MATERIALIZED = ("table", "incremental", "view", "snapshot", "seed")
"""What leaves a relation behind that can be read; an ephemeral model leaves none."""
STOP, COULD_NOT_RUN = 1, 2
"""Exit codes, the same as those of `byhistory check`."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model that dbt has built and that is to be judged: the relation it left, and how `meta:` wants it judged."""

    name: str
    relation: str
    config: TableConfig


def models_of(target: Path, base: Config | None = None) -> list[Model]:
    """The models of the last `dbt build` that were built and have `meta: {byhistory: …}`, in the order they ran."""
    manifest, results = _read(target / "manifest.json"), _read(target / "run_results.json")
    found = []
    for result in results["results"]:
        node = manifest["nodes"].get(result["unique_id"])
        if node is None or result["status"] not in BUILT or node["config"].get("materialized") not in MATERIALIZED:
            continue
        meta = (node["config"].get("meta") or node.get("meta") or {}).get(META)
        if meta:
            entries = {} if meta is True else dict(meta)
            name = str(entries.pop("table", node["name"]))
            config = _table_config(name, entries, base or Config())
            found.append(Model(name, node["relation_name"], config))
    return found


def adapter_of(target: Path) -> str:
    """The kind of database that dbt built the models in."""
    return str(_read(target / "manifest.json")["metadata"]["adapter_type"])


def _read(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except OSError as why:
        todo = "run `dbt build` first, and name its folder with --target"
        raise ByHistoryError(f"read {file}", why.strerror or type(why).__name__, todo) from why


def _table_config(name: str, entries: Mapping[str, Any], base: Config) -> TableConfig:
    """The settings in `meta:`, read like byhistory.toml and with its errors; what is missing there is from the file."""
    lines = [f"{_toml(key)} = {_toml(value)}" for key, value in entries.items()]
    own = parse_config("\n".join(["[tables.model]", *lines]), f"meta of the model {name}").table("model")
    return replace(base.table(name), **{key: getattr(own, key) for key in entries})


def _toml(value: Any) -> str:
    """A value of YAML as TOML writes it.

    >>> _toml({"mute": ["max"], "shadow": True})
    '{"mute" = ["max"], "shadow" = true}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


# ------------------------------------------------------------------------------------------------------------- the rows


def judged(guard: Validator, model: Model, run: str, rows: Any) -> Judged:
    """Judge a model and record it; `rows` is a session of Spark, or a connection to DuckDB."""
    is_spark = hasattr(rows, "createDataFrame")
    where = _condition(model, run, "`" if is_spark else '"')
    select = f"SELECT * FROM {model.relation}{where}"  # noqa: S608 - dbt's own relation
    if is_spark:
        return guard.check(rows.sql(select).drop(*_labels(model)), model.name, run)
    return guard.check(rows.sql(select).to_arrow_table().drop_columns(_labels(model)), model.name, run)


def _condition(model: Model, run: str, mark: str) -> str:
    """The SQL condition for the rows of one run; empty if the model holds one run only."""
    where = model.config.where
    if "{run}" in where:
        raise ByHistoryError(f"read the model {model.name}", f"{{run}} in {where!r}", "name the run_column instead")
    label = run.replace("'", "''")
    parts = [f"CAST({mark}{column}{mark} AS VARCHAR(255)) = '{label}'" for column in _labels(model)]
    parts += [f"({where})"] if where else []
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def _labels(model: Model) -> list[str]:
    return [model.config.run_column] if model.config.run_column else []


@contextmanager
def rows_of(adapter: str, asked: argparse.Namespace) -> Iterator[Any]:
    """The database that dbt wrote to, opened to be read."""
    if adapter == "duckdb":
        import duckdb

        if not asked.duckdb:
            raise ByHistoryError("read the models", "no file of DuckDB", "name it with --duckdb, as in profiles.yml")
        with closing(duckdb.connect(asked.duckdb, read_only=True)) as connection:
            yield connection
    elif adapter in ("spark", "databricks"):
        from byhistory.spark.session import open_session

        conf = dict(text.split("=", 1) for text in asked.conf)
        yield open_session("byhistory-dbt", remote=asked.remote, conf=conf)
    else:
        todo = "check what it exports with `byhistory check`, or judge rows of your own with Validator.check"
        raise ByHistoryError("read the models", f"dbt's adapter {adapter}", todo)


# ---------------------------------------------------------------------------------------------------------- the command


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge what `dbt build` has built; exits with 1 if a model is to be stopped, with 2 if one could not be judged."""
    asked = _parser().parse_args(arguments)
    try:
        code = _checked(asked)
    except ByHistoryError as error:
        sys.stderr.write(f"{error}\n")
        code = COULD_NOT_RUN
    raise SystemExit(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("byhistory-dbt", description=main.__doc__)
    parser.add_argument("--run", required=True, metavar="LABEL", help="the label of the run")
    parser.add_argument("--target", default="target", help="dbt's folder of artifacts")
    parser.add_argument("--store", default="", help="where the history is kept; default: as byhistory.toml says")
    parser.add_argument("--config", default="", help="default: byhistory.toml, if any")
    parser.add_argument("--duckdb", default="", metavar="FILE", help="the database, for the adapter duckdb")
    parser.add_argument("--remote", default="", metavar="URL", help="a Spark Connect server, for the adapter spark")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark")
    parser.add_argument(
        "--fail-on", choices=("warn", "stop"), default="stop", help="from which level on to exit with 1"
    )
    return parser


def _checked(asked: argparse.Namespace) -> int:
    target, config = Path(asked.target), read_config(Path(asked.config) if asked.config else None)
    models = models_of(target, config)
    config = replace(
        config,
        store=asked.store or config.store,
        tables={**config.tables, **{model.name: model.config for model in models}},
    )
    code, counts = 0, dict.fromkeys(("stop", "warn", "could not run"), 0)
    with Validator(config=config) as guard, rows_of(adapter_of(target), asked) as rows:
        for model in models:
            try:
                verdict = judged(guard, model, asked.run, rows).verdict
            except ByHistoryError as error:
                sys.stdout.write(f"could not run: {model.name}. {error}\n")
                code, counts["could not run"] = COULD_NOT_RUN, counts["could not run"] + 1
                continue
            sys.stdout.write(f"{verdict}\n")
            if verdict.level in counts and not verdict.is_shadow:
                counts[verdict.level] += 1
                is_failed = verdict.level == "stop" or asked.fail_on == "warn"
                code = max(code, STOP if is_failed else 0)
    sys.stdout.write(f"{summary(len(models), counts)}\n")
    return code


def summary(models: int, counts: Mapping[str, int]) -> str:
    """The last line: the worst that was found in some models, and how often each was.

    >>> summary(3, {"stop": 0, "warn": 1, "could not run": 0}), summary(1, {})
    ('warn: 3 models of dbt judged, 1 warn', 'as usual: 1 model of dbt judged')
    """
    if not models:
        return "nothing judged: no model that was built asks for it (byhistory: true, under meta)"
    worst = next((what for what in ("could not run", "stop", "warn") if counts.get(what)), "as usual")
    rest = "".join(f", {count} {what}" for what, count in counts.items() if count)
    return f"{worst}: {plural(models, 'model')} of dbt judged{rest}"


if __name__ == "__main__":
    main()
