"""Is today's run of a recurring table as usual, judged by its own past runs?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from byhistory.alarms import Alarm as Alarm
    from byhistory.bounds import Bound as Bound
    from byhistory.config import Config as Config
    from byhistory.config import read_config as read_config
    from byhistory.constraints import Constraint as Constraint
    from byhistory.errors import ByHistoryError as ByHistoryError
    from byhistory.export import Export as Export
    from byhistory.history import Decision as Decision
    from byhistory.history import Run as Run
    from byhistory.history import RunLine as RunLine
    from byhistory.history import Store as Store
    from byhistory.history import StoreForm as StoreForm
    from byhistory.history import TableLine as TableLine
    from byhistory.history import open_store as open_store
    from byhistory.history.verify import Soundness as Soundness
    from byhistory.inject import Fault as Fault
    from byhistory.integrations import Published as Published
    from byhistory.integrations import gate as gate
    from byhistory.integrations import guarded as guarded
    from byhistory.integrations import guarding as guarding
    from byhistory.integrations import window_gate as window_gate
    from byhistory.integrations import write_audit_publish as write_audit_publish
    from byhistory.learners import Learner as Learner
    from byhistory.learners import Override as Override
    from byhistory.learners import Program as Program
    from byhistory.learners.learn import learn as learn
    from byhistory.metrics import Pair as Pair
    from byhistory.metrics import Single as Single
    from byhistory.profile import ColumnProfile as ColumnProfile
    from byhistory.profile import Kind as Kind
    from byhistory.profile import TableProfile as TableProfile
    from byhistory.report import Output as Output
    from byhistory.report import Story as Story
    from byhistory.rows.local import profile_table as profile_table
    from byhistory.spark import profile as profile_run  # noqa: F401 - public under this name
    from byhistory.spark import profile_runs as profile_runs
    from byhistory.validator import Backfilled as Backfilled
    from byhistory.validator import Backtest as Backtest
    from byhistory.validator import Backup as Backup
    from byhistory.validator import Calibration as Calibration
    from byhistory.validator import ColumnPicture as ColumnPicture
    from byhistory.validator import Decisions as Decisions
    from byhistory.validator import DueLine as DueLine
    from byhistory.validator import Judged as Judged
    from byhistory.validator import Learning as Learning
    from byhistory.validator import Overrides as Overrides
    from byhistory.validator import Preview as Preview
    from byhistory.validator import Records as Records
    from byhistory.validator import RunRows as RunRows
    from byhistory.validator import Sources as Sources
    from byhistory.validator import Spread as Spread
    from byhistory.validator import Standing as Standing
    from byhistory.validator import Validator as Validator
    from byhistory.validator import Waiting as Waiting
    from byhistory.validator import backup as backup
    from byhistory.verdict import Finding as Finding
    from byhistory.verdict import Unusual as Unusual
    from byhistory.verdict import Verdict as Verdict
    from byhistory.verdict.check import check as check
    from byhistory.why import Answer as Answer

__version__ = "0.1.0"

_WHERE = {
    "Alarm": ("byhistory.alarms", "Alarm"),
    "Answer": ("byhistory.why", "Answer"),
    "Backfilled": ("byhistory.validator", "Backfilled"),
    "Backtest": ("byhistory.validator", "Backtest"),
    "Backup": ("byhistory.validator", "Backup"),
    "Bound": ("byhistory.bounds", "Bound"),
    "ByHistoryError": ("byhistory.errors", "ByHistoryError"),
    "Calibration": ("byhistory.validator", "Calibration"),
    "ColumnPicture": ("byhistory.validator", "ColumnPicture"),
    "ColumnProfile": ("byhistory.profile", "ColumnProfile"),
    "Config": ("byhistory.config", "Config"),
    "Constraint": ("byhistory.constraints", "Constraint"),
    "Decision": ("byhistory.history", "Decision"),
    "Decisions": ("byhistory.validator", "Decisions"),
    "DueLine": ("byhistory.validator", "DueLine"),
    "Export": ("byhistory.export", "Export"),
    "Fault": ("byhistory.inject", "Fault"),
    "Finding": ("byhistory.verdict", "Finding"),
    "Judged": ("byhistory.validator", "Judged"),
    "Kind": ("byhistory.profile", "Kind"),
    "Learner": ("byhistory.learners", "Learner"),
    "Learning": ("byhistory.validator", "Learning"),
    "Output": ("byhistory.report", "Output"),
    "Override": ("byhistory.learners", "Override"),
    "Overrides": ("byhistory.validator", "Overrides"),
    "Pair": ("byhistory.metrics", "Pair"),
    "Preview": ("byhistory.validator", "Preview"),
    "Program": ("byhistory.learners", "Program"),
    "Published": ("byhistory.integrations", "Published"),
    "Records": ("byhistory.validator", "Records"),
    "Run": ("byhistory.history", "Run"),
    "RunLine": ("byhistory.history", "RunLine"),
    "RunRows": ("byhistory.validator", "RunRows"),
    "Single": ("byhistory.metrics", "Single"),
    "Soundness": ("byhistory.history.verify", "Soundness"),
    "Sources": ("byhistory.validator", "Sources"),
    "Spread": ("byhistory.validator", "Spread"),
    "Standing": ("byhistory.validator", "Standing"),
    "Store": ("byhistory.history", "Store"),
    "StoreForm": ("byhistory.history", "StoreForm"),
    "Story": ("byhistory.report", "Story"),
    "TableLine": ("byhistory.history", "TableLine"),
    "TableProfile": ("byhistory.profile", "TableProfile"),
    "Unusual": ("byhistory.verdict", "Unusual"),
    "Validator": ("byhistory.validator", "Validator"),
    "Verdict": ("byhistory.verdict", "Verdict"),
    "Waiting": ("byhistory.validator", "Waiting"),
    "backup": ("byhistory.validator", "backup"),
    "check": ("byhistory.verdict.check", "check"),
    "gate": ("byhistory.integrations", "gate"),
    "guarded": ("byhistory.integrations", "guarded"),
    "guarding": ("byhistory.integrations", "guarding"),
    "learn": ("byhistory.learners.learn", "learn"),
    "open_store": ("byhistory.history", "open_store"),
    "profile_run": ("byhistory.spark", "profile"),  # the name `byhistory.profile` is taken by the package of profiles
    "profile_runs": ("byhistory.spark", "profile_runs"),
    "profile_table": ("byhistory.rows.local", "profile_table"),
    "read_config": ("byhistory.config", "read_config"),
    "window_gate": ("byhistory.integrations", "window_gate"),
    "write_audit_publish": ("byhistory.integrations", "write_audit_publish"),
}
"""The public names, with the module and attribute of each. docs/reference/api.md describes them."""
__all__ = ["__version__", *_WHERE]  # noqa: PLE0604 - the names above


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for: `import byhistory` itself stays light."""
    if name not in _WHERE:
        raise AttributeError(f"module 'byhistory' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    """What a shell offers after `byhistory.`: the public names, including those that were not imported yet."""
    return sorted({*globals(), *__all__})
