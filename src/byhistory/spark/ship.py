"""What has to travel to Spark's Python workers, whose environment need not have byhistory."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from byhistory.spark import worker

FOR_PROFILES = ("profile", "rows")
FOR_LEARNING = (
    *FOR_PROFILES,
    "bounds",
    "metrics",
    "series",
    "constraints",
    "inject",
    "program",
    "verdict",
    "history",
    "validator",
)


@cache
def sources_of(rooms: tuple[str, ...] = FOR_PROFILES) -> dict[str, str]:
    """The sources of some rooms by module name, with the package's front, errors and configuration."""
    root = files("byhistory")
    found = {
        f"byhistory.{name}": (root / f"{name}.py").read_text(encoding="utf-8") for name in ("errors", "config", "plain")
    }
    found["byhistory"] = (root / "__init__.py").read_text(encoding="utf-8")
    for room in rooms:
        _walk(root / room, f"byhistory.{room}", found)
    return found


def _walk(folder: Any, package: str, found: dict[str, str]) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.name.startswith("_"):
            _walk(path, f"{package}.{path.name}", found)
        elif path.name == "__init__.py":
            found[package] = path.read_text(encoding="utf-8")
        elif path.name.endswith(".py"):
            found[f"{package}.{path.name[:-3]}"] = path.read_text(encoding="utf-8")


def send_by_value() -> None:
    """Tell Spark's pickler to send the worker module itself, not its name; harmless when done twice."""
    from pyspark.cloudpickle.cloudpickle import register_pickle_by_value

    register_pickle_by_value(worker)  # type: ignore[no-untyped-call]  # Spark ships it without types
