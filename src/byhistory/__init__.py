"""Is today's run of a recurring table as usual, judged by its own past runs?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from byhistory.errors import ByHistoryError as ByHistoryError
    from byhistory.profile import Kind as Kind
    from byhistory.program.learn import learn as learn
    from byhistory.rows.local import profile_table as profile_table
    from byhistory.spark import profile as profile_run  # noqa: F401 - public under this name
    from byhistory.spark import profile_runs as profile_runs
    from byhistory.validator import Validator as Validator
    from byhistory.verdict import Unusual as Unusual
    from byhistory.verdict.check import check as check

__version__ = "0.1.0.dev0"

_WHERE = {
    "ByHistoryError": ("byhistory.errors", "ByHistoryError"),
    "Kind": ("byhistory.profile", "Kind"),
    "Unusual": ("byhistory.verdict", "Unusual"),
    "Validator": ("byhistory.validator", "Validator"),
    "check": ("byhistory.verdict.check", "check"),
    "learn": ("byhistory.program.learn", "learn"),
    "profile_run": ("byhistory.spark", "profile"),  # `byhistory.profile` is the room of profiles
    "profile_runs": ("byhistory.spark", "profile_runs"),
    "profile_table": ("byhistory.rows.local", "profile_table"),
}
__all__ = ["__version__", *_WHERE]  # noqa: PLE0604 - the names above


def __getattr__(name: str) -> Any:
    """The public names, each imported when first asked for: `import byhistory` itself stays light."""
    if name not in _WHERE:
        raise AttributeError(f"module 'byhistory' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    return getattr(importlib.import_module(module), attribute)
