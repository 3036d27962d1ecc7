"""What has to be sent to Spark's Python workers, whose environment need not have byhistory."""

from __future__ import annotations

import ast
import io
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from byhistory.spark import worker

FOR_PROFILES = (worker.__name__,)
STAYS = "byhistory.spark"
"""The driver's side of Spark, which is not sent: a worker gets `worker.py` by value, and starts no work of its own."""
_UNDATED = (1980, 1, 1, 0, 0, 0)
"""The oldest date that a zip file can have: equal sources become equal bytes, which Spark need not send again."""


_PARSING = threading.Lock()
"""A lock, because tables are worked on side by side, and the parser of Python 3.11 may fail in two threads at once."""


def archive_of(entries: tuple[str, ...] = FOR_PROFILES) -> bytes:
    """A zip file with all that is needed to import some modules of ours: sources, and the data files next to them.

    What to send is read from the import statements, including those inside functions, and not from a list of folders
    that somebody would have to maintain.
    """
    with _PARSING:
        return _archive_of(entries)


@cache
def _archive_of(entries: tuple[str, ...]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(_sent(entries).items()):
            archive.writestr(zipfile.ZipInfo(name, _UNDATED), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def modules_of(entries: tuple[str, ...]) -> dict[str, Any]:
    """The modules of ours that some modules import, directly or not, each with its file."""
    found: dict[str, Any] = {}
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        is_wanted = name in entries or not _is_below(name, STAYS)
        file = _file_of(name) if is_wanted and name not in found else None
        if file is None:
            continue
        found[name] = file
        tree = ast.parse(file.read_text(encoding="utf-8"))
        waiting += [name.rpartition(".")[0], *_imported(tree)]  # a package is run before what is in it
    return {name: file for name, file in found.items() if not _is_below(name, STAYS)}


def _sent(entries: tuple[str, ...]) -> dict[str, bytes]:
    """The files by their names in the archive."""
    sent: dict[str, bytes] = {}
    for module, file in modules_of(entries).items():
        is_package = file.name == "__init__.py"
        path = module.replace(".", "/") + ("/__init__.py" if is_package else ".py")
        sent[path] = file.read_bytes()
        if is_package:
            sent |= {f"{module.replace('.', '/')}/{name}": data for name, data in _data_of(module)}
    return sent


def _data_of(package: str) -> Iterator[tuple[str, bytes]]:
    for file in _folder_of(package).iterdir():
        if file.is_file() and not file.name.endswith((".py", ".pyc", ".typed")):
            yield file.name, file.read_bytes()


def _imported(tree: ast.AST) -> Iterator[str]:
    """The names that may be modules of ours, in all import statements except those for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)  # a name, or a module in the package
        else:
            yield from _imported(node)


def _file_of(module: str) -> Any | None:
    """The file of a module of ours; None for other modules, or a name that is no module."""
    if not _is_below(module, "byhistory"):
        return None
    package, _, name = module.rpartition(".")
    choices = [_folder_of(module) / "__init__.py"]
    if package:
        choices.append(_folder_of(package) / f"{name}.py")
    return next((file for file in choices if file.is_file()), None)


def _folder_of(package: str) -> Any:
    root = files("byhistory")
    for part in package.split(".")[1:]:
        root /= part
    return root


def _is_below(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def send_by_value() -> None:
    """Tell Spark's pickler to send the worker module itself, not its name; harmless when done twice."""
    from pyspark.cloudpickle.cloudpickle import register_pickle_by_value

    register_pickle_by_value(worker)  # type: ignore[no-untyped-call]  # Spark ships it without types
